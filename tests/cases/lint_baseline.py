"""--write-baseline and --baseline: what is known is not told again, and hides nothing new."""

import json
import subprocess

import harness
from lint import BAD, Linting


class Baselines(Linting):
    def test_known_findings_do_not_count(self):
        self.lint("--write-baseline", "known.json")
        out, _ = self.lint("--baseline", "known.json")
        self.assertIn("known from the baseline", out)
        self.write("bad.cu", "\n\n" + BAD)  # by function and text, not by line
        self.lint("--baseline", "known.json")

    def test_written_again_it_holds_what_it_held(self):
        self.write("kadvise.toml", 'baseline = "known.json"\n')

        def written():
            self.lint("--write-baseline", "known.json")
            return json.loads((self.folder / "known.json").read_text())["findings"]

        first = written()
        self.assertEqual(written(), first)
        self.write("bad.cu", BAD + "void last() { cudaThreadExit(); }\n")
        more = written()
        self.assertEqual([f for f in more if f in first], first)
        self.assertGreater(len(more), len(first))
        self.lint()

    def test_a_run_that_has_not_seen_all_writes_none(self):
        self.write("huge.cu", "//" + "x" * (5 << 20))
        report = json.loads(self.lint("--write-baseline", "known.json", "--output-format", "json", code=2)[0])
        self.assertIn("--write-baseline known.json: not written, as this run has not seen all", report["notes"])
        self.assertFalse((self.folder / "known.json").exists())

    def test_what_is_none_is_refused(self):
        for text in ("{}", '{"kadviseBaseline": ' + "[" * 100000 + "]" * 100000 + "}"):
            self.write("known.json", text)
            _, err = self.lint("--baseline", "known.json", code=2)
            self.assertIn("known.json: is not a baseline of kadvise; --write-baseline FILE writes one\n", err)

    def test_a_baseline_holds_from_every_folder(self):
        self.write("kadvise.toml", 'baseline = "known.json"\n')
        self.write("src/bad.cu", BAD)
        self.lint("--write-baseline", "known.json")
        for folder, path in ((self.folder / "src", "bad.cu"), (self.folder, str(self.folder / "src/bad.cu"))):
            done = subprocess.run([harness.program, "lint", "--headers", "stub", "--no-cache", path], cwd=folder, env=self.environment(),
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_rule_of_one_finding_a_file_hides_no_new_place_behind_a_known_one(self):
        only = ("--select", "cuda/removed-api")
        self.lint(*only, "--write-baseline", "known.json")
        self.write("bad.cu", BAD + "void first() { cudaThreadExit(); }\nvoid last() { cudaThreadExit(); }\n")
        [new] = json.loads(self.lint(*only, "--baseline", "known.json", "--output-format", "json", code=1)[0])["files"][0]["findings"]
        self.assertEqual([new["where"]["line"]] + [r["line"] for r in new["related"]], [10, 11])
        self.assertEqual(len(new["fixes"]), 2)
