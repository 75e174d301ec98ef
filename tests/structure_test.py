#!/usr/bin/env python3
"""Who may include whom, which headers stand alone, what is built, how long a file may be: the tree against CONTRIBUTING.md.

  structure_test.py SOURCE_DIR [COMPILER]
"""
import os
import re
import subprocess
import sys
import tempfile

# Folder of the includer -> folders it may take a header from. The longest matching folder counts.
MAY_INCLUDE = {
    "analyzer/core": {"analyzer/core"},
    "analyzer/graph": {"analyzer/graph", "analyzer/core"},
    "analyzer/source": {"analyzer/source", "analyzer/core"},
    "analyzer/source/headers": set(),  # declarations for sources that we read: they include each other by <name>
    "analyzer/lint": {"analyzer/lint", "analyzer", "analyzer/core", "reports"},
    "analyzer/lsp": {"analyzer/lsp", "analyzer/lint", "analyzer", "analyzer/core", "reports"},
    "analyzer": {"analyzer", "analyzer/core", "analyzer/lint", "analyzer/lsp", "reports"},
    "profiler": {"profiler", "analyzer/core"},
    "reports": {"reports", "analyzer/core"},
    "kernels": {"kernels"},
}
# Libraries that a folder never sees.
NEVER = {"analyzer/core": r"torch/|ATen/|c10/|cuda|cupti|clang/", "reports": r"torch/|ATen/|c10/|cuda|cupti|clang/",
         "analyzer": r"torch/|ATen/|c10/|cuda|cupti|clang/", "analyzer/graph": r"cuda|cupti|clang/",
         "analyzer/source": r"torch/|ATen/|c10/|cuda|cupti", "analyzer/lint": r"torch/|ATen/|c10/|cuda|cupti|clang/",
         "analyzer/lsp": r"torch/|ATen/|c10/|cuda|cupti|clang/", "profiler": r"clang/"}
STANDS_ALONE = ("analyzer/core", "reports")
# Headers that many of those have behind them, the largest first: each is read once.
READ_ONCE = ("reports/report.h", "analyzer/core/json.h", "analyzer/core/types.h", "string")
# A file of code holds one idea, which fits into so many lines; what is longer stands here with its reason.
# Rule pages are prose and schemas are data, so they are not counted.
LONGEST = 300
LONGER = {
    "dev": "one file that runs before anything is set up, so it has nothing to take its parts from",
}
CODE = (".h", ".cpp", ".cu", ".cuh", ".py", ".sh")


def folder_of(path):
    known = [f for f in MAY_INCLUDE if path.startswith(f + "/")]
    return max(known, key=len) if known else None


def sources(root):
    for top in sorted({f.split("/")[0] for f in MAY_INCLUDE}):
        for base, _, files in os.walk(os.path.join(root, top)):
            for name in sorted(files):
                if name.endswith((".h", ".cpp", ".cu", ".cuh")):
                    yield os.path.relpath(os.path.join(base, name), root)


def code(root):
    yield "dev"
    for top in sorted({f.split("/")[0] for f in MAY_INCLUDE} | {"tests"}):
        for base, _, files in os.walk(os.path.join(root, top)):
            yield from (os.path.relpath(os.path.join(base, name), root) for name in sorted(files) if name.endswith(CODE))


def wrong_lengths(root):
    long = {}
    for path in code(root):
        with open(os.path.join(root, path), encoding="utf-8") as text:
            lines = sum(1 for _ in text)
        if lines > LONGEST:
            long[path] = lines
    for path in sorted(long.keys() - LONGER.keys()):
        yield f"{path} has {long[path]} lines: split it by idea, or list it in LONGER with the reason (longest is {LONGEST})"
    for path in sorted(LONGER.keys() - long.keys()):
        yield f"{path} is not longer than {LONGEST} lines, or is not there: take it out of LONGER"


def named_by_cmake(root, path):
    """The files that a list of CMake names, relative to the root: its own paths, and those that begin with a variable."""
    with open(os.path.join(root, path), encoding="utf-8") as text:
        words = re.split(r"[\s()<>:;\"]+", re.sub(r"#.*", "", text.read()))
    for word in words:
        bare = re.sub(r"\$\{[^}]*\}/?", "", word)
        yield os.path.normpath(os.path.join(os.path.dirname(path), bare))
        yield os.path.normpath(bare)


def built_by_nobody(root):
    """Sources and tests that no list of CMake names: they would be kept, and never compiled or run."""
    lists, files = ["CMakeLists.txt"], []
    for top in sorted({f.split("/")[0] for f in MAY_INCLUDE} | {"tests"}):
        for base, folders, names in os.walk(os.path.join(root, top)):
            folders[:] = [f for f in folders if f != "node_modules"]
            paths = [os.path.relpath(os.path.join(base, name), root) for name in names]
            lists += [path for path in paths if path.endswith(("CMakeLists.txt", ".cmake"))]
            files += [path for path in paths if path.endswith(("_test.cpp", "_test.py") if top == "tests" else (".cpp", ".cu"))]
    named = {path for name in lists for path in named_by_cmake(root, name)}
    for path in sorted(files):
        stem = os.path.splitext(path)[0]  # by which a loop over tests, or kadvise_add_test(name), has it
        if not named & {path, stem, stem.removesuffix("_test")}:
            yield f"{path} stands in no list of CMake, so nobody builds or runs it"


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


def behind(root, path, known):
    """All that a header of ours includes, itself or through others of ours."""
    if path not in known:
        known[path] = set()
        if not os.path.exists(os.path.join(root, path)):
            return known[path]
        with open(os.path.join(root, path), encoding="utf-8") as text:
            includes = re.findall(r'^#include ([<"])([^>"]+)', text.read(), re.MULTILINE)
        for kind, target in includes:
            known[path] |= {target} | (behind(root, target, known) if kind == '"' else set())
    return known[path]


def not_alone(root, headers, compiler):
    """Each header is compiled with nothing before it but one that it has behind it anyway."""
    compile_it, known = [compiler, "-std=c++20", "-I", root, "-x"], {}
    # Clang else makes what the header instantiates again for each that it stands before.
    instantiate = ["-fpch-instantiate-templates"] if "clang" in os.path.basename(compiler) else []
    with tempfile.TemporaryDirectory() as folder:
        first = {path: os.path.join(folder, path.replace("/", "_")) for path in READ_ONCE}
        for path in [*READ_ONCE, *(h for h in headers if h not in READ_ONCE)]:
            if path in first:
                with open(first[path], "w", encoding="utf-8") as text:
                    text.write(f"#include <{path}>\n")
                command = [*compile_it, "c++-header", *instantiate, first[path], "-o", first[path] + ".gch"]
            else:
                before = next((f for f in READ_ONCE if f in behind(root, path, known)), None)
                command = [*compile_it, "c++", "-fsyntax-only", *(["-include", first[before]] if before else []), "-"]
            run = subprocess.run(command, input=f'#include "{path}"\n', capture_output=True, text=True)
            if run.returncode:
                yield f"{path} does not compile alone: {run.stderr.splitlines()[0]}"


def main():
    root = os.path.abspath(sys.argv[1])
    problems, headers = [*wrong_lengths(root), *built_by_nobody(root)], []
    for path in sources(root):
        problems += wrong_includes(root, path)
        if path.endswith(".h") and folder_of(path) in STANDS_ALONE:
            headers.append(path)
    problems += not_alone(root, headers, sys.argv[2] if len(sys.argv) > 2 else "c++")
    for left in ("@@",):
        for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"):
            if left in open(os.path.join(root, name), encoding="utf-8").read():
                problems.append(f"{name} holds the placeholder {left}")
    print("\n".join(problems) or f"ok: {len(headers)} headers stand alone")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
