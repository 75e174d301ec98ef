"""The pre-commit framework itself, with our .pre-commit-hooks.yaml, on a little repository."""

import os
import pathlib
import shutil
import subprocess
import sys
import unittest

import harness
from lint import BAD, GOOD, Linting

FRAMEWORK = shutil.which("pre-commit", path=os.pathsep.join([str(pathlib.Path(sys.executable).parent), os.environ.get("PATH", "")]))
if not FRAMEWORK:
    print("cases_lint_hooks: SKIPPED, there is no pre-commit: pip install pre-commit", file=sys.stderr)

CONFIGURATION = """repos:
- repo: {hooks}
  rev: v1
  hooks:
  - id: kadvise-lint
    args: [--headers, stub]
"""


@unittest.skipIf(not FRAMEWORK, "no pre-commit")
class Framework(Linting):
    def environment(self):
        path = os.pathsep.join([str(pathlib.Path(harness.program).parent), str(pathlib.Path(FRAMEWORK).parent), os.environ["PATH"]])
        names = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in (("NAME", "a"), ("EMAIL", "a@b"))}
        # The folder of the case is its home, so that no configuration of this machine counts.
        return {**super().environment(), **names, "PATH": path, "PRE_COMMIT_HOME": str(self.folder / "framework"), "HOME": str(self.folder),
                "GIT_CONFIG_NOSYSTEM": "1"}

    def call(self, *words, folder="user", code=0):
        done = subprocess.run(words, cwd=self.folder / folder, env=self.environment(), capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, f"{words}\n{done.stdout}\n{done.stderr}")
        return done.stdout + done.stderr

    def setUp(self):
        super().setUp()
        self.write("hooks/.pre-commit-hooks.yaml", (harness.ROOT / ".pre-commit-hooks.yaml").read_text())
        for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "hooks"], ["tag", "v1"]):
            self.call("git", *words, folder="hooks")
        self.write("user/.pre-commit-config.yaml", CONFIGURATION.format(hooks=self.folder / "hooks"))
        self.call("git", "init", "-q")
        self.call("git", "add", ".")
        self.call("pre-commit", "install")

    def commit(self, files, code):
        for name, text in files.items():
            self.write(f"user/{name}", text)
        self.call("git", "add", ".")
        return self.call("git", "commit", "-qm", "change", code=code)

    def test_a_bad_commit_is_rejected_and_a_good_one_passes(self):
        out = self.commit({"k.cu": BAD}, code=1)
        self.assertIn("cuda/block-too-large", out)
        self.assertIn("kadvise lint", out)
        self.commit({"k.cu": GOOD}, code=0)
        self.assertIn("change", self.call("git", "log", "--oneline"))

    def test_many_files_and_odd_names(self):
        files = {f"part {i}/a 'b' $({i}).cu": GOOD for i in range(40)}
        self.commit(files, code=0)
        self.commit({**files, "part 7/new.cuh": BAD}, code=1)

    def test_only_sources_and_what_is_not_excluded(self):
        self.commit({"notes.md": BAD, "kadvise.toml": 'exclude = ["vendor/**"]\n', "vendor/k.cu": BAD}, code=0)

    def test_a_deleted_file_is_no_trouble(self):
        self.commit({"k.cu": GOOD, "old.cu": GOOD}, code=0)
        self.call("git", "rm", "-q", "old.cu")
        self.commit({"k.cu": GOOD + "\n"}, code=0)
        self.call("pre-commit", "run", "--all-files")
