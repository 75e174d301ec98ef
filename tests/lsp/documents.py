"""What is shown of documents that are opened, changed, saved and closed."""

import random
import subprocess

import editor as editors
from editor import PATIENCE, Case, under
from sources import CLEAN, KERNEL, REMOVED, SQRT, kernels


def codes(diagnostics):
    return sorted(d["code"] for d in diagnostics)


def by_code(diagnostics, code):
    return next(d for d in diagnostics if d["code"] == code)


class Documents(Case):
    def test_findings_stand_where_they_are_in_utf16(self):
        editor = self.start()
        uri = editor.open("a.cu", KERNEL)
        found = editor.published(uri)
        self.assertEqual(codes(found), [SQRT, REMOVED])
        root = by_code(found, SQRT)
        self.assertEqual(under(KERNEL, root["range"]), "1.0f / sqrtf(v * v + eps)")
        self.assertEqual(root["range"]["start"]["character"], 27)  # each 𝄞 is two units
        self.assertEqual(under(KERNEL, root["relatedInformation"][0]["location"]["range"]), "(v - scale) / sqrtf(v)")
        self.assertEqual(root["relatedInformation"][0]["location"]["uri"], uri)
        self.assertTrue(root["codeDescription"]["href"].endswith("/rules/cuda/reciprocal-square-root.md"))
        self.assertEqual((root["source"], root["data"]["kind"], root["data"]["rule"]), ("kadvise", "source", SQRT))
        self.assertEqual(by_code(found, REMOVED)["severity"], 2)
        self.assertEqual(editor.leave(), 0)

    def test_what_is_one_finding_a_file_stands_once_with_its_other_places(self):
        editor = self.start()
        text = KERNEL + "void again() { (void)cudaThreadSynchronize(); }\n"
        uri = editor.open("a.cu", text)
        found = [d for d in editor.published(uri) if d["code"] == REMOVED]
        self.assertEqual(len(found), 1, found)
        other, = found[0]["relatedInformation"]
        self.assertEqual(under(text, other["location"]["range"]), "cudaThreadSynchronize()")
        self.assertEqual(editor.leave(), 0)

    def test_line_ends_and_byte_order_marks_change_no_place(self):
        editor = self.start()
        for name, text in (("crlf.cu", KERNEL.replace("\n", "\r\n")), ("bom.cu", "\ufeff" + KERNEL)):
            uri = editor.open(name, text)
            root = by_code(editor.published(uri), SQRT)
            self.assertEqual(under(text, root["range"]), "1.0f / sqrtf(v * v + eps)", name)

    def test_an_edit_brings_the_finding_and_takes_it_away(self):
        editor = self.start(settings={"headers": "stub"})
        uri = editor.open("a.cu", KERNEL)
        editor.published(uri)
        line = {"start": {"line": 6, "character": 20}, "end": {"line": 6, "character": 41}}
        self.assertEqual(under(KERNEL, line), "cudaThreadSynchronize")
        editor.change(uri, line, "cudaDeviceSynchronize")
        self.assertEqual(codes(editor.published(uri)), [SQRT])
        editor.change(uri, None, CLEAN)
        self.assertEqual(editor.published(uri), [])

    def test_fifty_quick_edits_never_show_what_is_old(self):
        editor = self.start()
        text = kernels(30)
        uri = editor.open("many.cu", text)
        editor.published(uri)
        dice = random.Random(5)
        texts = {1: text}
        for _ in range(50):
            line = dice.randrange(1, 200)
            editor.change(uri, {"start": {"line": line, "character": 0}, "end": {"line": line, "character": 0}},
                          dice.choice(["\n", "// 𝄞\n", "int unused;\n" if line % 7 == 1 else "\n"]))
            texts[editor.versions[uri]] = editor.texts[uri]
        before = len(editor.seen)
        editor.published(uri)
        versions = [m["params"]["version"] for m in editor.seen[before:] if m.get("method") == "textDocument/publishDiagnostics"]
        self.assertEqual(versions, sorted(versions))
        for message in editor.seen:
            if message.get("method") != "textDocument/publishDiagnostics":
                continue
            of = texts[message["params"]["version"]]
            for d in message["params"]["diagnostics"]:
                self.assertTrue(under(of, d["range"]).startswith("1.0f / sqrtf") or d["code"] != SQRT, under(of, d["range"]))
        self.assertEqual(len([d for d in editor.diagnostics[uri]["diagnostics"] if d["code"] == SQRT]), 30)

    def test_on_save_alone_typing_is_left_in_peace(self):
        editor = self.start(settings={"run": "onSave", "headers": "stub"})
        uri = editor.open("a.cu", KERNEL)
        editor.published(uri)
        editor.change(uri, None, CLEAN)
        self.assertIsNotNone(editor.command("status"))
        self.assertNotEqual(editor.diagnostics[uri]["version"], 2)
        editor.save(uri)
        self.assertEqual(editor.published(uri), [])

    def test_closing_takes_everything_away(self):
        editor = self.start()
        uri = editor.open("a.cu", KERNEL)
        editor.published(uri)
        editor.close(uri)
        editor.take(lambda m: m.get("method") == "textDocument/publishDiagnostics" and not m["params"]["diagnostics"], "nothing shown")

    def test_a_header_that_is_saved_is_seen_by_who_includes_it(self):
        (self.folder / "size.h").write_text("#define LIMIT 1024\n")
        text = '#include "size.h"\n__global__ void k(float* x);\nvoid run(float* x) { k<<<1, LIMIT>>>(x); }\n__global__ void k(float* x) { x[threadIdx.x] = 0; }\n'
        editor = self.start(settings={"headers": "stub"})
        uri = editor.open("a.cu", text)
        self.assertEqual(editor.published(uri), [])
        header = editor.open("size.h", "#define LIMIT 1024\n", "cpp")
        editor.published(header)
        (self.folder / "size.h").write_text("#define LIMIT 2048\n")
        editor.save(header)
        self.assertEqual(codes(editor.published(uri)), ["cuda/block-too-large"])

    def test_settings_and_kadvise_toml_are_followed_as_they_change(self):
        editor = self.start(settings={"headers": "stub"})
        uri = editor.open("a.cu", KERNEL)
        self.assertEqual(codes(editor.published(uri)), [SQRT, REMOVED])
        editor.settings = {"headers": "stub", "ignore": [SQRT]}
        editor.notify("workspace/didChangeConfiguration", {"settings": None})
        self.assertEqual(codes(editor.published(uri)), [REMOVED])
        editor.idle()
        (self.folder / "kadvise.toml").write_text(f'[severity]\n"{REMOVED}" = "error"\n')
        self.assertEqual(by_code(editor.published(uri), REMOVED)["severity"], 1)
        (self.folder / "kadvise.toml").write_text('exclude = ["a.cu"]\n')
        self.assertEqual(editor.published(uri), [])
        (self.folder / "kadvise.toml").write_text("select = 7\n")
        editor.take(lambda m: m.get("method") == "window/showMessage" and "kadvise.toml" in m["params"]["message"], "a warning")

    def test_a_baseline_of_the_command_line_is_known(self):
        (self.folder / "src").mkdir()
        (self.folder / "src/a.cu").write_text(KERNEL)
        subprocess.run([editors.program, "lint", "--no-cache", "--exit-zero", "--write-baseline", "known.json", "src"],
                       cwd=self.folder, check=True, capture_output=True)
        (self.folder / "kadvise.toml").write_text('baseline = "known.json"\n')
        editor = self.start(settings={"headers": "stub"})
        uri = editor.open("src/a.cu", KERNEL + "__global__ void last() {}\nvoid start() { last<<<1, 2048>>>(); }\n")
        self.assertEqual(codes(editor.published(uri)), ["cuda/block-too-large"])

    def test_every_folder_has_its_own_settings(self):
        one, two = self.folder / "one", self.folder / "two"
        one.mkdir(), two.mkdir()
        (two / "kadvise.toml").write_text(f'ignore = ["{REMOVED}"]\n')
        editor = self.start(folders=[one, two], settings={"headers": "stub"})
        first, second = editor.open("one/a.cu", KERNEL), editor.open("two/a.cu", KERNEL)
        found = {first: editor.published(first)}
        found[second] = editor.diagnostics[second]["diagnostics"] if second in editor.diagnostics else editor.published(second)
        self.assertEqual(codes(found[first]), [SQRT, REMOVED])
        self.assertEqual(codes(found[second]), [SQRT])

    def test_other_languages_are_left_alone(self):
        editor = self.start()
        editor.open("a.py", "import torch\n", "python")
        uri = editor.open("untitled:Untitled-1", KERNEL)
        self.assertEqual(codes(editor.published(uri)), [SQRT, REMOVED])
        self.assertEqual(list(editor.diagnostics), [uri])

    def test_an_untrusted_workspace_gets_our_own_headers_alone(self):
        (self.folder / "compile_commands.json").write_text('[{"directory": "/", "file": "%s", "command": "nvcc -DX=1 a.cu"}]' % (self.folder / "a.cu"))
        text = "#if X\n" + KERNEL + "#endif\n"
        editor = self.start(initializationOptions={"trusted": False})
        uri = editor.open("a.cu", text)
        self.assertEqual(editor.published(uri), [])
        self.assertEqual(editor.idle()["tier"], "stub")
        trusted = self.start()
        uri = trusted.open("a.cu", text)
        self.assertEqual(codes(trusted.published(uri)), [SQRT, REMOVED])

    def test_syntax_errors_are_shown_to_who_asks(self):
        editor = self.start(settings={"headers": "stub", "showSyntaxErrors": True})
        uri = editor.open("a.cu", "void f() { int x = ; }\n")
        errors = editor.published(uri)
        self.assertEqual([d["severity"] for d in errors], [1])
        self.assertEqual(errors[0]["range"]["start"]["line"], 0)

    def test_the_status_follows_the_work(self):
        editor = self.start(settings={"headers": "stub"})
        editor.open("a.cu", KERNEL)
        parsing = editor.take(lambda m: m.get("method") == "kadvise/status" and m["params"]["state"] == "parsing", "parsing", PATIENCE)
        self.assertEqual(parsing["params"]["files"], 1)
        done = editor.idle()
        self.assertEqual((done["state"], done["tier"], done["files"]), ("idle", "stub", 0))
