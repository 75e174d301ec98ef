"""Whatever comes in: the server answers errors, never dies, and ends when its editor does."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import editor as editor_module
from editor import CAPABILITIES, PATIENCE, Case
from sources import KERNEL, REMOVED, SQRT

METHODS = ["initialize", "initialized", "shutdown_", "textDocument/didOpen", "textDocument/didChange", "textDocument/didSave",
           "textDocument/didClose", "textDocument/codeAction", "textDocument/hover", "workspace/executeCommand",
           "workspace/didChangeConfiguration", "workspace/didChangeWorkspaceFolders", "workspace/didChangeWatchedFiles",
           "$/cancelRequest", "window/workDoneProgress/cancel", "textDocument/unknown", "", "$/x"]
VALUES = [None, True, 0, -1, 1 << 62, 1e308, "", "x", "file:///a.cu", "file:///%00", [], {}, [[]], {"uri": 7}, {"line": -5, "character": "x"},
          {"line": 1 << 60, "character": 1 << 60}, "\ud800"]
KEYS = ["textDocument", "uri", "text", "version", "languageId", "contentChanges", "range", "start", "end", "line", "character", "position",
        "command", "arguments", "settings", "kadvise", "event", "added", "removed", "changes", "id", "token", "context", "only"]


def anything(dice, depth=0):
    if depth > 3 or dice.random() < 0.4:
        return dice.choice(VALUES)
    if dice.random() < 0.3:
        return [anything(dice, depth + 1) for _ in range(dice.randrange(3))]
    return {dice.choice(KEYS): anything(dice, depth + 1) for _ in range(dice.randrange(5))}


def malformed(dice):
    body = json.dumps({"jsonrpc": "2.0", "id": 5, "method": "textDocument/hover"}).encode()
    return dice.choice([
        b"Content-Length: -4\r\n\r\n", b"Content-Length: 99999999999999999999\r\n\r\n", b"\r\n\r\n", b"Content-Length: 3\r\n\r\n{]}",
        b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n[]", b"Content-Length: 4\r\n\r\nnull", b"Content-Length: 1\r\n\r\n7",
        b"Content-Length: 0\r\n\r\n", b"Content-Length: 6\r\n\r\n\"\xff\xfe\xfd\xfc\"", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"Content-Length: %d\r\n\r\n" % len(body) + body, b"Content-Length: 5000\r\n\r\n" + b"[" * 5000, bytes(dice.randrange(256) for _ in range(40)) + b"\r\n\r\n"])


class Robust(Case):
    def alive(self, editor):
        """It still finds what is to be found."""
        uri = editor.open("alive.cu", KERNEL)
        self.assertEqual(sorted(d["code"] for d in editor.published(uri)), [SQRT, REMOVED])
        editor.close(uri)

    def test_a_thousand_random_messages(self):
        dice = random.Random(11)
        editor = self.start(settings={"headers": "stub"})
        asked = 0
        for i in range(1000):
            if dice.random() < 0.25:
                editor.raw(malformed(dice))
                continue
            message = {"method": dice.choice(METHODS), "params": anything(dice)}
            if dice.random() < 0.1:
                message = anything(dice)
            elif dice.random() < 0.5:
                message["id"] = 10_000 + i
            body = json.dumps(message).encode()
            asked += isinstance(message, dict) and message.get("id") == 10_000 + i
            editor.raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        editor.settings = {"headers": "stub"}
        self.alive(editor)
        answered = {m["id"] for m in editor.seen if m.get("id") and "method" not in m and isinstance(m["id"], int) and m["id"] >= 10_000}
        self.assertEqual(len(answered), asked)
        self.assertEqual(editor.leave(), 0)

    def test_half_a_pair_of_surrogates_is_a_character(self):
        editor = self.start(settings={"headers": "stub"})
        uri = editor.open("a.cu", "// x\ud834\n" + KERNEL)
        self.assertEqual(sorted(d["code"] for d in editor.published(uri)), [SQRT, REMOVED])
        line = [d["range"]["start"]["line"] for d in editor.diagnostics[uri]["diagnostics"]]
        half = {"start": {"line": 0, "character": 4}, "end": {"line": 0, "character": 5}}
        editor.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": 2},
                                                 "contentChanges": [{"range": half, "text": "\udd1e\n\n// "}]})
        again = [d["range"]["start"]["line"] for d in editor.published(uri, 2)]
        self.assertEqual(again, [l + 2 for l in line])

    def test_nothing_is_said_of_a_text_that_is_not_known(self):
        for change in ({"contentChanges": [{"text": 7}]}, None):
            editor = self.start(settings={"headers": "stub"})
            uri = editor.open("a.cu", KERNEL)
            self.assertTrue(editor.published(uri))
            if change:
                editor.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": 2}, **change})
            else:
                editor.raw(b'Content-Length: 38\r\n\r\n{"method": "textDocument/didChange", }}')
            editor.take(lambda m: m.get("method") == "textDocument/publishDiagnostics" and not m["params"]["diagnostics"], "nothing shown")
            said = [m["params"]["message"] for m in editor.seen if m.get("method") == "window/showMessage"]
            self.assertTrue(any("opened again" in text for text in said), said)
            editor.change(uri, {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}, "\n")
            self.assertEqual(editor.actions(uri, {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}), [])
            editor.versions[uri] += 1
            editor.change(uri, None, KERNEL)
            self.assertEqual(sorted(d["code"] for d in editor.published(uri)), [SQRT, REMOVED])
            editor.leave()

    def test_messages_in_the_wrong_order(self):
        editor = self.start(initialize=False)
        early = editor.end(editor.begin("textDocument/hover", {}))
        self.assertEqual(early["error"]["code"], -32002)
        editor.notify("textDocument/didOpen", {"textDocument": {}})
        editor.initialize()
        self.assertEqual(editor.end(editor.begin("initialize", {}))["error"]["code"], -32600)
        self.assertEqual(editor.end(editor.begin("textDocument/hover", {"textDocument": {"uri": "file:///x"}, "position": {"line": 0, "character": 0}}))["error"]["code"], -32603)
        self.assertEqual(editor.end(editor.begin("textDocument/nothing", {}))["error"]["code"], -32601)
        self.assertEqual(editor.end(editor.begin("textDocument/codeAction", {"textDocument": 7}))["error"]["code"], -32602)
        editor.notify("textDocument/didChange", {"textDocument": {"uri": "file:///x", "version": 2}, "contentChanges": []})
        editor.notify("textDocument/didClose", {"textDocument": {"uri": "file:///x"}})
        self.alive(editor)
        editor.end(editor.begin("shutdown", None))
        self.assertEqual(editor.end(editor.begin("textDocument/hover", {}))["error"]["code"], -32600)
        editor.notify("exit", None)
        self.assertEqual(editor.process.wait(PATIENCE), 0)

    def test_a_waiting_request_of_no_kinds_costs_itself_alone(self):
        editor = self.start(settings={"headers": "stub", "delay": 2000})
        uri = editor.open("a.cu", KERNEL)
        editor.change(uri, None, KERNEL + "\n")
        start = {"line": 0, "character": 0}
        params = {"textDocument": {"uri": uri}, "range": {"start": start, "end": start}, "context": {"only": [1]}}
        self.assertEqual(editor.end(editor.begin("textDocument/codeAction", params))["error"]["code"], -32602)
        self.assertEqual(len(editor.published(uri)), 2)

    def test_exit_without_shutdown_is_an_error(self):
        editor = self.start()
        editor.notify("exit", None)
        self.assertEqual(editor.process.wait(PATIENCE), 1)

    def test_its_own_folder_may_go(self):
        home = self.folder / "gone"
        home.mkdir()
        before = os.getcwd()
        os.chdir(home)
        try:
            editor = self.start(settings={"headers": "stub"})
        finally:
            os.chdir(before)
        home.rmdir()
        editor.published(editor.open("a.cu", KERNEL))
        editor.command("status")

    def test_huge_documents_are_left_alone(self):
        editor = self.start(settings={"headers": "stub"})
        uri = editor.open("huge.cu", "// a line that goes on for a while\n" * 200_000)
        self.assertEqual(editor.published(uri), [])
        self.assertIn("too long", editor.idle()["message"])
        line = "".join(f"int a{i} = 1; " for i in range(20_000))
        long = editor.open("line.cu", line + "\n" + KERNEL)
        self.assertEqual(len(editor.published(long)), 2)
        editor.close(uri), editor.close(long)
        self.alive(editor)

    def test_it_ends_when_standard_input_does(self):
        editor = self.start()
        editor.open("a.cu", KERNEL)
        editor.process.stdin.close()
        editor.process.wait(PATIENCE)
        self.assertEqual(editor.parsers(), [])

    def test_it_ends_when_nobody_reads(self):
        server = subprocess.Popen([editor_module.program, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(server.kill)
        server.stdout.close()
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}).encode()
        server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        server.stdin.flush()
        server.wait(PATIENCE)
        server.stdin.close()

    def test_it_ends_with_the_process_that_the_editor_names(self):
        parent = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        editor = self.start(initialize=False)
        editor.request("initialize", {"processId": parent.pid, "capabilities": CAPABILITIES})
        parent.kill(), parent.wait()
        editor.process.wait(PATIENCE)

    def test_its_work_folder_goes_with_it_or_with_the_next_one(self):
        temporary = self.folder / "temporary"
        temporary.mkdir()
        (temporary / "kadvise-others").mkdir()
        ends = {"asked to": lambda e: e.leave(), "terminated": lambda e: e.process.terminate(), "hung up": lambda e: e.process.send_signal(signal.SIGHUP),
                "without an editor": lambda e: e.process.stdin.close(), "killed": lambda e: e.process.kill()}
        for how, end in ends.items():
            editor = self.start(settings={"headers": "stub"}, environment={"TMPDIR": str(temporary)})
            editor.published(editor.open("a.cu", KERNEL))
            folders = set(temporary.iterdir())
            self.assertEqual(len(folders), 2, how)
            end(editor)
            editor.process.wait(PATIENCE)
            self.assertEqual(len(set(temporary.iterdir())), 2 if how == "killed" else 1, how)
        other = self.start(environment={"TMPDIR": str(temporary)})
        again = self.start(environment={"TMPDIR": str(temporary)})
        self.assertEqual(len(set(temporary.iterdir())), 3)
        self.assertFalse(folders & set(temporary.iterdir()) - {temporary / "kadvise-others"})
        other.leave(), again.leave()
        self.assertEqual(list(temporary.iterdir()), [temporary / "kadvise-others"])

    def test_a_parser_that_is_killed_is_started_again_and_the_file_named(self):
        editor = self.start(settings={"headers": "stub"})
        uri = editor.open("a.cu", KERNEL)
        editor.published(uri)
        editor.idle()
        killed = editor.parsers()
        self.assertEqual(len(killed), 1)
        os.kill(killed[0], signal.SIGKILL)
        editor.change(uri, None, KERNEL + "\n")
        self.assertEqual(len(editor.published(uri)), 2)
        self.assertNotEqual(editor.parsers(), killed)
        said = [m["params"]["message"] for m in editor.seen if m.get("method") == "window/logMessage"]
        self.assertTrue([s for s in said if "SIGKILL" in s and "a.cu" in s], said)

    def test_a_file_that_kills_every_parser_is_named_and_left_alone(self):
        engines = self.folder / "engines"
        engines.mkdir()
        (engines / "kadvise-source").write_text(f"#!/bin/sh\nread line <&3\necho '{{\"version\": 1, \"id\": 1, \"type\": \"done\", \"body\": {{}}}}' >&4\nread line <&3\nkill -SEGV $$\n")
        (engines / "kadvise-source").chmod(0o755)
        editor = self.start("--engines", engines, settings={"headers": "stub"})
        uri = editor.open("a.cu", KERNEL)
        self.assertEqual(editor.published(uri), [])
        status = editor.idle()
        self.assertEqual(status["state"], "degraded")
        self.assertIn("a.cu", status["message"])
        self.assertIn("SIGSEGV", status["message"])

    def test_ten_open_files_take_less_than_600_mib(self):
        editor = self.start()
        for i in range(10):
            editor.published(editor.open(f"a{i}.cu", KERNEL + f"// {i}\n"))
        while editor.idle()["files"]:
            pass
        total = 0
        for pid in [editor.process.pid, *editor.parsers()]:
            total += int(open(f"/proc/{pid}/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        self.assertLess(total, 600 << 20)
