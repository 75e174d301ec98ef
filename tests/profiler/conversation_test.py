"""conversation_test.py PROGRAM [cpu|cuda]: speaks to kadvise-measure as the front does; every message agrees with the
schema. On the GPU the same conversations, and kernel records."""

import fcntl
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import torch

try:
    import jsonschema
except ImportError:  # a GPU machine need not have it; the same messages are held against the schema without one
    jsonschema = None

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM, DEVICE = "", "cpu"


def check(message):
    if not jsonschema:
        return
    error = jsonschema.exceptions.best_match(CHECK.iter_errors(message))
    assert not error, f"{json.dumps(message)[:400]}\n{error.message} at {list(error.absolute_path)}"


if jsonschema:
    CHECK = jsonschema.Draft202012Validator(json.loads((ROOT / "analyzer/core/messages.schema.json").read_text()))


class Measure:
    """One kadvise-measure: requests on its descriptor 3, messages on its descriptor 4."""

    def __init__(self):
        ends = [*os.pipe(), *os.pipe()]
        # Above 3 and 4, so that the shell's moves to those two overwrite none of them.
        requests_in, self.requests, self.messages, messages_out = (fcntl.fcntl(e, fcntl.F_DUPFD_CLOEXEC, 64) for e in ends)
        for e in ends:
            os.close(e)
        command = f"exec 3<&{requests_in} 4>&{messages_out}; exec {PROGRAM}"
        self.process = subprocess.Popen(["bash", "-c", command], pass_fds=(requests_in, messages_out))
        os.close(requests_in)
        os.close(messages_out)
        self.lines = os.fdopen(self.messages, "r")
        self.id = 0

    def ask(self, verb, **arguments):
        """(the last message, all messages before it)"""
        self.id += 1
        request = {"version": 1, "id": self.id, "verb": verb, "arguments": arguments}
        check(request)
        os.write(self.requests, (json.dumps(request) + "\n").encode())
        before = []
        while line := self.lines.readline():
            message = json.loads(line)
            check(message)
            assert message["id"] == self.id
            if message["type"] in ("done", "error"):
                return message, before
            before.append(message)
        raise AssertionError(f"kadvise-measure ended in {verb}")

    def close(self):
        os.close(self.requests)
        self.lines.close()
        return self.process.wait(timeout=30)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(8, 8)
        self.norm = torch.nn.LayerNorm(8)

    def forward(self, x, n: int = 2):
        y = self.norm(x + self.fc(x))
        for i in range(n):
            y = torch.relu(y) + i
        parts = torch.chunk(y, 2, -1)
        if n > 1:
            y = torch.cat([parts[0], parts[1]], 0)
        return y, parts[0]


class Before(torch.nn.Module):
    def __init__(self, w0):
        super().__init__()
        self.w0 = torch.nn.Parameter(w0, requires_grad=False)

    def forward(self, x, y):
        return torch.nn.functional.gelu(torch.nn.functional.linear(x, self.w0) + y)


class Tanh(Before):
    def forward(self, x, y):
        return torch.nn.functional.gelu(torch.nn.functional.linear(x, self.w0) + y, approximate="tanh")


class Turned(Before):
    def forward(self, x, y):
        return torch.nn.functional.gelu(y + torch.matmul(x, self.w0.t()))


class Waiting(torch.nn.Module):
    def forward(self, x):
        return x * float(x.sum().item())


class Table(torch.nn.Module):
    def forward(self, i):
        return torch.ones(4, 4, device=i.device)[i]


def placeholder(*shape, dtype=torch.float32):
    return torch.zeros(1, dtype=dtype).as_strided(shape, [0] * len(shape))


def without_weights(module, twin):
    """The artefact and its fp64 twin, as kadvise-graph writes them."""
    out = torch.jit.script(module(placeholder(8, 8, dtype=torch.float64 if twin else torch.float32)))
    return out.eval()


class Conversation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.work = pathlib.Path(cls.folder.name)
        torch.manual_seed(1)
        net = torch.jit.script(Net().eval())
        net.save(str(cls.work / "net.pt"))
        torch.save((torch.randn(4, 8),), cls.work / "inputs.pt")
        torch.save({"x": torch.randn(4, 8)}, cls.work / "dict.pt")
        torch.save(torch.nn.Linear(8, 8).state_dict(), cls.work / "state.pt")
        for name, module in {"before": Before, "tanh": Tanh, "turned": Turned}.items():
            without_weights(module, False).save(str(cls.work / f"{name}.pt"))
            without_weights(module, True).save(str(cls.work / f"{name}.fp64.pt"))
        (cls.work / "notes.txt").write_text("not a module")

    def setUp(self):
        self.measure = Measure()
        self.addCleanup(self.measure.close)

    def open(self, path="net.pt", inputs=(), inputs_file="", device=None):
        device = device or DEVICE
        full = str(self.work / path) if path else ""
        return self.measure.ask("open", path=full, workDir=str(self.work), opLibraries=[], device=device,
                                inputs=list(inputs), inputsFile=str(self.work / inputs_file) if inputs_file else "", seed=1)[0]

    def save_region(self, name, rows):
        torch.save((torch.randn(4, 8, device=DEVICE), torch.randn(rows, 8, device=DEVICE)), self.work / name)

    def compare(self, candidate, names=None, **more):
        names, after = names or {"w0": "fc.weight"}, candidate
        arguments = {"candidate": "C1", "before": {"path": "before.pt", "names": names}, "after": {"path": after, "names": {} if after == "net.pt" else names},
                     "reference": {"path": "before.fp64.pt", "names": names}, "inputs": "", "timing": False} | more
        last, before = self.measure.ask("compare", **arguments)
        self.assertEqual(last["type"], "done")
        verdicts = [m["body"] for m in before if m["type"] == "verdict"]
        self.assertEqual(len(verdicts), 1)
        return verdicts[0]

    def test_open_says_where_it_runs_and_what_on(self):
        body = self.open(inputs=["float32[4,8]", "3"])["body"]
        self.assertEqual(body["device"]["kind"], DEVICE)
        self.assertEqual(body["device"]["arch"] > 0, DEVICE == "cuda")
        self.assertEqual(body["inputs"], ["float32[4,8]", "3"])
        self.assertEqual(body["inputsFrom"], "options")
        self.assertIn("torch", body["environment"])
        self.assertEqual(self.open(inputs_file="inputs.pt")["body"]["inputsFrom"], "file")

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
        if DEVICE == "cpu":
            self.assertEqual([t["regime"] for t in v["before"]["timings"]], ["warm"])
            return
        self.assertEqual([t["regime"] for t in v["before"]["timings"]], ["warm", "cold", "hot"], v["reason"])
        cold, hot = (t["busyUs"] for t in v["before"]["timings"][1:])
        self.assertGreater(min(cold + hot), 0)
        self.assertGreater(v["before"]["counters"]["smClockMHz"], 0, v["reason"])
        self.assertGreaterEqual(v["after"]["counters"]["rooflineUs"], 0)

    def test_a_run_that_waits_for_the_device_is_not_timed_behind_a_gate(self):
        if DEVICE == "cpu":
            self.skipTest("about the GPU")
        self.open(inputs_file="inputs.pt")
        torch.jit.script(Waiting().eval()).save(str(self.work / "waiting.pt"))
        foreign = {"path": str(self.work / "waiting.pt")}
        torch.save((torch.rand(4, 4, device=DEVICE),), self.work / "four.pt")
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
        net, inputs = torch.jit.load(str(self.work / "net.pt"), map_location=DEVICE).eval(), torch.load(self.work / "inputs.pt", map_location=DEVICE)
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
        self.assertTrue(any("conversation_test.py" in row["name"] for row in view["lines"]), view["lines"])
        self.assertEqual(view["attribution"]["toModule"], 1)
        self.assertTrue(json.loads((self.work / "trace.json").read_text())["traceEvents"])
        if DEVICE == "cpu":
            self.assertEqual((view["basis"], view["kernels"], view["launches"]), ("cpu-operators", [], []))
            self.assertIn("CUDA graph", " ".join(a["figure"] for a in profile["absent"]))
            return
        self.assertEqual([v["mode"] for v in profile["views"]], ["as-loaded", "graph-replay"])
        for view in profile["views"]:
            self.assertGreater(len(view["launches"]), 3)
            self.assertIn("fc", {k["scope"] for k in view["launches"]})
            self.assertTrue(any(k["where"]["file"].endswith("conversation_test.py") for k in view["launches"]), view["launches"][:2])
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

    def test_the_machine_is_described_without_a_module(self):
        self.open()
        health = self.measure.ask("doctor")[0]["body"]["health"]
        self.assertEqual(health[0]["name"], "LibTorch")
        for line in health:
            self.assertIn(line["status"], ("ok", "lost", "problem"))
            self.assertTrue(line["status"] == "ok" or line["remedy"], line)

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

    @unittest.skipIf(not torch.cuda.is_available(), "no GPU")
    def test_a_lost_device_ends_the_program_after_its_verdict(self):
        if DEVICE == "cpu":
            self.skipTest("about the GPU")
        self.open(inputs_file="inputs.pt")
        table = torch.jit.script(Table().eval())
        table.save(str(self.work / "table.pt"))
        torch.save((torch.full((4,), 1000, device=DEVICE),), self.work / "beyond.pt")
        with self.assertRaises(AssertionError):  # no `done`: the front starts another
            foreign = {"path": str(self.work / "table.pt")}
            self.measure.ask("compare", candidate="C1", before=foreign, after=foreign, reference={"path": "none"},
                             inputs="beyond.pt", timing=False)

    def test_unknown_verbs_and_an_end(self):
        os.write(self.measure.requests, b'{"version": 1, "id": 7, "verb": "sing", "arguments": {}}\n')
        message = json.loads(self.measure.lines.readline())
        self.assertEqual((message["type"], message["id"]), ("error", 7))


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    if sys.argv[1:2] in (["cpu"], ["cuda"]):
        DEVICE = sys.argv.pop(1)
    unittest.main()
