"""Kills the process group when the supervisor dies, even by SIGKILL, so that no orphan remains.

The script uses only the standard library. It leads a process group that every child joins. Its
standard input is one end of a pipe, and only the supervisor has the other end. So the pipe closes
when the supervisor ends for any reason. Then the script sends the group SIGTERM, and SIGKILL after
the seconds in its first argument.

This works on Linux and macOS, without races: a child is in the group before it runs its first
instruction, and the group's id can't be reused while the orphan guard lives.
"""

import os
import signal
import sys
import time


def main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    while os.read(0, 1024):
        pass
    os.killpg(0, signal.SIGTERM)
    time.sleep(float(sys.argv[1]))
    os.killpg(0, signal.SIGKILL)  # the orphan guard itself included


if __name__ == "__main__":
    main()
