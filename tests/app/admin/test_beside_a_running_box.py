"""Commands beside a running box act on its very next request, and are written down as the command line's."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import httpx
import pytest

from tests.running import EMAIL, PASSWORD, Box, run_set_up, running_box, serving, set_up
from tests.running import run as run_command

pytestmark = pytest.mark.crash


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    with running_box(tmp_path_factory.mktemp("admin") / "data") as running:
        yield running


def run(data_dir: Path, *arguments: str, given: str = "") -> "subprocess.CompletedProcess[str]":
    return run_command(*arguments, given=given, data_dir=data_dir)


def result(data_dir: Path, *arguments: str) -> Any:
    ended = run(data_dir, *arguments, "--json")
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def status(box: Box, secret: str) -> int:
    return httpx.get(f"{box.url}/v1/query/websites", headers={"x-api-key": secret}).status_code


def written_down(data_dir: Path, subject_id: str) -> list[tuple[str, str]]:
    db = apsw.Connection(str(data_dir / "box.db"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        rows = db.execute("select action, actor from audit where subject_id = ? order by id", (subject_id,)).fetchall()
    finally:
        db.close()
    return [(str(action), str(actor)) for action, actor in rows]


def test_a_new_key_works_at_once_and_a_revoked_one_no_more(box: Box) -> None:
    made = result(box.server.data_dir, "key", "create", "--name", "Nightly report", "--scope", "read:data")
    assert status(box, made["secret"]) == 200
    ended = run(box.server.data_dir, "key", "revoke", made["id"])
    assert (ended.returncode, ended.stdout) == (0, f"Revoked Nightly report ({made['start']}…)\n")
    assert status(box, made["secret"]) == 401
    assert written_down(box.server.data_dir, made["id"]) == [("created", "command line"), ("revoked", "command line")]


def test_a_rotated_key_has_a_new_secret_at_once_and_a_deleted_one_is_gone(box: Box) -> None:
    made = result(box.server.data_dir, "key", "create", "--name", "Turned", "--scope", "read:data")
    rotated = result(box.server.data_dir, "key", "rotate", made["id"])
    assert rotated["id"] == made["id"]
    assert (status(box, made["secret"]), status(box, rotated["secret"])) == (401, 200)
    assert run(box.server.data_dir, "key", "delete", made["id"]).returncode == 0
    assert status(box, rotated["secret"]) == 401
    assert made["id"] not in run(box.server.data_dir, "key", "list").stdout
    assert [action for action, _ in written_down(box.server.data_dir, made["id"])] == ["created", "rotated", "deleted"]


def test_the_list_shows_no_secret(box: Box) -> None:
    made = result(box.server.data_dir, "key", "create", "--name", "Listed", "--scope", "track:events")
    listed = run(box.server.data_dir, "key", "list")
    assert made["id"] in listed.stdout
    assert made["start"] in listed.stdout
    assert made["secret"] not in listed.stdout
    assert box.account.api_key not in listed.stdout


def test_a_revoke_cannot_be_repeated_and_an_unknown_key_is_named(box: Box) -> None:
    made = result(box.server.data_dir, "key", "create", "--name", "Twice", "--scope", "read:data")
    assert run(box.server.data_dir, "key", "revoke", made["id"]).returncode == 0
    again, unknown = (run(box.server.data_dir, "key", "revoke", key_id) for key_id in (made["id"], "nothing"))
    assert (again.returncode, again.stderr) == (1, "Error: This API key is revoked. Create a new one\n")
    assert (unknown.returncode, unknown.stderr) == (1, "Error: There is no API key with this id\n")


def test_a_key_of_a_website_that_is_not_there_is_refused(box: Box) -> None:
    ended = run(box.server.data_dir, "key", "create", "--name", "x", "--scope", "read:data", "--website", "notawebsite")
    assert ended.returncode == 1
    assert "There is no website notawebsite" in ended.stderr


def test_without_a_running_box_the_same_commands_work_on_the_files(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    account = set_up(data_dir)
    made = result(data_dir, "key", "create", "--name", "Offline", "--scope", "read:data")
    assert run(data_dir, "key", "revoke", made["id"]).returncode == 0
    assert not (data_dir / "admin.sock").exists()
    with serving(data_dir) as server:
        running = Box(server, account)
        assert status(running, made["secret"]) == 401
        assert status(running, account.api_key) == 200
        assert (data_dir / "admin.sock").is_socket()
    assert not (data_dir / "admin.sock").exists()


def test_a_running_box_is_set_up_without_a_browser_and_the_link_is_void(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    with serving(data_dir) as server:
        server.wait_until_printed("/setup?token=")
        link = next(word for word in server.printed().split() if "/setup?token=" in word)
        token = link.partition("?")[2]
        assert httpx.get(f"{server.url}/setup?{token}").status_code == 200
        account = run_set_up(data_dir)
        assert httpx.get(f"{server.url}/setup?{token}").status_code == 403
        running = Box(server, account)
        assert status(running, account.api_key) == 200
        signed_in = httpx.post(f"{server.url}/sign-in", data={"email": EMAIL, "password": PASSWORD})
        assert signed_in.status_code == 303
        with pytest.raises(AssertionError, match="This server is already set up"):
            run_set_up(data_dir)
    assert written_down(data_dir, account.user_id) == [("created", "command line")]
