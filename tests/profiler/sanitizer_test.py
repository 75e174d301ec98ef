"""sanitizer_test.py KADVISE FAULTS: an operator that reads beyond its input, and is right in every element, is refused by
compute-sanitizer alone. Without that program the test is skipped, and says so."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import torch

PROGRAM, FAULTS = "", ""


class Good(torch.nn.Module):
    def forward(self, x):
        return x * 2


class Beyond(torch.nn.Module):
    def forward(self, x):
        return torch.ops.faults.reads_beyond(x)


class Sanitized(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name, module in {"good": Good(), "beyond": Beyond()}.items():
            torch.jit.script(module.eval()).save(str(self.folder / f"{name}.pt"))

    def verify(self, a, b, *arguments):
        command = [PROGRAM, "verify", f"{a}.pt", f"{b}.pt", "--input", "float32[128]", "--op-library", FAULTS, "--json", "-", *arguments]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=500)
        return done.returncode, json.loads(done.stdout)

    def test_a_comparison_of_the_outputs_does_not_see_it(self):
        code, report = self.verify("good", "beyond", "--no-timing")
        self.assertEqual((code, report["pair"]["outputs"]), (0, "equal"), report["whole"]["reason"])

    def test_memcheck_does(self):
        code, report = self.verify("good", "beyond", "--sanitize", "memcheck")
        self.assertEqual((code, report["whole"]["outcome"]), (1, "failed"), report)
        found = report["pair"]["sanitizer"]
        self.assertGreater(found["errors"], 0)
        self.assertEqual(found["errorsOfOriginal"], 0)
        self.assertIn("Invalid __global__ read", found["kind"])
        self.assertIn("doubleAndReadBeyond", found["kernel"])

    def test_what_is_right_has_no_error(self):
        for tool in ("memcheck", "racecheck", "initcheck", "synccheck"):
            code, report = self.verify("good", "good", "--sanitize", tool)
            self.assertEqual((code, report["pair"]["outputs"]), (0, "equal"), report["whole"]["reason"])
            self.assertEqual(report["pair"]["sanitizer"]["errors"], 0)


if __name__ == "__main__":
    PROGRAM, FAULTS = (str(pathlib.Path(sys.argv.pop(1)).resolve()) for _ in range(2))
    if not shutil.which("compute-sanitizer") and not pathlib.Path("/usr/local/cuda/bin/compute-sanitizer").exists():
        print("SKIPPED: compute-sanitizer is not installed, so nothing was tested")
        sys.exit(77)
    torch.ops.load_library(FAULTS)
    unittest.main()
