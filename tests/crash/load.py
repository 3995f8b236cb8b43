"""Clients that send events as fast as they are answered, and remember what they were told."""

import http.client
import json
from pathlib import Path
from typing import Self

import apsw

from analytics_box.base.store.schema import EVENTS_FILE
from tests.crash.clients import Clients
from tests.running import Account

CLIENTS = 6


class Load:
    """A few keep-alive clients, each in its thread, until `stop` or until the server is gone.

    Every event has a name of its own in its properties. `acknowledged` are those that were answered 200, `refused`
    those that were answered with something else, `unanswered` those whose answer never came.
    """

    def __init__(self, url: str, account: Account, label: str) -> None:
        self.acknowledged: set[str] = set()
        self.refused: set[str] = set()
        self.unanswered: set[str] = set()
        self._account = account
        self._label = label
        self._clients = Clients(url, CLIENTS, self._send)

    def __enter__(self) -> Self:
        self._clients.__enter__()
        return self

    def __exit__(self, *raised: object) -> None:
        self._clients.stop()

    def wait_until_acknowledged(self, number: int) -> None:
        """Return once so many events have been acknowledged."""
        reached = self._clients.wait_until(lambda: len(self.acknowledged) >= number)
        assert reached, f"only {len(self.acknowledged)} events were acknowledged"

    def wait_until_refused(self, number: int) -> None:
        """Return once this many events have been refused."""
        reached = self._clients.wait_until(lambda: len(self.refused) >= number)
        assert reached, f"only {len(self.refused)} events were refused"

    def wait_until_gone(self) -> None:
        """Return once every client has lost its connection."""
        self._clients.wait_until_gone()

    def _send(self, connection: http.client.HTTPConnection, client: int, turn: int) -> bool:
        headers = {"Content-Type": "application/json", "X-Api-Key": self._account.api_key}
        size = 3 if turn % 5 == 0 else 1  # some send several at once: all are stored or none
        names = {f"{self._label}-{client}-{turn}-{nth}" for nth in range(size)}
        events = [self._event(client, name) for name in sorted(names)]
        try:
            connection.request("POST", "/track", json.dumps(events if size > 1 else events[0]), headers)
            answer = connection.getresponse()
            answer.read()
        except (OSError, http.client.HTTPException):
            self.unanswered |= names
            raise
        with self._clients.changed:
            (self.acknowledged if answer.status == 200 else self.refused).update(names)
        return answer.getheader("connection") != "close"

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
