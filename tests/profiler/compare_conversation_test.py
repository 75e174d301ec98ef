"""compare_conversation_test.py PROGRAM [cpu|cuda]: what kadvise-measure answers to `compare`."""

import torch

import converse
from converse import Waiting


class Comparing(converse.Conversation):
    def test_compare_tells_a_rewrite_from_an_approximation(self):
        self.open(path="net.pt", inputs_file="inputs.pt")
        self.save_region("region.pt", 4)
        equal = self.compare("turned.pt", inputs="region.pt")
        self.assertEqual(equal["outcome"], "not-run", equal["reason"])
        self.assertIn("not timed", equal["reason"])
        self.assertIn(equal["accuracy"]["grade"], ("bitwise", "one-ulp", "at-least-as-accurate", "within-bound"))
        wrong = self.compare("tanh.pt", inputs="region.pt")
        self.assertEqual(wrong["outcome"], "wrong-output")
        self.assertIn("output 0", wrong["reason"])
        self.assertEqual(wrong["accuracy"]["grade"], "different")

    def test_compare_times_when_asked(self):
        self.open(path="net.pt", inputs_file="inputs.pt")
        self.save_region("region.pt", 4)
        v = self.compare("turned.pt", inputs="region.pt", timing=True, profile=True, budgetSeconds=3)
        self.assertIn(v["outcome"], ("faster", "slower", "same", "ambiguous"))
        self.assertGreater(v["speedup"]["mid"], 0)
        self.assertEqual(v["before"]["timings"][0]["regime"], "warm")
        self.assertGreater(v["before"]["firstCallMs"], 0)
        self.assertGreater(v["before"]["peakBytes"], 0)
        self.assertGreaterEqual(v["after"]["counters"]["warmUpRuns"], 4)
        self.assertGreaterEqual(v["after"]["counters"]["compileMs"], 0)
        if converse.DEVICE == "cpu":
            self.assertEqual([t["regime"] for t in v["before"]["timings"]], ["warm"])
            return
        self.assertEqual([t["regime"] for t in v["before"]["timings"]], ["warm", "cold", "hot"], v["reason"])
        cold, hot = (t["busyUs"] for t in v["before"]["timings"][1:])
        self.assertGreater(min(cold + hot), 0)
        self.assertGreater(v["before"]["counters"]["smClockMHz"], 0, v["reason"])
        self.assertGreaterEqual(v["after"]["counters"]["rooflineUs"], 0)

    def test_a_run_that_waits_for_the_device_is_not_timed_behind_a_gate(self):
        if converse.DEVICE == "cpu":
            self.skipTest("about the GPU")
        self.open(inputs_file="inputs.pt")
        torch.jit.script(Waiting().eval()).save(str(self.work / "waiting.pt"))
        foreign = {"path": str(self.work / "waiting.pt")}
        torch.save((torch.rand(4, 4, device=converse.DEVICE),), self.work / "four.pt")
        v = self.compare("waiting.pt", before=foreign, after=foreign, reference={"path": "none"}, inputs="four.pt", timing=True,
                         budgetSeconds=3)
        self.assertIn("a run waits for the GPU", v["reason"])
        self.assertEqual([t["regime"] for t in v["before"]["timings"]], ["warm"])

    def test_proof_from_specs_with_random_weights(self):
        self.open(path="")
        names = {"w0": ""}
        for dtype in ("float32", "float16", "bfloat16"):
            v = self.compare("turned.pt", names, specs=["float[5,8]", "float[5,8]"], dtype=dtype)
            self.assertEqual(v["outcome"], "not-run", (dtype, v["reason"]))
        v = self.compare("turned.fp64.pt", names, specs=["float[5,8]", "float[5,8]"], dtype="float64",
                         before={"path": "before.fp64.pt", "names": names}, reference={"path": "none"})
        self.assertEqual(v["outcome"], "not-run", v["reason"])

    def test_whole_module_as_loaded(self):
        self.open(path="net.pt", inputs_file="inputs.pt")
        v = self.compare("net.pt", before={"path": ""}, reference={"path": "none"})
        self.assertEqual((v["outcome"], v["accuracy"]["grade"]), ("not-run", "bitwise"), v["reason"])

    def test_a_saved_output_is_compared_with_the_module(self):
        self.open(path="net.pt", inputs_file="inputs.pt")
        net, inputs = torch.jit.load(str(self.work / "net.pt"), map_location=converse.DEVICE).eval(), torch.load(self.work / "inputs.pt", map_location=converse.DEVICE)
        with torch.no_grad():
            output = net(*inputs)
        torch.save(output, self.work / "out.pt")
        v = self.compare("net.pt", before={"path": ""}, reference={"path": "none"}, expected="out.pt")
        self.assertEqual((v["outcome"], v["reason"]), ("not-run", "not timed"))
        torch.save(tuple(2 * o for o in output), self.work / "twice.pt")
        v = self.compare("net.pt", before={"path": ""}, reference={"path": "none"}, expected="twice.pt")
        self.assertEqual(v["outcome"], "wrong-output", v["reason"])
        self.assertNotIn("original", v["reason"])
        torch.save(tuple(o * (1 + 1e-4 * torch.rand_like(o)) for o in output), self.work / "rough.pt")
        v = self.compare("net.pt", before={"path": ""}, reference={"path": "net.pt"}, expected="rough.pt")
        self.assertEqual(v["outcome"], "wrong-output", v["reason"])
        self.assertGreater(v["accuracy"]["rmsUlp"], 100)
        self.assertIn("the file, held against the module: output 0", v["reason"])
        self.assertIn("where the module has", v["reason"])
        torch.save(tuple(o[:1] for o in output), self.work / "short.pt")
        v = self.compare("net.pt", before={"path": ""}, reference={"path": "none"}, expected="short.pt")
        self.assertRegex(v["reason"], r"^output 0: the module has shape \[.*\], the file holds \[1")
        torch.save(output[0], self.work / "one.pt")
        v = self.compare("net.pt", before={"path": ""}, reference={"path": "none"}, expected="one.pt")
        self.assertRegex(v["reason"], "^the module returns .*, the file holds Tensor")

    def test_the_worst_inputs_are_kept(self):
        self.open(path="net.pt", inputs_file="inputs.pt")
        self.save_region("region.pt", 4)
        v = self.compare("tanh.pt", inputs="region.pt", breadth="wide", worstInputs="worst.pt")
        self.assertEqual(v["outcome"], "wrong-output", v["reason"])
        saved = torch.load(self.work / "worst.pt", weights_only=True)
        self.assertEqual(len(saved), len(torch.load(self.work / "region.pt", weights_only=True)))
        again = self.compare("tanh.pt", inputs="worst.pt")
        self.assertEqual(again["accuracy"]["worstCase"], "inputs", again["reason"])

    def test_a_failing_module_is_a_verdict(self):
        self.open(path="net.pt", inputs_file="inputs.pt")
        self.save_region("uneven.pt", 3)
        v = self.compare("turned.pt", inputs="uneven.pt")
        self.assertEqual(v["outcome"], "failed")
        self.assertIn("the original fails", v["reason"])
        v = self.compare("nowhere.pt")
        self.assertEqual(v["outcome"], "failed")


if __name__ == "__main__":
    converse.main()
