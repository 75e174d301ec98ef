"""kadvise.toml, baselines and suppressions."""

import json

from harness import Case, two_candidates

PLACE = {"file": "model.py", "line": 12, "column": 5, "endLine": 12, "endColumn": 20, "scope": "encoder.layer.0", "snippet": ""}
ELSEWHERE = {**PLACE, "file": "legacy/old.py", "scope": "decoder"}


class Project(Case):
    def configure(self, text, path="kadvise.toml"):
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text)

    def two(self, **more):
        self.scenario(**two_candidates(findings=[{"id": "F1", "where": PLACE}, {"id": "F2", "where": ELSEWHERE}], **more))

    def arguments(self, verb):
        return [m["arguments"] for m in self.requests() if m["verb"] == verb]


class Configuration(Project):
    def test_gives_what_the_command_line_does_not(self):
        self.configure('device = "cuda:1"\nfail-on = "opportunity"\nignore = ["fusion/conv-batch-norm"]\n')
        report = self.report(code=1)
        self.assertEqual(report["configuration"], "kadvise.toml")
        self.assertEqual(self.arguments("open")[0]["device"], "cuda:1")
        self.assertNotIn("conv-batch-norm", str(self.arguments("match")[0]["rules"]))
        self.assertIn("add-layer-norm", str(self.arguments("match")[0]["rules"]))

    def test_the_command_line_wins(self):
        self.configure('device = "cuda:1"\nfail-on = "opportunity"\nselect = ["graph-break"]\nignore = ["fusion"]\n')
        self.report("--device", "auto", "--fail-on", "never", "--select", "fusion/add-layer-norm", code=0)
        self.assertEqual(self.arguments("open")[0]["device"], "auto")
        self.assertEqual([path.rsplit("/", 1)[1] for path in self.arguments("match")[0]["rules"]], ["add-layer-norm.md"])

    def test_the_budget_is_that_of_the_file(self):
        self.configure("budget = 7\n")
        self.advise()
        self.assertLess(max(a["budgetSeconds"] for a in self.arguments("compare") if "budgetSeconds" in a), 7)

    def test_is_found_above_or_named_or_not_wanted(self):
        above = self.folder.parent / "kadvise.toml"
        self.assertFalse(above.exists(), "somebody's file")
        self.configure('fail-on = "opportunity"\n', "other.toml")
        self.assertEqual(self.report("--config", "other.toml", code=1)["configuration"], "other.toml")
        self.configure('fail-on = "opportunity"\n')
        self.assertEqual(self.report("--no-config")["configuration"], "")
        out, _ = self.advise(code=1)
        self.assertIn("configuration: kadvise.toml", out)
        _, err = self.advise("--config", "nowhere.toml", code=2)
        self.assertIn("nowhere.toml", err)

    def test_from_a_folder_below(self):
        import subprocess
        import harness
        self.configure('fail-on = "opportunity"\nbaseline = "known.json"\n')
        (self.folder / "known.json").write_text('{"kadviseBaseline": 1, "findings": []}')
        (self.folder / "below").mkdir()
        run = subprocess.run([harness.program, "../model.pt", "--input", "float32[4,128]", "--engines", str(self.engines), "--json", "-"],
                             cwd=self.folder / "below", env=self.environment(), capture_output=True, text=True)
        self.assertEqual(run.returncode, 1, run.stderr)
        report = json.loads(run.stdout)
        self.assertEqual((report["configuration"], report["baseline"]["path"]), ("../kadvise.toml", "../known.json"))

    def test_mistakes_are_refused_by_name_and_line(self):
        for text, says in (("selct = []", 'kadvise.toml:1: unknown key "selct"; did you mean "select"?'),
                           ('\nselect = ["nonsense"]', 'kadvise.toml:2: "nonsense" is neither a rule nor a category'),
                           ('select = ["fusoin"]', 'did you mean "fusion"?'),
                           ('rules = ["pack"]', "named on the command line only"),
                           ("budget = []", 'kadvise.toml:1: "budget" must be a number')):
            self.configure(text)
            _, err = self.advise(code=2)
            self.assertIn(says, err)
            self.assertEqual(err.count("\n"), 1)

    def test_other_commands_do_without_it(self):
        self.configure("broken")
        self.kadvise("rules", "list")
        self.kadvise("--help")

    def test_severities_count_for_fail_on(self):
        self.configure('[severity]\nfusion = "warning"\n')
        self.assertEqual(self.report("--fail-on", "warning", code=1)["findings"][0]["severity"], "warning")
        self.configure('[severity]\nfusion = "note"\n')
        self.report("--fail-on", "opportunity", code=0)

    def test_a_rule_that_is_off_is_not_searched_for(self):
        self.configure('[severity]\nfusion = "off"\n"fusion/add-layer-norm" = "note"\n')
        self.advise()
        rules = str(self.arguments("match")[0]["rules"])
        self.assertIn("add-layer-norm", rules)
        self.assertNotIn("conv-batch-norm", rules)
        self.assertIn("host-read", rules)


class Suppressions(Project):
    def test_by_place_with_the_reason(self):
        self.two()
        self.configure('[[suppress]]\nrule = "fusion"\nwhere = "encoder.*"\nreason = "plain operators are wanted"\n')
        out, _ = self.advise("--json", "run.json", "--fail-on", "opportunity", code=1)
        self.assertIn("1 finding of fusion/add-layer-norm: plain operators are wanted (kadvise.toml:1)", out)
        report = json.loads((self.folder / "run.json").read_text())
        self.assertEqual(report["suppressed"], [{"finding": "F1", "reason": "plain operators are wanted", "by": "kadvise.toml:1"}])
        self.assertEqual([c["id"] for c in report["candidates"]], ["C2"], "nothing is measured or applied there")
        self.assertNotIn("C1", [a["candidate"] for a in self.arguments("compare")])

    def test_by_id(self):
        self.two()
        self.configure('[[suppress]]\nid = "F1"\nreason = "r"\n[[suppress]]\nid = "F2"\nreason = "r"\n')
        self.report("--fail-on", "note", code=0)

    def test_one_of_equal_sites_stays_as_it_is(self):
        self.scenario(findings=[{"id": "F1", "where": PLACE}, {"id": "F2", "where": ELSEWHERE}], candidates=[{"id": "C1", "findings": ["F1", "F2"]}])
        self.configure('[[suppress]]\nid = "F2"\nreason = "r"\n')
        self.assertEqual(self.report()["candidates"][0]["findings"], ["F1"])
        self.assertEqual([a["without"] for a in self.arguments("compose")], [["F2"]])

    def test_by_path_of_the_source_or_of_the_module(self):
        self.two()
        self.configure('[per-path-ignores]\n"legacy/**" = ["fusion/add-layer-norm"]\n')
        self.assertEqual([s["finding"] for s in self.report()["suppressed"]], ["F2"])
        self.configure('[per-path-ignores]\n"model.pt" = ["fusion"]\n')
        self.assertEqual([s["finding"] for s in self.report()["suppressed"]], ["F1", "F2"])
        self.configure('[per-path-ignores]\n"model.pt" = ["graph-break"]\n')
        self.assertEqual(self.report()["suppressed"], [])

    def test_one_that_meets_nothing_is_said(self):
        self.configure('[[suppress]]\nid = "gone"\nreason = "r"\n')
        out, _ = self.advise()
        self.assertIn("the suppression at kadvise.toml:1 meets no finding", out)
        self.configure('[per-path-ignores]\n"model.py" = ["fusion"]\n"legacy/**" = ["fusion"]\n')
        words = " ".join(self.advise()[0].split())
        self.assertIn('per-path-ignores "legacy/**" at kadvise.toml:3 meets no finding of this run', words)
        self.assertNotIn('"model.py" at kadvise.toml:2 meets no finding', words)


class Baseline(Project):
    def test_known_findings_do_not_count(self):
        self.two()
        _, err = self.advise("--fail-on", "opportunity", "--write-baseline", "known.json")
        self.assertIn("wrote 2 findings to the baseline known.json", err)
        self.advise("--fail-on", "opportunity", code=1)
        out, _ = self.advise("--fail-on", "opportunity", "--baseline", "known.json")
        self.assertIn("baseline known.json: 2 known, 0 new", out)
        self.assertIn("(known)", out)

    def test_known_findings_without_a_gain_are_folded(self):
        self.scenario(candidates=[])
        self.advise("--write-baseline", "known.json")
        out, _ = self.advise("--baseline", "known.json")
        self.assertIn("1 known finding not shown (-v)", out)
        self.assertNotIn("model.py:12", out)
        self.assertIn("model.py:12", self.advise("--baseline", "known.json", "-v")[0])

    def test_a_new_finding_counts(self):
        self.two()
        self.advise("--write-baseline", "known.json")
        self.scenario(**two_candidates(findings=[{"id": "F1"}, {"id": "F3"}]))
        out, _ = self.advise("--fail-on", "opportunity", "--baseline", "known.json", code=1)
        self.assertIn("1 known, 1 new, fixed: 1; run --write-baseline", out)

    def test_what_no_longer_occurs_is_fixed_where_its_rule_was_run(self):
        self.two()
        self.advise("--write-baseline", "known.json")
        self.scenario(findings=[], candidates=[])
        report = self.report("--baseline", "known.json")
        self.assertEqual([f["id"] for f in report["baseline"]["fixed"]], ["F2", "F1"])
        self.assertEqual(self.report("--baseline", "known.json", "--select", "graph-break")["baseline"]["fixed"], [])

    def test_the_file_is_sorted_and_stable_and_keeps_other_modules(self):
        self.two()
        self.advise("--write-baseline", "known.json")
        first = (self.folder / "known.json").read_text()
        entries = json.loads(first)["findings"]
        self.assertEqual([(e["scope"], e["id"]) for e in entries], [("decoder", "F2"), ("encoder.layer.0", "F1")])
        self.assertEqual(set(entries[0]), {"module", "rule", "scope", "id", "message"})
        (self.folder / "other.pt").write_text("a module")
        self.kadvise("other.pt", "--input", "float32[4,128]", "--engines", self.engines, "--baseline", "known.json", "--write-baseline", "known.json")
        self.assertEqual([e["module"] for e in json.loads((self.folder / "known.json").read_text())["findings"]], ["model.pt"] * 2 + ["other.pt"] * 2)
        self.scenario(**two_candidates(findings=[{"id": "F2", "where": ELSEWHERE}, {"id": "F1", "where": PLACE}]))
        self.advise("--write-baseline", "again.json")
        self.assertEqual((self.folder / "again.json").read_text(), first)

    def test_what_is_suppressed_is_not_in_it(self):
        self.two()
        self.configure('[[suppress]]\nid = "F1"\nreason = "r"\n')
        self.advise("--write-baseline", "known.json")
        self.assertEqual([e["id"] for e in json.loads((self.folder / "known.json").read_text())["findings"]], ["F2"])

    def test_a_run_with_errors_writes_none(self):
        self.kadvise("model.pt", "--engines", self.engines, "--write-baseline", "known.json", code=2)
        self.assertFalse((self.folder / "known.json").exists())

    def test_the_first_is_written_where_the_file_says(self):
        self.configure('baseline = "known.json"\n')
        _, err = self.advise(code=2)
        self.assertIn("no such baseline; write it with --write-baseline known.json", err)
        self.advise("--write-baseline", "known.json")
        self.advise("--fail-on", "opportunity")

    def test_other_files_are_no_baselines_and_are_not_quoted(self):
        for text in ("secret words", '{"secret": 1}', '{"kadviseBaseline": 1, "findings": ["secret"]}', '{"kadviseBaseline": "secret"}'):
            (self.folder / "x").write_text(text)
            _, err = self.advise("--baseline", "x", code=2)
            self.assertIn("is not a baseline of kadvise", err)
            self.assertNotIn("secret", err)

    def test_one_that_cannot_be_written_is_refused_before_any_work(self):
        out, err = self.advise("--write-baseline", "nowhere/known.json", code=2)
        self.assertIn("nowhere/known.json", err)
        self.assertEqual(out, "")
