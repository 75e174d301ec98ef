"""kadvise verify --component: named results, and what the exit code makes of them."""

import json

from harness import REPORT, Case, fault


def named(status):
    return {"name": "causal", "status": status, "figures": "no output depends on later tokens"}


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
