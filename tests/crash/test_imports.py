"""kill -9 in the middle of an import of history and of its removal: the rows are those of an unbroken one."""

import shutil
import time
from pathlib import Path
from typing import Any

import apsw
import httpx
import pytest

from analytics_box.base.store.schema import EVENTS_FILE
from tests.products.imports.world import sheet
from tests.running import START_SECONDS, UNLIMITED, Account, Server, set_up

SETTINGS = UNLIMITED | {"limit_rpc": 0, "limit_key": 0}
ROWS = 12_000
PARTS = (0.1, 0.4, 0.6)  # of the rows that are stored when the process is killed
HEADER = "website_id,session_id,visit_id,event_id,browser,os,device,url_path,event_type,event_name,created_at"
# Sessions are numbered by the order of their first row, for each import has numbers of its own.
STORED = """
    select time, kind, visitor, dense_rank() over (order by session), since_start, path.value, place
    from stored_events join strings as path on path.id = stored_events.path order by 1, 2, 3, 4, 6
"""


def export() -> bytes:
    """Visits of two page views and a custom event, which comes first in every third."""
    rows = []
    for number in range(ROWS):
        visit, step = divmod(number, 3)
        minute, second = divmod(visit % 86_000 // 2, 60)
        custom = step == (0 if visit % 3 == 0 else 2)
        moment = f"2025-01-{10 + visit % 9:02} {minute // 60:02}:{minute % 60:02}:{second:02}.{step}00"
        of_event = ("2", "order") if custom else ("1", "")
        path = f"/{visit % 50}"
        rows.append(
            ("w", f"s{visit % 900}", f"v{visit}", f"e{number}", "chrome", "Linux", "desktop", path, *of_event, moment)
        )
    return sheet(HEADER, rows).encode()


class ImportingServer:
    """A server that imports, on a data directory that outlives it."""

    def __init__(self, data_dir: Path, account: Account) -> None:
        self.data_dir, self._account = data_dir, account
        self.server = Server(data_dir, SETTINGS)
        self.server.wait_until_ready()

    def call(self, name: str, **given: str) -> Any:
        answer = httpx.post(f"{self.server.url}/imports/{name}", json=given, headers=self._headers)
        assert answer.status_code == 200, answer.text
        return answer.json()

    @property
    def _headers(self) -> dict[str, str]:
        return {"x-api-key": self._account.api_key}

    def begin(self) -> str:
        """Upload the export, and start its import."""
        created = self.call("createUpload", websiteId=self._account.website_id, fileName="website_event.csv")
        address = f"{self.server.url}/imports/{created['id']}/file"
        assert httpx.put(address, content=export(), headers=self._headers).status_code == 200
        self.wait_until(created["id"], "checked")
        self.call("start", id=created["id"])
        return str(created["id"])

    def wait_until(self, import_id: str, state: str, progress: float = 0) -> None:
        """Return once an import is in this state, and this part of it is done."""
        deadline = time.monotonic() + START_SECONDS
        while (row := self.call("status", id=import_id))["state"] != state or row["progress"] < progress:
            assert row["state"] != "failed", row
            assert time.monotonic() < deadline, row

    def killed(self) -> "ImportingServer":
        """Kill the process, and start another one."""
        self.server.kill()
        return ImportingServer(self.data_dir, self._account)

    def rows(self, copy: Path) -> list[Any]:
        """Stop the server. Return what its file has, read in a copy."""
        self.server.stop()
        left = Path(shutil.copytree(self.data_dir, copy, ignore=shutil.ignore_patterns("*.sock")))
        db = apsw.Connection(str(left / EVENTS_FILE))
        try:
            return db.execute(STORED).fetchall()
        finally:
            db.close()


@pytest.mark.crash
def test_kill_9_during_an_import_and_its_removal_leaves_the_rows_of_an_unbroken_one(tmp_path: Path) -> None:
    account = set_up(tmp_path / "data")
    shutil.copytree(tmp_path / "data", tmp_path / "unbroken")
    box = ImportingServer(tmp_path / "unbroken", account)
    try:
        box.wait_until(box.begin(), "done")
        expected = box.rows(tmp_path / "expected")
    finally:
        box.server.kill()
    assert len(expected) == ROWS

    box = ImportingServer(tmp_path / "data", account)
    try:
        import_id = box.begin()
        for part in PARTS:
            box.wait_until(import_id, "running", part)
            box = box.killed()
        box.wait_until(import_id, "done")
        assert box.rows(tmp_path / "broken") == expected

        box = ImportingServer(box.data_dir, account)
        assert box.call("undo", id=import_id)["state"] == "undoing"
        box = box.killed()
        box.wait_until(import_id, "undone")
        assert box.rows(tmp_path / "removed") == []
    finally:
        box.server.kill()
