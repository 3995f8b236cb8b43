"""The one-time setup link of a new box, and what the first account consists of (security: first run)."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest

from analytics_box.base.facts.event import PAGE_VIEW
from analytics_box.products.sample_data.example import Examples
from analytics_box.products.sample_data.site import DOMAIN
from analytics_box.tenants.accounts import users
from tests.inprocess import EMAIL, PASSWORD, Answer, RunningBox, empty_box

FORM = {"email": EMAIL, "password": PASSWORD, "domain": "https://www.shop.example/"}
HOUR = 3_600


@pytest.fixture
def box(tmp_path: Path) -> Iterator[RunningBox]:
    with empty_box(tmp_path / "data") as made:
        yield made


def link(box: RunningBox) -> str:
    """The path of a fresh setup link."""
    made = box.box.box_db.write_now(lambda db: users.new_link(db, base_url="", now=box.clock.now()))
    assert made is not None
    return made


def set_up(box: RunningBox, path: str, **changes: str) -> Answer:
    form = urlencode({**FORM, **changes}).encode()
    return box.post(path, form, content_type="application/x-www-form-urlencoded")


def rows(box: RunningBox, statement: str) -> list[tuple[object, ...]]:
    return box.box.box_db.read_now(lambda db: list(db.execute(statement).fetchall()))


def test_the_link_shows_the_form_and_makes_the_first_account(box: RunningBox) -> None:
    path = link(box)
    assert box.get(path).status == 200
    done = set_up(box, path)
    assert done.status == 303
    cookie = done.headers["set-cookie"].split(";")[0]
    page = box.get(done.headers["location"], cookie=cookie)
    assert page.status == 200
    assert b"data-client-id" in page.body, "the line to paste"
    assert rows(box, "select name, domain from websites") == [("shop.example", "shop.example")]


def test_the_link_works_once(box: RunningBox) -> None:
    path = link(box)
    set_up(box, path)
    assert box.get(path).status == 403
    assert set_up(box, path, email="eve@example.com").status == 403
    assert len(rows(box, "select 1 from users")) == 1


def test_setup_link_is_not_created_once_there_is_an_account(box: RunningBox) -> None:
    set_up(box, link(box))
    assert box.box.box_db.write_now(lambda db: users.new_link(db, base_url="", now=box.clock.now())) is None


def test_the_link_is_void_after_24_hours(box: RunningBox) -> None:
    path = link(box)
    box.clock.advance(seconds=24 * HOUR - 0.001)
    assert box.get(path).status == 200
    box.clock.advance(seconds=0.001)
    assert box.get(path).status == 403
    assert set_up(box, path).status == 403


def test_a_newer_link_makes_the_older_void(box: RunningBox) -> None:
    older, newer = link(box), link(box)
    assert box.get(older).status == 403
    assert box.get(newer).status == 200


@pytest.mark.parametrize("path", ["/setup", "/setup?token=", "/setup?token=guess", "/setup?token=%00"])
def test_without_the_token_there_is_no_form(box: RunningBox, path: str) -> None:
    link(box)
    assert box.get(path).status == 403
    assert set_up(box, path).status == 403


def test_the_token_is_stored_hashed_only(box: RunningBox, tmp_path: Path) -> None:
    token = link(box).partition("token=")[2]
    for file in (tmp_path / "data").iterdir():
        assert token.encode() not in file.read_bytes()


@pytest.mark.parametrize(
    "changes",
    [{"email": "x"}, {"password": "short"}, {"domain": "no domain"}],
    ids=lambda changes: next(iter(changes)),
)
def test_a_wrong_field_makes_nothing_and_the_link_still_works(box: RunningBox, changes: dict[str, str]) -> None:
    path = link(box)
    refused = set_up(box, path, **changes)
    assert refused.status == 400
    assert PASSWORD.encode() not in refused.body, "a password is never shown again"
    assert rows(box, "select 1 from users") == rows(box, "select 1 from organizations") == []
    assert set_up(box, path).status == 303


def test_another_sites_page_cannot_set_the_box_up(box: RunningBox) -> None:  # security: CSRF
    form = urlencode(FORM).encode()
    headers = {"content_type": "application/x-www-form-urlencoded", "sec_fetch_site": "cross-site"}
    assert box.ask("POST", link(box), headers=headers, body=form).status == 403


def test_the_first_account_is_owner_and_administrator(box: RunningBox) -> None:
    set_up(box, link(box))
    assert rows(box, "select email, is_administrator from users") == [(EMAIL, 1)]
    assert rows(box, "select role from members") == [("owner",)]
    assert rows(box, "select name, plan from organizations") == [("shop.example", "hobby")]
    assert rows(box, "select 1 from api_keys") == [], "keys are made on request"


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("https://stats.example.com", "over https, at https://stats.example.com"),
        ("", "on this machine only"),
        ("http://stats.example.com", "others on the network can read your password"),
    ],
)
def test_the_form_says_how_the_box_is_reached(tmp_path: Path, address: str, said: str) -> None:
    with empty_box(tmp_path / "data", base_url=address) as box:
        assert said in box.get(link(box), host="stats.example.com" if address else "localhost").body.decode()


@pytest.fixture
def few_days(monkeypatch: pytest.MonkeyPatch) -> int:
    """How many days an example has here, instead of 90."""
    days = 9
    monkeypatch.setattr("analytics_box.products.sample_data.example.DAYS", days)
    return days


def test_an_example_comes_with_the_account_on_request(box: RunningBox, few_days: int) -> None:
    done = set_up(box, link(box), example="on")
    cookie = done.headers["set-cookie"].split(";")[0]
    assert rows(box, "select domain from websites order by created_at, domain") == [(DOMAIN,), ("shop.example",)]
    box.run(box.box.parts[Examples].filled())
    days = box.box.events.db.read_now(
        lambda db: db.execute(
            "select count(*), count(distinct time / 86400000) from events where kind = ?", (PAGE_VIEW,)
        ).fetchall()
    )
    ((views, different),) = days
    assert int(str(different)) == few_days + 1, "today is one of them"
    assert int(str(views)) > 10 * few_days
    page = box.get(done.headers["location"], cookie=cookie).body
    assert b"/sites/example" not in page, "there is one"


@pytest.mark.usefixtures("few_days")
def test_an_example_is_added_once(box: RunningBox) -> None:
    cookie = set_up(box, link(box)).headers["set-cookie"].split(";")[0]
    forms = {"cookie": cookie, "content_type": "application/x-www-form-urlencoded"}
    first, again = [box.ask("POST", "/sites/example", headers=forms, body=b"") for _ in range(2)]
    assert first.status == again.status == 303
    assert first.headers["location"] == again.headers["location"]
    assert len(rows(box, "select 1 from websites")) == 2
    box.run(box.box.parts[Examples].filled())


def test_created_resources_are_in_the_audit_log_which_cannot_be_changed(box: RunningBox) -> None:  # spec 6.2
    set_up(box, link(box))
    found = rows(box, "select action, subject from audit order by subject")
    assert found == [("created", subject) for subject in ("organization", "user", "website")]
    for statement in ("delete from audit", "update audit set actor = 'x'"):
        with pytest.raises(Exception, match="append-only"):
            box.box.box_db.write_now(lambda db, statement=statement: db.execute(statement))  # type: ignore[misc]  # a lambda with a default
