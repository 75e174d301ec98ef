"""run.py KADVISE NODE FOLDER: makes pages of sample runs in FOLDER and tests them in a browser; 77 where there is none."""

import os
import pathlib
import shutil
import subprocess
import sys

import sample_lint
import sample_runs

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77


def missing(node):
    if not node:
        return "there is no node"
    if not (HERE / "node_modules/playwright-core").is_dir():
        return "its parts are missing: npm ci in tests/reports/page (./dev test does)"
    if not browser():
        return "there is no chromium; KADVISE_BROWSER names another browser of its kind"
    return ""


def browser():
    return os.environ.get("KADVISE_BROWSER") or shutil.which("chromium") or shutil.which("google-chrome") or ""


def main(kadvise, node, folder):
    why = missing(node)
    if why:
        print("SKIPPED, the page was not looked at: " + why)
        return SKIPPED
    folder = pathlib.Path(folder)
    sample_runs.main(folder)
    sample_lint.main(folder)
    for name in ("advice", "profile", "levels", "large", "hostile", "empty", "bench", "parts", "lint", "lint-large", "lint-hostile", "lint-clean"):
        run = subprocess.run([kadvise, "report", folder / f"{name}.json", "--report", folder / f"{name}.html", "--quiet"], capture_output=True, text=True)
        if "this build of kadvise has no page" in run.stderr:
            print("SKIPPED: " + run.stderr)
            return SKIPPED
        run.check_returncode()
    subprocess.run([kadvise, "report", folder / "advice.json", folder / "regressed.json", "--report", folder / "compared.html", "--quiet"], check=True)
    return subprocess.run([node, "--test", "--test-concurrency=1", HERE / "page_test.mjs", HERE / "lint_test.mjs"], env={**os.environ, "KADVISE_PAGES": str(folder), "KADVISE_BROWSER": browser()}).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
