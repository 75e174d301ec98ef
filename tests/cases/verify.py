"""kadvise verify --component: named results, and what the exit code makes of them."""

import json
import os
import pathlib
import shutil

from harness import REPORT, Case, fault


def named(status):
    return {"name": "causal", "status": status, "figures": "no output depends on later tokens"}


EQUAL = {"outcome": "not-run", "reason": "not timed"}
WRONG = {"outcome": "wrong-output", "reason": "output 0, case signed: max error 3e+06 ulp"}


class Pair(Case):
    def setUp(self):
        super().setUp()
        for name in ("other.pt", "out.pt"):
            (self.folder / name).write_text("a file")

    def verify(self, *arguments, code=0):
        return self.kadvise("verify", "model.pt", *arguments, "--input", "float32[4,128]", "--engines", self.engines, code=code)

    def test_two_modules_are_compared_widely_and_strictly(self):
        self.scenario(verdicts={"whole": EQUAL})
        out, _ = self.verify("other.pt")
        self.assertIn("model.pt against other.pt on the CPU", out)
        self.assertIn("outputs equal (at-least-as-accurate)", out)
        self.assertIn("worst case: normal", out)
        asked = [m["arguments"] for m in self.requests() if m["verb"] == "compare"]
        self.assertEqual(len(asked), 1)
        self.assertEqual((asked[0]["breadth"], asked[0]["timing"], asked[0].get("domain", "")), ("wide", True, ""))
        self.assertTrue(asked[0]["after"]["path"].endswith("/other.pt"))
        self.assertEqual(asked[0]["reference"]["path"], "base.fp64.pt")

    def test_an_exported_program_as_the_second_is_refused_at_once(self):
        (self.folder / "b.pt2").write_text("a program")
        _, err = self.verify("b.pt2", code=2)
        self.assertEqual(err, "kadvise: b.pt2: is an exported program, which only the first of the two may be; name it first\n")

    def test_which_is_faster_is_said_and_confirmed(self):
        self.scenario()
        out, _ = self.verify("other.pt")
        self.assertIn("other.pt is faster: 1.50x (1.40–1.60, 95%)", out)
        self.assertIn("median call 300 µs → 200 µs", out)
        self.assertIn("confirmed in a fresh process: 1.500x", " ".join(out.split()))
        asked = [m["arguments"] for m in self.requests() if m["verb"] == "compare"]
        self.assertEqual([(a.get("attempt", 1), a.get("breadth", "")) for a in asked], [(1, "wide"), (2, "")])
        slower = {"outcome": "slower", "speedup": {"low": 0.7, "mid": 0.8, "high": 0.9}}
        self.scenario(verdicts={"whole": slower})
        self.assertIn("other.pt is slower: 0.80x", self.verify("other.pt")[0])
        self.scenario(verdicts={"whole": {"outcome": "ambiguous", "reason": "noise"}})
        self.assertIn("which of them is faster is not clear", self.verify("other.pt")[0])

    def test_the_exit_code(self):
        for verdict, code in (({"outcome": "slower"}, 0), ({"outcome": "ambiguous"}, 0), (EQUAL, 0), (WRONG, 1), ({"outcome": "failed", "reason": "the original fails"}, 2)):
            self.scenario(verdicts={"whole": verdict})
            out, _ = self.verify("other.pt", "--json", "-", code=code)
            report = json.loads(out)
            self.agrees(REPORT, report)
            self.assertEqual((report["pair"]["kind"], report["pair"]["against"]), ("module", "other.pt"))

    def test_without_timing_only_equality_is_judged(self):
        self.scenario()
        out, _ = self.verify("other.pt", "--no-timing", "--budget", "40")
        self.assertIn("outputs equal (at-least-as-accurate); which of them is faster was not asked (--no-timing)", " ".join(out.split()))
        self.assertNotIn("is faster:", out)
        asked = [m["arguments"] for m in self.requests() if m["verb"] == "compare"]
        self.assertEqual([(a["timing"], a["budgetSeconds"], a["breadth"]) for a in asked], [(False, 40, "wide")])
        self.assertEqual(self.pair_of("--no-timing"), ("not-run", "equal", False))
        self.scenario(verdicts={"whole": WRONG})
        self.assertEqual(self.pair_of("--no-timing", code=1), ("wrong-output", "differ", False))
        self.scenario(verdicts={"whole": {"outcome": "failed", "reason": "the original fails"}})
        self.assertEqual(self.pair_of("--no-timing", code=2), ("failed", "undecided", False))

    def pair_of(self, *arguments, code=0):
        report = json.loads(self.verify("other.pt", *arguments, "--json", "-", code=code)[0])
        self.agrees(REPORT, report)
        return report["whole"]["outcome"], report["pair"]["outputs"], report["pair"]["timed"]

    def test_what_differs_is_said(self):
        self.scenario(verdicts={"whole": WRONG})
        self.assertIn("the outputs differ: output 0, case signed", self.verify("other.pt", code=1)[0])

    def test_the_worst_inputs_are_offered_again_where_the_user_lacks_them(self):
        for case, offered in (("signed", True), ("inputs", False)):
            accuracy = {"rmsUlp": 1, "p999Ulp": 1, "maxUlp": 1, "bias": 0, "scale": 1, "grade": "different", "worstCase": case}
            self.scenario(verdicts={"whole": {**WRONG, "accuracy": accuracy}}, worstInputs=True)
            out, _ = self.verify("other.pt", code=1)
            self.assertEqual("--inputs .kadvise/worst-inputs.pt" in " ".join(out.split()), offered, out)

    def test_a_run_that_decides_nothing_leaves_the_worst_inputs_of_the_last_one(self):
        kept = self.folder / ".kadvise/worst-inputs.pt"
        self.scenario(verdicts={"whole": WRONG}, worstInputs=True)
        self.verify("other.pt", code=1)
        self.assertEqual(kept.read_text(), "values")
        self.scenario(verdicts={"whole": {"outcome": "failed", "reason": "the original fails"}})
        out, _ = self.verify("other.pt", code=2)
        self.assertEqual(kept.read_text(), "values")
        self.assertNotIn("worst-inputs.pt", out, "they are not of this run")
        self.scenario(verdicts={"whole": EQUAL})
        self.verify("other.pt")
        self.assertFalse(kept.exists(), "nothing differs any more")

    def test_worst_inputs_that_cannot_be_kept_cost_no_verdict(self):
        self.scenario(verdicts={"whole": WRONG}, worstInputs=True)
        kept, other = self.folder / ".kadvise", self.folder / "other"
        (kept / "worst-inputs.pt/in/the/way").mkdir(parents=True)
        report = json.loads(self.verify("other.pt", "--json", "-", code=1)[0])
        self.assertTrue(any("are not kept: .kadvise/worst-inputs.pt: cannot be written" in note for note in report["notes"]), report["notes"])
        shutil.rmtree(kept)
        other.mkdir()
        os.symlink(other, kept)
        out, err = self.verify("other.pt", code=1)
        self.assertIn("the inputs that differ most are not kept: .kadvise: is a link", err)
        self.assertIn("the outputs differ", out)
        self.assertEqual(list(other.iterdir()), [])

    def test_a_saved_output_stands_for_a_module(self):
        self.scenario(verdicts={"whole": EQUAL})
        out, _ = self.verify("--expected", "out.pt")
        self.assertIn("model.pt against out.pt", out)
        asked = [m["arguments"] for m in self.requests() if m["verb"] == "compare"]
        self.assertTrue(asked[0]["expected"].endswith("/out.pt"))

    def test_one_thing_to_compare_with_is_wanted(self):
        self.assertIn("needs what to hold the module against", self.kadvise("verify", "model.pt", code=2)[1])
        self.assertIn("not several", self.kadvise("verify", "model.pt", "other.pt", "--expected", "out.pt", code=2)[1])
        self.assertIn("no such file", self.kadvise("verify", "model.pt", "nowhere.pt", "--input", "float32[4]", code=2)[1])

    def test_rendered_again_it_reads_the_same(self):
        self.scenario(verdicts={"whole": EQUAL})
        text, _ = self.verify("other.pt", "--json", "run.json")
        self.assertEqual(self.kadvise("report", "run.json")[0], text)


class Component(Case):
    def verify(self, *arguments, code=0):
        return self.kadvise("verify", "--component", "attention", "model.pt", "--input", "float32[2,9,32]", "--engines", self.engines, *arguments, code=code)

    def test_results_are_named_with_their_figures(self):
        out, _ = self.verify("--heads", "4")
        self.assertIn("attention: 1 check passed, none failed", out)
        self.assertIn("ok      kind: LayerNorm(64, eps=1e-05)", out)
        self.assertEqual([m["arguments"] for m in self.requests() if m["verb"] == "component"], [{"kind": "attention", "heads": 4}])

    def test_the_exit_code(self):
        for statuses, code in ((["pass", "skipped"], 0), (["pass", "fail", "unknown"], 1), (["pass", "unknown"], 2)):
            self.scenario(properties=[named(s) for s in statuses])
            out, _ = self.verify("--json", "-", code=code)
            report = json.loads(out)
            self.agrees(REPORT, report)
            self.assertEqual([p["status"] for p in report["component"]["properties"]], statuses)

    def test_an_engine_that_dies_or_refuses_is_an_error(self):
        for how, says in (("sigsegv", "was killed by SIGSEGV"), ("error", "the model: cannot be run")):
            (self.engines / "fault-0.count").unlink(missing_ok=True)
            self.scenario(faults=[fault("measure", "component", how)])
            out, _ = self.verify(code=2)
            self.assertIn(says, out)
            self.assertNotIn("passed", out)

    def test_rendered_again_it_reads_the_same(self):
        text, _ = self.verify("--json", "run.json")
        self.assertEqual(self.kadvise("report", "run.json")[0], text)


# Runs what it is given, as compute-sanitizer does, and writes a log.
SANITIZER = """#!/bin/sh
echo "$@" >> "{folder}/sanitizer-calls"
echo "$PYTORCH_NO_CUDA_MEMORY_CACHING" >> "{folder}/sanitizer-memory"
while [ "$1" != --log-file ]; do shift; done
log=$2
while [ "${{1##*/}}" != kadvise-measure ]; do shift; done
"$@"
case $log in *original*) cat "{folder}/log-of-original" ;; *) cat "{folder}/log" ;; esac > "$log" 2> /dev/null
"""
CLEAN = "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n"
BEYOND = """========= COMPUTE-SANITIZER
========= Invalid __global__ read of size 4 bytes
=========     at readBeyond(const float *)+0x70 in kernels.cu:20
========= ERROR SUMMARY: 3 errors
"""
GPU = {"device": {"kind": "cuda", "index": 0, "name": "NVIDIA H200", "arch": 90}, "environment": {"torch": "2.11.0"}}


class Sanitized(Case):
    def setUp(self):
        super().setUp()
        (self.folder / "other.pt").write_text("a file")
        self.programs = self.folder / "programs"
        self.programs.mkdir()
        self.scenario(opened=GPU, verdicts={"*": EQUAL})

    def environment(self):
        return {**super().environment(), "PATH": f"{self.programs}:{os.environ['PATH']}"}

    def sanitizer(self, log, original=CLEAN):
        (self.folder / "log").write_text(log)
        (self.folder / "log-of-original").write_text(original)
        program = self.programs / "compute-sanitizer"
        program.write_text(SANITIZER.format(folder=self.folder))
        program.chmod(0o755)

    def report(self, code=0, tool="memcheck"):
        out, _ = self.verify("--json", "-", code=code, tool=tool)
        report = json.loads(out)
        self.agrees(REPORT, report)
        return report

    def verify(self, *arguments, code=0, tool="memcheck"):
        return self.kadvise("verify", "model.pt", "other.pt", "--sanitize", tool, "--input", "float32[4,128]", "--engines", self.engines, *arguments, code=code)

    def test_a_clean_run_is_equal_and_not_timed(self):
        self.sanitizer(CLEAN)
        out, _ = self.verify()
        self.assertIn("outputs equal (at-least-as-accurate)", out)
        self.assertIn("compute-sanitizer memcheck found no error on these inputs", " ".join(out.split()))
        asked = [m["arguments"] for m in self.requests() if m["verb"] == "compare"]
        self.assertEqual([(a["breadth"], a["timing"]) for a in asked], [("batch", False)])
        self.assertIn("--tool memcheck", (self.folder / "sanitizer-calls").read_text())
        self.assertEqual((self.folder / "sanitizer-memory").read_text().split(), ["1"])

    def test_an_error_of_the_candidate_refuses_it(self):
        self.sanitizer(BEYOND)
        out, _ = self.verify(code=1)
        self.assertIn("refused: compute-sanitizer memcheck found 3 errors, the first: Invalid __global__ read of size 4 bytes in kernel readBeyond(const float *)",
                      " ".join(out.split()))
        report = self.report(code=1, tool="initcheck")
        self.assertEqual((report["whole"]["outcome"], report["pair"]["outputs"]), ("failed", "undecided"))
        self.assertEqual(report["pair"]["sanitizer"], {"tool": "initcheck", "errors": 3, "warnings": 0, "kind": "Invalid __global__ read of size 4 bytes",
                                                       "kernel": "readBeyond(const float *)", "errorsOfOriginal": 0})

    def test_an_error_of_the_original_is_not_held_against_the_candidate(self):
        self.sanitizer(BEYOND, BEYOND)
        report = self.report(code=2)
        self.assertEqual((report["whole"]["outcome"], report["pair"]["sanitizer"]["errorsOfOriginal"]), ("not-run", 3))
        self.assertIn("the original alone has 3 errors", report["whole"]["reason"])

    def test_a_tool_that_ends_without_a_summary_decides_nothing(self):
        self.sanitizer("========= COMPUTE-SANITIZER\n========= Error: no device can be watched\n")
        report = self.report(code=2)
        self.assertEqual(report["whole"]["outcome"], "failed")
        self.assertIn("compute-sanitizer memcheck ended without a summary, after: Error: no device can be watched", report["whole"]["reason"])
        self.assertNotIn("sanitizer", report["pair"])

    def test_a_crash_under_the_tool_is_told_with_what_it_found(self):
        self.sanitizer(BEYOND)
        self.scenario(opened=GPU, faults=[fault("measure", "compare", "sigsegv")])
        self.assertIn("found 3 errors", self.report(code=1)["whole"]["reason"])

    def test_without_the_program_or_a_gpu_the_remedy_is_said(self):
        if not shutil.which("compute-sanitizer") and not pathlib.Path("/usr/local/cuda/bin/compute-sanitizer").exists():
            self.assertIn("compute-sanitizer is neither on PATH nor in /usr/local/cuda/bin; install the CUDA toolkit", self.verify(code=2)[1])
        self.sanitizer(CLEAN)
        self.scenario()
        out, _ = self.verify(code=2)
        self.assertIn("watches the kernels of a GPU, and this run is on the CPU", " ".join(out.split()))
        self.assertFalse((self.folder / "sanitizer-calls").exists())

    def test_it_needs_a_second_module(self):
        (self.folder / "out.pt").write_text("a file")
        _, err = self.kadvise("verify", "model.pt", "--expected", "out.pt", "--sanitize", "memcheck", code=2)
        self.assertIn("--sanitize watches the comparison with a second module", err)
        self.assertIn("memcheck", self.kadvise("verify", "model.pt", "other.pt", "--sanitize", "leaks", code=2)[1])

    def test_rendered_again_it_reads_the_same(self):
        self.sanitizer(BEYOND)
        text, _ = self.verify("--json", "run.json", code=1)
        self.assertEqual(self.kadvise("report", "run.json")[0], text)
