"""The page that gives a website to another organization: where it can go, what has to be typed, what follows."""

import html
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest

from analytics_box.base.identity import Role
from analytics_box.tenants.websites.directory import Directory
from tests.inprocess import Answer, WholeBox, whole_box
from tests.tenants.keys.world import cookie_of

FORM = {"content_type": "application/x-www-form-urlencoded", "sec_fetch_site": "same-origin", "accept": "text/html"}


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data") as inside:
        yield inside


def join(box: WholeBox, role: Role) -> None:
    """Make the owner a member of the other organization, Eve."""
    box.box.box_db.write_now(
        lambda db: db.execute(
            "insert into members (organization_id, user_id, role, created_at) values (?, ?, ?, ?)",
            (box.foreign_organization_id, box.user_id, role, box.clock.now() + 1),
        )
    )


def address(box: WholeBox, site: str = "") -> str:
    return f"/sites/{site or box.sites['shop']}/settings/transfer"


def page(box: WholeBox, path: str = "") -> str:
    return html.unescape(box.get(path or address(box), cookie=box.cookie, accept="text/html").body.decode())


def sent(box: WholeBox, fields: dict[str, str], *, cookie: str = "", path: str = "") -> Answer:
    headers = {"cookie": cookie or box.cookie, **FORM}
    return box.ask("POST", path or address(box), headers=headers, body=urlencode(fields).encode())


def owner_of(box: WholeBox) -> str:
    website = box.box.parts[Directory].find(box.sites["shop"])
    assert website is not None
    return website.organization_id


def test_without_another_organization_the_page_says_what_to_do(box: WholeBox) -> None:
    assert "No other organization" in page(box)
    assert 'href="/settings/organization"' in page(box)
    join(box, "member")
    assert "No other organization" in page(box), "a member there cannot take a website"


def test_a_website_goes_where_it_is_sent_and_the_list_says_so(box: WholeBox) -> None:
    join(box, "admin")
    assert "<bdi>Eve</bdi>" in page(box)
    answer = sent(box, {"organization": box.foreign_organization_id, "confirmation": " Shop.example "})
    assert (answer.status, owner_of(box)) == (303, box.foreign_organization_id)
    listed = page(box, answer.headers["location"])
    assert "The website now belongs to Eve." in listed
    assert "shop.example" not in listed
    assert box.get(address(box), cookie=box.cookie, accept="text/html").status == 200, "also an admin there"
    assert box.get(address(box), cookie=cookie_of(box, "owner"), accept="text/html").status == 404
    assert "belongs to" not in page(box, "/sites?moved=somewhere-else")


@pytest.mark.parametrize(
    ("typed", "chosen", "words"),
    [
        ("shop", "{eve}", "Enter the website domain: shop.example"),
        ("", "{eve}", "Enter the website domain"),
        ("shop.example", "", "Select an organization"),
        ("shop.example", "unknown", "Select an organization"),
        ("shop.example", "{own}", "Select an organization"),
    ],
)
def test_wrong_confirmation_returns_the_form(box: WholeBox, typed: str, chosen: str, words: str) -> None:
    join(box, "owner")
    organization = chosen.format(eve=box.foreign_organization_id, own=box.organization_id)
    answer = sent(box, {"organization": organization, "confirmation": typed})
    assert answer.status == 400
    assert words in html.unescape(answer.body.decode())
    assert owner_of(box) == box.organization_id


def test_a_domain_that_is_measured_there_already_stays_where_it_is(box: WholeBox) -> None:
    join(box, "owner")
    taken = box.post("/websites/create", {"name": "Shop", "domain": "shop.example"}, key="foreign")
    assert taken.status == 200
    answer = sent(box, {"organization": box.foreign_organization_id, "confirmation": "shop.example"})
    assert answer.status == 409
    assert "A website with this domain already exists" in html.unescape(answer.body.decode())
    assert owner_of(box) == box.organization_id


@pytest.mark.parametrize("role", ["viewer", "member"])
def test_viewers_and_members_do_not_get_there(box: WholeBox, role: Role) -> None:
    cookie = cookie_of(box, role)
    assert box.get(address(box), cookie=cookie, accept="text/html").status == 403
    given = {"organization": box.foreign_organization_id, "confirmation": "shop.example"}
    assert sent(box, given, cookie=cookie).status == 403
    assert owner_of(box) == box.organization_id


def test_website_of_an_organization_of_others_answers_404(box: WholeBox) -> None:
    path = address(box, box.sites["foreign"])
    assert box.get(path, cookie=box.cookie, accept="text/html").status == 404
    assert sent(box, {"organization": box.organization_id, "confirmation": "foreign.example"}, path=path).status == 404


@pytest.mark.parametrize(("role", "may"), [("viewer", False), ("member", False), ("admin", True), ("owner", True)])
def test_only_admins_add_websites_on_pages(box: WholeBox, role: Role, may: bool) -> None:  # wire 10.4
    cookie = cookie_of(box, role)
    assert ('href="/sites/new"' in box.get("/sites", cookie=cookie).body.decode()) == may
    assert box.get("/sites/new", cookie=cookie, accept="text/html").status == (200 if may else 403)
    fields = {"name": "New", "domain": "new.example"}
    assert sent(box, fields, cookie=cookie, path="/sites/new").status == (303 if may else 403)
