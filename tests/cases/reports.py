"""What a run shows: the report in its forms, and lines of progress."""

import json
import os
import pty
import select
import subprocess

import harness
from harness import REPORT, Case, fault


def written_to(leader):
    """All that comes out of a terminal until its other end is closed."""
    text = b""
    while True:
        ready, _, _ = select.select([leader], [], [], harness.PATIENCE)
        if not ready:
            raise TimeoutError("nothing more is written, and the end is not reached")
        try:
            piece = os.read(leader, 65536)
        except OSError:  # the other end is closed
            piece = b""
        if not piece:
            os.close(leader)
            return text.decode()
        text += piece


class Reports(Case):
    def test_json_goes_to_a_file_or_to_standard_output(self):
        self.assertEqual(self.report()["whole"]["outcome"], "faster")
        self.advise("--json", "run.json")
        self.agrees(REPORT, json.loads((self.folder / "run.json").read_text()))

    def test_every_ending_agrees_with_the_schema(self):
        self.assertEqual(self.report("--no-verify")["whole"]["outcome"], "not-run")
        self.scenario(faults=[fault("measure", "compare", "sigkill", candidate="C1")])
        self.assertEqual(self.report()["verdicts"][1]["outcome"], "failed")
        self.scenario(faults=[fault("graph", "load", "sigkill", times=9)])
        self.assertEqual(self.report(code=2)["device"]["kind"], "", "a file that cannot be read ends the run at once")
        self.scenario(faults=[fault("measure", "open", "sigkill", times=9)])
        self.assertEqual(self.report(code=2)["device"]["kind"], "")

    def test_a_run_that_measures_nothing_leaves_the_last_one_that_did(self):
        last = self.folder / ".kadvise/last.json"
        self.advise("--no-verify")
        self.assertEqual(json.loads(last.read_text())["verdicts"], [], "better than nothing")
        self.advise()
        measured = last.read_text()
        self.advise("--no-verify")
        self.assertEqual(last.read_text(), measured)
        self.scenario(faults=[fault("graph", "load", "sigkill", times=9)])
        _, err = self.advise("--verbose", code=2)
        self.assertEqual(last.read_text(), measured)
        self.assertIn("last.json still holds the last run that measured something", err)

    def test_the_report_before_the_last_one_is_kept(self):
        self.advise()
        first = (self.folder / ".kadvise/last.json").read_text()
        self.assertFalse((self.folder / ".kadvise/previous.json").exists())
        self.advise()
        self.assertEqual((self.folder / ".kadvise/previous.json").read_text(), first)
        self.kadvise("report", ".kadvise/previous.json", ".kadvise/last.json")

    def test_nothing_is_kept_through_a_link(self):
        """Of a folder that came with the sources."""
        kept, mine, other = (self.folder / name for name in (".kadvise", "mine", "other"))
        mine.write_text("mine")
        self.advise()
        for name in ("last.json", "previous.json"):
            (kept / name).unlink(missing_ok=True)
            os.symlink(mine, kept / name)
            self.advise()
            self.assertEqual((mine.read_text(), (kept / name).is_symlink()), ("mine", False), name)
        os.rename(kept, other)
        os.symlink(other, kept)
        before = {path.name: path.read_text() for path in other.iterdir()}
        _, err = self.advise()
        self.assertIn("the last report could not be kept: .kadvise: is a link", err)
        self.assertEqual({path.name: path.read_text() for path in other.iterdir()}, before)

    def test_errors_go_to_standard_error_too(self):
        self.scenario(faults=[fault("graph", "load", "sigkill", times=9)])
        _, err = self.advise(code=2)
        self.assertIn("was killed by SIGKILL", err)

    def test_what_shows_no_difference_is_no_advice(self):
        same = {"outcome": "same", "speedup": {"low": 0.99, "mid": 1.0, "high": 1.01}}
        self.scenario(verdicts={"C1": same})
        out, _ = self.advise("--keep", "equal")
        self.assertNotIn("What to change", out)
        advised, rest = out.split("Measured, no clear gain")
        self.assertIn("no difference: 1.00x (0.99–1.01, 95%) in its region", rest)
        self.assertNotIn("1.00x (0.99–1.01, 95%) in its region", advised)
        self.assertIn("would be kept in an optimised module", " ".join(out.split()))

    def test_rendered_again_it_reads_the_same(self):
        text, _ = self.advise("--json", "run.json")
        again, _ = self.kadvise("report", "run.json")
        self.assertEqual(text, again)

    def test_written_again_it_is_the_same_json(self):
        self.advise("--json", "run.json")
        self.kadvise("report", "run.json", "--json", "again.json")
        self.assertEqual(json.loads((self.folder / "again.json").read_text()), json.loads((self.folder / "run.json").read_text()))

    def test_other_files_are_no_reports(self):
        (self.folder / "x.json").write_text('{"version": 1}')
        _, err = self.kadvise("report", "x.json", code=2)
        self.assertIn("is not a report of kadvise", err)
        (self.folder / "y.json").write_text('{"version": 99, "tool": {}, "whole": {}}')
        _, err = self.kadvise("report", "y.json", code=2)
        self.assertIn("version 99", err)
        (self.folder / "z.pt").write_bytes(b"PK\x03\x04\xff")
        _, err = self.kadvise("report", "z.pt", code=2)
        self.assertEqual(err, "kadvise: z.pt: is not a report of kadvise; kadvise writes them with --json FILE\n")
        (self.folder / "deep.json").write_text('{"version": 1, "tool": {}, "whole": ' + "[" * 100000 + "]" * 100000 + "}")
        _, err = self.kadvise("report", "deep.json", code=2)
        self.assertEqual(err, "kadvise: deep.json: is not a report of kadvise; kadvise writes them with --json FILE\n")
        _, err = self.kadvise("report", "nowhere.json", code=2)
        self.assertIn("no such file", err)

    def test_colours_only_when_asked_for(self):
        self.assertNotIn("\x1b", self.advise()[0])
        self.assertNotIn("\x1b", self.advise("--color", "never")[0])
        self.assertIn("\x1b[1;32m1.50x faster", self.advise("--color", "always")[0])

    def on_a_terminal(self, **environment):
        """What kadvise writes to standard output and standard error of a terminal."""
        self.scenario(faults=[fault("measure", "trace", "slow")])
        (self.engines / "fault-0.count").unlink(missing_ok=True)  # slow in each run
        leader, follower = pty.openpty()
        process = subprocess.Popen([harness.program, "model.pt", "--input", "float32[4,128]", "--engines", str(self.engines)], cwd=self.folder,
                                   env={**self.environment(), **environment}, stdin=subprocess.DEVNULL, stdout=follower, stderr=follower)
        os.close(follower)
        text = written_to(leader)
        self.assertEqual(process.wait(60), 0)
        return text

    def test_a_terminal_gets_colours_unless_its_user_or_it_wants_none(self):
        coloured, plain, dumb = self.on_a_terminal(NO_COLOR=""), self.on_a_terminal(NO_COLOR="1"), self.on_a_terminal(TERM="dumb")
        self.assertIn("\x1b[1;32m1.50x faster", coloured)
        self.assertIn("\x1b[K", plain)  # the line of progress has no colours
        self.assertNotIn("\x1b[1;32m", plain)
        self.assertIn("1.50x faster", plain)
        self.assertNotIn("\x1b", dumb)
        self.assertIn("kadvise: tracing model.pt …", dumb)

    def test_escapes_in_a_model_do_not_reach_the_terminal(self):
        self.scenario(findings=[{"message": "\x1b[31mboo"}, ], candidates=[{"title": "\x1b]0;title\x07"}])
        self.assertNotIn("\x1b", self.advise()[0])

    def test_quiet(self):
        self.scenario(faults=[fault("measure", "trace", "slow")])
        self.assertEqual(self.advise("--quiet"), ("", ""))
        self.scenario(faults=[fault("graph", "match", "sigkill", times=9)])
        out, err = self.advise("--quiet", code=2)
        self.assertEqual(out, "")
        self.assertIn("kadvise-graph was killed by SIGKILL", err)

    def test_verbose_says_what_to_write(self):
        self.assertIn("torch.ops.kadvise.add_layer_norm", self.advise("--verbose")[0])

    def test_a_reader_that_goes_away_is_no_error(self):
        process = self.start("model.pt", "--input", "float32[4,128]", "--engines", self.engines)
        process.stdout.close()
        process.stdout = None
        _, err = process.communicate(timeout=60)
        said = [line for line in err.splitlines() if not line.endswith(" …")]  # of a busy machine: what takes long
        self.assertEqual((process.returncode, said), (0, []))


class ProgressLines(Case):
    def test_a_plain_line_for_what_takes_long(self):
        self.scenario(faults=[fault("measure", "trace", "slow")])
        _, err = self.advise()
        self.assertEqual(err, "kadvise: tracing model.pt …\n")

    def test_one_rewritten_line_on_a_terminal(self):
        self.scenario(faults=[fault("measure", "compare", "slow", candidate="C1")])
        leader, follower = pty.openpty()
        process = self.start_on(follower)
        os.close(follower)
        text = written_to(leader)
        self.assertEqual(process.wait(60), 0)
        self.assertIn("\r\x1b[K", text)
        self.assertIn("checking C1 (1 of 1, fusion/add-layer-norm)", text)
        self.assertTrue(text.endswith("\r\x1b[K"), "the line is gone at the end")
        self.assertNotIn("\n", text)

    def start_on(self, terminal):
        return subprocess.Popen([harness.program, "model.pt", "--input", "float32[4,128]", "--engines", str(self.engines)], cwd=self.folder,
                                env=self.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=terminal)
