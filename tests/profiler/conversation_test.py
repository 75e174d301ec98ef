"""conversation_test.py PROGRAM [cpu|cuda]: speaks to kadvise-measure as the front does: opening, tracing, refusing, ending."""

import json
import os
import unittest

import torch

import converse
from converse import Drawing, Table


class Opening(converse.Conversation):
    def test_open_says_where_it_runs_and_what_on(self):
        body = self.open(inputs=["float32[4,8]", "3"])["body"]
        self.assertEqual(body["device"]["kind"], converse.DEVICE)
        self.assertEqual(body["device"]["arch"] > 0, converse.DEVICE == "cuda")
        self.assertEqual(body["inputs"], ["float32[4,8]", "3"])
        self.assertEqual(body["inputsFrom"], "options")
        self.assertIn("torch", body["environment"])
        self.assertEqual(self.open(inputs_file="inputs.pt")["body"]["inputsFrom"], "file")

    def test_inputs_are_shown_as_they_were_written(self):
        self.assertEqual(self.open(inputs=["int64[4, 8]<5000", "3"])["body"]["inputs"], ["int64[4, 8]<5000", "3"])

    def test_a_module_saved_in_training_mode_is_said_to_be(self):
        table = torch.jit.script(Table())
        for training in (True, False):
            name = f"table-{training}.pt"
            table.train(training).save(str(self.work / name))
            notes = self.open(path=name, inputs=["int64[4]<3"])["body"]["notes"]
            self.assertEqual(notes, ["the module was saved in training mode; kadvise runs it in eval mode"] * training)

    def test_open_refuses_in_one_sentence(self):
        for wanted, given in {
            "x: Tensor, n: int": {},
            "--input float32[2,3]": {"inputs": ["float32[4,8]", "3", "4"]},
            "dict": {"inputs_file": "dict.pt"},
            "no such file": {"path": "nowhere.pt"},
            "not a TorchScript archive": {"path": "state.pt"},
            "torch.jit.save": {"path": "notes.txt"},
            "shape": {"inputs": ["float32"]},
            "torch.save": {"inputs_file": "notes.txt"},
        }.items():
            with self.subTest(wanted):
                last = self.open(**given)
                self.assertEqual(last["type"], "error")
                self.assertIn(wanted, last["body"]["what"])
                self.assertNotIn("\n", last["body"]["what"])

    def test_without_a_gpu_cuda_is_refused_and_auto_is_the_cpu(self):
        if torch.cuda.is_available():
            self.skipTest("there is a GPU")
        self.assertIn("--device cpu", self.open(device="cuda", inputs=["float32[4,8]"])["body"]["what"])
        self.assertEqual(self.open(device="auto", inputs=["float32[4,8]"])["body"]["device"]["kind"], "cpu")

    def test_trace_writes_values_and_region_inputs(self):
        self.open(inputs_file="inputs.pt")
        last, _ = self.measure.ask("trace", base={"path": "net.pt"}, out="values.json",
                                   save=[{"file": "C1.inputs.pt", "values": ["in.0", "in.1"]}])
        self.assertEqual(last["type"], "done", last)
        values = json.loads((self.work / "values.json").read_text())["values"]
        self.assertEqual(values["in.0"]["shape"], [4, 8])
        self.assertEqual(values["in.1"], {"kind": "int", "value": 2})
        saved = torch.load(self.work / "C1.inputs.pt", weights_only=True)
        self.assertEqual((saved[0].shape, saved[1]), (torch.Size([4, 8]), 2))

    def test_bundled_inputs_that_are_drawn_are_the_same_after_another_start(self):
        torch.jit.script(Drawing()).save(str(self.work / "drawing.pt"))

        def drawn():
            self.assertEqual(self.open(path="drawing.pt")["body"]["inputsFrom"], "bundled")
            self.measure.ask("trace", base={"path": "drawing.pt"}, out="", save=[{"file": "drawn.pt", "values": ["in.0"]}])
            return torch.load(self.work / "drawn.pt", weights_only=True)[0]

        first = drawn()
        self.assertTrue(torch.equal(first, drawn()), "opened again")
        self.measure = converse.Measure()
        self.addCleanup(self.measure.close)
        self.assertTrue(torch.equal(first, drawn()), "started again")

    def test_the_machine_is_described_without_a_module(self):
        self.open()
        health = self.measure.ask("doctor")[0]["body"]["health"]
        self.assertEqual(health[0]["name"], "LibTorch")
        for line in health:
            self.assertIn(line["status"], ("ok", "lost", "problem"))
        # What one remedy brings back is told once, by the first that is missing.
        missing = [line for line in health if line["status"] != "ok"]
        self.assertTrue(not missing or missing[0]["remedy"], missing)

    @unittest.skipIf(not torch.cuda.is_available(), "no GPU")
    def test_a_lost_device_ends_the_program_after_its_verdict(self):
        if converse.DEVICE == "cpu":
            self.skipTest("about the GPU")
        self.open(inputs_file="inputs.pt")
        table = torch.jit.script(Table().eval())
        table.save(str(self.work / "table.pt"))
        torch.save((torch.full((4,), 1000, device=converse.DEVICE),), self.work / "beyond.pt")
        with self.assertRaises(AssertionError):  # no `done`: the front starts another
            foreign = {"path": str(self.work / "table.pt")}
            self.measure.ask("compare", candidate="C1", before=foreign, after=foreign, reference={"path": "none"},
                             inputs="beyond.pt", timing=False)

    def test_unknown_verbs_and_an_end(self):
        os.write(self.measure.requests, b'{"version": 1, "id": 7, "verb": "sing", "arguments": {}}\n')
        message = json.loads(self.measure.lines.readline())
        self.assertEqual((message["type"], message["id"]), ("error", 7))


if __name__ == "__main__":
    converse.main()
