"""Run the sweeper, which ends deadlines and pauses on time and queues lost work again."""

import signal
import threading
from typing import Any

from webapp.commands import DatabaseCommand
from webapp.connections import keep_open
from webapp.play.live.sweeper import Sweeper
from webapp.watchdog import start_watchdog


class Command(DatabaseCommand):
    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        stop = threading.Event()
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, lambda *_: stop.set())
        keep_open()
        start_watchdog()
        Sweeper().run(stop)
