"""What `kadvise lint` writes for other programs, against their own descriptions.

$KADVISE_SARIF_SCHEMA names the official schema of SARIF 2.1.0 (sarif-schema-2.1.0.json of OASIS), which is not ours to bundle;
without it that comparison is skipped. What GitHub limits is looked at in any case.
"""

import json
import os
import pathlib
import re
import sys
import unittest
import xml.etree.ElementTree

import jsonschema

from lint import BAD, GOOD, Linting

SCHEMA = os.environ.get("KADVISE_SARIF_SCHEMA", "")
if not SCHEMA:
    print("cases_lint_formats: SKIPPED the official schema of SARIF: KADVISE_SARIF_SCHEMA does not name it", file=sys.stderr)

MANY = "__global__ void k() {}\n" + "".join(f"void f{i}() {{ k<<<1, 2048>>>(); cudaThreadSynchronize(); k<<<1, 4096>>>(); }}\n" for i in range(200))


class Sarif(Linting):
    def setUp(self):
        super().setUp()
        self.write("many.cu", MANY)
        self.write("good.cu", GOOD)
        self.write("ö dd,%41.cu", BAD.replace("n;", "n; /* ö */"))
        self.write("binary.cu", b"\0\1")

    def sarif(self, *arguments, code=2):
        return json.loads(self.lint("--output-format", "sarif", *arguments, code=code)[0])

    @unittest.skipIf(not SCHEMA, "KADVISE_SARIF_SCHEMA does not name the schema")
    def test_the_official_schema(self):
        validator = jsonschema.Draft7Validator(json.loads(pathlib.Path(SCHEMA).read_text()))
        self.agrees(validator, self.sarif())
        self.agrees(validator, self.sarif("good.cu", code=0))
        self.assertFalse(validator.is_valid({"version": "2.1.0"}))

    def test_what_github_wants(self):
        log = self.sarif()
        self.assertEqual((log["version"], len(log["runs"])), ("2.1.0", 1))
        run = log["runs"][0]
        rules = run["tool"]["driver"]["rules"]
        for rule in rules:
            self.assertTrue(rule["shortDescription"]["text"] and rule["fullDescription"]["text"] and rule["help"]["text"], rule["id"])
            self.assertLess(len(rule["fullDescription"]["text"]), 1025, rule["id"])
            self.assertIn(rule["properties"]["precision"], ("very-high", "high", "medium", "low"))
            self.assertIn(rule["properties"]["problem.severity"], ("error", "warning", "recommendation"))
            self.assertIn(rule["defaultConfiguration"]["level"], ("error", "warning", "note"))
        self.assertLessEqual(len(run["results"]), 25000)
        for result in run["results"]:
            self.assertLessEqual(len(result.get("relatedLocations", [])), 1000)
            self.assertEqual(rules[result["ruleIndex"]]["id"], result["ruleId"])
            for place in result["locations"]:
                uri = place["physicalLocation"]["artifactLocation"]["uri"]
                self.assertRegex(uri, r"^[A-Za-z0-9._~/-]*(%[0-9A-F]{2}[A-Za-z0-9._~/-]*)*$")
        uris = {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in run["results"]}
        self.assertIn("%C3%B6%20dd%2C%2541.cu", uris)
        self.assertFalse(run["invocations"][0]["executionSuccessful"])

    def test_fingerprints_stay_where_lines_move(self):
        def prints():
            return sorted(r["partialFingerprints"]["kadviseFinding/v1"] for r in self.sarif("bad.cu", code=1)["runs"][0]["results"])

        before = prints()
        self.write("bad.cu", "// one\n// two\n\n" + BAD)
        self.assertEqual(prints(), before)
        self.assertEqual(len(set(before)), len(before))


class Others(Linting):
    def test_an_annotation_is_one_line(self):
        self.write("a,b:c\n.cu", BAD)
        for line in self.lint("--output-format", "github", code=1)[0].splitlines():
            self.assertRegex(line, r"^::(error|warning|notice) file=[^,:]*,line=\d+,endLine=\d+,col=\d+,title=[^,:]*::.+$")

    def test_code_quality_of_gitlab(self):
        for issue in json.loads(self.lint("--output-format", "gitlab", code=1)[0]):
            self.assertEqual(sorted(issue), ["check_name", "description", "fingerprint", "location", "severity"])
            self.assertIn(issue["severity"], ("info", "minor", "major", "critical", "blocker"))
            self.assertFalse(issue["location"]["path"].startswith(("./", "/")))
            self.assertTrue(re.fullmatch(r"[0-9a-f]{16,}", issue["fingerprint"]))


class OddTexts(Linting):
    """What others wrote need not be text, nor short."""

    def setUp(self):
        super().setUp()
        (self.folder / "bad.cu").unlink()

    def test_a_name_that_is_no_text(self):
        pathlib.Path(os.fsdecode(os.fsencode(self.folder) + b"/b\xff\x9b\xc2\x9bd.cu")).write_text(BAD)
        for form in ("text", "concise", "json", "sarif", "markdown", "github", "gitlab", "junit"):
            with self.subTest(form):
                out, _ = self.lint("--output-format", form, code=1)  # which the harness reads as UTF-8
                self.assertIn("\ufffd", out.replace("%EF%BF%BD", "\ufffd").replace("%FF", "\ufffd"))
                if form == "junit":
                    xml.etree.ElementTree.fromstring(out)
                if form in ("text", "concise", "markdown"):
                    self.assertNotIn("\x9b", out)  # which drives a terminal
        self.lint("--statistics", code=1)

    def test_a_line_of_a_megabyte_is_shown_around_its_place(self):
        self.write("long.cu", BAD.replace("cudaThreadSynchronize();", "x[0] = 1; " * 50_000 + "cudaThreadSynchronize(); /* ü */" + "x[1] = 1; " * 50_000))
        out, _ = self.lint("--output-format", "json", "--select", "cuda/removed-api", code=1)
        self.assertLess(len(out), 20_000)
        [finding] = json.loads(out)["files"][0]["findings"]
        snippet = finding["where"]["snippet"]
        self.assertTrue(snippet.startswith("…") and snippet.endswith("…") and "cudaThreadSynchronize" in snippet, snippet)
        self.assertLess(len(snippet.encode()), 520)
        [result] = json.loads(self.lint("--output-format", "sarif", "--select", "cuda/removed-api", code=1)[0])["runs"][0]["results"]
        self.assertNotIn("startColumn", result["locations"][0]["physicalLocation"]["region"])
