"""An editor that speaks to `kadvise lsp`: it holds documents, checks what comes back, and never waits for ever."""

import json
import os
import pathlib
import queue
import shutil
import subprocess
import tempfile
import threading
import time
import unittest

PATIENCE = 60  # seconds, on a machine that does much else

program = None  # kadvise; run.py sets it

CAPABILITIES = {
    "workspace": {"workspaceEdit": {"documentChanges": True}, "configuration": True, "workspaceFolders": True,
                  "didChangeWatchedFiles": {"dynamicRegistration": True}},
    "textDocument": {"publishDiagnostics": {"relatedInformation": True, "codeDescriptionSupport": True, "dataSupport": True,
                                            "tagSupport": {"valueSet": [1, 2]}},
                     "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}},
                     "hover": {"contentFormat": ["markdown", "plaintext"]}},
    "window": {"workDoneProgress": True, "showDocument": {"support": True}},
}


def units(text):
    return len(text.encode("utf-16-le")) // 2


def offset(text, position):
    """Of a position in UTF-16 units, in characters."""
    lines = text.split("\n")
    assert position["line"] < len(lines), (position, len(lines))
    line, at = lines[position["line"]], 0
    while units(line[:at]) < position["character"]:
        assert at < len(line), f"{position} is beyond the line {line!r}"
        at += 1
    return sum(len(l) + 1 for l in lines[:position["line"]]) + at


def under(text, range_):
    return text[offset(text, range_["start"]):offset(text, range_["end"])]


def with_edits(text, edits):
    for e in sorted(edits, key=lambda e: (e["range"]["start"]["line"], e["range"]["start"]["character"]), reverse=True):
        text = text[:offset(text, e["range"]["start"])] + e["newText"] + text[offset(text, e["range"]["end"]):]
    return text


class Editor:
    def __init__(self, folder, *arguments, settings=None, environment=None):
        self.folder = pathlib.Path(folder)
        self.settings = settings or {}
        self.process = subprocess.Popen([program, "lsp", *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=open(self.folder / "server.log", "ab"), env={**os.environ, **(environment or {})})
        self.seen = []          # every message of the server
        self.news = queue.Queue()
        self.diagnostics = {}   # uri -> the last that was published
        self.texts, self.versions = {}, {}
        self.requests = 0
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        out = self.process.stdout
        while True:
            length = 0
            while (line := out.readline().strip()):
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            if not length:
                return self.news.put(None)
            self.news.put(json.loads(out.read(length)))

    def raw(self, data):
        try:
            self.process.stdin.write(data)
            self.process.stdin.flush()
        except (BrokenPipeError, ValueError):
            pass

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def take(self, wanted, what, patience=PATIENCE):
        """The first message from now on of which wanted is true; answers the server's own requests."""
        end = time.monotonic() + patience
        while True:
            try:
                message = self.news.get(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"waited in vain for {what}; last: {json.dumps(self.seen[-3:])[:2000]}") from None
            if message is None:
                raise AssertionError(f"the server ended while {what} was awaited")
            self.seen.append(message)
            if "method" in message and "id" in message:
                self.answer(message)
            if message.get("method") == "textDocument/publishDiagnostics":
                self.diagnostics[message["params"]["uri"]] = message["params"]
            if wanted(message):
                return message

    def answer(self, request):
        result = None
        if request["method"] == "workspace/configuration":
            result = [self.settings for _ in request["params"]["items"]]
        self.send({"id": request["id"], "result": result})

    def begin(self, method, params):
        self.requests += 1
        self.send({"id": self.requests, "method": method, "params": params})
        return self.requests

    def end(self, number):
        return self.take(lambda m: m.get("id") == number and "method" not in m, f"the answer to request {number}")

    def request(self, method, params):
        answer = self.end(self.begin(method, params))
        if "error" in answer:
            raise AssertionError(f"{method}: {answer['error']}")
        return answer["result"]

    def initialize(self, capabilities=CAPABILITIES, folders=None, **more):
        folders = folders or [self.folder]
        result = self.request("initialize", {"processId": os.getpid(), "rootUri": None, "capabilities": capabilities,
                                             "workspaceFolders": [{"uri": f.as_uri(), "name": f.name} for f in folders], **more})
        self.notify("initialized", {})
        if capabilities.get("workspace", {}).get("configuration"):
            self.take(lambda m: m.get("method") == "workspace/configuration", "the question for settings")
            self.command("status")  # they are taken by now
        return result["capabilities"]

    def uri(self, name):
        return name if ":" in str(name) else (self.folder / name).as_uri()

    def open(self, name, text, language="cuda-cpp"):
        uri = self.uri(name)
        self.texts[uri], self.versions[uri] = text, 1
        self.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": language, "version": 1, "text": text}})
        return uri

    def change(self, uri, range_, text):
        """An edit as one makes it; None for the whole text."""
        self.versions[uri] += 1
        change = {"text": text}
        if range_ is None:
            self.texts[uri] = text
        else:
            change["range"] = range_
            self.texts[uri] = with_edits(self.texts[uri], [{"range": range_, "newText": text}])
        self.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": self.versions[uri]}, "contentChanges": [change]})

    def save(self, uri):
        self.notify("textDocument/didSave", {"textDocument": {"uri": uri}})

    def close(self, uri):
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def published(self, uri, version=None):
        """What is shown of the newest text, once it is."""
        version = version or self.versions[uri]
        message = self.take(lambda m: m.get("method") == "textDocument/publishDiagnostics" and m["params"]["uri"] == uri
                            and m["params"].get("version") == version, f"diagnostics of version {version} of {uri}")
        return message["params"]["diagnostics"]

    def idle(self):
        """The last status, once nothing is under way."""
        return self.take(lambda m: m.get("method") == "kadvise/status" and m["params"]["state"] != "parsing", "a status")["params"]

    def command(self, name, **argument):
        return self.request("workspace/executeCommand", {"command": "kadvise.server." + name, "arguments": [argument]})

    def actions(self, uri, range_, only=None):
        context = {"diagnostics": [], **({"only": only} if only else {})}
        return self.request("textDocument/codeAction", {"textDocument": {"uri": uri}, "range": range_, "context": context})

    def hover(self, uri, position):
        result = self.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": position})
        return result and result["contents"]["value"]

    def leave(self):
        if self.process.poll() is None:
            self.end(self.begin("shutdown", None))
            self.notify("exit", None)
        return self.process.wait(PATIENCE)

    def parsers(self):
        """Processes of kadvise-source that this server has started."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
                if int(fields[1]) == self.process.pid and fields[0] != "Z":
                    found.append(int(entry.name))
            except (OSError, IndexError, ValueError):
                continue
        return found


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kadvise-lsp-")).resolve()
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def start(self, *arguments, initialize=True, settings=None, environment=None, **more):
        editor = Editor(self.folder, *arguments, settings=settings, environment=environment)
        self.addCleanup(self.end, editor)
        if initialize:
            editor.initialize(**more)
        return editor

    def end(self, editor):
        """As an editor that goes away: a server that is killed could not clean up."""
        try:
            editor.process.stdin.close()
        except BrokenPipeError:
            pass
        try:
            editor.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            editor.process.kill()
            editor.process.wait()
