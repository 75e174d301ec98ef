#!/usr/bin/env python3
"""Who may include whom, and which headers stand alone: the tree against the list in CONTRIBUTING.md.

  structure_test.py SOURCE_DIR
"""
import os
import re
import subprocess
import sys

# Folder of the includer -> folders it may take a header from. The longest matching folder counts.
MAY_INCLUDE = {
    "analyzer/core": {"analyzer/core"},
    "analyzer/graph": {"analyzer/graph", "analyzer/core"},
    "analyzer": {"analyzer", "analyzer/core", "reports"},
    "profiler": {"profiler", "analyzer/core"},
    "reports": {"reports", "analyzer/core"},
    "kernels": {"kernels"},
}
# Libraries that a folder never sees.
NEVER = {"analyzer/core": r"torch/|ATen/|c10/|cuda|cupti|clang/", "reports": r"torch/|ATen/|c10/|cuda|cupti|clang/",
         "analyzer": r"torch/|ATen/|c10/|cuda|cupti|clang/", "analyzer/graph": r"cuda|cupti|clang/", "profiler": r"clang/"}
STANDS_ALONE = ("analyzer/core", "reports")


def folder_of(path):
    known = [f for f in MAY_INCLUDE if path.startswith(f + "/")]
    return max(known, key=len) if known else None


def sources(root):
    for top in sorted({f.split("/")[0] for f in MAY_INCLUDE}):
        for base, _, files in os.walk(os.path.join(root, top)):
            for name in sorted(files):
                if name.endswith((".h", ".cpp", ".cu", ".cuh")):
                    yield os.path.relpath(os.path.join(base, name), root)


def wrong_includes(root, path):
    folder = folder_of(path)
    for number, line in enumerate(open(os.path.join(root, path), encoding="utf-8"), 1):
        include = re.match(r'#include ([<"])([^>"]+)', line)
        if not include:
            continue
        quoted, target = include[1] == '"', include[2]
        if quoted and folder_of(target) not in MAY_INCLUDE[folder]:
            yield f"{path}:{number}: {folder} must not include {target}"
        if not quoted and re.match(NEVER.get(folder, "$^"), target):
            yield f"{path}:{number}: {folder} must not see <{target}>"
        if path.endswith((".cu", ".cuh")) and re.match(r"torch/|ATen/|c10/", target):
            yield f"{path}:{number}: no torch header goes through nvcc"


def main():
    root = os.path.abspath(sys.argv[1])
    problems, headers = [], []
    for path in sources(root):
        problems += wrong_includes(root, path)
        if path.endswith(".h") and folder_of(path) in STANDS_ALONE:
            headers.append(path)
    compiler = os.environ.get("CXX", "c++")
    for path in headers:
        run = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-I", root, "-x", "c++", "-"], input=f'#include "{path}"\n',
                             capture_output=True, text=True)
        if run.returncode:
            problems.append(f"{path} does not compile alone: {run.stderr.splitlines()[0]}")
    for left in ("@@",):
        for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"):
            if left in open(os.path.join(root, name), encoding="utf-8").read():
                problems.append(f"{name} holds the placeholder {left}")
    print("\n".join(problems) or f"ok: {len(headers)} headers stand alone")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
