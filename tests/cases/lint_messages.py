"""Every message between kadvise and the real kadvise-source, held against its schema: harness.py looks at what was recorded."""

import json
import pathlib
import shutil

import harness
from harness import ROOT
from lint import BAD, GOOD, Linting


class Messages(Linting):
    def setUp(self):
        super().setUp()
        shutil.copy(ROOT / "tests/analyzer/recording_engine.py", self.engines / "kadvise-source")

    def environment(self):
        return {**super().environment(), "KADVISE_REAL_ENGINES": str(pathlib.Path(harness.program).parent)}

    def lint(self, *arguments, code=0):
        return super().lint("--engines", self.engines, "--no-cache", "--jobs", "1", *arguments, code=code)

    def messages(self):
        return [json.loads(line) for line in (self.engines / "messages.jsonl").read_text().splitlines()]

    def verbs(self):
        return [m["verb"] for m in self.messages() if "verb" in m]

    def test_a_run_over_files(self):
        self.write("kernel.cu", '#include "missing.h"\n__global__ void k() { nothing(); }\nvoid f() {} // kadvise: ignore[cuda/removed-api]\n' + BAD)
        self.write("good.cu", GOOD)
        self.lint(code=1)
        self.assertEqual(self.verbs(), ["prepare"] + ["lint"] * 3)
        done = [m["body"] for m in self.messages() if m.get("type") == "done" and m["body"]]
        self.assertEqual(len(done), 3)
        self.assertTrue(any(b["missing"] and b["errors"] and b["brokenKernels"] and b["unusedSuppressions"] for b in done))
        findings = [m["body"] for m in self.messages() if m.get("type") == "finding"]
        self.assertTrue(any(f["fixes"] for f in findings))

    def test_texts_lines_and_builds(self):
        self.write("compile_commands.json", json.dumps([{"directory": ".", "file": "bad.cu", "command": "nvcc bad.cu"}]))
        self.lint("--diff", "bad.cu", code=1)
        self.git("init", "-q")
        self.lint("--arch", "a100", "bad.cu", code=1)
        asked = [m["arguments"] for m in self.messages() if m.get("verb") == "lint"]
        self.assertTrue(any("text" in a for a in asked) and all("database" in a for a in asked))
        self.git("add", "bad.cu")
        self.git("commit", "-qm", "first")
        self.write("bad.cu", BAD + "\n")
        self.lint("--diff-base", "HEAD", "bad.cu")
        self.assertIn("lines", [m for m in self.messages() if m.get("verb") == "lint"][-1]["arguments"])

    def test_a_refusal(self):
        self.write("binary.cu", b"\0")
        self.lint("binary.cu", code=2)
        self.assertEqual([m["type"] for m in self.messages() if "type" in m], ["done", "error"])

    def test_pages_that_test_themselves(self):
        self.kadvise("rules", "test", "cuda/removed-api", "--engines", self.engines)
        self.assertEqual(self.verbs(), ["check-sources"])
        examples = self.messages()[-1]["body"]["examples"]
        self.assertTrue(all(e["ok"] for e in examples) and len(examples) > 1)
