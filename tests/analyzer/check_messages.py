"""check_messages.py FOLDER: every message that was kept in messages.jsonl below it agrees with the schema."""

import json
import pathlib
import sys

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parents[2]


def validator():
    schema = json.loads((ROOT / "analyzer/core/messages.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def main(folder):
    check = validator()
    seen = {}
    for log in sorted(pathlib.Path(folder).rglob("messages.jsonl")):
        for line in log.read_text().splitlines():
            if len(line) > 1 << 20:
                continue  # made long on purpose
            message = json.loads(line)
            error = jsonschema.exceptions.best_match(check.iter_errors(message))
            if error:
                sys.exit(f"{log}: {line[:300]}\n{error.message} at {list(error.absolute_path)}")
            kind = message.get("verb") or message["type"]
            seen[kind] = seen.get(kind, 0) + 1
    if not seen:
        sys.exit(f"no conversations below {folder}")
    print(seen)


if __name__ == "__main__":
    main(sys.argv[1])
