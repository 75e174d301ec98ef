"""What the command-line cases share: a folder with engines that only speak, and kadvise run over it.

After each case every message between kadvise and the engines, and every report, is held against its schema.
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE = 60  # seconds

program = None  # kadvise; run.py sets it


def schema(path):
    return jsonschema.Draft202012Validator(json.loads((ROOT / path).read_text()))


MESSAGES = schema("analyzer/core/messages.schema.json")
REPORT = schema("reports/schema.json")


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kadvise-case-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.engines = self.folder / "engines"
        self.temporary = self.folder / "tmp"
        self.engines.mkdir()
        self.temporary.mkdir()
        for name in ("kadvise-graph", "kadvise-measure"):
            shutil.copy(ROOT / "tests/analyzer/fake_engine.py", self.engines / name)
        (self.folder / "model.pt").write_text("a module")

    def tearDown(self):
        log = self.engines / "messages.jsonl"
        for line in log.read_text().splitlines() if log.exists() else []:
            self.agrees(MESSAGES, json.loads(line))
        self.assertEqual(list(self.temporary.iterdir()), [], "a work folder was left behind")
        for path in self.folder.rglob("*.tmp"):
            self.fail(f"{path} was left behind")

    def agrees(self, validator, document):
        error = jsonschema.exceptions.best_match(validator.iter_errors(document))
        if error:
            self.fail(f"{error.message} at {list(error.absolute_path)}")

    def scenario(self, **scenario):
        (self.engines / "scenario.json").write_text(json.dumps(scenario))

    def environment(self):
        return {**os.environ, "TMPDIR": str(self.temporary), "COLUMNS": "100", "TERM": "xterm", "NO_COLOR": ""}

    def start(self, *arguments, **options):
        return subprocess.Popen([program, *map(str, arguments)], cwd=self.folder, env=self.environment(), stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)

    def kadvise(self, *arguments, code=0):
        process = self.start(*arguments)
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, code, f"{arguments}\n{out}\n{err}")
        return out, err

    def advise(self, *arguments, code=0):
        """kadvise model.pt over the engines of this case."""
        return self.kadvise("model.pt", "--input", "float32[4,128]", "--engines", self.engines, *arguments, code=code)

    def report(self, *arguments, code=0):
        out, _ = self.advise("--json", "-", *arguments, code=code)
        report = json.loads(out)
        self.agrees(REPORT, report)
        return report

    def requests(self):
        lines = (self.engines / "messages.jsonl").read_text().splitlines()
        messages = [json.loads(line) for line in lines]
        return [m for m in messages if "verb" in m]

    def pid(self, engine):
        return int((self.engines / (engine + ".pid")).read_text())

    def wait_until(self, condition, what):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if condition():
                return
            time.sleep(0.01)
        self.fail("waited in vain until " + what)

    def is_gone(self, pid):
        try:
            state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except FileNotFoundError:
            return True
        return state == "Z"


# A verdict on outputs that differ in kind, and not by roundings.
DIFFERS = {"outcome": "wrong-output", "reason": "output 0 differs",
           "accuracy": {"rmsUlp": 0, "p999Ulp": 0, "maxUlp": 0, "bias": 0, "scale": 1, "grade": "different", "worstCase": "normal"}}


def fault(engine, verb, how, **more):
    return {"engine": "kadvise-" + engine, "verb": verb, "do": how, **more}


def two_candidates(**more):
    return {"findings": [{"id": "F1"}, {"id": "F2"}], "candidates": [{"id": "C1", "findings": ["F1"]}, {"id": "C2", "findings": ["F2"]}], **more}
