"""What other files of the workspace say of an open one reaches its diagnostics, as in one run of `kadvise lint`."""

import json
import subprocess

import editor as editors
from editor import Case
from sources import BINDING, OPERATOR, UNGUARDED

STUB = {"headers": "stub", "select": [UNGUARDED]}


def codes(diagnostics):
    return [d["code"] for d in diagnostics]


class Neighbours(Case):
    def write(self, **files):
        for name, text in files.items():
            (self.folder / name.replace("_", ".")).write_text(text)

    def found_later(self, editor, uri, wanted):
        """What is shown of a text that was looked at before, once the others are known."""
        editor.take(lambda m: m.get("method") == "textDocument/publishDiagnostics" and m["params"]["uri"] == uri
                    and codes(m["params"]["diagnostics"]) == wanted, f"{wanted} of {uri}")

    def test_a_binding_in_another_file_is_seen(self):
        self.write(ops_cu=OPERATOR, bind_cpp=BINDING, other_cpp="int unrelated();\n")
        run = subprocess.run([editors.program, "lint", "--no-cache", "--headers", "stub", "--select", UNGUARDED, "--output-format", "json", "--exit-zero", "."],
                             cwd=self.folder, capture_output=True, text=True, check=True)
        together = {f["path"]: codes([{"code": x["rule"]} for x in f["findings"]]) for f in json.loads(run.stdout)["files"]}
        self.assertEqual(together["ops.cu"], [UNGUARDED])
        editor = self.start(settings=STUB)
        uri = editor.open("ops.cu", OPERATOR)
        self.assertEqual(editor.published(uri), [])
        self.found_later(editor, uri, [UNGUARDED])
        # It stays while one types, and without a process more than before.
        editor.change(uri, {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}, "\n")
        self.assertEqual(codes(editor.published(uri)), [UNGUARDED])
        self.assertEqual(len(editor.parsers()), 1)

    def test_a_guard_that_is_saved_in_another_file_takes_the_finding_away(self):
        self.write(ops_cu=OPERATOR, bind_cpp=BINDING)
        editor = self.start(settings=STUB)
        uri = editor.open("ops.cu", OPERATOR)
        self.found_later(editor, uri, [UNGUARDED])
        binding = editor.open("bind.cpp", BINDING, "cpp")
        editor.published(binding)
        text = BINDING.replace("PYBIND11", "// PYBIND11")
        editor.change(binding, None, text)
        self.write(bind_cpp=text)
        editor.save(binding)
        self.found_later(editor, uri, [])

    def test_files_that_are_excluded_and_a_setting_keep_them_out(self):
        self.write(ops_cu=OPERATOR, bind_cpp=BINDING)
        for settings in ({**STUB, "otherFiles": False}, {**STUB, "exclude": ["bind.cpp"]}):
            editor = self.start(settings=settings)
            uri = editor.open("ops.cu", OPERATOR)
            self.assertEqual(editor.published(uri), [])
            with self.assertRaises(AssertionError):
                editor.take(lambda m: m.get("method") == "textDocument/publishDiagnostics" and m["params"]["diagnostics"], "a finding", patience=2)
            self.end(editor)
