"""Clients that ask as fast as they are answered, each over a connection of its own."""

import http.client
import threading
from collections.abc import Callable
from typing import Self
from urllib.parse import urlsplit

PATIENCE = 30.0  # seconds until a test gives up waiting for answers

Ask = Callable[[http.client.HTTPConnection, int, int], bool]


class Clients:
    """A few keep-alive clients, each in its thread, until `stop` or until the server is gone.

    `ask` is called with a connection, the number of the client and that of its turn, counted from 1. It sends one
    request, notes what was answered while it holds `changed`, and says whether its client goes on; the client ends
    where it raises OSError or HTTPException.
    """

    def __init__(self, url: str, number: int, ask: Ask) -> None:
        self.changed = threading.Condition()
        self._address = urlsplit(url).netloc
        self._ask = ask
        self._stopping = False
        self._threads = [threading.Thread(target=self._go_on, args=(nth,)) for nth in range(number)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self.stop()

    def wait_until(self, reached: Callable[[], bool]) -> bool:
        """Return once what was noted is enough, or after PATIENCE; whether it is."""
        with self.changed:
            return self.changed.wait_for(reached, PATIENCE)

    def wait_until_gone(self) -> None:
        """Return once every client has ended, because it lost its connection or was told to."""
        for thread in self._threads:
            thread.join(PATIENCE)
            assert not thread.is_alive(), "a client still waits for an answer"

    def stop(self) -> None:
        """End every client after its next answer."""
        self._stopping = True
        self.wait_until_gone()

    def _go_on(self, client: int) -> None:
        connection = http.client.HTTPConnection(self._address, timeout=PATIENCE)
        turn = 0
        while not self._stopping:
            turn += 1
            try:
                goes_on = self._ask(connection, client, turn)
            except (OSError, http.client.HTTPException):
                return
            with self.changed:
                self.changed.notify_all()
            if not goes_on:
                return
