"""The real supervisor over trivial children: `python -m tests.runtime.trivial FOLDER …`.

Further arguments are the children's names. "steady" sleeps, "stubborn" ignores SIGTERM, "parent"
has a child of its own, "frail" prints a line and ends. An ending child has a second, or half a
minute with "--patient".
"""

import sys
import tempfile
from pathlib import Path

from webapp.runtime import StartupError
from webapp.runtime.process_group import Child, ProcessGroup
from webapp.runtime.supervisor import StopRequested, Supervisor

SLEEP = "import signal; print('asleep', flush=True); signal.pause()"
CODE = {
    "steady": SLEEP,
    "stubborn": f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {SLEEP}",
    "parent": f"import subprocess, sys; subprocess.run([sys.executable, '-c', {SLEEP!r}])",
    "frail": "print('an ominous creak'); raise SystemExit(3)",
}


def say(text: str) -> None:
    print(text, flush=True)


def main() -> int:
    folder, *names = sys.argv[1:]
    follow = "--end-with-parent" in names
    grace_s = 30.0 if "--patient" in names else 1.0
    names = [name for name in names if name in CODE]
    with ProcessGroup(Path(folder or tempfile.mkdtemp()) / "logs") as group:
        supervisor = Supervisor(group, say, end_with_parent=follow, grace_s=grace_s)
        supervisor.catch_signals()
        try:
            for name in names:
                supervisor.group.start(Child(name, [sys.executable, "-c", CODE[name]]))
            say("started")
            supervisor.run()
        except StopRequested:
            say("ending")
        except StartupError as refusal:
            say(str(refusal))
            return 1
        finally:
            supervisor.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
