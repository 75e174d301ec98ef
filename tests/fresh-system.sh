#!/usr/bin/env bash
# Proves the first hour of a new user: in a bare Debian that has a C++ compiler, Python 3 and git, and nothing else,
# a clone's `./dev demo` works from nothing on two cores, again at once, and `./dev test` passes.
#
#   tests/fresh-system.sh [--tree] [--suite bookworm] DIR [COMMAND…]
#
# DIR becomes the root of that system (about 15 GB; a system of an earlier run is used again, its clone is not).
# --tree copies the working tree in place of cloning HEAD. COMMANDs (default: demo demo test) are what ./dev is called
# with, in turn. Needs root and debootstrap. The log is DIR.log. Package sources, certificates and pip's settings are
# this machine's.
set -euo pipefail

tree= suite=bookworm
while [[ ${1:-} == --* ]]; do
  case $1 in
    --tree) tree=yes ;;
    --suite) suite=$2; shift ;;
    *) echo "fresh-system: there is no option $1" >&2; exit 2 ;;
  esac
  shift
done
(($#)) || { sed -n '2,/^set/{/^#/s/^# \?//p}' "$0"; exit 2; }
((EUID == 0)) || { echo "fresh-system: only root can make a root file system" >&2; exit 2; }
command -v debootstrap >/dev/null || { echo "fresh-system: install debootstrap first" >&2; exit 2; }

# Mounts in a name space of our own: they end with this script, and nothing outside can be deleted through them.
if [[ -z ${KADVISE_FRESH_UNSHARED:-} ]]; then
  options=(${tree:+--tree} --suite "$suite")
  KADVISE_FRESH_UNSHARED=1 exec unshare --mount --propagation private -- "$0" "${options[@]}" "$@"
fi

repository=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)
system=$(realpath -m "$1")
shift
commands=("$@")
(($#)) || commands=(demo demo test)
log=$system.log
mkdir -p "$system"
: >"$log"
say() { printf 'fresh-system: %s\n' "$*" | tee -a "$log"; }

# ---- the bare system
if [[ ! -e $system/etc/debian_version ]]; then
  mirror=$(apt-get indextargets --format '$(REPO_URI)' | head -1)
  [[ -n $mirror ]] || { apt-get update >>"$log" 2>&1; mirror=$(apt-get indextargets --format '$(REPO_URI)' | head -1); }
  say "making a bare Debian ($suite) in $system"
  debootstrap --variant=minbase --include=g++,python3,git,ca-certificates "$suite" "$system" "$mirror" >>"$log" 2>&1
fi

for path in /etc/resolv.conf /etc/hosts /etc/pip.conf /etc/ssl/certs/ca-certificates.crt; do
  if [[ -e $path ]]; then cp -L "$path" "$system$path"; fi
done
if [[ -e /etc/apt/sources.list ]]; then cp /etc/apt/sources.list "$system/etc/apt/"; else rm -f "$system/etc/apt/sources.list"; fi
cp -r /etc/apt/sources.list.d /etc/apt/trusted.gpg.d "$system/etc/apt/"
mount --rbind /dev "$system/dev"
mount -t proc proc "$system/proc"

# ---- the clone
rm -rf "$system/home/kadvise"
if [[ $tree ]]; then
  mkdir -p "$system/home/kadvise"
  git -C "$repository" ls-files -z --cached --others --exclude-standard |
    (cd "$repository" && xargs -0 -I{} sh -c '[ ! -e "$1" ] || printf "%s\0" "$1"' _ {}) |
    tar -C "$repository" --null --files-from=- --create | tar -C "$system/home/kadvise" --extract
else
  git clone --quiet "$repository" "$system/home/kadvise"
fi

# ---- the commands, on two cores, with an environment of only what reaches the network
pass=()
while IFS= read -r name; do pass+=("$name=${!name}"); done < <(compgen -e | grep -iE '^(PIP_.*|[a-z]+_proxy|.*SSL_CERT_.*|.*CA_BUNDLE)$' || true)

failed=0 results=()
for command in "${commands[@]}"; do
  say "./dev $command"
  start=$SECONDS rc=0
  # shellcheck disable=SC2086 — a command may carry arguments
  env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 "${pass[@]}" \
    taskset -c 0,1 chroot "$system" /home/kadvise/dev $command </dev/null 2>&1 | tee -a "$log" || rc=$?
  results+=("./dev $command: $((SECONDS - start)) s, exit $rc")
  ((rc == 0)) || failed=1
done
say "results on $(nproc) cores, limited to 2: $(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' "$system/etc/os-release")"
for result in "${results[@]}"; do say "  $result"; done
exit $failed
