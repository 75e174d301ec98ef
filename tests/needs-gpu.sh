#!/bin/sh
# Runs a command that needs a GPU; where there is none, says so and lets ctest count the test as skipped (77).
if [ ! -e /dev/nvidiactl ] && [ ! -e /dev/dxg ]; then
  echo "SKIPPED: no NVIDIA GPU on this machine, so nothing was tested by: $*"
  exit 77
fi
exec "$@"
