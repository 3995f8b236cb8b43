"""`website …`: the same procedures as the API's, beside a box that runs and without one."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.app.admin.commanding import beside, result, typed
from tests.inprocess import WholeBox, whole_box
from tests.running import set_up


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data") as inside:
        yield inside


@pytest.fixture
def data(box: WholeBox) -> Iterator[Path]:
    with beside(box) as directory:
        yield directory


def written_down(box: WholeBox, subject_id: str) -> list[Any]:
    statement = "select action, actor from audit where subject_id = ? order by id"
    return box.box.box_db.read_now(lambda db: db.execute(statement, (subject_id,)).fetchall())


def test_a_new_website_takes_events_at_once_and_is_written_down_as_the_command_lines(box: WholeBox, data: Path) -> None:
    made = result("website", "create", "News.example", "--name", "News", "--organization", "ada", data=data)
    assert (made["domain"], made["name"]) == ("news.example", "News")
    sent = {"name": "screen_view", "path": "https://news.example/", "anonymousId": "a"}
    assert box.post(f"/track?website_id={made['id']}", sent).status == 200
    assert written_down(box, made["id"]) == [("created", "command line")]


def test_websites_of_all_organizations_are_listed_or_those_of_one(box: WholeBox, data: Path) -> None:
    everywhere = {row["domain"] for row in result("website", "list", data=data)}
    assert everywhere == {"shop.example", "blog.example", "idle.example", "localhost", "foreign.example"}
    assert {row["domain"] for row in result("website", "list", "--organization", "eve", data=data)} == {
        "foreign.example"
    }
    words = typed("website", "list", data=data).stdout
    assert f"{box.sites['blog']}  blog.example  Blog\n    public\n" in words
    assert f"{box.sites['idle']}  idle.example  Idle\n    inactive\n" in words


def test_omitted_options_keep_their_values(box: WholeBox, data: Path) -> None:
    first = ("--retention-days", "30", "--ignored-path", "/admin/*", "--ignored-ip", "203.0.113.7", "--public")
    assert typed("website", "edit", "shop.example", *first, data=data).exit_code == 0
    row = result("website", "edit", "shop.example", "--name", "Store", "--ignored-ip", "", data=data)
    assert (row["name"], row["isPublic"], row["settings"]["dataRetentionDays"]) == ("Store", True, 30)
    assert (row["settings"]["ignoredPaths"], row["settings"]["ignoredIps"]) == (["/admin/*"], [])
    row = result("website", "edit", box.sites["shop"], "--retention-days", "none", "--private", data=data)
    assert (row["isPublic"], row["settings"]["dataRetentionDays"]) == (False, None)
    assert result("website", "show", "shop.example", data=data) == row
    assert {actor for _, actor in written_down(box, box.sites["shop"])[1:]} == {"command line"}


def test_a_deleted_website_comes_back(box: WholeBox, data: Path) -> None:
    gone = result("website", "delete", "shop.example", data=data)
    assert gone["restorableUntil"] > gone["deletedAt"]
    assert box.query("shop", {"parameters": ["summary_metrics"], "preset": "today"}).status == 403
    assert [row["id"] for row in result("website", "list", "--deleted", data=data)] == [box.sites["shop"]]
    assert result("website", "restore", "SHOP.example", data=data)["id"] == box.sites["shop"]
    assert box.query("shop", {"parameters": ["summary_metrics"], "preset": "today"}).status == 200


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("create", "not a domain", "--organization", "ada"), 1, "example.com"),
        (("create", "shop.example", "--organization", "ada"), 1, "A website with this domain already exists"),
        (("create", "new.example"), 1, "Name the organization: ada, eve"),
        (("create", "new.example", "--organization", "nobody"), 1, "There is no organization nobody"),
        (("show", "nothing.example"), 1, "There is no website nothing.example"),
        (("restore", "shop.example"), 1, "There is no deleted website shop.example"),
        (("edit", "shop.example", "--retention-days", "0"), 2, "enter a whole number from 1 to 3,650"),
        (("edit", "shop.example", "--retention-days", "soon"), 2, "enter a whole number from 1 to 3,650"),
        (("edit", "shop.example", "--ignored-ip", "nowhere"), 1, "is not an IP address"),
        (("edit", "idle.example", "--public-values"), 1, "Make the dashboard public first"),
    ],
)
def test_invalid_input_is_refused_in_one_line(data: Path, arguments: tuple[str, ...], code: int, said: str) -> None:
    ended = typed("website", *arguments, data=data)
    assert (ended.exit_code, said in ended.stderr, "Traceback" in ended.stderr) == (code, True, False), ended.stderr
    assert code == 2 or ended.stderr.count("\n") == 1


def test_without_a_running_box_it_works_on_the_files(tmp_path: Path) -> None:
    data = tmp_path / "a folder with spaces"
    account = set_up(data)
    made = result("website", "create", "second.example", data=data)
    assert [row["id"] for row in result("website", "list", data=data)] == [account.website_id, made["id"]]
    assert not (data / "running").exists(), "it was closed in order"
