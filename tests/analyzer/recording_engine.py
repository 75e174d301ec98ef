#!/usr/bin/env python3
"""Stands in front of an engine: passes every line on, in both directions, and keeps it in messages.jsonl of its folder.

$KADVISE_REAL_ENGINES is the folder of the real programs; which one is meant is the name that this goes by.
"""

import os
import pathlib
import subprocess
import sys
import threading

FOLDER = pathlib.Path(sys.argv[0]).parent
NAME = pathlib.Path(sys.argv[0]).name


def pass_on(source, target):
    for line in source:
        with open(FOLDER / "messages.jsonl", "ab") as log:  # appended in one write, so that lines of several engines stay whole
            log.write(line)
        try:
            target.write(line)
            target.flush()
        except BrokenPipeError:
            break
    target.close()


def main():
    requests, to_engine = os.pipe()
    from_engine, messages = os.pipe()
    command = f'exec 3<&{requests} 4>&{messages} {requests}<&- {messages}>&-; exec "$0"'
    process = subprocess.Popen(["bash", "-c", command, os.path.join(os.environ["KADVISE_REAL_ENGINES"], NAME)], pass_fds=(requests, messages))
    os.close(requests)
    os.close(messages)
    asking = threading.Thread(target=pass_on, args=(os.fdopen(3, "rb", buffering=0), os.fdopen(to_engine, "wb", buffering=0)), daemon=True)
    asking.start()
    pass_on(os.fdopen(from_engine, "rb"), os.fdopen(4, "wb", buffering=0))
    sys.exit(process.wait())


if __name__ == "__main__":
    main()
