"""run.py KADVISE NODE FOLDER: the packaged extension in VS Code (code-server) in a browser, against a real server; 77 where one of them is missing.

KADVISE may be fake_server.py: then only what it knows is tested.
"""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
sys.path[:0] = [str(HERE.parent), str(ROOT / "tests/reports/page")]
import run as page_run  # noqa: E402  of tests/reports/page: the browser
import workspace  # noqa: E402

SKIPPED = 77
EDITORS = pathlib.Path(os.environ.get("KADVISE_EDITORS", ROOT / ".deps/editors"))
SERVER = EDITORS / "code-server/node_modules/code-server/out/node/entry.js"
PACKAGE = ROOT / "plugins/vscode/dist/kadvise.vsix"
QUIET = {"workbench.startupEditor": "none", "telemetry.telemetryLevel": "off", "update.mode": "none", "extensions.autoUpdate": False, "extensions.autoCheckUpdates": False, "security.workspace.trust.enabled": False,
         "editor.minimap.enabled": False, "workbench.tips.enabled": False, "files.autoSave": "off", "editor.acceptSuggestionOnEnter": "off", "editor.quickSuggestions": {"other": "off"}, "editor.autoIndent": "none",
         "editor.wordBasedSuggestions": "off", "workbench.editor.enablePreview": False, "editor.autoClosingBrackets": "never"}


def missing(node):
    if why := page_run.missing(node):
        return why
    if not SERVER.exists():
        return f"there is no {SERVER.name} of code-server below {EDITORS} (tests/editors/setup.sh brings it)"
    if not PACKAGE.exists():
        return "the extension is not packaged: ./dev plugins"
    return ""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(url, process, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=2).close()
            return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError("code-server did not start")


def drive(kadvise, node, folder, work, script, settings, variables):
    """A code-server of its own, and the steps of a script in it."""
    data = folder / "data"
    (data / "User").mkdir(parents=True, exist_ok=True)
    (data / "User/settings.json").write_text(json.dumps({**QUIET, "kadvise.path": kadvise, "kadvise.delay": 80, **settings}))
    common = [node, str(SERVER), "--user-data-dir", str(data), "--extensions-dir", str(folder / "extensions"), "--config", str(folder / "config.yaml")]
    (folder / "config.yaml").write_text("auth: none\n")
    environment = {**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder / "share"), "FAKE_DELAY": "80"}
    subprocess.run([*common, "--install-extension", str(PACKAGE)], env=environment, check=True, stdout=subprocess.DEVNULL)
    port = free_port()
    with open(folder / "code-server.log", "w") as log:
        server = subprocess.Popen([*common, "--auth", "none", "--bind-addr", f"127.0.0.1:{port}", "--disable-telemetry", "--disable-update-check", str(work)], env=environment, stdout=log, stderr=log)
        try:
            wait_for(f"http://127.0.0.1:{port}/healthz", server)
            variables = {**os.environ, "KADVISE_URL": f"http://127.0.0.1:{port}/?folder={work}", "KADVISE_FOLDER": str(work), "KADVISE_BROWSER": page_run.browser(), **variables}
            return subprocess.run([node, "--test", "--test-reporter=spec", str(HERE / script)], env=variables, timeout=400).returncode
        finally:
            server.terminate()
            server.wait(20)


def stranger(folder):
    """A repository that was just cloned: what it names would run, and change what is read."""
    work = workspace.make(folder / "work")
    trap = work / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {work}/sprung\n")
    trap.chmod(0o755)
    (work / ".vscode").mkdir()
    (work / ".vscode/settings.json").write_text(json.dumps({"kadvise.path": str(trap), "kadvise.compileCommands": str(work / "compile_commands.json")}))
    (work / "scale.cu").write_text("#ifndef BUILT\n" + workspace.SCALE + "#endif\n")
    (work / "compile_commands.json").write_text(json.dumps([{"directory": str(work), "file": str(work / "scale.cu"), "command": "nvcc -DBUILT -c scale.cu"}]))
    return work


def main(kadvise, node, folder):
    kadvise = str(pathlib.Path(kadvise).resolve())  # editors start it elsewhere
    is_fake = kadvise.endswith(".py")
    why = missing(node)
    if not why and not is_fake and subprocess.run([kadvise, "lsp", "--help"], capture_output=True, stdin=subprocess.DEVNULL, timeout=20).returncode:
        why = "this kadvise has no language server"
    if why:
        print("SKIPPED, VS Code was not looked at: " + why)
        return SKIPPED
    folder = pathlib.Path(folder).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    failed = drive(kadvise, node, folder, workspace.make(folder / "work"), "drive.mjs", {}, {"KADVISE_MODEL": "" if is_fake else "1"})
    if not is_fake:
        apart = folder / "untrusted"
        apart.mkdir()
        failed |= drive(kadvise, node, apart, stranger(apart), "untrusted.mjs", {"security.workspace.trust.enabled": True, "security.workspace.trust.startupPrompt": "always"}, {})
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
