"""The report in all its forms: the same facts, in files, for people and for machines."""

import html.parser
import json
import os
import pathlib
import re
import sys
import unittest
import xml.etree.ElementTree

import jsonschema
from harness import REPORT, ROOT, Case, two_candidates

sys.path.insert(0, str(ROOT / "tests/reports/page"))
import sample_runs  # noqa: E402

# Of the tests' own packages, where they are installed.
SARIF = ROOT / "tests/reports/page/node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"


class Elements(html.parser.HTMLParser):
    """The text of a page's elements by id."""

    def __init__(self, text):
        super().__init__()
        self.open, self.texts = "", {}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.open = dict(attributes).get("id", "")

    def handle_endtag(self, tag):
        self.open = ""

    def handle_data(self, data):
        if self.open:
            self.texts[self.open] = self.texts.get(self.open, "") + data


def flat(text):
    return " ".join(text.split())


def plain(markdown):
    """Markdown as it reads: without escapes, marks of lists and emphasis."""
    text = re.sub(r"\\([\\`*_{}\[\]#|~$])", r"\1", markdown)
    for entity, char in (("&lt;", "<"), ("&gt;", ">"), ("&#64;", "@"), ("&amp;", "&")):
        text = text.replace(entity, char)
    return flat(text)


class Samples(Case):
    def setUp(self):
        super().setUp()
        sample_runs.main(self.folder)
        process = self.start("report", "empty.json", "--report", "probe.html")
        err = process.communicate(timeout=60)[1]
        self.has_page = process.returncode == 0
        if not self.has_page:
            self.assertIn("this build of kadvise has no page", err)

    def render(self, *arguments, code=0):
        return self.kadvise("report", *arguments, code=code)[0]

    def page_of(self, *arguments):
        if not self.has_page:
            self.skipTest("this build has no page")
        self.render(*arguments, "--report", "page.html", "--quiet")
        text = (self.folder / "page.html").read_text()
        return text, json.loads(Elements(text).texts["data"])


class Views(Samples):
    def test_every_sample_agrees_with_the_schema(self):
        for name in ("advice", "regressed", "profile", "levels", "large", "hostile", "empty", "bench", "parts"):
            self.agrees(REPORT, json.loads((self.folder / f"{name}.json").read_text()))

    def test_the_same_facts_in_json_text_markdown_page_and_sarif(self):
        run = json.loads((self.folder / "advice.json").read_text())
        text = flat(self.render("advice.json", "--verbose", "--sarif", "out.sarif", "--markdown", "out.md", "--junit", "out.xml"))
        markdown, sarif = plain((self.folder / "out.md").read_text()), json.loads((self.folder / "out.sarif").read_text())
        _, data = self.page_of("advice.json")
        items, whole = data["view"]["items"], run["whole"]["speedup"]
        facts = [f"{whole['mid']:.2f}x faster ({whole['low']:.2f}–{whole['high']:.2f}, 95%)", "outputs equal in all 34 cases compared (of 36) (within-bound)", "4 replacements at 49 sites",
                 f"kernels {len(run['whole']['before']['kernels'])} → {len(run['whole']['after']['kernels'])}"]
        facts += [flat(i["figures"]) for i in items] + [i["message"] for i in items if i["standing"] != "no-clear-gain"] + [i["place"] for i in items]
        facts += [r["mismatch"]["reason"] for r in run["refused"]]
        shown = flat(json.dumps(data["view"], ensure_ascii=False))
        for fact in facts:
            for name, form in (("text", text), ("Markdown", markdown), ("page", shown.replace('\\"', '"'))):
                self.assertIn(fact, form, f"{name} lacks it")
        self.assertEqual(data["report"], json.loads(self.render("advice.json", "--json", "-")))
        results = sarif["runs"][0]["results"]
        self.assertEqual([r["partialFingerprints"]["kadviseFinding/v1"] for r in results], [f["id"] for f in run["findings"]])
        saved = {i["number"]: i["savedUs"] for i in items if i["standing"] == "advised"}
        self.assertEqual(sorted(saved.values()), sorted({r["properties"]["savedUs"] for r in results if r.get("properties", {}).get("outcome") == "faster"}))
        cases = xml.etree.ElementTree.parse(self.folder / "out.xml").getroot().findall(".//testcase")
        self.assertEqual(len(cases), len(run["findings"]) + 1, "each finding, and the module")

    def test_levels_have_the_same_figures_in_text_and_page(self):
        text = flat(self.render("levels.json"))
        _, data = self.page_of("levels.json")
        self.assertEqual(len(data["view"]["levels"]), 6)
        for cells in data["view"]["levels"]:
            self.assertIn(flat(f"{cells['time']} {cells['factor']} {cells['memory']} {cells['firstCall']} {cells['outputs']}"), text)

    def test_sarif_agrees_with_its_schema(self):
        if not SARIF.exists():
            self.skipTest("the schema of SARIF is not installed: npm ci in tests/reports/page")
        validator = jsonschema.Draft7Validator(json.loads(SARIF.read_text()))
        for name in ("advice", "hostile", "empty", "large"):
            self.render(f"{name}.json", "--sarif", "out.sarif", "--quiet")
            self.agrees(validator, json.loads((self.folder / "out.sarif").read_text()))

    def test_hostile_text_stays_text(self):
        page, data = self.page_of("hostile.json")
        empty, _ = self.page_of("empty.json")
        for mark in ("<script", "</script", "<!--", "<img", "<svg"):
            self.assertEqual(page.count(mark), empty.count(mark), mark)
        self.assertEqual(data["report"]["subject"]["path"], sample_runs.HOSTILE[0])
        self.render("hostile.json", "--markdown", "out.md", "--junit", "out.xml", "--quiet")
        markdown = (self.folder / "out.md").read_text()
        outside = re.sub(r"(?ms)^(`{3,})text$.*?^\1$", "", markdown)
        self.assertEqual(set(re.findall(r"<[^>]*>", outside)), {"<details>", "<summary>", "</summary>", "</details>"})
        self.assertNotIn("@everyone", outside)
        xml.etree.ElementTree.parse(self.folder / "out.xml")

    def test_a_run_writes_all_forms_at_once(self):
        self.scenario(**two_candidates())
        forms = {"--json": "a.json", "--markdown": "a.md", "--sarif": "a.sarif", "--junit": "a.xml", **({"--report": "a.html"} if self.has_page else {})}
        self.advise(*[word for pair in forms.items() for word in pair])
        for name in forms.values():
            self.assertTrue((self.folder / name).stat().st_size, name)

    def test_one_form_on_standard_output_stands_alone(self):
        self.assertTrue(self.render("advice.json", "--markdown", "-").startswith("## "))
        self.assertEqual(json.loads(self.render("advice.json", "--sarif", "-"))["version"], "2.1.0")

    def test_a_form_that_cannot_be_written_ends_the_run_before_its_work(self):
        for option in ("--report", "--markdown", "--sarif", "--junit"):
            _, err = self.advise(option, "nowhere/out.html", code=2)
            self.assertIn(f"{option} nowhere/out.html: its folder does not exist", err)
        self.assertFalse((self.engines / "messages.jsonl").exists(), "nothing was begun")

    @unittest.skipIf(os.environ.get("GITHUB_STEP_SUMMARY"), "a step has its own summary")
    def test_the_summary_of_a_step_is_appended_to(self):
        _, err = self.kadvise("report", "advice.json", "--step-summary", code=2)
        self.assertIn("GITHUB_STEP_SUMMARY is not set", err)
        summary = pathlib.Path(self.folder / "summary.md")
        summary.write_text("of another step\n")
        os.environ["GITHUB_STEP_SUMMARY"] = str(summary)
        self.addCleanup(os.environ.pop, "GITHUB_STEP_SUMMARY")
        self.render("advice.json", "--step-summary", "--quiet")
        self.assertTrue(summary.read_text().startswith("of another step\n## "))


class TwoRuns(Samples):
    def test_a_lost_fusion_and_a_slower_kernel_come_first_in_every_form(self):
        out = self.render("advice.json", "regressed.json", "--json", "both.json", "--markdown", "both.md")
        lost, slower = "lost: add and LayerNorm in one kernel at model.encoder.layer.0.attention.output.LayerNorm", "slower kernel: pytorch_flash::flash_fwd_kernel"
        for text in (flat(out), plain((self.folder / "both.md").read_text())):
            self.assertLess(text.index("Regressions"), text.index(lost))
            self.assertLess(text.index(lost), text.index(slower))
            self.assertLess(text.index(slower), text.index("New findings"))
            self.assertIn("24 sites → 22 sites; refused: %x.1 is read elsewhere, too", text)
        both = json.loads((self.folder / "both.json").read_text())
        self.agrees(REPORT, both)
        self.assertEqual([c["kind"] for c in both["comparison"]["regressions"]], ["lost-fusion", "slower-whole", "slower-kernel"])
        _, data = self.page_of("advice.json", "regressed.json")
        self.assertEqual(data["report"]["comparison"], both["comparison"])

    def test_the_exit_code_is_that_of_the_gate(self):
        self.render("advice.json", "regressed.json", "--fail-on", "regression", code=1)
        self.render("regressed.json", "advice.json", "--fail-on", "regression")
        self.render("advice.json", "advice.json", "--fail-on", "note")
        self.render("advice.json", "regressed.json", "--fail-on", "warning", code=1)
        self.render("advice.json", "regressed.json", "--fail-on", "error")
        _, err = self.kadvise("report", "advice.json", "--fail-on", "regression", code=2)
        self.assertIn("compares two runs: kadvise report OLD NEW", err)

    def test_regressions_fail_in_junit_where_the_gate_asks(self):
        self.render("advice.json", "regressed.json", "--junit", "out.xml", "--fail-on", "regression", code=1)
        suite = xml.etree.ElementTree.parse(self.folder / "out.xml").getroot().find("testsuite")
        self.assertEqual(suite.get("failures"), "3")

    def test_a_comparison_is_read_again(self):
        first = self.render("advice.json", "regressed.json", "--json", "both.json")
        self.assertEqual(self.render("both.json"), first)
