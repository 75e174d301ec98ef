"""Engines that die, hang or talk nonsense, and Ctrl-C: a sentence, an exit code, nothing left behind."""

import os
import signal

from harness import Case, fault, two_candidates


class KilledFromOutside(Case):
    """SIGKILL in the middle of the work, as an out-of-memory killer does it."""

    def kill(self, engine, verb, code, **more):
        self.scenario(**two_candidates(faults=[fault(engine, verb, "hang", **more)]))
        process = self.start("model.pt", "--input", "float32[4,128]", "--engines", self.engines, "--apply", "-o", "fast.pt")
        self.wait_until(lambda: any(self.engines.glob("fault-0.count")), "the engine is at work")
        os.kill(self.pid("kadvise-" + engine), signal.SIGKILL)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, code, out + err)
        self.assertIn(f"kadvise-{engine} was killed by SIGKILL while ", out.replace("\n    ", " ").replace("\n  ", " "))
        return out

    def nothing_written(self):
        self.assertFalse((self.folder / "fast.pt").exists())

    def test_graph(self):
        for verb in ("load", "compile", "match", "compose"):
            for count in self.engines.glob("*.count"):
                count.unlink()
            self.kill("graph", verb, code=2)
            self.nothing_written()

    def test_graph_while_writing(self):
        self.kill("graph", "compose", code=2, weights=True)
        self.nothing_written()

    def test_measure_while_loading(self):
        out = self.kill("measure", "open", code=0)
        self.assertIn("note: kadvise-measure was killed by SIGKILL while loading the module", out)
        self.assertIn("it was started again", out.replace("\n    ", " "))
        self.assertIn("written: fast.pt", out)

    def test_measure_before_there_is_a_candidate(self):
        self.kill("measure", "trace", code=2)
        self.nothing_written()

    def test_measure_at_a_candidate(self):
        out = self.kill("measure", "compare", code=0, candidate="C1")
        self.assertIn("1.50x faster", out)
        self.assertIn("written: fast.pt", out)

    def test_measure_at_the_whole(self):
        out = self.kill("measure", "compare", code=2, candidate="whole")
        self.assertIn("could not be measured", out)
        self.nothing_written()

    def test_measure_at_the_written_file(self):
        self.kill("measure", "compare", code=2, candidate="written")
        self.nothing_written()


class Limits(Case):
    def test_time(self):
        self.scenario(**two_candidates(faults=[fault("measure", "compare", "hang", candidate="C1")]))
        out, _ = self.advise("--time-limit", "1")
        self.assertIn("was stopped at its limit of 1.0 s (--time-limit) while checking C1", out.replace("\n    ", " "))
        self.assertIn("1.50x faster", out)

    def test_memory(self):
        self.scenario(**two_candidates(faults=[fault("measure", "compare", "hog", candidate="C1")]))
        out, _ = self.advise("--memory-limit", "0.3")
        self.assertIn("was stopped at its limit of 0.3 GiB of memory (--memory-limit) while checking C1", out.replace("\n    ", " "))
        self.assertIn("1.50x faster", out)

    def test_nonsense(self):
        for how, says in (("garbage", "not a message"), ("version", "speaks version 2"), ("bad-body", "malformed verdict"), ("exit3", "exit code 3")):
            self.scenario(**two_candidates(faults=[fault("measure", "compare", how, candidate="C1")]))
            for count in self.engines.glob("*.count"):
                count.unlink()
            out, _ = self.advise()
            self.assertIn(says, out)
            self.assertIn("1.50x faster", out, how)

    def test_last_words_of_a_dead_engine(self):
        self.scenario(faults=[fault("graph", "match", "sigsegv")])
        out, _ = self.advise(code=2)
        self.assertIn("the log of kadvise-graph ends with: about to end", out)

    def test_engine_that_cannot_come_back(self):
        faults = [fault("measure", "compare", "sigkill", candidate="C1"), fault("measure", "open", "slow"), fault("measure", "open", "exit3", times=9)]
        self.scenario(**two_candidates(faults=faults))
        out, _ = self.advise(code=2)
        self.assertIn("kadvise-measure could not be started again", out)


class Interrupts(Case):
    def interrupt(self, number, engine, verb, code, **more):
        self.scenario(faults=[fault(engine, verb, "hang", **more)])
        process = self.start("model.pt", "--input", "float32[4,128]", "--engines", self.engines, "--apply", "-o", "fast.pt")
        self.wait_until(lambda: any(self.engines.glob("fault-0.count")), "the engine is at work")
        self.wait_until(lambda: (self.engines / "kadvise-graph.pid").exists() and (self.engines / "kadvise-measure.pid").exists(), "both run")
        engines = [self.pid("kadvise-graph"), self.pid("kadvise-measure")]
        process.send_signal(number)
        out, err = process.communicate(timeout=10)
        self.assertEqual(process.returncode, code)
        self.assertEqual((out, err), ("", "kadvise: interrupted\n"))
        for pid in engines:
            self.assertTrue(self.is_gone(pid))
        self.assertFalse((self.folder / "fast.pt").exists())
        self.assertFalse((self.folder / ".kadvise").exists())

    def test_while_loading(self):
        self.interrupt(signal.SIGINT, "graph", "load", 130)

    def test_while_tracing(self):
        self.interrupt(signal.SIGINT, "measure", "trace", 130)

    def test_while_comparing(self):
        self.interrupt(signal.SIGINT, "measure", "compare", 130, candidate="whole")

    def test_while_writing(self):
        self.interrupt(signal.SIGINT, "measure", "compare", 130, candidate="written")

    def test_while_trying_other_sets_what_was_proven_is_written(self):
        same = {"outcome": "same", "speedup": {"low": 0.99, "mid": 1, "high": 1.01}}
        self.scenario(**two_candidates(faults=[fault("measure", "compare", "hang", candidate="set")], verdicts={"C2": same}))
        process = self.start("model.pt", "--input", "float32[4,128]", "--engines", self.engines, "--apply", "-o", "fast.pt")
        self.wait_until(lambda: any(self.engines.glob("fault-0.count")), "the engine is at work")
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertIn("the run was interrupted, and the first set stands", " ".join(out.split()))
        self.assertTrue((self.folder / "fast.pt").exists())

    def test_other_signals(self):
        self.interrupt(signal.SIGTERM, "measure", "trace", 143)

    def test_hang_up(self):
        self.interrupt(signal.SIGHUP, "measure", "trace", 129)

    def test_under_nohup_a_hang_up_is_nothing(self):
        self.scenario(faults=[fault("measure", "trace", "slow")])
        process = self.start("model.pt", "--input", "float32[4,128]", "--engines", self.engines,
                             preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.wait_until(lambda: any(self.engines.glob("fault-0.count")), "the engine is at work")
        process.send_signal(signal.SIGHUP)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)
