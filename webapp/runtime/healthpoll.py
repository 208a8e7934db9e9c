"""Polls /healthz without blocking the caller."""

import http.client
import threading
from urllib.parse import urlsplit

POLL_INTERVAL_S = 0.1
TIMEOUT_S = 5.0  # for one request; the first is answered when the web process has started


class HealthPoll:
    """Requests /healthz in a background thread until the answer is 200.

    `latest` is the last answer's text, or the reason why there was none.
    """

    def __init__(self, address: str) -> None:
        self._address = urlsplit(address)
        self.healthy = False
        self.latest = "the web process gives no answer"
        self._stop = threading.Event()
        threading.Thread(target=self._poll, name="healthz", daemon=True).start()

    def stop(self) -> None:
        self._stop.set()

    def _poll(self) -> None:
        while not self.healthy and not self._stop.is_set():
            try:
                status, self.latest = self._request()
                self.healthy = status == 200
            except (OSError, http.client.HTTPException) as error:
                self.latest = f"the web process gives no answer: {error}"
            if not self.healthy:
                self._stop.wait(POLL_INTERVAL_S)

    def _request(self) -> tuple[int, str]:
        host, port = self._address.hostname or "", self._address.port
        connection = http.client.HTTPConnection(host, port, timeout=TIMEOUT_S)
        try:
            connection.request("GET", "/healthz", headers={"Host": "localhost"})
            answer = connection.getresponse()
            return answer.status, answer.read().decode(errors="replace")[:500]
        finally:
            connection.close()
