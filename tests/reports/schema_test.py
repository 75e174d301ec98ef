"""schema_test.py FOLDER: the reports in FOLDER agree with the schema, and the schema with that of the messages."""

import json
import pathlib
import sys

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parents[2]
RENAMED = {"findingBody": "finding", "verdictBody": "verdict"}  # messages -> report


def definitions(schema):
    text = json.dumps(schema["$defs"])
    for old, new in RENAMED.items():
        text = text.replace(f"#/$defs/{old}\"", f"#/$defs/{new}\"")
    return {RENAMED.get(name, name): body for name, body in json.loads(text).items() if name not in RENAMED.values()}


def main(folder):
    report = json.loads((ROOT / "reports/schema.json").read_text())
    messages = json.loads((ROOT / "analyzer/core/messages.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(report)
    theirs = definitions(messages)
    for name, body in report["$defs"].items():
        if name in theirs and name != "candidate":  # a message's candidate also says its kind
            assert body == theirs[name], f"{name} differs between reports/schema.json and messages.schema.json"
    validator = jsonschema.Draft202012Validator(report)
    for name in ("sample.json", "empty.json"):
        document = json.loads((pathlib.Path(folder) / name).read_text())
        validator.validate(document)
        document["surprise"] = 1
        assert not validator.is_valid(document), "the schema must be strict"


if __name__ == "__main__":
    main(sys.argv[1])
