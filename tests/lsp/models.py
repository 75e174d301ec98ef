"""Findings of model reports on the lines of the model's code, and runs that the editor starts."""

import json
import os
import pathlib
import re
import sys
import time

from editor import Case, under

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reports/page"))
import sample_runs  # noqa: E402

ATTENTION = "attn_weights = torch.matmul(query, key.transpose(2, 3)) * scaling"
HOST_READ = "if mask.sum().item() == 0:"
MODEL = f"import torch\n\n\ndef attend(query, key, scaling, mask):\n    # é𝄞\n    {ATTENTION}\n    {HOST_READ}\n        return None\n    return attn_weights\n"


class Models(Case):
    def report(self, file="model.py", name="last.json", **changes):
        """A report of a run over BERT whose findings stand in this file."""
        run = sample_runs.advice()
        for f in run["findings"]:
            if f["where"]["file"].endswith("modeling_bert.py"):
                f["where"]["file"] = str(self.folder / file)
            f["where"]["line"] = {ATTENTION: 6, HOST_READ: 7}.get(f["where"]["snippet"], f["where"]["line"])
        run.update(changes)
        folder = self.folder / ".kadvise"
        folder.mkdir(exist_ok=True)
        if pathlib.Path(file).parent == pathlib.Path("."):
            (self.folder / file).write_text(MODEL)
        (folder / (name + ".tmp")).write_text(json.dumps(run))
        os.rename(folder / (name + ".tmp"), folder / name)

    def of(self, diagnostics, rule):
        return [d for d in diagnostics if d["code"] == rule]

    def test_findings_stand_on_the_lines_that_they_came_from(self):
        self.report()
        editor = self.start()
        uri = editor.open("model.py", MODEL, "python")
        found = editor.published(uri)
        attention, = self.of(found, "fusion/attention-written-out")
        self.assertEqual(under(MODEL, attention["range"]), ATTENTION)
        self.assertEqual(attention["severity"], 3)
        for words in ("(12 places)", "3.47x", "outputs equal", "Instead: `torch.nn.functional.scaled_dot_product_attention"):
            self.assertIn(words, attention["message"])
        read, = self.of(found, "graph-break/host-read")
        self.assertEqual((under(MODEL, read["range"]), read["severity"]), (HOST_READ, 2))
        hover = editor.hover(uri, attention["range"]["start"])
        for words in ("**What to write instead**", "Why it costs", "model.encoder.layer.3.attention.self", "scaled_dot_product_attention"):
            self.assertIn(words, hover)

    def test_they_follow_their_lines_and_grey_out_when_these_go(self):
        self.report()
        editor = self.start()
        uri = editor.open("model.py", MODEL, "python")
        editor.published(uri)
        top = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
        editor.change(uri, top, "import math\n\n# more\n")
        attention, = self.of(editor.published(uri), "fusion/attention-written-out")
        self.assertEqual(under(editor.texts[uri], attention["range"]), ATTENTION)
        editor.change(uri, None, MODEL.replace(ATTENTION, "attn_weights = sdpa(query, key)"))
        gone, = self.of(editor.published(uri), "fusion/attention-written-out")
        self.assertEqual((gone["tags"], gone["severity"]), ([1], 4))
        self.assertTrue(gone["message"].startswith("measured before this line changed: "), gone["message"])

    def test_a_new_report_is_seen_by_itself(self):
        editor = self.start()
        uri = editor.open("model.py", MODEL, "python")
        self.report()
        self.assertTrue(self.of(editor.published(uri), "fusion/attention-written-out"))
        said = editor.take(lambda m: m.get("method") == "kadvise/reports", "the reports")["params"]["reports"]
        self.assertEqual([(r["subject"], r["stale"]) for r in said], [("bert.pt", False)])
        self.assertIn("5.53x", said[0]["headline"])
        self.report(findings=[], candidates=[], verdicts=[])
        self.assertEqual(editor.published(uri), [])
        os.remove(self.folder / ".kadvise/last.json")
        editor.take(lambda m: m.get("method") == "kadvise/reports" and not m["params"]["reports"], "no report")

    def test_a_hover_makes_nothing_but_text_of_what_a_report_says(self):
        self.report()
        path = self.folder / ".kadvise/last.json"
        run = json.loads(path.read_text())
        for number, f in enumerate(run["findings"]):
            f["message"] = sample_runs.HOSTILE[number % len(sample_runs.HOSTILE)] + " [run](command:workbench.rm) ![](https://e.x/i.png)"
            f["where"]["scope"] = "a`[x](command:y)`b\n\n<img src=x>"
        for rule in run["rules"].values():
            rule["sections"] = {"Why it costs": "<script>1</script> [x](command:y)"}
        run["findings"][0]["rule"] = "unknown/rule"
        run["rules"]["unknown/rule"] = {"title": "", "sections": {"Why it costs": "[x](command:y) ![](https://e.x/i.png)"}}
        path.write_text(json.dumps(run))
        editor = self.start()
        uri = editor.open("model.py", MODEL, "python")
        found = editor.published(uri)
        self.assertTrue(self.of(found, "unknown/rule"))
        for d in found:
            text = editor.hover(uri, d["range"]["start"])
            outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", re.sub(r"\\[\W_]", "", text), flags=re.S)
            for active in (r"\[[^\]]*\]\(", r"!\[", r"<[a-zA-Z/!]", r"https?://"):
                self.assertIsNone(re.search(active, outside), outside)

    def test_a_namesake_of_the_reported_file_is_left_alone(self):
        for name in ("one", "two"):
            (self.folder / name).mkdir()
            (self.folder / name / "model.py").write_text(MODEL)
        self.report("one/model.py")
        editor = self.start()
        self.assertTrue(editor.published(editor.open("one/model.py", MODEL, "python")))
        editor.open("two/model.py", MODEL, "python")
        editor.command("status")
        self.assertNotIn(editor.uri("two/model.py"), editor.diagnostics)
        # Of another machine's file either could be meant: so neither is.
        run = json.loads((self.folder / ".kadvise/last.json").read_text().replace(str(self.folder / "one"), "/home/ci"))
        (self.folder / ".kadvise/last.json").write_text(json.dumps(run))
        self.assertEqual(editor.published(editor.uri("one/model.py")), [])

    def test_a_report_that_is_too_long_is_spoken_of_once(self):
        self.report()
        path = self.folder / ".kadvise/last.json"
        path.write_text(path.read_text() + " " * (25 << 20))
        editor = self.start()
        said, = [m["params"]["message"] for m in editor.seen if m.get("method") == "window/showMessage"]
        self.assertIn("too long", said)
        path.write_text(path.read_text() + " ")
        time.sleep(1.5)
        editor.command("status")
        self.assertEqual(len([m for m in editor.seen if m.get("method") == "window/showMessage"]), 1)

    def test_a_report_that_cannot_be_read_is_told(self):
        self.report()
        path = self.folder / ".kadvise/last.json"
        whole = path.read_text()
        for text, why in ((whole[:len(whole) // 2], "is not a report"), (whole.replace('"version": 1,', '"version": 99,', 1), "version 99")):
            path.write_text(text)
            editor = self.start()
            said, = [m["params"]["message"] for m in editor.seen if m.get("method") == "window/showMessage"]
            self.assertTrue(said.startswith(str(path)) and why in said, said)
            editor.leave()

    def test_reports_of_every_folder_are_seen_and_go_with_it(self):
        one, two = self.folder / "one", self.folder / "two"
        for folder in (one, two):
            folder.mkdir()
            (folder / "model.py").write_text(MODEL)
        self.report("two/model.py")
        os.rename(self.folder / ".kadvise", two / ".kadvise")
        editor = self.start(folders=[one, two])
        uri = editor.open("two/model.py", MODEL, "python")
        self.assertTrue(self.of(editor.published(uri), "fusion/attention-written-out"))
        editor.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": [{"uri": two.as_uri(), "name": "two"}]}})
        self.assertEqual(editor.published(uri), [])

    def test_a_module_that_is_written_again_makes_its_report_stale(self):
        module = self.folder / "bert.pt"
        module.write_text("a module")
        self.report()
        editor = self.start()
        self.assertEqual([r["stale"] for r in editor.command("reports")["reports"]], [False])
        later = time.time() + 60
        os.utime(module, (later, later))
        uri = editor.open("model.py", MODEL, "python")
        editor.take(lambda m: m.get("method") == "kadvise/reports" and any(r["stale"] for r in m["params"]["reports"]), "a stale report")
        attention, = self.of(editor.diagnostics[uri]["diagnostics"], "fusion/attention-written-out")
        self.assertEqual((attention["tags"], attention["severity"]), ([1], 4))
        self.assertTrue(attention["message"].startswith("measured before the module was written anew"), attention["message"])

    def test_what_is_no_report_is_passed_over(self):
        folder = self.folder / ".kadvise"
        folder.mkdir()
        for number, text in enumerate(["", "{", "[]", '{"version": 99}', '{"version": 1, "findings": 7}', "\0\xff"]):
            (folder / f"{number}.json").write_text(text)
        self.report(name="good.json")
        editor = self.start(settings={"reports": {"paths": [".kadvise/*.json"]}})
        uri = editor.open("model.py", MODEL, "python")
        editor.published(uri)
        self.assertEqual(len(editor.command("reports")["reports"]), 1)

    def test_a_file_of_another_machine_is_known_by_its_text(self):
        self.report("elsewhere/model.py")
        (self.folder / "src").mkdir()
        (self.folder / "src/model.py").write_text(MODEL)
        editor = self.start()
        uri = editor.open("src/model.py", MODEL, "python")
        self.assertTrue(self.of(editor.published(uri), "fusion/attention-written-out"))

    def test_sources_show_what_models_and_rules_find(self):
        self.report("model.cu")
        editor = self.start(settings={"headers": "stub"})
        text = f"void wait() {{ (void)cudaThreadSynchronize(); }}\n\n\n\n\n    {ATTENTION}\n"
        uri = editor.open("model.cu", "#include <cuda_runtime.h>\n" + text)
        self.assertEqual(sorted({d["code"] for d in editor.published(uri)})[:2], ["cuda/removed-api", "fusion/attention-written-out"])

    def test_reports_can_be_turned_off(self):
        self.report()
        editor = self.start(settings={"reports": {"enable": False}})
        editor.open("model.py", MODEL, "python")
        self.assertEqual(editor.command("reports"), {"reports": []})
        self.assertEqual(editor.diagnostics, {})

    def test_a_fix_is_measured_by_the_command_of_the_report(self):
        self.report()
        editor = self.start()
        uri = editor.open("model.py", MODEL, "python")
        attention, = self.of(editor.published(uri), "fusion/attention-written-out")
        action = next(a for a in editor.actions(uri, attention["range"]) if a["title"].startswith("Measure this fix"))
        argument = {**action["command"]["arguments"][0], "run": False}
        told = editor.command("measureFix", **argument)
        self.assertEqual(told["command"], ["kadvise", "bert.pt", "--inputs", "batch.pt", "--select", "fusion/attention-written-out"])
        self.assertFalse(told["started"])

    def test_what_a_report_names_to_be_loaded_is_only_told(self):
        for more in (["--op-library", "evil.so"], ["--engines=evil"], ["--rules", "evil"], ["-oevil.pt"], ["--work-dir", "/"]):
            self.report(command=["kadvise", "bert.pt", *more])
            editor = self.start()
            path = str(self.folder / ".kadvise/last.json")
            told = editor.command("measureFix", report=path, rule="fusion/attention-written-out", run=True)
            self.assertFalse(told["started"], more)
            self.assertEqual(told["command"][1], "bert.pt")

    def test_a_model_is_analysed_where_that_is_asked_for_and_trusted(self):
        (self.folder / "model.pt").write_text("no module")
        editor = self.start()
        told = editor.command("analyseModel", model="model.pt", inputs=["float32[4,8]"])
        self.assertEqual((told["line"], told["started"]), ("kadvise model.pt --input 'float32[4,8]'", False))
        run = editor.command("analyseModel", model=editor.uri("model.pt"), inputs=["float32[4,8]"], run=True)
        self.assertEqual((run["started"], run["exitCode"]), (True, 2))
        self.assertIn("model.pt", run["output"])
        kinds = [m["params"]["value"]["kind"] for m in editor.seen if m.get("method") == "$/progress"]
        self.assertEqual((kinds[0], kinds[-1]), ("begin", "end"))
        stranger = self.start(initializationOptions={"trusted": False})
        self.assertFalse(stranger.command("analyseModel", model="model.pt", run=True)["started"])
