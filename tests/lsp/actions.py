"""Fixes, ignoring, hovers and commands."""

from editor import CAPABILITIES, Case, offset, under, with_edits
from sources import KERNEL, REMOVED, SQRT


def place(text, words, nth=0):
    at = -1
    for _ in range(nth + 1):
        at = text.index(words, at + 1)
    before = text[:at].split("\n")
    position = {"line": len(before) - 1, "character": len(before[-1].encode("utf-16-le")) // 2}
    assert offset(text, position) == at
    return position


def at(text, words, nth=0):
    position = place(text, words, nth)
    return {"start": position, "end": position}


class Actions(Case):
    def opened(self, text=KERNEL, **settings):
        editor = self.start(settings={"headers": "stub", **settings})
        uri = editor.open("a.cu", text)
        editor.published(uri)
        return editor, uri

    def edits(self, action, uri, version=1):
        change, = action["edit"]["documentChanges"]
        self.assertEqual(change["textDocument"], {"uri": uri, "version": version})
        return change["edits"]

    def apply(self, editor, uri, action):
        """The action's text is what the server then looks at."""
        editor.change(uri, None, with_edits(editor.texts[uri], self.edits(action, uri, editor.versions[uri])))
        return editor.published(uri)

    def test_a_safe_fix_is_preferred_and_removes_the_finding(self):
        editor, uri = self.opened()
        actions = editor.actions(uri, at(KERNEL, "cudaThreadSynchronize"))
        fix = actions[0]
        self.assertEqual((fix["title"], fix["kind"], fix["isPreferred"]), ("call cudaDeviceSynchronize", "quickfix", True))
        self.assertEqual(fix["diagnostics"][0]["code"], REMOVED)
        self.assertEqual([d["code"] for d in self.apply(editor, uri, fix)], [SQRT])

    def test_an_unsafe_fix_says_so_and_is_of_its_own_place(self):
        editor, uri = self.opened()
        for words in (["1.0f / sqrtf(v * v + eps)", "(v - scale) / sqrtf(v)"]):
            actions = [a for a in editor.actions(uri, at(KERNEL, words)) if "edit" in a and "unsafe" in a["title"]]
            alone, = actions
            self.assertTrue(alone["title"].endswith("(unsafe)"))
            self.assertNotIn("isPreferred", alone)
            text = with_edits(KERNEL, self.edits(alone, uri))
            self.assertNotIn(words, text)
            self.assertIn("rsqrtf", text)

    def test_fixes_of_one_kind_come_together_too(self):
        text = "__global__ void k(float* x) {\n  x[0] = 1.0f / sqrtf(x[1]);\n  x[2] = 1.0f / sqrtf(x[3]);\n}\n"
        editor, uri = self.opened(text)
        alone, both = [a for a in editor.actions(uri, at(text, "sqrtf(x[3])")) if "edit" in a and "unsafe" in a["title"]]
        self.assertEqual(both["title"], "call rsqrtf, at all 2 places (unsafe)")
        self.assertIn("sqrtf(x[1])", with_edits(text, self.edits(alone, uri)))
        self.assertNotIn("/ sqrtf", with_edits(text, self.edits(both, uri)))

    def test_all_that_is_safe_is_fixed_at_once(self):
        text = KERNEL + "void again() { (void)cudaThreadExit(), (void)cudaThreadSynchronize(); }\n"
        editor, uri = self.opened(text)
        action, = editor.actions(uri, {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}, ["source.fixAll"])
        self.assertEqual(action["kind"], "source.fixAll.kadvise")
        fixed = with_edits(text, self.edits(action, uri))
        self.assertNotIn("cudaThread", fixed)
        self.assertEqual(fixed.count("sqrtf"), text.count("sqrtf"))
        editor.settings = {"headers": "stub", "fixAll": False}
        editor.notify("workspace/didChangeConfiguration", {"settings": None})
        editor.published(uri)
        self.assertEqual(editor.actions(uri, at(text, "x"), ["source.fixAll"]), [])

    def test_edits_of_many_places_are_made_when_they_are_asked_for(self):
        text = "__global__ void k(float* x) {\n  x[0] = 1.0f / sqrtf(x[1]);\n  x[2] = 1.0f / sqrtf(x[3]);\n  cudaThreadExit();\n}\n"
        can = {**CAPABILITIES["textDocument"]["codeAction"], "dataSupport": True, "resolveSupport": {"properties": ["edit"]}}
        editor = self.start(initialize=False, settings={"headers": "stub"})
        server = editor.initialize(capabilities={**CAPABILITIES, "textDocument": {**CAPABILITIES["textDocument"], "codeAction": can}})
        self.assertTrue(server["codeActionProvider"]["resolveProvider"])
        uri = editor.open("a.cu", text)
        editor.published(uri)
        actions = editor.actions(uri, at(text, "sqrtf(x[3])"))
        both = next(a for a in actions if "at all 2 places" in a["title"])
        every = next(a for a in actions if a["kind"].startswith("source.fixAll"))
        for action in (both, every):
            self.assertNotIn("edit", action)
        self.assertTrue(all("edit" in a or "command" in a for a in actions if a not in (both, every)))
        self.assertNotIn("/ sqrtf", with_edits(text, self.edits(editor.request("codeAction/resolve", both), uri)))
        resolved = editor.request("codeAction/resolve", every)
        self.assertNotIn("cudaThreadExit", with_edits(text, self.edits(resolved, uri)))
        self.assertEqual({k: resolved[k] for k in every}, every)
        self.assertEqual(editor.request("codeAction/resolve", actions[0]), actions[0])
        editor.change(uri, None, "\n" + text)
        self.assertEqual(editor.end(editor.begin("codeAction/resolve", every))["error"]["code"], -32801)

    def test_a_finding_is_ignored_on_its_line(self):
        editor, uri = self.opened()
        ignore = next(a for a in editor.actions(uri, at(KERNEL, "cudaThreadSynchronize")) if a["title"].endswith("on this line"))
        self.assertEqual([d["code"] for d in self.apply(editor, uri, ignore)], [SQRT])
        self.assertIn("// kadvise: ignore[cuda/removed-api]", editor.texts[uri])

    def test_a_rule_is_ignored_in_the_file(self):
        editor, uri = self.opened()
        ignore = next(a for a in editor.actions(uri, at(KERNEL, "1.0f / sqrtf")) if a["title"].endswith("in this file"))
        self.assertEqual([d["code"] for d in self.apply(editor, uri, ignore)], [REMOVED])

    def test_settings_turn_fixes_and_ignoring_off(self):
        editor, uri = self.opened(codeAction={"fixViolation": {"enable": False}, "disableRuleComment": {"enable": False}}, fixAll=False)
        titles = [a["title"] for a in editor.actions(uri, at(KERNEL, "cudaThreadSynchronize"))]
        self.assertEqual(titles, ["Show " + REMOVED])

    def test_a_request_for_a_text_that_is_being_read_waits_for_it(self):
        editor, uri = self.opened("int x;\n")
        editor.change(uri, None, KERNEL)
        titles = [a["title"] for a in editor.actions(uri, at(KERNEL, "cudaThreadSynchronize"))]
        self.assertIn("call cudaDeviceSynchronize", titles)

    def test_a_request_for_a_text_that_changes_is_refused(self):
        editor, uri = self.opened(delay=2000)
        editor.change(uri, None, KERNEL + "\n")
        number = editor.begin("textDocument/codeAction", {"textDocument": {"uri": uri}, "range": at(KERNEL, "x"), "context": {}})
        editor.change(uri, None, KERNEL)
        self.assertEqual(editor.end(number)["error"]["code"], -32801)
        number = editor.begin("textDocument/codeAction", {"textDocument": {"uri": uri}, "range": at(KERNEL, "x"), "context": {}})
        editor.notify("$/cancelRequest", {"id": number})
        self.assertEqual(editor.end(number)["error"]["code"], -32800)

    def test_clients_without_versions_get_plain_edits(self):
        editor = self.start(capabilities={"textDocument": CAPABILITIES["textDocument"]})
        uri = editor.open("a.cu", KERNEL)
        editor.published(uri)
        fix = editor.actions(uri, at(KERNEL, "cudaThreadSynchronize"))[0]
        self.assertEqual(list(fix["edit"]["changes"]), [uri])

    def test_a_hover_shows_the_rule(self):
        editor, uri = self.opened()
        text = editor.hover(uri, place(KERNEL, "sqrtf(v * v"))
        for words in ("`cuda/reciprocal-square-root`", "**Why it costs**", "rsqrtf"):
            self.assertIn(words, text)
        self.assertIsNone(editor.hover(uri, {"line": 0, "character": 3}))

    def test_a_hover_on_a_suppression_shows_what_it_names(self):
        text = KERNEL.replace("cudaThreadSynchronize();", "cudaThreadSynchronize();  // kadvise: ignore[cuda/removed-api] later")
        editor, uri = self.opened(text)
        self.assertIn("`cuda/removed-api`", editor.hover(uri, place(text, "removed-api")))

    def test_a_suppression_of_nothing_is_greyed_out(self):
        editor, uri = self.opened("int x;  // kadvise: ignore[cuda/removed-api]\n")
        found, = editor.diagnostics[uri]["diagnostics"]
        self.assertEqual((found["code"], found["tags"], found["severity"]), ("lint/unused-suppression", [1], 4))

    def test_commands_answer(self):
        editor, uri = self.opened()
        self.assertEqual(editor.command("lintFile", uri=uri), {"uri": uri, "version": 1, "tier": "stub", "findings": 2})
        rule = editor.command("showRule", rule=SQRT, open=True)
        self.assertIn("**What it finds**", rule["markdown"])
        shown = [m["params"]["uri"] for m in editor.seen if m.get("method") == "window/showDocument"]
        self.assertEqual(shown, [rule["uri"]])
        self.assertIsNone(editor.command("restartParser"))
        editor.published(uri)
        self.assertEqual(editor.command("reports"), {"reports": []})
        with self.assertRaisesRegex(AssertionError, "not in the rule book"):
            editor.command("showRule", rule="cuda/nothing")
        with self.assertRaisesRegex(AssertionError, "there is no command"):
            editor.command("dance")

    def test_the_whole_workspace_is_linted(self):
        (self.folder / "b.cu").write_text(KERNEL)
        editor, uri = self.opened()
        result = editor.command("lintWorkspace")
        self.assertEqual((result["files"], result["findings"], result["errors"]), (1, 2, []))
        other = editor.diagnostics[editor.uri("b.cu")]["diagnostics"]
        self.assertEqual(under(KERNEL, next(d for d in other if d["code"] == SQRT)["range"]), "1.0f / sqrtf(v * v + eps)")
        self.assertTrue([m for m in editor.seen if m.get("method") == "$/progress" and m["params"]["value"]["kind"] == "end"])
        (self.folder / "b.cu").unlink()
        editor.command("lintWorkspace")
        self.assertEqual(editor.diagnostics[editor.uri("b.cu")]["diagnostics"], [])

    def test_every_folder_of_the_workspace_is_linted_and_shown_as_a_page(self):
        one, two, three = (self.folder / name for name in ("one", "two", "three"))
        for folder in (one, two, three):
            folder.mkdir()
            (folder / "b.cu").write_text(KERNEL)
        (three / "kadvise.toml").write_text(f'ignore = ["{SQRT}"]\n')
        editor = self.start(settings={"headers": "stub"}, folders=[one, two, three])
        result = editor.command("lintWorkspace", page=str(self.folder / "page.html"))
        self.assertEqual((result["files"], result["findings"], result["errors"]), (3, 5, []))
        # Those that are linted in the same way are one run, and one page.
        self.assertEqual(result["pages"], [str(self.folder / "page.html"), str(self.folder / "page-2.html")])
        ends = [m["params"]["value"] for m in editor.seen if m.get("method") == "$/progress" and m["params"]["value"]["kind"] == "end"]
        self.assertEqual(ends[-1].get("message"), "5 findings in 3 files")
        self.assertEqual(len(editor.diagnostics[editor.uri("three/b.cu")]["diagnostics"]), 1)

    def test_a_folder_that_cannot_be_linted_costs_itself_alone(self):
        one, two = (self.folder / name for name in ("one", "two"))
        for folder in (one, two):
            folder.mkdir()
            (folder / "b.cu").write_text(KERNEL)
        (two / "kadvise.toml").write_text("dance = 1\n")
        editor = self.start(settings={"headers": "stub"}, folders=[one, two])
        result = editor.command("lintWorkspace")
        self.assertEqual((result["files"], result["findings"]), (1, 2))
        error, = result["errors"]
        self.assertTrue(error.startswith(f"{two}: ") and "dance" in error, error)
        self.assertEqual(len(editor.diagnostics[editor.uri("one/b.cu")]["diagnostics"]), 2)
        with self.assertRaisesRegex(AssertionError, "dance"):
            editor.command("lintWorkspace", folder=str(two))

    def test_a_selection_of_very_many_findings_gets_a_short_list(self):
        text = "".join(f"void f{i}() {{ cudaThreadSynchronize(); }}\n" for i in range(400))
        editor, uri = self.opened(text)
        actions = editor.actions(uri, {"start": {"line": 0, "character": 0}, "end": {"line": 400, "character": 0}})
        self.assertLess(len(actions), 600)
        fixed = with_edits(text, self.edits(actions[-1], uri))
        self.assertEqual((actions[-1]["kind"], fixed.count("cudaDeviceSynchronize")), ("source.fixAll.kadvise", 400))

    def test_clients_that_ask_for_diagnostics_get_them_as_answers(self):
        asks = {"diagnostic": {"dynamicRegistration": False}, "codeAction": CAPABILITIES["textDocument"]["codeAction"]}
        editor = self.start(initialize=False)
        can = editor.initialize(capabilities={"textDocument": asks, "workspace": {"diagnostics": {"refreshSupport": True}}},
                                initializationOptions={"settings": {"headers": "stub"}})
        self.assertEqual(can["diagnosticProvider"]["identifier"], "kadvise")
        uri = editor.open("a.cu", KERNEL)
        for _ in range(2):
            answer = editor.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
            self.assertEqual((answer["kind"], sorted(d["code"] for d in answer["items"])), ("full", [SQRT, REMOVED]))
            editor.change(uri, None, "\n" + KERNEL)
        self.assertEqual(editor.diagnostics, {})
        self.assertTrue([m for m in editor.seen if m.get("method") == "workspace/diagnostic/refresh"])
        self.assertNotIn("diagnosticProvider", self.start(initialize=False).initialize())
