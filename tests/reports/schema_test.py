"""schema_test.py FOLDER: the reports in FOLDER agree with the schemas, these with each other and with that of the messages,
and the page names no field that they do not have."""

import json
import pathlib
import re
import sys

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/reports/page"))
import sample_lint  # noqa: E402

RENAMED = {"findingBody": "finding", "verdictBody": "verdict"}  # messages -> report


def definitions(schema):
    text = json.dumps(schema["$defs"])
    for old, new in RENAMED.items():
        text = text.replace(f"#/$defs/{old}\"", f"#/$defs/{new}\"")
    return {RENAMED.get(name, name): body for name, body in json.loads(text).items() if name not in RENAMED.values()}


# What the page calls the things of the schemas; what is not named here is kadvise's view of them, or the page's own.
OF_RUN = {"Location": "location", "Rewrite": "rewriteText", "Fix": "fix", "Finding": "finding", "ModuleCost": "moduleCost", "Level": "levelRow", "Comparison": "comparison", "Interval": "interval", "Timing": "timing", "Kernel": "kernel", "Measurement": "measurement", "Accuracy": "accuracy", "CaseErrors": "caseErrors", "Verdict": "verdict"}
OF_LINT = {"Place": "location", "LintFix": "fix", "LintFinding": "finding", "LintedFile": "file", "LintRule": "rule"}
WHOLE = {"Report", "LintReport"}


def interfaces(path):
    """Name -> the names of its fields, of the interfaces in a file of the page."""
    return {name: re.findall(r"^  (\w+)\??:", body, re.M) for name, body in re.findall(r"export interface (\w+)[^{]*\{\n(.*?)\n\}", (ROOT / "reports/html/src" / path).read_text(), re.S)}


def check_page(schema, files, names):
    seen = set()
    for name, fields in [pair for path in files for pair in interfaces(path).items()]:
        if name not in names and name not in WHOLE:
            continue
        seen.add(name)
        body = schema if name in WHOLE else schema["$defs"][names[name]]
        for field in fields:
            assert field in body["properties"], f"the page reads {name}.{field}, which the schema does not have"
    assert seen >= set(names), f"the page has no {set(names) - seen}"


def check_strict(schema, documents):
    validator = jsonschema.Draft202012Validator(schema)
    for document in documents:
        validator.validate(document)
        assert not validator.is_valid({**document, "surprise": 1}), "the schema must be strict"


def main(folder):
    report = json.loads((ROOT / "reports/schema.json").read_text())
    messages = json.loads((ROOT / "analyzer/core/messages.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(report)
    theirs = definitions(messages)
    for name, body in report["$defs"].items():
        if name in theirs and name != "candidate":  # a message's candidate also says its kind
            assert body == theirs[name], f"{name} differs between reports/schema.json and messages.schema.json"
    lint = json.loads((ROOT / "reports/lint_schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(lint)
    for name in lint["$defs"]:
        if name not in ("file", "rule", "fixedFile"):
            assert lint["$defs"][name] == report["$defs"][name], f"{name} differs between reports/lint_schema.json and schema.json"
    check_strict(report, [json.loads((pathlib.Path(folder) / f"{name}.json").read_text()) for name in ("sample", "empty")])
    check_strict(lint, [sample_lint.few(), sample_lint.hostile(), sample_lint.clean()])
    check_page(report, ("data.ts", "measured.ts"), OF_RUN)
    check_page(lint, ("lint_data.ts",), OF_LINT)


if __name__ == "__main__":
    main(sys.argv[1])
