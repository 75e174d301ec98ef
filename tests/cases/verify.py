"""kadvise verify --component: named results, and what the exit code makes of them."""

import json

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
