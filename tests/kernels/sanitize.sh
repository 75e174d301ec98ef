#!/bin/sh
# Our kernels under compute-sanitizer, 20 cases each: the hand-written operators, and generated kernels in every form. Torch's own
# kernels are left out, since racecheck reports their reductions. By hand, on a GPU:
#
#   sanitize.sh PYTHON LIBRARY [TOOL…]
set -e
python=$1 library=$2
shift 2
here=$(dirname "$0")
[ $# -gt 0 ] || set -- memcheck racecheck initcheck synccheck

# watched TOOL KERNELS SCRIPT [ARGUMENT…]: KERNELS is a part of their names
watched() {
  tool=$1 kernels=$2 script=$3
  shift 3
  # What torch's kernels wrote, which are left out, would look unwritten to copies to the host.
  copies=yes
  [ "$tool" != initcheck ] || copies=no
  compute-sanitizer --tool "$tool" --check-api-memory-access "$copies" --error-exitcode 3 --kernel-name "kns=$kernels" "$python" "$here/$script" --library "$library" "$@"
}

for tool in "$@"; do
  echo "== $tool"
  watched "$tool" kadvise small_cases.py
  watched "$tool" row_program rowprogram_gpu.py --only every_form --cases 20
done
