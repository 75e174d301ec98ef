#!/bin/sh
# Hand-written operators under compute-sanitizer, 20 small cases each, with our kernels alone instrumented: torch's
# reductions are reported by racecheck, and are not ours. By hand, on a GPU:
#
#   operators_sanitize.sh PYTHON LIBRARY [TOOL…]
set -e
python=$1 library=$2
shift 2
here=$(dirname "$0")
[ $# -gt 0 ] || set -- memcheck racecheck initcheck synccheck
for tool in "$@"; do
  echo "== $tool"
  compute-sanitizer --tool "$tool" --error-exitcode 3 --kernel-regex kns=kadvise "$python" "$here/small_cases.py" --library "$library"
done
