"""Ends a process in which one C call never releases the interpreter lock.

A regular expression that backtracks, or a fault in an extension module, stops every thread of its
process, and no Python code can help. The timer of `faulthandler` needs no lock: it writes the
stacks of all threads to the log and ends the process. The supervisor starts a new one.
"""

import faulthandler
import threading
from time import sleep

# The supervisor gives up after three deaths within a minute. At this value it never does.
BLOCKED_S = 30.0
STDERR_FD = 2


def start_watchdog(blocked_s: float = BLOCKED_S) -> None:
    """End this process when its threads have not run for `blocked_s` seconds."""

    def rearm_forever() -> None:
        while True:
            # A descriptor number, because Celery replaces `sys.stderr` by an object without one.
            faulthandler.dump_traceback_later(blocked_s, exit=True, file=STDERR_FD)
            sleep(blocked_s / 10)

    threading.Thread(target=rearm_forever, name="watchdog", daemon=True).start()
