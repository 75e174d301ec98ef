"""What the conversations share: a kadvise-measure that is spoken to as the front does, and modules to speak of. Every
message agrees with the schema."""

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


class Drawing(torch.nn.Module):
    """It bundles its inputs, as a recipe."""

    def forward(self, x):
        return x * 2

    @torch.jit.export
    def get_all_bundled_inputs(self):
        return [(torch.randn(4, 8),)]


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


def main():
    """PROGRAM [cpu|cuda]: runs the cases of the file that calls it, on that device."""
    global PROGRAM, DEVICE
    PROGRAM = sys.argv.pop(1)
    if sys.argv[1:2] in (["cpu"], ["cuda"]):
        DEVICE = sys.argv.pop(1)
    unittest.main(module="__main__")
