"""The page of a lint run, and what `kadvise report` makes of one that was kept as JSON."""

import json
import subprocess
import xml.etree.ElementTree

import harness
from lint import BAD, Linting


class Again(Linting):
    """What a run left as JSON is rendered again without a look at the sources."""

    def setUp(self):
        super().setUp()
        text, _ = self.lint("--output-format", "json", "--output-file", "-", code=1)
        self.write("run.json", text)
        (self.folder / "bad.cu").unlink()

    def test_every_form_says_the_same(self):
        run = json.loads((self.folder / "run.json").read_text())
        rules = [f["rule"] for file in run["files"] for f in file["findings"]]
        text, _ = self.kadvise("report", "run.json", "--markdown", "run.md", "--sarif", "run.sarif", "--junit", "run.xml", "--json", "again.json")
        self.assertEqual(json.loads((self.folder / "again.json").read_text()), run)
        self.assertIn(f"{len(rules)} findings in 1 file", text)
        markdown = (self.folder / "run.md").read_text()
        self.assertIn(f"**{len(rules)} findings in 1 file", markdown)
        self.assertEqual([line.split(" | ")[3] for line in markdown.splitlines() if line.startswith("| bad.cu:")], rules)
        sarif = json.loads((self.folder / "run.sarif").read_text())["runs"][0]["results"]
        self.assertEqual(sorted(r["ruleId"] for r in sarif), sorted(rules))
        suite = xml.etree.ElementTree.parse(self.folder / "run.xml").getroot()[0]
        failing = [f for file in run["files"] for f in file["findings"] if f["severity"] in ("warning", "error")]
        self.assertEqual((suite.get("tests"), suite.get("failures")), (str(len(rules)), str(len(failing))))

    def test_the_gate_counts_severities(self):
        self.kadvise("report", "run.json", "--fail-on", "error", "--quiet", code=1)
        self.kadvise("report", "run.json", "--quiet")
        _, err = self.kadvise("report", "run.json", "--fail-on", "regression", code=2)
        self.assertIn("compares two runs over a module, and run.json is a report of kadvise lint: see --baseline", err)

    def test_what_is_none_is_refused_in_one_sentence(self):
        deep = '{"tool": {}, "files": [], "version": ' + "[" * 100000 + "]" * 100000 + "}"
        for text in (deep, '{"tool": {}, "files": 3, "version": 1}', '{"tool": {}, "files": [], "version": 99}', '{"tool": {}, "files": [{}], "version": 1}'):
            self.write("odd.json", text)
            _, err = self.kadvise("report", "odd.json", code=2)
            self.assertEqual(len(err.splitlines()), 1, err)
        _, err = self.kadvise("report", "run.json", "run.json", code=2)
        self.assertIn("--baseline", err)


class Pages(Linting):
    def test_the_page_holds_the_run(self):
        tried = subprocess.run([harness.program, "lint", "--report", "tried.html", "--exit-zero"], capture_output=True, text=True, cwd=self.folder)
        if "this build of kadvise has no page" in tried.stderr:
            self.skipTest(tried.stderr)
        self.lint("--report", "run.html", "--quiet", "--output-format", "json", "--output-file", "run.json", code=1)
        page = (self.folder / "run.html").read_text()
        data = json.loads(page.split('id="data">')[1].split("</script>")[0])
        self.assertEqual(data["lint"]["files"], json.loads((self.folder / "run.json").read_text())["files"])
        self.assertRegex(data["view"]["headline"], r"^\d+ findings in 1 file")
        self.assertLess(len(page), 1_000_000)

    def test_a_source_line_keeps_its_indentation(self):
        run = json.loads(self.lint("--output-format", "json", code=1)[0])
        for f in run["files"][0]["findings"]:
            self.assertEqual(f["where"]["snippet"], BAD.splitlines()[f["where"]["line"] - 1])
