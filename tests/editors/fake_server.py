#!/usr/bin/env python3
"""fake_server.py lsp: a small language server with the answers of `kadvise lsp` (analyzer/lsp/PROTOCOL.md), for tests of the plugins alone.

A call that CUDA has removed is its one finding, at the first such call. It waits FAKE_DELAY milliseconds before it answers a change, as a parser would; with FAKE_STALE it then
publishes what it found even if the text has changed since, as a result does that crossed an edit on its way.
"""

import json
import os
import re
import sys
import threading
import time

RULE = "cuda/removed-api"
CALL = re.compile(r"cudaThreadSynchronize\(\)")
documents = {}
out_lock = threading.Lock()


def send(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    with out_lock:
        sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        sys.stdout.buffer.flush()


def receive():
    length = None
    while line := sys.stdin.buffer.readline():
        if not line.strip():
            break
        name, _, value = line.decode().partition(":")
        length = int(value) if name.lower() == "content-length" else length
    return json.loads(sys.stdin.buffer.read(length)) if length else None


def span(line, start, end):
    return {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}


def ranges(text):
    for number, line in enumerate(text.split("\n")):
        if f"ignore[{RULE}]" not in line:
            yield from (span(number, m.start(), m.end()) for m in CALL.finditer(line))


def diagnostic(where):
    return {"range": where, "severity": 3, "source": "kadvise", "code": RULE, "codeDescription": {"href": "file:///rules/cuda/removed-api.md"}, "message": "cudaThreadSynchronize is gone from newer CUDA toolkits",
            "data": {"id": "1", "kind": "source", "rule": RULE}}


def publish(uri, version, text):
    time.sleep(int(os.environ.get("FAKE_DELAY", "0")) / 1000)
    document = documents.get(uri)
    if document and (document["version"] == version or os.environ.get("FAKE_STALE")):
        send({"method": "textDocument/publishDiagnostics", "params": {"uri": uri, "version": version, "diagnostics": [diagnostic(r) for r in list(ranges(text))[:1]]}})


def looked_at(uri):
    threading.Thread(target=publish, args=(uri, documents[uri]["version"], documents[uri]["text"]), daemon=True).start()


def offset(text, position):
    lines = text.split("\n")
    return sum(len(line) + 1 for line in lines[: position["line"]]) + position["character"]


def change(params):
    document = documents[params["textDocument"]["uri"]]
    for c in params["contentChanges"]:
        if "range" in c:
            start, end = (offset(document["text"], c["range"][side]) for side in ("start", "end"))
            document["text"] = document["text"][:start] + c["text"] + document["text"][end:]
        else:
            document["text"] = c["text"]
    document["version"] = params["textDocument"]["version"]
    looked_at(params["textDocument"]["uri"])


def edit(uri, edits):
    return {"documentChanges": [{"textDocument": {"uri": uri, "version": documents[uri]["version"]}, "edits": edits}]}


def actions(params):
    uri = params["textDocument"]["uri"]
    out = []
    for d in params["context"]["diagnostics"]:
        start = d["range"]["start"]
        line = documents[uri]["text"].split("\n")[start["line"]]
        out.append({"title": "call cudaDeviceSynchronize", "kind": "quickfix", "isPreferred": True, "diagnostics": [d], "edit": edit(uri, [{"range": d["range"], "newText": "cudaDeviceSynchronize()"}])})
        end_of_line = span(start["line"], len(line), len(line))
        out.append({"title": f"Ignore {RULE} on this line", "kind": "quickfix", "diagnostics": [d], "edit": edit(uri, [{"range": end_of_line, "newText": f"  // kadvise: ignore[{RULE}]"}])})
    return out


def hover(params):
    text = documents[params["textDocument"]["uri"]]["text"]
    at = params["position"]
    if any(r["start"]["line"] == at["line"] and r["start"]["character"] <= at["character"] <= r["end"]["character"] for r in ranges(text)):
        return {"contents": {"kind": "markdown", "value": "**cudaThreadSynchronize is gone from newer CUDA toolkits**\n\nIt does not compile with a newer toolkit: `cudaDeviceSynchronize`."}}
    return None


CAPABILITIES = {"textDocumentSync": {"openClose": True, "change": 2, "save": True}, "hoverProvider": True, "codeActionProvider": {"codeActionKinds": ["quickfix", "source.fixAll.kadvise"]},
                "executeCommandProvider": {"commands": ["kadvise.server.lintFile", "kadvise.server.reports", "kadvise.server.showRule"]}}


def command(params):
    name = params["command"].rsplit(".", 1)[1]
    return {"reports": {"reports": []}, "showRule": {"rule": RULE, "title": "", "uri": "", "markdown": "# A removed call"}, "lintFile": {"uri": "", "tier": "stub", "version": 1, "findings": 1}}.get(name)


def main():
    while (message := receive()) is not None:
        method, params = message.get("method"), message.get("params") or {}
        if method == "exit":
            return
        if method == "textDocument/didOpen":
            document = params["textDocument"]
            documents[document["uri"]] = {"text": document["text"], "version": document["version"]}
            looked_at(document["uri"])
            send({"method": "kadvise/status", "params": {"state": "idle", "tier": "stub", "message": "", "files": 0}})
        elif method == "textDocument/didChange":
            change(params)
        elif method == "textDocument/didClose":
            documents.pop(params["textDocument"]["uri"], None)
        if "id" in message and method:
            answers = {"initialize": lambda: {"capabilities": CAPABILITIES}, "textDocument/hover": lambda: hover(params), "textDocument/codeAction": lambda: actions(params), "workspace/executeCommand": lambda: command(params)}
            send({"id": message["id"], "result": answers.get(method, lambda: None)()})


if __name__ == "__main__":
    main()
