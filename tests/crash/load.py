"""Clients that send events as fast as they are answered, and remember what they were told."""

import http.client
import json
import threading
from pathlib import Path
from types import TracebackType
from urllib.parse import urlsplit

import apsw

from analytics_box.store.schema import EVENTS_FILE
from tests.running import Account

CLIENTS = 6
PATIENCE = 30.0  # seconds until a test gives up waiting for answers


class Load:
    """A few keep-alive clients, each in its thread, until `stop` or until the server is gone.

    Every event has a name of its own in its properties. `acknowledged` are those that were answered 200, `refused`
    those that were answered with something else, `unanswered` those whose answer never came.
    """

    def __init__(self, url: str, account: Account, label: str) -> None:
        self.acknowledged: set[str] = set()
        self.refused: set[str] = set()
        self.unanswered: set[str] = set()
        self._address = urlsplit(url).netloc
        self._account = account
        self._label = label
        self._stopping = False
        self._changed = threading.Condition()
        self._threads = [threading.Thread(target=self._send, args=(nth,)) for nth in range(CLIENTS)]

    def __enter__(self) -> "Load":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, at: TracebackType | None
    ) -> None:
        self.stop()

    def wait_until_acknowledged(self, number: int) -> None:
        """Return once so many events have been acknowledged."""
        with self._changed:
            reached = self._changed.wait_for(lambda: len(self.acknowledged) >= number, PATIENCE)
        assert reached, f"only {len(self.acknowledged)} events were acknowledged"

    def wait_until_gone(self) -> None:
        """Return once every client has lost its connection."""
        for thread in self._threads:
            thread.join(PATIENCE)
            assert not thread.is_alive(), "a client still waits for an answer"

    def stop(self) -> None:
        """End every client after its next answer."""
        self._stopping = True
        self.wait_until_gone()

    def _send(self, client: int) -> None:
        connection = http.client.HTTPConnection(self._address, timeout=PATIENCE)
        headers = {"Content-Type": "application/json", "X-Api-Key": self._account.api_key}
        turn = 0
        while not self._stopping:
            turn += 1
            size = 3 if turn % 5 == 0 else 1  # some send several at once: all are stored or none
            names = {f"{self._label}-{client}-{turn}-{nth}" for nth in range(size)}
            events = [self._event(client, name) for name in sorted(names)]
            try:
                connection.request("POST", "/track", json.dumps(events if size > 1 else events[0]), headers)
                answer = connection.getresponse()
                answer.read()
            except (OSError, http.client.HTTPException):
                self.unanswered |= names
                return
            with self._changed:
                (self.acknowledged if answer.status == 200 else self.refused).update(names)
                self._changed.notify_all()
            if answer.getheader("connection") == "close":
                return

    def _event(self, client: int, name: str) -> dict[str, object]:
        return {
            "name": "bought",
            "websiteId": self._account.website_id,
            "anonymousId": f"client {client}",
            "properties": {"id": name},
        }


def stored_names(data_dir: Path) -> set[str]:
    """The names of all events in a data directory that no server holds; its structure is checked on the way."""
    connection = apsw.Connection(str(data_dir / EVENTS_FILE), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        assert connection.pragma("quick_check") == "ok"
        names = [str(name) for (name,) in connection.execute("select properties ->> 'id' from events").fetchall()]
    finally:
        connection.close()
    assert len(set(names)) == len(names), "an event was stored twice"
    return set(names)
