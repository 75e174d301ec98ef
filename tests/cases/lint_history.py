"""--diff-base in a repository whose configuration and attributes were written by somebody else: nothing of it is run."""

import os

from lint import BAD, Linting

ATTRIBUTES = "*.cu filter=evil diff=evil\n*.cuh filter=e=vil\n*.h filter=long\n"
COMMANDS = """[core]
  fsmonitor = {run}
  hooksPath = {folder}/hooks
  pager = {run}
  sshCommand = {run}
  editor = {run}
[filter "evil"]
  clean = {run} && cat
  smudge = {run} && cat
  required = true
[filter "e=vil"]
  clean = {run} && cat
[filter "long"]
  process = {run}
  required = true
[diff]
  external = {run}
[diff "evil"]
  command = {run}
  textconv = {run} && cat
[alias]
  diff = !{run}
  config = !{run}
[pager]
  diff = {run}
  config = {run}
[trace2]
  eventTarget = {folder}/ran
[remote "origin"]
  url = ext::sh -c "{run}"
  promisor = true
  partialclonefilter = blob:none
[protocol "ext"]
  allow = always
"""


class Hostile(Linting):
    def setUp(self):
        super().setUp()
        for name in ("a.cu", "b.cuh", "c.h"):
            self.write(name, BAD)
        self.write(".gitattributes", ATTRIBUTES)
        self.git("init", "-q")
        self.git("add", ".gitattributes", "a.cu", "b.cuh", "c.h")
        self.git("commit", "-qm", "first")
        for name in ("a.cu", "b.cuh", "c.h"):
            self.write(name, BAD.replace("cudaThreadSynchronize();", "cudaThreadSynchronize();\n  cudaThreadExit();"))
        self.ran = self.folder / "ran"
        run = self.write("run.sh", f"#!/bin/sh\necho $0 $* >> '{self.ran}'\n")
        run.chmod(0o755)
        for hook in ("post-index-change", "fsmonitor-watchman", "reference-transaction"):
            self.write(f"hooks/{hook}", f"#!/bin/sh\necho {hook} >> '{self.ran}'\n").chmod(0o755)
        with open(self.folder / ".git/config", "a", encoding="utf-8") as config:
            config.write(COMMANDS.format(run=run, folder=self.folder))

    def changed(self, *files):
        return self.rules("--diff-base", "HEAD", "--select", "cuda/removed-api", *files, code=1)

    def test_nothing_of_it_is_run(self):
        self.assertEqual(self.changed("a.cu", "b.cuh", "c.h"), ["cuda/removed-api"] * 3)
        self.assertFalse(self.ran.exists(), self.ran.read_text() if self.ran.exists() else "")

    def test_nor_to_fetch_what_is_missing(self):
        blob = next(path for path in (self.folder / ".git/objects").glob("??/*") if path.stat().st_size > 150)
        blob.unlink()
        self.lint("--diff-base", "HEAD", "a.cu", code=2)
        self.assertFalse(self.ran.exists(), self.ran.read_text() if self.ran.exists() else "")

    def test_attributes_hide_no_lines(self):
        self.write(".gitattributes", "*.cu binary\n")
        self.assertEqual(self.changed("a.cu"), ["cuda/removed-api"])


class Names(Linting):
    def test_odd_names_and_odd_lines(self):
        self.git("init", "-q")
        names = ("a b.cu", 'quo"te.cu', "tab\t.cu", "ümlaut.cu", "line\nend.cu")
        for name in names:
            self.write(name, BAD)
        self.git("add", ".")
        self.git("commit", "-qm", "first")
        for name in names:
            # Behind the mark of an added line "++ x" looks like the name of a file.
            self.write(name, BAD.replace("void run", "/*\n++ other.cu\n*/\nvoid run").replace("cudaThreadSynchronize();", "cudaThreadExit();"))
        self.assertEqual(self.rules("--diff-base", "HEAD", "--select", "cuda/removed-api", *names, code=1), ["cuda/removed-api"] * len(names))
