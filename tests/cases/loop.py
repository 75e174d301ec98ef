"""kadvise model.pt: from load to the verdict, the report and the written module."""

import json
import os

from harness import DIFFERS, REPORT, Case, fault, two_candidates


class Advice(Case):
    def test_headline_comes_first(self):
        out, err = self.advise()
        lines = out.splitlines()
        self.assertIn("model.pt", lines[0])
        self.assertTrue(lines[2].startswith("1.50x faster (1.40–1.60, 95%) on the CPU (2 threads), outputs equal"), lines[2])
        self.assertIn("nothing was timed on a GPU", " ".join(line.strip() for line in lines[2:4]))
        self.assertIn("model.py:12 in encoder.layer.0", out)
        self.assertIn("--apply -o model.fast.pt", out)
        self.assertEqual(err, "")

    def test_names_the_gpu(self):
        self.scenario(opened={"device": {"kind": "cuda", "index": 0, "name": "NVIDIA H200", "arch": 90}})
        out, _ = self.advise()
        self.assertIn("on NVIDIA H200, outputs equal (at-least-as-accurate), kernels 4 → 2", out.replace("\n  ", " "))
        self.assertNotIn("on a GPU", out)
        match = [m for m in self.requests() if m["verb"] == "match"][0]["arguments"]
        self.assertEqual((match["device"], match["arch"]), ("cuda", 90))

    def test_estimates_are_for_the_gpu_in_use_or_the_one_asked_for(self):
        place = {"file": "model.py", "line": 12, "column": 0, "endLine": 0, "endColumn": 0, "scope": "encoder.layer.0", "snippet": ""}
        cost = {"bytesRead": 4e8, "bytesWritten": 2e8, "flops": 2e9, "estimatedUs": 1000}
        self.scenario(opened={"device": {"kind": "cuda", "index": 0, "name": "NVIDIA H200", "arch": 90}},
                      matched={"estimate": {**cost, "gpu": "H200", "reason": "", "kernels": 4, "withoutFormula": [], "loopsOfUnknownLength": 0},
                               "modules": [{**cost, "path": "", "class": "Net", "nodes": 4, "ownUs": 1000, "share": 1}],
                               "memory": {"peakBytes": 1 << 20, "where": place, "op": "aten::add", "largest": [], "parameterBytes": 4000, "inputBytes": 2048}})
        report = self.report()
        self.assertEqual(report["estimate"]["reason"], "the GPU in use")
        self.assertEqual(report["modules"][0]["class"], "Net")
        out, _ = self.advise("--arch", "rtx 4090")
        self.assertIn("peak activations 1 MiB at model.py:12 in encoder.layer.0", " ".join(out.split()))
        self.assertIn("asked for by --arch", " ".join(out.split()))
        asked = [m["arguments"]["gpu"] for m in self.requests() if m["verb"] == "match"]
        self.assertEqual(asked, ["H200", "RTX 4090"])

    def test_cuda_graphs_are_tried_unless_switched_off(self):
        gpu = {"device": {"kind": "cuda", "index": 0, "name": "NVIDIA H200", "arch": 90}}
        self.scenario(opened=gpu)
        out, _ = self.advise()
        self.assertIn("CUDA graphs all of forward is captured once for each set of shapes, then replayed; 1.50x", " ".join(out.split()))
        pages = [m["arguments"]["cudaGraph"]["pages"] for m in self.requests() if m["verb"] == "compose" and "cudaGraph" in m["arguments"]]
        self.assertTrue(any(page.endswith("host-read.md") for page in pages[0]))
        (self.engines / "messages.jsonl").unlink()
        out, _ = self.advise("--no-cuda-graph", "--select", "fusion")
        self.assertIn("CUDA graphs not tried: switched off by --no-cuda-graph", " ".join(out.split()))
        self.assertFalse([m for m in self.requests() if "cudaGraph" in m["arguments"]])

    def test_last_report_is_kept(self):
        self.advise()
        self.agrees(REPORT, json.loads((self.folder / ".kadvise/last.json").read_text()))
        self.assertEqual((self.folder / ".kadvise/.gitignore").read_text(), "*\n")

    def test_a_last_report_that_cannot_be_kept_is_a_warning(self):
        (self.folder / ".kadvise").write_text("a file")
        _, err = self.advise()
        self.assertIn("the last report could not be kept", err)

    def test_arguments_reach_the_engines(self):
        (self.folder / "in.pt").write_text("inputs")
        (self.folder / "ops.so").write_text("a library")
        self.kadvise("model.pt", "--inputs", "in.pt", "--device", "cuda:1", "--op-library", "ops.so", "--seed", "7", "--level", "2", "--allow-approximate",
                     "--select", "fusion", "--ignore", "fusion/conv-batch-norm,graph-break", "--engines", self.engines)
        requests = {m["verb"]: m["arguments"] for m in self.requests() if m["verb"] in ("load", "open", "match")}
        opened, matched = requests["open"], requests["match"]
        self.assertEqual((opened["device"], opened["seed"], opened["inputsFile"]), ("cuda:1", 7, str(self.folder / "in.pt")))
        self.assertIn(str(self.folder / "ops.so"), opened["opLibraries"])
        self.assertEqual(requests["load"]["opLibraries"], opened["opLibraries"])
        self.assertEqual((matched["maxLevel"], matched["allowApproximate"]), (2, True))
        names = [path.rsplit("/", 1)[1] for path in matched["rules"]]
        self.assertIn("add-layer-norm.md", names)
        self.assertNotIn("conv-batch-norm.md", names)
        self.assertNotIn("host-read.md", names)

    def test_option_values_do_not_swallow_the_model(self):
        self.kadvise("--input", "float32[4,128]", "--engines", self.engines, "model.pt")

    def test_candidates_with_large_estimates_come_first(self):
        big = {"bytesSaved": 9e9, "flops": 0, "speedup": 2, "basis": ""}
        self.scenario(**two_candidates() | {"findings": [{"id": "F1"}, {"id": "F2", "estimate": big}]})
        self.advise()
        compared = [m["arguments"]["candidate"] for m in self.requests() if m["verb"] == "compare" and m["arguments"].get("attempt", 1) == 1]
        self.assertEqual(compared, ["normal-form", "C2", "C1", "whole"])

    def test_what_is_not_confirmed_in_a_fresh_process_is_no_gain(self):
        same = {"outcome": "same", "speedup": {"low": 0.99, "mid": 1, "high": 1.01}}
        self.scenario(**two_candidates(verdicts={"C1 again": same, "whole again": same}))
        out, _ = self.advise("--budget", "20")  # too little to try other sets
        words = " ".join(out.split())
        self.assertIn("no clear result", words)
        self.assertIn("1.500x (1.400 to 1.600) was not confirmed in a fresh process: 1.000x (0.990 to 1.010)", words)
        self.assertNotIn("1.50x faster", words)
        compared = [m["arguments"]["candidate"] for m in self.requests() if m["verb"] == "compare"]
        self.assertEqual(compared, ["normal-form", "C1", "C2", "C1", "C2", "whole", "whole"])

    def test_a_confirmation_that_fails_or_differs_is_said(self):
        self.scenario(verdicts={"whole again": {"outcome": "failed", "reason": "the candidate fails"}})
        self.assertIn("was not confirmed in a fresh process: the candidate fails", " ".join(self.advise()[0].split()))
        self.scenario(verdicts={"whole again": DIFFERS})
        self.assertIn("the outputs differ, nothing is advised: output 0 differs", " ".join(self.advise()[0].split()))

    def test_the_smaller_of_two_figures_stands(self):
        self.scenario(verdicts={"whole again": {"speedup": {"low": 1.2, "mid": 1.3, "high": 1.4}}})
        self.assertIn("1.30x faster", self.advise()[0])
        self.scenario(verdicts={"whole again": {"speedup": {"low": 1.7, "mid": 1.8, "high": 1.9}}})
        self.assertIn("1.50x faster", self.advise()[0])

    def test_keep_decides_what_is_composed(self):
        for keep, kept in (("faster", ["C1"]), ("not-slower", ["C1", "C2"]), ("equal", ["C1", "C2", "C3"])):
            (self.engines / "messages.jsonl").unlink(missing_ok=True)
            three = two_candidates(verdicts={"C2": {"outcome": "same", "speedup": {"low": 0.99, "mid": 1, "high": 1.01}},
                                             "C3": {"outcome": "slower", "speedup": {"low": 0.7, "mid": 0.8, "high": 0.9}}})
            three["findings"].append({"id": "F3"})
            three["candidates"].append({"id": "C3", "findings": ["F3"]})
            self.scenario(**three)
            self.advise("--keep", keep, "--budget", "20")  # too little to try other sets
            composed = [m["arguments"]["candidates"] for m in self.requests() if m["verb"] == "compose"]
            self.assertEqual(composed, [kept])

    def test_what_is_refused_is_said(self):
        place = {"file": "m.py", "line": 3, "column": 1, "endLine": 3, "endColumn": 9, "scope": "head", "snippet": ""}
        refusal = {"rule": "fusion/attention-written-out", "where": place, "mismatch": {"at": "%alpha", "reason": "is 2, the rule wants 1"}}
        self.scenario(matched={"refused": [refusal, {**refusal, "where": {**place, "scope": "head2"}}],
                               "notApplicable": [{"rule": "a/b", "reason": "no convolution"}, {"rule": "a/c", "reason": "no convolution"}]})
        out, _ = self.advise("-v")
        self.assertIn("fusion/attention-written-out at m.py:3 in head, and 1 site alike: %alpha is 2, the rule wants 1", out.replace("\n    ", " "))
        self.assertIn("a/b, a/c: no convolution", out)
        short, _ = self.advise()
        self.assertIn("2 rules found nothing (kadvise why-not RULE model.pt says why", short)
        self.assertNotIn("no convolution", short)

    def test_what_is_above_the_level_stands_apart(self):
        place = {"file": "m.py", "line": 3, "column": 1, "endLine": 3, "endColumn": 9, "scope": "head", "snippet": ""}
        refusal = {"rule": "fusion/rope", "where": place, "mismatch": {"at": "one kernel", "reason": "is of level 5, and --level allows 1"}}
        self.scenario(matched={"refused": [refusal]})
        out, _ = self.advise()
        self.assertIn("Above --level", out)
        self.assertNotIn("Refused, and why", out)

    def test_a_page_that_the_engine_cannot_use_is_an_error(self):
        self.scenario(matched={"notApplicable": [{"rule": "/pages/x.md", "reason": "the page could not be used: no pattern"}]})
        out, _ = self.advise(code=2)
        self.assertIn("/pages/x.md: the page could not be used: no pattern", out)
        self.assertNotIn("found nothing", out)

    def test_a_budget_that_ran_out_is_said_with_what_is_needed(self):
        nothing = {"outcome": "ambiguous", "speedup": {"low": None, "mid": None, "high": None}}
        self.scenario(verdicts={"C1": nothing})
        out, _ = self.advise("--budget", "3", "--apply", "-o", "fast.pt", code=1)
        words = " ".join(out.split())
        self.assertIn("1 of 1 proposal could not be measured within the budget of 3 s: raise --budget (about ", words)
        self.assertIn("outputs equal (at-least-as-accurate), not timed", words)
        self.assertIn("not written: fast.pt; --keep equal writes what is proven equal", words)
        self.assertIn("found: 1 not measured", words)
        self.assertNotIn("What to change", out)

    def test_keep_equal_advises_what_was_not_timed(self):
        self.scenario(verdicts={"C1": {"outcome": "ambiguous", "speedup": {"low": None, "mid": None, "high": None}}})
        out, _ = self.advise("--budget", "3", "--keep", "equal")
        self.assertIn("What to change", out)
        self.assertIn("found: 1 advised", out)
        self.assertNotIn("could not be measured", out)

    def test_only_what_is_faster_is_advised(self):
        same = {"outcome": "same", "speedup": {"low": 0.99, "mid": 1, "high": 1.01}}
        self.scenario(**two_candidates(verdicts={"C2": same}))
        out, _ = self.advise()
        advised, rest = out.split("Measured, no clear gain")
        self.assertIn("1. ", advised)
        self.assertNotIn("not faster", advised)
        self.assertIn("no difference: 1.00x", rest)
        self.assertIn("would be kept in an optimised module", rest)
        out, _ = self.advise("--keep", "equal")
        advised, rest = out.split("Measured, no clear gain")
        self.assertIn("--keep equal: all that is equal", advised)
        self.assertNotIn("1.00x", advised, "what shows no difference is kept, and no advice")
        self.assertIn("no difference: 1.00x", rest)

    def test_nothing_is_advised_when_the_outputs_of_the_whole_differ(self):
        self.scenario(verdicts={"whole": DIFFERS})
        out, _ = self.advise()
        self.assertNotIn("What to change", out)
        self.assertIn("the outputs of the module with it differ", " ".join(out.split()))

    def test_why_not_quotes_what_the_last_run_measured(self):
        same = {"outcome": "same", "speedup": {"low": 0.99, "mid": 1, "high": 1.01}}
        self.scenario(matched={"near": []}, verdicts={"C1": same})
        ask = ("why-not", "fusion/add-layer-norm", "model.pt", "--input", "float32[4,128]", "--engines", self.engines)
        to_measure = "run `kadvise model.pt --input 'float32[4,128]'` to measure them"
        self.assertIn(to_measure, self.kadvise(*ask)[0])
        self.scenario(matched={"near": []}, verdicts={"C1": same}, opened={"inputsFrom": "file"})
        (self.folder / "batch.pt").write_text("values")
        of_file = ("why-not", "fusion/add-layer-norm", "model.pt", "--inputs", "batch.pt", "--engines", self.engines)
        self.assertIn("run `kadvise model.pt --inputs batch.pt` to measure them", self.kadvise(*of_file)[0])
        self.scenario(matched={"near": []}, verdicts={"C1": same})
        self.advise()
        words = " ".join(self.kadvise(*ask)[0].split())
        self.assertIn("in the last run: add + LayerNorm in one kernel at model.py:12 in encoder.layer.0: not advised: no difference: 1.00x", words)
        self.assertNotIn(to_measure, words)
        os.utime(self.folder / "model.pt", (2e9, 2e9))
        self.assertIn(to_measure, self.kadvise(*ask)[0], "the file has changed since")

    def test_items_for_the_same_places_name_each_other(self):
        two = two_candidates(verdicts={"C2": {"speedup": {"low": 1.1, "mid": 1.2, "high": 1.3}}})
        two["candidates"][1]["findings"] = ["F1"]
        self.scenario(**two)
        out, _ = self.advise()
        words = " ".join(out.split())
        self.assertIn("or with: add + LayerNorm in one kernel (level 5", words)
        self.assertIn("saves more (the first of this item)", words)
        self.assertNotIn(" 2. ", out)

    def test_no_inputs(self):
        out, _ = self.kadvise("model.pt", "--engines", self.engines, code=2)
        self.assertIn("not measured: no inputs were given", out)
        self.assertIn("give one --input", out)
        self.assertIn("model.py:12", out, "what needs no shapes is still found")
        self.kadvise("model.pt", "--engines", self.engines, "--no-verify", code=0)

    def test_no_inputs_is_not_blamed_for_another_refusal(self):
        self.scenario(faults=[fault("measure", "open", "error", times=9)])
        out, _ = self.kadvise("model.pt", "--engines", self.engines, code=2)
        self.assertEqual(out.count("cannot be run"), 1, "an error is said once")
        self.assertIn("the model: cannot be run", out)

    def test_inputs_are_guessed_where_none_are_given(self):
        self.scenario(loaded={"guessed": ["float32[2,8]"]})
        report = self.run_without_inputs(code=0)
        self.assertEqual(report["inputs"]["from"], "inferred")
        self.assertTrue(any("guessed from the first weights (float32[2,8])" in n for n in report["notes"]), report["notes"])

    def test_a_wrong_guess_is_called_one(self):
        self.scenario(loaded={"guessed": ["float32[2,8]"]}, faults=[fault("measure", "trace", "error")])
        report = self.run_without_inputs(code=2)
        [error] = report["errors"]
        self.assertIn("they were guessed (", error["what"])
        self.assertIn("cannot be run; give --input for each argument of forward(x: Tensor)", error["what"])
        self.assertTrue(report["findings"], "what needs no shapes is still found")

    def test_an_exported_program_is_run_as_what_it_was_converted_to(self):
        (self.folder / "model.pt2").write_text("a program")
        self.scenario(loaded={"format": "exported", "converted": "original.pt", "samples": "samples.pt"})
        out, _ = self.kadvise("model.pt2", "--engines", self.engines, "--json", "-")
        opened = [m["arguments"] for m in self.requests() if m["verb"] == "open"][0]
        self.assertTrue(opened["path"].endswith("/original.pt") and opened["inputsFile"].endswith("/samples.pt"), opened)
        report = json.loads(out)
        self.agrees(REPORT, report)
        self.assertEqual(report["inputs"]["from"], "samples")
        self.assertTrue(any("exported program run through TorchScript" in n for n in report["notes"]))

    def test_inputs_that_do_not_fit_an_exported_program_are_told_its_form(self):
        (self.folder / "model.pt2").write_text("a program")
        for command in ((), ("profile",)):
            self.scenario(loaded={"format": "exported", "converted": "original.pt", "samples": "samples.pt"},
                          faults=[fault("measure", "open", "error at inputs: 4 inputs are given")])
            for seen in self.engines.glob("fault-*.count"):
                seen.unlink()
            out, _ = self.kadvise(*command, "model.pt2", "--inputs", "model.pt", "--engines", self.engines, "--json", "-", code=2)
            [error] = json.loads(out)["errors"]
            self.assertIn("4 inputs are given; of an exported program each tensor in a list or dict is an input of its own", error["what"])
            self.assertIn("as the file has samples", error["what"])

    def test_an_exported_program_under_another_name_is_one_too(self):
        self.scenario(loaded={"format": "exported", "converted": "original.pt", "samples": ""})
        self.advise()
        opened = [m["arguments"]["path"] for m in self.requests() if m["verb"] == "open"]
        self.assertTrue(opened[-1].endswith("/original.pt"), opened)

    def run_without_inputs(self, code):
        out, _ = self.kadvise("model.pt", "--engines", self.engines, "--json", "-", code=code)
        report = json.loads(out)
        self.agrees(REPORT, report)
        return report

    def test_fail_on(self):
        _, err = self.advise("--fail-on", "opportunity", code=1)
        self.assertEqual(err, "kadvise: --fail-on opportunity: 1 finding of severity opportunity; the first is fusion/add-layer-norm at "
                              "model.py:12 in encoder.layer.0\n")
        self.advise("--fail-on", "warning", code=0)
        self.advise("--fail-on", "never", code=0)

    def test_a_page_that_cannot_be_read_is_an_error_and_the_others_work(self):
        page = self.folder / "own/x/broken.md"
        page.parent.mkdir(parents=True)
        page.write_text("# nothing\n")
        out, _ = self.advise("--rules", self.folder / "own", code=2)
        self.assertIn("broken.md:1", out)
        self.assertIn("1.50x faster", out)

    def test_work_folder_is_kept_on_request(self):
        self.advise("--work-dir", self.folder / "work")
        self.assertTrue((self.folder / "work/kadvise-graph.log").exists())
        self.assertIn("a model that prints", (self.folder / "work/kadvise-measure.log").read_text() + "a model that prints")
