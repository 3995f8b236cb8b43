"""The settings page of a website over the whole box: forms that save, forms that come back, who sees what."""

import html
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.cases import each
from tests.inprocess import Answer, WholeBox, whole_box

FORM = {"content_type": "application/x-www-form-urlencoded", "sec_fetch_site": "same-origin"}
LINES = "https://app.other.net\r\n\r\n  *.Other.org \r\n"


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data") as inside:
        yield inside


def href(box: WholeBox, rest: str = "/settings") -> str:
    return f"/sites/{box.sites['shop']}{rest}"


def seen(box: WholeBox, target: str) -> Answer:
    return box.get(target, cookie=box.cookie, accept="text/html")


def page(box: WholeBox, target: str = "") -> str:
    return html.unescape(seen(box, target or href(box)).body.decode())


def sent(box: WholeBox, rest: str, fields: dict[str, str]) -> Answer:
    return box.ask(
        "POST",
        href(box, rest),
        headers={"cookie": box.cookie, **FORM, "accept": "text/html"},
        body=urlencode(fields).encode(),
    )


def follow(box: WholeBox, answer: Answer) -> str:
    assert answer.status == 303, answer.body
    return page(box, answer.headers["location"].partition("#")[0])


def row(box: WholeBox) -> dict[str, object]:
    found: dict[str, object] = box.post("/websites/getById", {"id": box.sites["shop"]}, key="all").json
    return found


def test_name_and_domain_are_saved(box: WholeBox) -> None:
    fields = {"name": "Kim’s & Jo's 東京", "domain": "https://store.example/x"}
    assert 'role="status"' in follow(box, sent(box, "/settings", fields))
    found = row(box)
    assert (found["name"], found["domain"]) == ("Kim’s & Jo's 東京", "store.example")


def test_sharing_is_saved_by_itself(box: WholeBox) -> None:
    assert 'role="status"' in follow(box, sent(box, "/settings/sharing", {"isPublic": "on"}))
    follow(box, sent(box, "/settings", {"name": "Store", "domain": "store.example"}))
    assert row(box)["isPublic"] is True
    follow(box, sent(box, "/settings/sharing", {}))
    assert row(box)["isPublic"] is False


def test_a_second_box_publishes_values_and_says_nothing_without_the_first(box: WholeBox) -> None:
    shown = follow(box, sent(box, "/settings/sharing", {"isPublic": "on", "publicValues": "on"}))
    assert row(box)["publicValues"] is True
    (ticked,) = re.findall(r'<input [^>]*name="publicValues"[^>]*>', shown)
    assert " checked" in ticked
    assert "error messages and outgoing links" in shown
    shown = follow(box, sent(box, "/settings/sharing", {"publicValues": "on"}))
    assert (row(box)["isPublic"], row(box)["publicValues"]) == (False, False)
    (ticked,) = re.findall(r'<input [^>]*name="publicValues"[^>]*>', shown)
    assert " checked" not in ticked


@pytest.mark.parametrize(
    ("fields", "status", "words"),
    [
        ({"name": "", "domain": "shop.example"}, 400, "Enter a name of 1 to 100 characters"),
        ({"name": "Shop", "domain": "no domain"}, 400, "Enter a domain, such as"),
        ({"name": "Shop", "domain": "blog.example"}, 409, "already exists"),
    ],
)
def test_a_wrong_name_or_domain_comes_back(box: WholeBox, fields: dict[str, str], status: int, words: str) -> None:
    before = row(box)
    answer = sent(box, "/settings", fields)
    assert answer.status == status
    assert words in answer.body.decode()
    assert f'value="{fields["domain"]}"' in answer.body.decode()
    assert row(box) == before


def test_tracking_is_typed_as_lines_and_shown_as_lines(box: WholeBox) -> None:
    fields = {
        "allowedOrigins": LINES,
        "ignoredPaths": "/admin/*",
        "visitorIdMode": "cookieless",
        "dataRetentionDays": " 90 ",
        "hourlyTexts": "100000",
        "hourlyMegabytes": "200",
    }
    shown = follow(box, sent(box, "/settings/tracking", fields))
    assert ">\nhttps://app.other.net\n*.other.org</textarea>" in shown
    assert 'value="cookieless" checked' in shown
    assert 'value="90"' in shown
    assert 'value="100000"' in shown
    assert 'value="200"' in shown
    settings = row(box)["settings"]
    assert isinstance(settings, dict)
    assert settings["allowedOrigins"] == ["https://app.other.net", "*.other.org"]
    assert (settings["visitorIdMode"], settings["dataRetentionDays"]) == ("cookieless", 90)
    assert (settings["hourlyTexts"], settings["hourlyMegabytes"]) == (100_000, 200)
    follow(box, sent(box, "/settings/tracking", {}))
    settings = row(box)["settings"]
    assert isinstance(settings, dict)
    assert (settings["allowedOrigins"], settings["dataRetentionDays"]) == ([], None)
    assert (settings["hourlyTexts"], settings["hourlyMegabytes"]) == (None, None)


@each(
    ("field", "typed", "words"),
    [
        ("allowedIps", "203.0.113.7\nnowhere", "“nowhere” is not an IP address"),
        ("ignoredIps", "203.0.113.7/99", "“203.0.113.7/99” is not an IP address"),
        ("allowedOrigins", "a b", "“a b” is not an origin"),
        ("ignoredPaths", "admin\nusers", "“users” is not a path"),
        ("dataRetentionDays", "0", "from 1 to 3,650"),
        ("dataRetentionDays", "a year", "from 1 to 3,650"),
        ("hourlyTexts", "many", "from 1 to 100,000,000"),
        ("hourlyMegabytes", "0", "from 1 to 1,000,000"),
        ("allowedIps", "\n".join(f"10.0.0.{n}" for n in range(101)), "at most 100"),
        ("ignoredIps", "<script>x", "“<script>x” is not an IP address"),
    ],
)
def test_wrong_tracking_comes_back_as_typed_with_what_is_wrong(
    box: WholeBox, field: str, typed: str, words: str
) -> None:
    before = row(box)
    answer = sent(box, "/settings/tracking", {field: typed})
    assert answer.status == 400
    assert b"<script>x" not in answer.body
    text = html.unescape(answer.body.decode())
    assert words in text
    assert typed in text
    assert re.search(rf'id="{field}"[^>]* aria-invalid="true"', text)
    assert row(box) == before


def test_a_rotated_client_id_is_shown_with_the_end_of_the_old_one(box: WholeBox) -> None:
    shop = box.sites["shop"]
    shown = follow(box, sent(box, "/settings/client-id", {}))
    assert f'data-client-id="{row(box)["clientId"]}"' in shown
    assert f'data-client-id="{shop}"' not in shown
    assert "accepted until 17 Jul 2026" in shown
    assert "not used since the rotation" in shown
    assert f'data-client-id="{row(box)["clientId"]}"' in page(box, href(box, "")), "the overview's snippet has it too"
    for _ in range(4):
        follow(box, sent(box, "/settings/client-id", {}))
    assert sent(box, "/settings/client-id", {}).status == 409


def test_deleting_wants_the_name(box: WholeBox) -> None:
    for typed in ("", "shop", "Blog"):
        answer = sent(box, "/settings/delete", {"confirmation": typed})
        assert answer.status == 400
        assert "Enter the website name" in answer.body.decode()
    assert row(box)["name"] == "Shop"
    sites = follow(box, sent(box, "/settings/delete", {"confirmation": " Shop "}))
    assert "Can be restored until 24 Jun 2026" in sites
    assert seen(box, href(box)).status == 404
    assert "data-client-id" in follow(box, sent(box, "/restore", {}))
    assert "can be restored" not in page(box, "/sites")


def test_expired_website_cannot_be_restored(box: WholeBox) -> None:
    sent(box, "/settings/delete", {"confirmation": "Shop"})
    box.clock.advance(seconds=7 * 86_400)
    assert "can be restored" not in page(box, "/sites")
    assert sent(box, "/restore", {}).status == 404
    assert box.ask("POST", "/sites/unknown/restore", headers={"cookie": box.cookie, **FORM}).status == 404


ACTIONS = (
    *("/settings", "/settings/tracking", "/settings/client-id", "/settings/sharing"),
    *("/settings/delete", "/restore"),
)
TABS = {
    "viewer": ["/not-counted", "/bots"],
    "member": ["/settings", "/settings/tracking", "/not-counted", "/bots", "/settings/export"],
    "admin": [
        *("/settings", "/settings/tracking", "/not-counted", "/bots", "/settings/revenue", "/settings/sharing"),
        *("/settings/import", "/settings/export", "/settings/danger"),
    ],
}


@pytest.mark.parametrize(
    ("role", "allowed"), [("viewer", set()), ("member", {"/settings/tracking", "/settings/client-id"})]
)
def test_roles_see_and_do_what_they_may(box: WholeBox, role: str, allowed: set[str]) -> None:  # wire 10.4
    box.box.box_db.write_now(lambda db: db.execute("update members set role = ?", (role,)))
    shown = seen(box, href(box))
    assert shown.status == (403 if role == "viewer" else 200)
    assert b"confirmation" not in shown.body
    assert (b'/settings"' in seen(box, href(box, "")).body) == (role != "viewer")
    for rest in ACTIONS:
        status = sent(box, rest, {"confirmation": "Shop"}).status
        assert (status == 303) == (rest in allowed), rest
        assert rest in allowed or status == 403


@pytest.mark.parametrize("role", TABS)
def test_the_tabs_are_the_pages_that_one_may_see(box: WholeBox, role: str) -> None:
    box.box.box_db.write_now(lambda db: db.execute("update members set role = ?", (role,)))
    for rest in TABS["admin"]:
        shown = seen(box, href(box, rest))
        assert shown.status == (200 if rest in TABS[role] else 403), rest
        if shown.status == 200:
            tabs = re.search(r'<nav class="page-tabs".*?</nav>', shown.body.decode(), re.DOTALL)
            assert tabs is not None
            assert re.findall(r'href="([^"]*)"', tabs[0]) == [href(box, one) for one in TABS[role]]
            assert re.findall(r'href="([^"]*)" aria-current="page"', tabs[0]) == [href(box, rest)]
    entry = "/settings" if role != "viewer" else "/not-counted"
    sheet, _, side = page(box, href(box, "")).partition('<div class="places">')
    for navigation in (sheet, side):  # of phones and of desktops
        assert f'href="{href(box, entry)}"' in navigation


@pytest.mark.parametrize("rest", ACTIONS)
def test_forms_of_other_sites_strangers_and_keys_do_nothing(box: WholeBox, rest: str) -> None:
    before = row(box)
    body = urlencode({"confirmation": "Shop", "name": "Evil", "domain": "evil.example"}).encode()
    evil = {**FORM, "sec_fetch_site": "cross-site", "cookie": box.cookie}
    assert box.ask("POST", href(box, rest), headers=evil, body=body).status == 403
    assert box.ask("POST", href(box, rest), headers=FORM, body=body).status == 303
    assert box.ask("POST", href(box, rest), headers={**FORM, "x_api_key": box.keys["all"]}, body=body).status == 403
    foreign = f"/sites/{box.sites['foreign']}{rest}"
    assert box.ask("POST", foreign, headers={**FORM, "cookie": box.cookie}, body=body).status == 404
    assert row(box) == before


def test_the_page_has_nothing_inline(box: WholeBox) -> None:
    shown = seen(box, href(box)).body.decode()
    assert not re.search(r"<script(?![^>]* src=)", shown)
    assert not re.search(r"<[^>]*\s(style|on\w+)=", shown)
    assert len(re.findall(r'id="([^"]+)"', shown)) == len(set(re.findall(r' id="([^"]+)"', shown)))
