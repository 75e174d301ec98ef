#!/bin/sh
# Generated kernels under compute-sanitizer: 20 generated cases in every form, each tool, and none of torch's own
# kernels, whose reductions racecheck reports. By hand, on a GPU:
#
#   rowprogram_sanitize.sh PYTHON LIBRARY [TOOL…]
set -e
python=$1 library=$2
shift 2
here=$(dirname "$0")
[ $# -gt 0 ] || set -- memcheck racecheck initcheck synccheck
for tool in "$@"; do
  echo "== $tool"
  compute-sanitizer --tool "$tool" --error-exitcode 3 --kernel-name kns=row_program "$python" "$here/rowprogram_gpu.py" --library "$library" --only every_form \
    --cases 20
done
