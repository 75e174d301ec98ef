"""What the command line takes, and what it says to what it does not take."""

import os
import resource
import subprocess
import sys
import unittest

import harness
from harness import Case


class Help(Case):
    def test_says_what_there_is(self):
        out, err = self.kadvise("--help")
        for word in ("kadvise model.pt", "--input SPEC", "--apply", "--engines DIR", "Exit codes", "130", "143", "rules", "report"):
            self.assertIn(word, out)
        self.assertEqual(err, "")
        self.assertLessEqual(max(map(len, out.splitlines())), 112)

    def test_says_its_version(self):
        out, _ = self.kadvise("--version")
        self.assertRegex(out, r"^kadvise \d+\.\d+\.\d+\n$")

    def test_of_a_command(self):
        self.assertIn("Usage: kadvise report REPORT.json [NEWER.json]", self.kadvise("report", "--help")[0])
        out, _ = self.kadvise("rules", "test", "--help")
        self.assertIn("WHICH", out)
        self.assertNotIn("--budget", out)
        out, _ = self.kadvise("lint", "--help")
        for word in ("Folder with kadvise-source", "(default 60)", "(default 4)", "XDG_CACHE_HOME"):
            self.assertIn(word, out)
        for word in ("kadvise-measure", "default 600"):
            self.assertNotIn(word, out)

    @unittest.skipIf("ASAN_OPTIONS" in os.environ, "instrumented programs start slowly")
    @unittest.skipIf("KADVISE_UNOPTIMISED" in os.environ, "programs that are not optimised start slowly")
    def test_starts_in_milliseconds(self):
        def processor_time(command):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

        # Beside a bare Python, which a slow or busy machine slows down alike: 15 ms where 20 on the wall are promised.
        python = [sys.executable, "-I", "-S", "-c", "pass"]
        for arguments in (["--help"], ["rules", "list"]):
            spent = [(processor_time([harness.program, *arguments]), processor_time(python)) for _ in range(11)]
            ours, theirs = map(min, zip(*spent))
            self.assertLess(ours, 2.5 * theirs, arguments)

    def test_needs_no_torch(self):
        out = subprocess.run(["ldd", harness.program], capture_output=True, text=True).stdout
        names = " ".join(line.split()[0] for line in out.splitlines() if line.strip())  # not where they are loaded
        for library in ("torch", "c10", "cuda", "libfmt"):
            self.assertNotIn(library, names)


class Refusals(Case):
    def refused(self, *arguments, says):
        out, err = self.kadvise(*arguments, code=2)
        self.assertEqual(out, "")
        self.assertTrue(err.startswith("kadvise: "), err)
        self.assertIn(says, err)
        self.assertLessEqual(err.count("\n"), 2, "a sentence, not a page")

    def test_wrong_options(self):
        self.refused("--nope", says="--nope")
        self.refused("model.pt", "--verbos", says="did you mean --verbose?")
        self.refused("model.pt", "--budgte=3", says="did you mean --budget?")
        self.refused("why-not", "model.pt", "--aply", says="not expected: --aply\n")  # another command's
        self.refused("lint", "--statistic", says="did you mean --statistics?")
        self.refused("model.pt", "--report", "x", says="name it FILE.html")
        self.refused("model.pt", "--level", "9", says="1 to 5")
        self.refused("model.pt", "--keep", "all", says="not-slower")
        self.refused("model.pt", "--color", "red", says="never")
        self.refused("model.pt", "--fail-on", "regression", says="opportunity")
        self.refused("model.pt", "--budget", "-3", says="--budget")
        self.refused("model.pt", "--budget", "soon", says="--budget")
        self.refused("model.pt", "--budget", "nan", says="not a number above 0")
        self.refused("model.pt", "--time-limit", "inf", says="not a number above 0")
        self.refused("model.pt", "--seed", "-5", says="not a whole number")
        self.refused("model.pt", "--seed", "99999999999999999999", says="not a whole number")
        self.refused("model.pt", "--input", says="--input")
        self.refused("model.pt", "--engines", str(self.engines), "--arch", "K80", says="RTX 4090")

    def test_wrong_inputs(self):
        self.refused("model.pt", "--input", "float32", says="has no [shape]")
        self.refused("model.pt", "--input", "float32[64,3", says="the closing ] is missing")
        self.refused("model.pt", "--input", "float33[2]", says="is not a dtype")
        self.refused("model.pt", "--inputs", "nowhere.pt", says="no such file")
        self.refused("model.pt", "--inputs", "model.pt", "--input", "bool[2]", says="not both")
        self.refused("model.pt", "--device", "tpu", says="cuda:N")
        self.refused("model.pt", "--op-library", "nowhere.so", says="no such file")

    def test_wrong_subjects(self):
        self.refused(says="name a TorchScript module")
        self.refused("", says="the name of the module is empty")
        self.refused("nowhere.pt", says="nowhere.pt: no such file")
        self.refused(".", says="is a folder")
        self.refused("nowhere.pt2", says="no such file")
        self.refused("ops.cu", says="kadvise lint ops.cu")
        self.refused("model.pt", "ops.cu", says="one module at a time, and `kadvise lint` reads sources")
        self.refused("/dev/null", says="is not a regular file")

    def test_commands_that_do_not_exist(self):
        for command in ("language-server", "serve"):
            self.refused(command, says="neither a command nor a file")
        self.refused("verify", "model.pt", says="--component")
        self.refused("verify", "--component", "gru", "model.pt", says="embedding")
        self.refused("verify", "--component", "norm", says="MODEL")
        self.refused("verify", "--component", "norm", "nowhere.pt", says="no such file")
        self.refused("rules", says="list, show ID or test")
        self.refused("rules", "sing", says="list, show ID or test")
        self.refused("model.pt", "rules", "list", says="model.pt")

    @__import__("unittest").skipIf(os.geteuid() == 0, "root reads everything")
    def test_files_without_permission(self):
        (self.folder / "model.pt").chmod(0)
        self.refused("model.pt", says="permissions")

    def test_outputs_that_cannot_be_written(self):
        self.refused("model.pt", "--apply", says="--output")
        self.refused("model.pt", "-o", "fast.pt", says="--apply")
        self.refused("model.pt", "--apply", "-o", "nowhere/fast.pt", says="folder does not exist")
        self.refused("model.pt", "--apply", "-o", ".", says="is a folder")
        self.refused("model.pt", "--apply", "-o", "./model.pt", says="is the module itself")
        self.refused("model.pt", "--apply", "-o", "fast.pt2", says="name it .pt")
        self.refused("model.pt", "--apply", "-o", "fast.pt", "--no-verify", says="--no-verify")
        for option in ("--json", "--write-baseline"):
            self.refused("model.pt", option, "nowhere/run.json", says="folder does not exist")
            self.refused("model.pt", option, ".", says="is a folder")
        self.refused("model.pt", "--write-baseline", "-", says="--write-baseline -: is no file; name the file to write")
        self.refused("profile", "model.pt", "--trace", "nowhere/t.json", says="folder does not exist")

    def test_missing_engines(self):
        self.refused("model.pt", "--engines", self.temporary, says="--engines")

    def test_unknown_rules(self):
        self.refused("model.pt", "--select", "nonsense", "--engines", self.engines, says="kadvise rules list")
        self.refused("rules", "test", "./nowhere", says="./nowhere: no such folder")
        self.refused("rules", "test", "nonesuch", says='"nonesuch" is neither a rule, a category nor a folder')
        self.refused("model.pt", "--rules", ".", "--select", "x", "--engines", self.engines, says="--rules .: has no rule pages")
        self.refused("why-not", "fusion/rope", "--engines", self.engines, says="MODEL is missing")
        self.refused("why-not", "model.pt", "fusion/rope", "--engines", self.engines, says="the rule comes first: `kadvise why-not fusion/rope model.pt`")

    def test_folders_of_pages_are_looked_at_before_the_work(self):
        page = self.folder / "own/team/mine.md"
        page.parent.mkdir(parents=True)
        page.write_text("# mine\n")
        for given, says in (("nowhere", "no such folder"), ("own/team", "name the one above it: own"), ("own/team/", "name the one above it: own"),
                            ("own/team/mine.md", "is a page; name the folder above its category: own"), ("model.pt", "is not a folder of rule pages")):
            self.refused("model.pt", "--rules", given, "--engines", self.engines, says=f"--rules {given}: ")
            self.refused("rules", "list", "--rules", given, says=says)
            if given != "nowhere":  # which may be a rule
                self.refused("rules", "test", given, says=says)
