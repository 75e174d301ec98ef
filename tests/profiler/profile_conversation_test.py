"""profile_conversation_test.py PROGRAM [cpu|cuda]: what kadvise-measure answers to `profile`, `freeze` and `bench`.

On the GPU kernel records, too.
"""

import json

import torch

import converse


class Profiling(converse.Conversation):
    def test_profile(self):
        self.open(path="net.pt", inputs_file="inputs.pt")
        last, _ = self.measure.ask("profile", module={"path": ""}, graph=True, trace="trace.json")
        profile = last["body"]["profile"]
        view = profile["views"][0]
        self.assertEqual(view["mode"], "as-loaded")
        self.assertGreater(len(view["timing"]["wallUs"]), 2)
        self.assertGreater(profile["firstCallMs"], 0)
        self.assertIn("aten::linear", {row["name"] for row in view["operators"]})
        self.assertIn("fc", {row["name"] for row in view["modules"]})
        self.assertTrue(any("converse.py" in row["name"] for row in view["lines"]), view["lines"])
        self.assertEqual(view["attribution"]["toModule"], 1)
        self.assertTrue(json.loads((self.work / "trace.json").read_text())["traceEvents"])
        if converse.DEVICE == "cpu":
            self.assertEqual((view["basis"], view["kernels"], view["launches"]), ("cpu-operators", [], []))
            self.assertIn("CUDA graph", " ".join(a["figure"] for a in profile["absent"]))
            return
        self.assertEqual([v["mode"] for v in profile["views"]], ["as-loaded", "graph-replay"])
        for view in profile["views"]:
            self.assertGreater(len(view["launches"]), 3)
            self.assertIn("fc", {k["scope"] for k in view["launches"]})
            self.assertTrue(any(k["where"]["file"].endswith("converse.py") for k in view["launches"]), view["launches"][:2])
            self.assertGreater(view["gpu"]["busyUs"], 0)
            self.assertTrue(all(k["durationUs"] > 0 for k in view["launches"]))

    def test_a_frozen_module_keeps_its_paths(self):
        self.open(path="net.pt", inputs_file="inputs.pt")
        last, _ = self.measure.ask("profile", module={"path": ""}, frozen=True)
        view = last["body"]["profile"]["views"][0]
        self.assertEqual(view["mode"], "frozen")
        self.assertIn("norm", {row["name"] for row in view["modules"]})

    def test_the_module_frozen_is_a_file_that_compares(self):
        self.open(path="net.pt", inputs_file="inputs.pt")
        self.assertEqual(self.measure.ask("freeze", path="frozen.pt")[0]["body"], {})
        v = self.compare(str(self.work / "frozen.pt"), before={"path": ""}, reference={"path": "none"})
        self.assertEqual(v["outcome"], "not-run", v["reason"])
        self.assertIn(v["accuracy"]["grade"], ("bitwise", "one-ulp", "at-least-as-accurate"))

    def test_operators_are_timed_or_refused(self):
        self.open()
        for op, shapes, refused in (("aten::gelu", ["64x64"], ""), ("aten::view", ["64x64"], "size"), ("aten::conv2d", ["8x8"], "3D")):
            body = self.measure.ask("bench", op=op, shapes=shapes, dtype="float32", budgetSeconds=1)[0]["body"]["bench"]
            self.assertGreater(body["copyBytesPerSecond"], 0)
            self.assertIn(refused, body["rows"][0]["refused"])
            self.assertEqual(body["rows"][0]["us"]["mid"] > 0, not refused)
        for op, says in (("aten::sing", "did you mean"), ("softmax", "did you mean aten::softmax?"), ("", "needs an operator")):
            reply = self.measure.ask("bench", op=op, shapes=[], dtype="float32", budgetSeconds=1)[0]
            self.assertEqual(reply["type"], "error")
            self.assertIn(says, reply["body"]["what"])
        bad = self.measure.ask("bench", op="aten::gelu", shapes=["64y64"], dtype="float32", budgetSeconds=1)[0]
        self.assertEqual(bad["type"], "error")


if __name__ == "__main__":
    converse.main()
