"""Counts and figures of runs that end in every way, held against each other in all forms of their report."""

import json
import re
import xml.etree.ElementTree

from harness import DIFFERS, REPORT, fault, two_candidates
from views import Samples, flat, plain

import sample_lint  # noqa: E402

PLACE = {"file": "model.py", "line": 12, "column": 0, "endLine": 0, "endColumn": 0, "scope": "encoder.layer.0", "snippet": ""}
REFUSED = [{"rule": "fusion/conv-batch-norm", "where": {**PLACE, "scope": f"stem.{i}"}, "mismatch": {"at": "%bn", "reason": "is in training mode"}} for i in range(3)]
NONE = [{"rule": f"fusion/rule-{i}", "reason": "no such operator"} for i in range(4)]
WARNING = {"id": "F9", "rule": "graph-break/host-read", "message": "aten::item waits for the GPU", "severity": "warning"}

# How a run ends, and the outcome of its module.
ENDS = {
    "nothing is found": ({"findings": [], "candidates": [], "matched": {"notApplicable": NONE}}, "not-run"),
    "all is refused": ({"findings": [], "candidates": [], "matched": {"refused": REFUSED, "notApplicable": NONE}}, "not-run"),
    "two are advised": ({**two_candidates(), "matched": {"refused": REFUSED, "notApplicable": NONE}}, "faster"),
    "a finding has no proposal": ({"findings": [{}, WARNING], "matched": {"notApplicable": NONE}}, "faster"),
    "every proposal is wrong": ({**two_candidates(), "verdicts": {"*": DIFFERS}}, "not-run"),
    "one is slower": ({**two_candidates(), "verdicts": {"C2": {"outcome": "slower", "speedup": {"low": 0.7, "mid": 0.8, "high": 0.9}}}}, "faster"),
    "the whole differs": ({**two_candidates(), "verdicts": {"whole": DIFFERS}}, "wrong-output"),
    "a comparison dies": ({**two_candidates(), "faults": [fault("measure", "compare", "sigkill", candidate="C1", times=9)]}, "faster"),
    "nothing comes to match": ({"faults": [fault("graph", "match", "sigkill", times=9)]}, "not-run"),
}
COUNTED = ("advised", "notMeasured", "noClearGain", "notAdvised", "byHand", "refused", "notApplicable")


def sites(lines):
    """Of rows of a list: "… at stem.0, and 2 sites alike" are three."""
    return sum(1 + sum(map(int, re.findall(r", and (\d+) sites? alike", line))) for line in lines)


def listed(sections, title, row):
    return [line for line in sections.get(title, []) if re.match(row, line)]


def parts(text, heading):
    """Heading -> its lines."""
    out, at = {}, ""
    for line in text.splitlines():
        found = re.match(heading, line)
        at = found.group(1) if found else at
        out.setdefault(at, []).append(line)
    return out


class Facts(Samples):
    def forms(self, *runs, code=0):
        """The report in its forms: what a reader has of each."""
        text = self.render(*runs, "--verbose", "--markdown", "out.md", "--sarif", "out.sarif", "--junit", "out.xml", code=code)
        suite = xml.etree.ElementTree.parse(self.folder / "out.xml").getroot().find("testsuite")
        out = {"text": text, "markdown": (self.folder / "out.md").read_text(), "sarif": json.loads((self.folder / "out.sarif").read_text())["runs"][0],
               "suite": suite, "properties": {p.get("name"): p.get("value") for p in suite.iter("property")}}
        if self.has_page:
            out["page"] = self.page_of(*runs)[1]
        return out

    def counts_of_text(self, text, number, heading):
        """What is listed, counted; number is how an item begins, heading how a part does."""
        sections = parts(text, heading)
        return {"items": len(re.findall(number, text, re.M)), "byHand": len(listed(sections, "Also found, to change by hand", r" *- (note|opportunity|warning|error): ")),
                "refused": sites(listed(sections, "Refused, and why", r" *- \S+ at "))}

    def agree(self, forms, run):
        counts = forms["sarif"]["properties"]["counts"]
        items = sum(counts[name] for name in ("advised", "notMeasured", "noClearGain", "notAdvised"))
        shown = {"items": items, "byHand": counts["byHand"], "refused": counts["refused"]}
        self.assertEqual(self.counts_of_text(flat_rows(forms["text"]), r"^ ?\d+\. ", r"(\w.*)$"), shown, "text")
        self.assertEqual(self.counts_of_text(plain_rows(forms["markdown"]), r"^\*\*\d+\. ", r"### (.*)$"), shown, "Markdown")
        self.assertEqual(len(forms["sarif"]["results"]), len(run["findings"]))
        self.assertEqual(counts["findings"], len(run["findings"]))
        self.assertEqual(len(forms["sarif"]["properties"]["refused"]), len(run["refused"]))
        self.assertEqual(counts["notApplicable"], len(run["notApplicable"]))
        cases = forms["suite"].findall("testcase")
        self.assertEqual(len([c for c in cases if not c.get("classname").startswith("kadvise.")]), len(run["findings"]))
        self.assertEqual(len([c for c in cases if c.get("classname") == "kadvise.error"]), len(run["errors"]))
        # Words: the same sentences everywhere.
        for name in ("headline", "figures", "found"):
            words = forms["properties"].get(name, "")
            self.assertIn(words, flat(forms["text"]), name)
            self.assertIn(words, plain(forms["markdown"]), name)
        self.assertEqual(forms["sarif"]["properties"]["headline"], forms["properties"]["headline"])
        self.assertEqual(forms["sarif"]["properties"]["figures"], forms["properties"].get("figures", ""))
        outputs = forms["sarif"]["properties"].get("outputErrors", "")
        self.assertEqual(bool(outputs), "whole" in run.get("caseErrors", {}))
        self.assertIn(outputs, flat(forms["text"]))
        self.assertIn(outputs, plain(forms["markdown"]))
        if "page" in forms:
            view = forms["page"]["view"]
            self.assertEqual(view["counts"], counts)
            self.assertEqual(view["outputs"], outputs)
            self.assertEqual((view["headline"], view["figures"]), (forms["properties"]["headline"], forms["properties"].get("figures", "")))
            standings = [i["standing"] for i in view["items"]]
            self.assertEqual({name: standings.count(name) for name in ("advised", "not-measured", "no-clear-gain", "by-hand")},
                             {"advised": counts["advised"], "not-measured": counts["notMeasured"], "no-clear-gain": counts["noClearGain"], "by-hand": counts["byHand"]})
            for item in view["items"]:
                for form in (flat(forms["text"]), plain(forms["markdown"])):
                    self.assertIn(flat(item["figures"]), form)
            self.assertEqual(forms["page"]["report"], run)
        return counts


def flat_rows(text):
    """Rows that the width of the terminal broke, in one line again."""
    return re.sub(r"\n {4,}(?=\S)", " ", text)


def plain_rows(markdown):
    return "\n".join(line.replace("\\", "") for line in markdown.splitlines())


class EveryEnd(Facts):
    def run_of(self, scenario):
        self.scenario(**scenario)
        process = self.start("model.pt", "--input", "float32[4,128]", "--engines", self.engines, "--json", "run.json", "--quiet")
        process.communicate(timeout=60)
        run = json.loads((self.folder / "run.json").read_text())
        self.agrees(REPORT, run)
        return run

    def test_counts_and_figures_agree_in_all_forms(self):
        for name, (scenario, outcome) in ENDS.items():
            with self.subTest(name):
                run = self.run_of(scenario)
                self.assertEqual(run["whole"]["outcome"], outcome)
                forms = self.forms("run.json")
                self.agree(forms, run)
                self.assertEqual(forms["sarif"]["properties"]["outcome"], outcome)
                self.check_gate(forms, outcome)

    def check_gate(self, forms, outcome):
        """What did not come out equal has not passed."""
        case = next(c for c in forms["suite"].findall("testcase") if c.get("name") == "outputs of the optimised module")
        kinds = [child.tag for child in case]
        self.assertEqual(kinds, {"wrong-output": ["failure"], "failed": ["error"], "not-run": ["skipped"]}.get(outcome, []))
        if kinds:
            self.assertEqual(case[0].get("message"), forms["properties"]["headline"])
        whole = next(n for n in forms["sarif"]["invocations"][0]["toolExecutionNotifications"] if n.get("descriptor", {}).get("id") == "kadvise/whole-module")
        self.assertEqual(whole["message"]["text"], forms["properties"]["headline"])

    def test_the_samples(self):
        for name in ("advice", "regressed", "empty"):
            with self.subTest(name):
                run = json.loads((self.folder / f"{name}.json").read_text())
                counts = self.agree(self.forms(f"{name}.json"), run)
                self.assertEqual(counts["sites"], sum(a["sites"] for a in run["composition"]["applied"]))


class TwoRuns(Facts):
    def test_changes_are_counted_alike(self):
        forms = self.forms("advice.json", "regressed.json")
        words = forms["properties"]["headline"]
        # Three rows of the older run are alike in all: nine items and rows, of which one is fixed.
        self.assertRegex(words, r"^3 regressions, \d+ gains?; findings: 1 new, 1 fixed, \d+ unchanged$")
        change = forms["sarif"]["properties"]["comparison"]
        self.assertEqual(words.split("; ")[1], f"findings: {len(change['found'])} new, {len(change['fixed'])} fixed, {change['unchanged']} unchanged")
        for form in (flat(forms["text"]), plain(forms["markdown"]), forms["sarif"]["properties"]["headline"]):
            self.assertIn(words, form)
        notes = [n["message"]["text"] for n in forms["sarif"]["invocations"][0]["toolExecutionNotifications"] if n["descriptor"]["id"] == "kadvise/regression"]
        self.assertEqual(len(notes), len(change["regressions"]))
        self.assertTrue(notes[0].startswith("lost: "), notes)
        for note in notes:
            self.assertIn(flat(note), flat(forms["text"]))
        classes = [c.get("classname") for c in forms["suite"].findall("testcase")]
        self.assertEqual(len([c for c in classes if c.startswith("kadvise.regression.")]), len(notes))
        if "page" in forms:
            self.assertEqual(forms["page"]["view"]["changes"], words)


class Lint(Facts):
    def setUp(self):
        super().setUp()
        sample_lint.main(self.folder)

    def test_counts_agree_in_all_forms(self):
        for name in ("lint", "lint-clean"):
            with self.subTest(name):
                run = json.loads((self.folder / f"{name}.json").read_text())
                forms = self.forms(f"{name}.json")
                found = [f for file in run["files"] for f in file["findings"]]
                words = forms["properties"]["summary"]
                self.assertTrue(words.startswith(f"{len(found) or 'no'} findings in {len(run['files'])} file"), words)
                for form in (flat(forms["text"]), plain(forms["markdown"]), forms["sarif"]["properties"]["summary"], forms["page"]["view"]["headline"] if "page" in forms else words):
                    self.assertIn(words, form)
                self.assertEqual(len(re.findall(r"^\S+:\d+:\d+: ", forms["text"], re.M)), len(found))
                self.assertEqual(len(re.findall(r"^\| \S+:\d+ \|", forms["markdown"], re.M)), len(found))
                self.assertEqual(len(forms["sarif"]["results"]), len(found))
                gated = [f for f in found if f["severity"] in ("warning", "error")]  # the others are cases that passed
                self.assertEqual(int(forms["suite"].get("failures")), len(gated))
                unread = [file for file in run["files"] if file["failure"]]
                self.assertEqual(int(forms["suite"].get("errors")), len(unread))
                self.assertEqual(len([n for n in forms["sarif"]["invocations"][0]["toolExecutionNotifications"] if n["level"] == "error"]), len(unread))

    def test_a_file_that_did_not_parse_is_not_clean(self):
        cases = {c.get("classname"): [child.tag for child in c] for c in self.forms("lint.json")["suite"].findall("testcase")}
        self.assertEqual((cases["src/clean.cu"], cases["src/vendored.cu"], cases["src/huge.cu"]), ([], ["skipped"], ["error"]))
