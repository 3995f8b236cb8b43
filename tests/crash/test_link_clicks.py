"""Clicks on short links are answered before they are on disk: what an end of the process may take of them.

SIGTERM takes none. kill -9 may take those of the last 100 ms; the clients here are told apart by a whole second, for a
busy machine may take its time to sync.
"""

import http.client
import time
from pathlib import Path
from typing import Self

import apsw
import httpx
import pytest

from analytics_box.base.store.schema import EVENTS_FILE
from tests.crash.clients import Clients
from tests.running import BROWSER, UNLIMITED, Box, Server, running_box, serving, set_up

CLIENTS = 4
TAKEN = 1.0  # seconds before a kill -9 whose clicks may be gone: 0.1, and what a busy machine needs to sync
SETTINGS = UNLIMITED | {"limit_rpc": 0, "limit_key": 0}


class Storm:
    """Clients that follow one link as fast as they are answered. Each click comes from a page of its own."""

    def __init__(self, url: str, slug: str, label: str) -> None:
        self.answered: dict[str, float] = {}
        self.others: list[int] = []
        self._path = f"/l/{slug}"
        self._label = label
        self._clients = Clients(url, CLIENTS, self._follow)

    def __enter__(self) -> Self:
        self._clients.__enter__()
        return self

    def __exit__(self, *raised: object) -> None:
        self._clients.stop()

    def wait_until_answered(self, number: int) -> None:
        """Return once so many clicks have been answered."""
        assert self._clients.wait_until(lambda: len(self.answered) >= number)

    def _follow(self, connection: http.client.HTTPConnection, client: int, turn: int) -> bool:
        name = f"https://from.example/{self._label}-{client}-{turn}"
        connection.request("GET", self._path, headers={"Referer": name, "User-Agent": BROWSER, "Accept": "*/*"})
        answer = connection.getresponse()
        answer.read()
        with self._clients.changed:
            if answer.status == 302:
                self.answered[name] = time.monotonic()
            else:
                self.others.append(answer.status)
        return True


def link_of(box: Box) -> str:
    content = {"name": "Storm", "targetUrl": "https://example.com/", "slug": "storm"}
    answer = httpx.post(f"{box.url}/links/create", json=content, headers={"x-api-key": box.account.api_key})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["slug"])


def stored(data_dir: Path) -> list[str]:
    db = apsw.Connection(str(data_dir / EVENTS_FILE), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        rows = db.execute("select value from link_clicks join strings on strings.id = referrer").fetchall()
    finally:
        db.close()
    return [str(value) for (value,) in rows]


@pytest.mark.crash
def test_kill_9_takes_the_last_moment_of_a_storm_of_clicks_and_no_more(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    account = set_up(data_dir)
    server = Server(data_dir, SETTINGS)
    try:
        server.wait_until_ready()
        slug = link_of(Box(server, account))
        with Storm(server.url, slug, "first") as storm:
            storm.wait_until_answered(1_500)
            killed = time.monotonic()
            server.kill()
    finally:
        server.kill()
    assert storm.others == []
    kept = stored(data_dir)
    assert len(kept) == len(set(kept))
    due = {name for name, at in storm.answered.items() if at < killed - TAKEN}
    assert due - set(kept) == set()

    with serving(data_dir, **SETTINGS) as again, Storm(again.url, slug, "second") as second:
        second.wait_until_answered(50)
    assert set(second.answered) <= set(stored(data_dir))


@pytest.mark.crash
def test_an_orderly_end_in_a_storm_of_clicks_takes_none(tmp_path: Path) -> None:
    with running_box(tmp_path / "data", **SETTINGS) as box:
        slug = link_of(box)
        with Storm(box.url, slug, "only") as storm:
            storm.wait_until_answered(500)
            assert box.server.stop() == 0
    assert set(storm.answered) - set(stored(tmp_path / "data")) == set()
