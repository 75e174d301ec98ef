"""kadvise profile, levels, bench and doctor: what they ask for, what they say, and what they say where something is missing."""

import json

from harness import REPORT, Case, fault

GPU = {"device": {"kind": "cuda", "index": 0, "name": "NVIDIA H200", "arch": 90}, "environment": {"torch": "2.11.0"}}
REFUSED = {"figure": "kernel times, busy time", "reason": "CUPTI refuses kernel records: another profiler is attached to this process, and CUPTI serves one (CUPTI 39, busy)",
           "remedy": "end the other profiler (Nsight, torch.profiler) and run again"}


class Commands(Case):
    def run_command(self, command, *arguments, code=0):
        return self.kadvise(command, *arguments, "--engines", self.engines, code=code)

    def report_of(self, command, *arguments, code=0):
        report = json.loads(self.run_command(command, *arguments, "--json", "-", code=code)[0])
        self.agrees(REPORT, report)
        return report

    def asked(self, verb):
        return [m["arguments"] for m in self.requests() if m["verb"] == verb]


class Profile(Commands):
    MODEL = ("model.pt", "--input", "float32[4,128]")

    def test_on_a_cpu_operators_are_timed_and_the_rest_is_named(self):
        out, _ = self.run_command("profile", *self.MODEL)
        for words in ("as loaded: 300 µs a call", "by operator", "aten::add", "by module", "by line", "model.py:12", "Not given here",
                      "kernels: times, gaps: no CUDA device answers", "to get it: run on a machine with an NVIDIA GPU"):
            self.assertIn(words, out)
        self.assertEqual(self.asked("profile"), [{"module": {"path": ""}, "graph": False, "frozen": False, "trace": ""}])
        self.assertEqual(self.asked("count"), [])

    def test_where_cupti_is_refused_timing_still_works(self):
        self.scenario(opened=GPU, profile={"absent": [REFUSED]})
        out, _ = self.run_command("profile", *self.MODEL)
        self.assertIn("300 µs a call", out)
        self.assertIn("another profiler is attached", " ".join(out.split()))
        self.assertIn("to get it: end the other profiler", out)

    def test_options_reach_the_engine(self):
        self.scenario(opened=GPU)
        self.run_command("profile", *self.MODEL, "--graph", "--frozen", "--counters", "3")
        self.assertEqual(self.asked("profile"), [{"module": {"path": ""}, "graph": True, "frozen": True, "trace": ""}])
        self.assertEqual(self.asked("count"), [{"module": {"path": ""}, "frozen": True, "kernels": 3}])

    def test_counters_run_in_a_process_whose_death_costs_only_them(self):
        self.scenario(opened=GPU, faults=[fault("measure", "count", "sigsegv")])
        report = self.report_of("profile", *self.MODEL, "--counters", "3")
        self.assertEqual([v["mode"] for v in report["profile"]["views"]], ["as-loaded"])
        lost = report["profile"]["absent"][-1]
        self.assertEqual(lost["figure"], "hardware counters")
        self.assertIn("SIGSEGV", lost["reason"])
        self.assertIn("kadvise doctor", lost["remedy"])

    def test_counters_are_not_asked_for_on_a_cpu(self):
        self.run_command("profile", *self.MODEL, "--counters", "3")
        self.assertEqual(self.asked("count"), [])

    def test_the_trace_is_written_whole(self):
        self.run_command("profile", *self.MODEL, "--trace", "out.trace.json")
        self.assertEqual(json.loads((self.folder / "out.trace.json").read_text()), {"traceEvents": []})
        _, err = self.run_command("profile", *self.MODEL, "--trace", "nowhere/out.json", code=2)
        self.assertIn("--trace nowhere/out.json: its folder does not exist", err)
        for given in ("-", "/dev/null"):
            _, err = self.run_command("profile", *self.MODEL, "--trace", given, code=2)
            self.assertIn(f"--trace {given}: is no file; name the file to write", err)

    def test_a_trace_that_cannot_be_written_costs_only_itself(self):
        name = "t" * 300  # longer than any file's
        report = self.report_of("profile", *self.MODEL, "--trace", name, code=2)
        self.assertEqual([v["mode"] for v in report["profile"]["views"]], ["as-loaded"])
        self.assertEqual(report["errors"], [{"where": "--trace " + name, "what": "cannot be written: File name too long"}])

    def test_an_engine_that_dies_or_refuses_is_an_error(self):
        for how, says in (("sigsegv", "was killed by SIGSEGV"), ("error", "the model: cannot be run")):
            (self.engines / "fault-0.count").unlink(missing_ok=True)
            self.scenario(faults=[fault("measure", "profile", how)])
            self.assertIn(says, self.run_command("profile", *self.MODEL, code=2)[0])

    def test_what_is_wrong_is_said_before_an_engine_starts(self):
        self.assertIn("no such file", self.run_command("profile", "nowhere.pt", code=2)[1])
        self.assertIn("MODEL is required", self.run_command("profile", code=2)[1])
        self.assertFalse((self.engines / "messages.jsonl").exists())

    def test_inputs_are_guessed_where_none_are_given_and_that_is_said(self):
        self.scenario(loaded={"guessed": ["float32[1,64]"]})
        report = self.report_of("profile", "model.pt")
        self.assertEqual(report["inputs"]["from"], "inferred")
        self.assertIn("guessed from the first weights (float32[1,64])", report["notes"][0])
        dies = fault("measure", "open", "sigkill", times=9, inputs=["float32[1,64]"])
        self.scenario(loaded={"guessed": ["float32[1,64]"]}, faults=[dies])
        self.assertIn("was killed by SIGKILL while loading the module", self.run_command("profile", "model.pt", code=2)[0])
        self.scenario(loaded={"guessed": []})
        self.assertIn("no inputs are given", self.run_command("profile", "model.pt", code=2)[0])

    def test_an_exported_program_is_run_as_what_it_was_converted_to(self):
        (self.folder / "model.pt2").write_text("an exported program")
        self.scenario(loaded={"format": "exported", "converted": "converted.pt", "samples": "samples.pt"})
        report = self.report_of("profile", "model.pt2")
        self.assertEqual(report["inputs"]["from"], "samples")
        opened = self.asked("open")[-1]
        self.assertTrue(opened["path"].endswith("/converted.pt") and opened["inputsFile"].endswith("/samples.pt"), opened)

    def test_rendered_again_it_reads_the_same(self):
        text, _ = self.run_command("profile", *self.MODEL, "--json", "run.json")
        self.assertEqual(self.kadvise("report", "run.json")[0], text)


class Levels(Commands):
    MODEL = ("model.pt", "--input", "float32[4,128]")

    def test_each_level_has_its_row(self):
        self.scenario(opened=GPU)
        report = self.report_of("levels", *self.MODEL)
        rows = {row["level"]: row for row in report["levels"]}
        self.assertEqual(sorted(rows), [0, 1, 2, 3, 4, 5])
        for level in (1, 2, 3, 4, 5):
            self.assertEqual(rows[level]["verdict"]["outcome"], "faster", rows[level])
        self.assertEqual(rows[0]["verdict"]["after"]["timings"][0]["wallUs"][0], 300)
        self.assertEqual([a["maxLevel"] for a in self.asked("match")], [1, 4, 5])
        frozen = [a for a in self.asked("compare") if a["candidate"] == "frozen"]
        self.assertTrue(frozen[0]["after"]["path"].endswith("/frozen.pt"))

    def test_without_a_gpu_the_graph_level_says_why(self):
        rows = {row["level"]: row for row in self.report_of("levels", *self.MODEL)["levels"]}
        self.assertEqual(rows[3]["verdict"]["outcome"], "not-run")
        self.assertIn("needs a GPU", rows[3]["verdict"]["reason"])
        self.assertEqual(self.asked("graph"), [])

    def test_a_level_that_fails_costs_only_its_row(self):
        self.scenario(opened=GPU, faults=[fault("measure", "freeze", "error"), fault("measure", "graph", "sigsegv")])
        rows = {row["level"]: row for row in self.report_of("levels", *self.MODEL)["levels"]}
        self.assertEqual(rows[2]["verdict"]["outcome"], "not-run")
        self.assertIn("cannot be run", rows[2]["verdict"]["reason"])
        self.assertIn("SIGSEGV", rows[3]["verdict"]["reason"])
        self.assertEqual(rows[5]["verdict"]["outcome"], "faster")

    def test_a_module_that_cannot_be_read_ends_the_table(self):
        self.scenario(faults=[fault("graph", "load", "error")])
        self.assertIn("the model: cannot be run", self.run_command("levels", *self.MODEL, code=2)[0])

    def test_what_the_budget_left_out_stands_with_its_level(self):
        late = {"outcome": "not-run", "reason": "the budget of 60 s was spent before it (--budget)", "accuracy":
                {"rmsUlp": 0, "p999Ulp": 0, "maxUlp": 0, "bias": 0, "scale": 1, "grade": "", "worstCase": ""}}
        self.scenario(findings=[{"id": "F1"}, {"id": "F2"}], candidates=[{"id": "C1", "findings": ["F1"]}, {"id": "C2", "findings": ["F2"]}],
                      verdicts={"C2": late})
        rows = {row["level"]: row for row in self.report_of("levels", *self.MODEL)["levels"]}
        for level in (1, 4, 5):
            self.assertEqual(rows[level]["notes"], ["1 replacement at 2 sites", "1 of 2 proposals could not be measured within the budget of 60 s: raise --budget (about 120 s are needed)"])

    def test_rendered_again_it_reads_the_same(self):
        text, _ = self.run_command("levels", *self.MODEL, "--json", "run.json")
        self.assertIn("frozen TorchScript", text)
        self.assertEqual(self.kadvise("report", "run.json")[0], text)


class Bench(Commands):
    def test_an_operator_is_held_against_a_copy(self):
        out, _ = self.run_command("bench", "aten::softmax", "--shapes", "64x1024", "--dtype", "bfloat16", "--budget", "3")
        self.assertIn("50.0 % of a copy", out)
        self.assertEqual(self.asked("bench"), [{"op": "aten::softmax", "shapes": ["64x1024"], "dtype": "bfloat16", "budgetSeconds": 3}])

    def test_what_cannot_be_made_is_refused_with_its_reason(self):
        refused = {"inputs": "float32[4]", "schema": "", "us": {"low": 0, "mid": 0, "high": 0}, "bytes": 0, "bytesPerSecond": 0, "shareOfCopy": 0,
                   "refused": "its argument size has no default"}
        self.scenario(bench={"rows": [refused]})
        self.assertIn("its argument size has no default", self.run_command("bench", "aten::view", code=2)[0])

    def test_without_an_operator_the_engine_is_asked_for_its_own(self):
        self.scenario(faults=[fault("measure", "bench", "error")])
        self.run_command("bench", code=2)
        self.assertEqual([a["op"] for a in self.asked("bench")], [""])

    def test_an_unknown_dtype_is_a_wrong_option(self):
        self.run_command("bench", "aten::softmax", "--dtype", "complex", code=2)


class Doctor(Commands):
    def test_a_machine_without_a_gpu_is_usable_and_says_what_is_lost(self):
        out, _ = self.run_command("doctor")
        for words in ("ok        kadvise-graph", "ok        LibTorch: 2.11.0", "not here  driver: no NVIDIA driver is loaded",
                      "to get it: run on a machine with an NVIDIA GPU", "not here  source lint (Clang): not built"):
            self.assertIn(words, out)

    def test_refused_counters_are_a_problem_with_a_remedy_and_no_failure(self):
        self.scenario(health=[{"name": "LibTorch", "status": "ok", "what": "2.11.0", "remedy": ""},
                              {"name": "hardware counters (CUPTI)", "status": "problem", "what": "this user may not read them",
                               "remedy": "run as root, give the container CAP_SYS_ADMIN, or load the driver with NVreg_RestrictProfilingToAdminUsers=0"}])
        out, _ = self.run_command("doctor")
        self.assertIn("PROBLEM   hardware counters (CUPTI): this user may not read them", out)
        self.assertIn("CAP_SYS_ADMIN", out)

    def test_without_an_engine_nothing_can_be_used(self):
        (self.engines / "kadvise-measure").unlink()
        out, _ = self.run_command("doctor", code=1)
        self.assertIn("PROBLEM   kadvise-measure", out)
        self.assertIn("--engines FOLDER", out)

    def test_an_engine_that_dies_is_a_line(self):
        self.scenario(faults=[fault("measure", "doctor", "sigsegv")])
        report = self.report_of("doctor", code=1)
        line = next(h for h in report["health"] if h["name"] == "LibTorch")
        self.assertEqual(line["status"], "problem")
        self.assertIn("SIGSEGV", line["what"])
        self.assertEqual(report["errors"], [])

    def test_each_line_is_ok_or_has_a_reason(self):
        for line in self.report_of("doctor")["health"]:
            self.assertTrue(line["what"], line)
            if line["status"] != "ok" and "Clang" not in line["name"]:
                self.assertTrue(line["remedy"], line)
