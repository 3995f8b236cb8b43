"""kill -9 with sessions open: whoever goes on after the restart goes on in the same session (semantics 10)."""

from pathlib import Path

import apsw
import httpx
import pytest

from analytics_box.base.store.schema import EVENTS_FILE
from tests.running import BROWSER, UNLIMITED, Account, Server, set_up

VISITORS = 12
ROUNDS = 4
HEADERS = {"User-Agent": BROWSER, "Accept": "*/*", "Origin": "https://example.com"}


def send(server: Server, account: Account, path: str, body: object) -> None:
    answer = httpx.post(f"{server.url}{path}?client_id={account.website_id}", json=body, headers=HEADERS, timeout=30)
    assert answer.status_code == 200, answer.text
    assert answer.headers["x-analytics-box"] == "stored=1"


@pytest.mark.crash
def test_open_sessions_go_on_after_kill_9(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    account = set_up(data_dir)
    for turn in range(ROUNDS):
        server = Server(data_dir, UNLIMITED)
        try:
            server.wait_until_ready()
            for visitor in range(VISITORS):
                page = {"path": f"https://example.com/{turn}", "anonymousId": f"visitor {visitor}"}
                if visitor % 3 == 0:  # measured before it is viewed, and in the first round only measured
                    send(server, account, "/vitals", [{**page, "metricName": "TTFB", "metricValue": 5}])
                if visitor % 3 or turn:
                    named = {"sessionId": f"session_{visitor}"} if visitor % 3 == 2 else {}
                    send(server, account, "/", {**page, **named, "name": "screen_view"})
        finally:
            server.kill()
    db = apsw.Connection(str(data_dir / EVENTS_FILE))
    try:
        sessions = db.execute("select session, session_started, count(*) from events group by 1, 2").fetchall()
        measured = {session for (session,) in db.execute("select session from vitals").fetchall()}
    finally:
        db.close()
    assert len(sessions) == VISITORS, "every visitor has one session, with one start"
    assert sorted(int(str(number)) for *_, number in sessions) == [ROUNDS - 1] * 4 + [ROUNDS] * 8
    assert len(measured) == VISITORS // 3
    assert measured <= {session for session, *_ in sessions}
