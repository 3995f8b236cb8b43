"""`user create`, `user list` and `user reset-password`: at once on a box that runs, else on its files."""

import base64
import json
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import apsw
import httpx
import pytest

from analytics_box.tenants.accounts import second_factor
from tests.running import EMAIL, PASSWORD, Box, running_box, serving, set_up
from tests.running import run as run_command

NEW = "a sentence that nobody guesses"


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    with running_box(tmp_path_factory.mktemp("users") / "data", limit_sign_in=0) as running:
        yield running


def run(data_dir: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return run_command("user", *arguments, data_dir=data_dir)


def result(data_dir: Path, *arguments: str) -> Any:
    ended = run(data_dir, *arguments, "--json")
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def sign_in(box: Box, email: str, password: str) -> httpx.Response:
    return httpx.post(f"{box.url}/sign-in", data={"email": email, "password": password})


def role(box: Box, signed_in: httpx.Response) -> Any:
    cookie = signed_in.headers["set-cookie"].partition(";")[0]
    return httpx.post(f"{box.url}/apikeys/getMyRole", json={}, headers={"cookie": cookie}).json()["role"]


def rows(data_dir: Path, statement: str, *values: str) -> list[Any]:
    db = apsw.Connection(str(data_dir / "box.db"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return db.execute(statement, values).fetchall()
    finally:
        db.close()


def written_down(data_dir: Path, user_id: str) -> list[Any]:
    return rows(data_dir, "select action, subject, actor from audit where subject_id = ? order by id", user_id)


def here(box: Box, link: str) -> str:
    """A link of the box, at the address where it really listens."""
    parts = urlsplit(link)
    return f"{box.url}{parts.path}?{parts.query}"


def test_a_new_person_chooses_a_password_by_link_and_signs_in(box: Box) -> None:
    made = result(box.server.data_dir, "create", "Grace@Example.com", "--name", "Grace Hopper", "--role", "admin")
    assert (made["email"], made["role"], made["organization"]) == ("grace@example.com", "admin", "Example")
    assert sign_in(box, "grace@example.com", "").status_code == 401
    page = httpx.get(here(box, made["link"])).text
    assert "Choose a password" in page
    assert "signed out" not in page
    assert httpx.post(here(box, made["link"]), data={"password": "short"}).status_code == 400
    assert httpx.post(here(box, made["link"]), data={"password": NEW}).status_code == 303
    assert httpx.get(here(box, made["link"])).status_code == 403, "it works once"
    signed_in = sign_in(box, "grace@example.com", NEW)
    assert signed_in.status_code == 303
    assert role(box, signed_in) == "admin"
    assert written_down(box.server.data_dir, made["id"]) == [
        ("created", "user", "command line"),
        ("created", "member", "command line"),
        ("created", "password reset", "command line"),
        ("updated", "password", "reset link"),
    ]


def test_output_names_the_receiver_of_the_link_and_no_password(box: Box) -> None:
    ended = run(box.server.data_dir, "create", "alan@example.com")
    assert ended.returncode == 0
    assert ended.stdout.startswith("alan@example.com is member of Example. Send them this link:\n")
    assert "/reset-password?token=" in ended.stdout
    assert "The link works once, until 20" in ended.stdout


def test_list_shows_all_users_with_roles_and_missing_steps(box: Box) -> None:
    result(box.server.data_dir, "create", "barbara@example.com", "--name", "Barbara", "--role", "viewer")
    listed = {one["email"]: one for one in result(box.server.data_dir, "list")}
    owner, viewer = listed[EMAIL], listed["barbara@example.com"]
    assert (owner["isAdministrator"], owner["hasPassword"], viewer["isAdministrator"]) == (True, True, False)
    assert (viewer["name"], viewer["hasPassword"], viewer["hasSecondFactor"]) == ("Barbara", False, False)
    assert [one["role"] for one in viewer["memberships"]] == ["viewer"]
    assert viewer["seenAt"] is None
    assert set(viewer) == {
        *(
            "id",
            "email",
            "name",
            "isAdministrator",
            "isConfirmed",
            "hasPassword",
            "hasSecondFactor",
            "createdAt",
            "seenAt",
        ),
        "memberships",
    }, "neither password nor secret"
    words = run(box.server.data_dir, "list", "--organization", "example").stdout
    assert "barbara@example.com  Barbara  no password yet, never signed in\n    viewer of example\n" in words


def test_a_known_address_is_refused_in_one_line(box: Box) -> None:
    ended = run(box.server.data_dir, "create", EMAIL.upper())
    assert (ended.returncode, ended.stderr) == (
        1,
        "Error: There is already an account with the address owner@example.com\n",
    )


def test_password_can_be_reset_while_the_box_runs(box: Box) -> None:
    first = sign_in(box, EMAIL, PASSWORD)
    ended = run(box.server.data_dir, "reset-password", EMAIL)
    assert (ended.returncode, ended.stdout.count("\n")) == (0, 1), "a link and nothing else, for scripts"
    link = here(box, ended.stdout.strip())
    assert "All sessions will be signed out" in httpx.get(link).text
    assert httpx.post(link, data={"password": NEW}).status_code == 303
    cookie = first.headers["set-cookie"].partition(";")[0]
    assert httpx.get(f"{box.url}/settings/profile", headers={"cookie": cookie}).status_code == 303, "signed out"
    assert [sign_in(box, EMAIL, password).status_code for password in (PASSWORD, NEW)] == [401, 303]
    again = here(box, run(box.server.data_dir, "reset-password", EMAIL).stdout.strip())
    assert httpx.post(again, data={"password": PASSWORD}).status_code == 303


def test_second_factor_is_removed_only_on_request(box: Box) -> None:
    data_dir = box.server.data_dir
    made = result(data_dir, "create", "phone@example.com")
    assert httpx.post(here(box, made["link"]), data={"password": NEW}).status_code == 303
    signed_in = sign_in(box, "phone@example.com", NEW)
    with httpx.Client(headers={"cookie": signed_in.headers["set-cookie"].partition(";")[0]}) as browser:
        security = f"{box.url}/settings/security"
        assert browser.post(f"{security}/second-factor", data={"password": NEW}).status_code == 303
        (key,) = re.findall(r'<code id="key">([A-Z2-7 ]+)</code>', browser.get(f"{security}/second-factor").text)
        assert browser.post(f"{security}/second-factor/confirm", data={"code": code_of(key)}).status_code == 200
    assert sign_in(box, "phone@example.com", NEW).headers["location"] == "/sign-in/code"
    assert next(one for one in result(data_dir, "list") if one["email"] == "phone@example.com")["hasSecondFactor"]
    link = here(box, run(data_dir, "reset-password", "phone@example.com").stdout.strip())
    assert httpx.post(link, data={"password": NEW}).status_code == 303
    assert sign_in(box, "phone@example.com", NEW).headers["location"] == "/sign-in/code", (
        "a new password is no way round"
    )
    assert run(data_dir, "reset-password", "phone@example.com", "--remove-second-factor").returncode == 0
    assert sign_in(box, "phone@example.com", NEW).headers["location"] == "/"
    assert ("deleted", "second factor", "command line") in written_down(data_dir, made["id"])


def code_of(key: str) -> str:
    """What an authenticator app shows for this key now."""
    seconds = time.time_ns() // 1_000_000 // second_factor.STEP
    return second_factor.code_at(base64.b32decode(key.replace(" ", "")), seconds)


def test_an_unknown_address_is_named(box: Box) -> None:
    ended = run(box.server.data_dir, "reset-password", "eve@example.com")
    assert (ended.returncode, ended.stderr) == (1, "Error: There is no account with the address eve@example.com\n")


def test_without_a_running_box_the_same_commands_work_on_the_files(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    account = set_up(data_dir)
    made = result(data_dir, "create", "grace@example.com", "--role", "owner", "--base-url", "https://stats.example.com")
    assert made["link"].startswith("https://stats.example.com/reset-password?token=")
    assert [one["email"] for one in result(data_dir, "list")] == ["grace@example.com", EMAIL]
    reset = run(data_dir, "reset-password", EMAIL, "--remove-second-factor")
    assert (reset.returncode, reset.stdout.startswith("http")) == (0, True)
    assert not (data_dir / "admin.sock").exists()
    with serving(data_dir) as server:
        running = Box(server, account)
        assert httpx.post(here(running, made["link"]), data={"password": NEW}).status_code == 303
        assert role(running, sign_in(running, "grace@example.com", NEW)) == "owner"
        assert httpx.get(here(running, reset.stdout.strip())).status_code == 200


def test_missing_box_is_not_created(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    for arguments in (("create", "grace@example.com"), ("list",)):
        ended = run(data_dir, *arguments)
        assert ended.returncode == 1
        assert ended.stderr.startswith(f"Error: There is no Analytics Box data in {data_dir}.")
        assert not data_dir.exists()
