"""kill -9 of the server and of the command that follows a log: each line is a page view once."""

import os
import signal
import subprocess
import time
from pathlib import Path

import apsw
import pytest

from analytics_box.base.store.schema import EVENTS_FILE
from tests.running import BROWSER, START_SECONDS, UNLIMITED, Server, command, environment, set_up

SETTINGS = UNLIMITED | {"limit_rpc": 0, "limit_key": 0}
LINES, KILLS = 9_000, 3
LINE = (
    '198.51.100.{host} - - [10/Jan/2026:10:{minute:02}:{second:02} +0000] "GET /{page} HTTP/1.1" 200 9 "-" "{agent}"\n'
)


def write(path: Path, first: int, number: int) -> None:
    with path.open("a") as log:
        for page in range(first, first + number):
            minute, second = divmod(page // 3 % 3_600, 60)
            log.write(LINE.format(host=page % 200, minute=minute, second=second, page=page, agent=BROWSER))


def stored(data_dir: Path) -> list[tuple[str, int]]:
    """The paths of all page views with their numbers."""
    db = apsw.Connection(str(data_dir / EVENTS_FILE), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return db.execute("select path, count(*) from events group by path").fetchall()  # type: ignore[return-value]
    finally:
        db.close()


def wait_for(data_dir: Path, lines: int) -> None:
    deadline = time.monotonic() + 2 * START_SECONDS
    while len(stored(data_dir)) < lines:
        assert time.monotonic() < deadline, len(stored(data_dir))


@pytest.mark.crash
@pytest.mark.parametrize("remote", [False, True])
def test_kill_9_of_either_side_loses_no_line_and_counts_none_twice(tmp_path: Path, remote: bool) -> None:
    data_dir, log = tmp_path / "data", tmp_path / "access.log"
    account = set_up(data_dir)
    options = ["--website", account.website_id, "--position", str(tmp_path / "position.json")]
    server = Server(data_dir, SETTINGS)
    server.wait_until_ready()
    settings = {"data_dir": data_dir, "key": account.api_key}

    def start() -> "subprocess.Popen[bytes]":
        where = ["--url", server.url] if remote else []
        arguments = command("import", str(log), "--follow", *options, *where)
        return subprocess.Popen(arguments, env=environment(**settings), stderr=subprocess.DEVNULL)

    write(log, 0, LINES // 3)
    following = start()
    try:
        for kill in range(1, KILLS + 1):
            wait_for(data_dir, kill * LINES // 10)
            server.kill()
            os.kill(following.pid, signal.SIGKILL)
            following.wait()
            if kill < 3:
                write(log, kill * LINES // 3, LINES // 3)
            server = Server(data_dir, SETTINGS)
            server.wait_until_ready()
            following = start()
        wait_for(data_dir, LINES)
        assert {number for _path, number in stored(data_dir)} == {1}
    finally:
        following.kill()
        following.wait()
        server.kill()
