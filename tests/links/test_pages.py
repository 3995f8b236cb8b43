"""The pages of short links: who may do what, forms without scripts, and what their HTML never holds."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from analytics_box.links import stats_pages
from analytics_box.links.import_jobs import MOST
from tests.inprocess import Answer, whole_box
from tests.keys.people import cookie_of
from tests.links.conftest import unlimited
from tests.links.world import ANDROID, GOOGLEBOT, IPHONE, TARGET, World

HOSTILE = '"><script>alert(1)</script>'


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    path: Path = tmp_path_factory.mktemp("link-pages") / "data"
    with whole_box(path, adjust=unlimited) as box:
        yield World(box)


@pytest.fixture(scope="module")
def cookie(world: World) -> str:
    return world.box.cookie


def seen(world: World, path: str, cookie: str) -> str:
    answer = world.box.get(path, cookie=cookie, accept="text/html")
    assert answer.status == 200, answer.body
    return answer.body.decode()


def sent(world: World, path: str, fields: dict[str, str], cookie: str) -> Answer:
    form = {"content_type": "application/x-www-form-urlencoded", "cookie": cookie, "sec_fetch_site": "same-origin"}
    return world.box.ask("POST", path, headers=form, body=urlencode(fields).encode())


def made(world: World, cookie: str, **fields: str) -> str:
    """The id of a link that the form has made; names have _ for a dot."""
    form = {"targetUrl": TARGET, "do": "save"} | {name.replace("__", "."): value for name, value in fields.items()}
    answer = sent(world, "/links/new", form, cookie)
    assert answer.status == 303, answer.body.decode()
    return answer.headers["location"].removeprefix("/links/").partition("?")[0]


def test_a_link_is_made_found_and_shown(world: World, cookie: str) -> None:
    link_id = made(world, cookie, name="Spring sale", slug="spring", tags="sale, print", utm__source="poster")
    page = seen(world, "/links?search=spring", cookie)
    assert "Spring sale" in page
    assert "/l/spring" in page
    assert 'href="/links?search=spring&amp;tag=print"' in page
    world.follow("spring")
    world.follow("spring", user_agent=GOOGLEBOT)
    own = seen(world, f"/links/{link_id}?wait=all", cookie)
    assert re.search(r'id="tile-clicks".*?tile-value number">1<', own, re.DOTALL)
    assert re.search(r'id="tile-others".*?tile-value number">1<', own, re.DOTALL)
    assert "utm_source=poster" in own


def test_without_a_name_it_is_called_like_its_target(world: World, cookie: str) -> None:
    link_id = made(world, cookie, targetUrl="https://example.com/unnamed")
    assert "<bdi>example.com/unnamed</bdi>" in seen(world, f"/links/{link_id}", cookie)


def test_the_folders_are_made_renamed_and_deleted(world: World, cookie: str) -> None:
    assert sent(world, "/links/folders", {"name": "Print"}, cookie).status == 303
    page = seen(world, "/links/folders?done=folder-made", cookie)
    folder = re.findall(r'/links\?folder=([^"]+)"><bdi>Print', page)[0]
    again = sent(world, "/links/folders", {"name": "print"}, cookie)
    assert (again.status, b"There is a folder with this name already" in again.body) == (409, True)
    assert sent(world, "/links/folders/rename", {"id": folder, "name": "Posters"}, cookie).status == 303
    link_id = made(world, cookie, name="In a folder", folderId=folder)
    assert "In a folder" in seen(world, f"/links?folder={folder}", cookie)
    assert "In a folder" not in seen(world, "/links?folder=none", cookie)
    assert "Delete the folder Posters?" in seen(world, f"/links/folders/delete?id={folder}", cookie)
    assert sent(world, "/links/folders/delete", {"id": folder}, cookie).status == 303
    assert "Posters" not in seen(world, "/links/folders", cookie)
    assert "In a folder" in seen(world, f"/links/{link_id}", cookie)


def test_domains_of_short_links_are_served_changed_and_given_up(world: World, cookie: str) -> None:
    world.link_domain()
    assert "go.example.org" in seen(world, "/links/domains", cookie)
    saved = {"domain": "go.example.org", "homeUrl": "https://example.com/home", "notFoundUrl": ""}
    assert sent(world, "/links/domains/save", saved, cookie).status == 303
    assert world.follow("", host="go.example.org").headers["location"] == "https://example.com/home"
    wrong = sent(world, "/links/domains/save", saved | {"homeUrl": "javascript:alert(1)"}, cookie)
    assert wrong.status == 400
    assert b'id="homeUrl-go.example.org-error"' in wrong.body
    assert "Stop serving links on go.example.org?" in seen(world, "/links/domains/remove?domain=go.example.org", cookie)
    assert sent(world, "/links/domains/remove", {"domain": "go.example.org"}, cookie).status == 303
    page = seen(world, "/links/domains", cookie)
    assert "<option>go.example.org</option>" in page
    assert sent(world, "/links/domains", {"domain": "go.example.org"}, cookie).status == 303
    assert sent(world, "/links/domains/remove", {"domain": "go.example.org"}, cookie).status == 303


def test_what_was_asked_for_and_leads_nowhere_can_be_made(world: World, cookie: str) -> None:
    world.follow("never-was")
    world.follow("only-a-bot", user_agent=GOOGLEBOT)
    page = seen(world, "/links/domains", cookie)
    assert 'href="/links/new?slug=never-was"' in page
    assert "only-a-bot" not in page
    assert 'value="never-was"' in seen(world, "/links/new?slug=never-was", cookie)


SHEET = "name,targetUrl,slug,folder\nOne,https://example.com/1,one1,Sheet\nTwo,javascript:alert(1),two2,\n,https://example.com/3,one1,\n"


def imported(world: World, cookie: str, content: str) -> str:
    """The path of an import whose check is over."""
    answer = sent(world, "/links/bulk/text", {"text": content}, cookie)
    assert answer.status == 303, answer.body.decode()
    return answer.headers["location"]


def over(world: World, path: str, cookie: str) -> str:
    """The page of an import once nothing is at work."""
    for _ in range(200):
        page = seen(world, path, cookie)
        if "<progress" not in page:
            return page
    raise AssertionError(page)


def test_a_sheet_is_checked_and_then_imported_but_for_what_is_wrong(world: World, cookie: str) -> None:
    path = imported(world, cookie, SHEET)
    page = over(world, path, cookie)
    assert "Import 1 link, leave out what is wrong" in page
    assert re.search(r">2</th><td><code>targetUrl</code></td><td><bdi>A link leads to an http or https", page)
    assert re.search(r">3</th><td><code>slug</code></td><td><bdi>This slug is already taken", page)
    assert world.follow("one1").status == 404
    assert sent(world, path, {}, cookie).status == 303
    page = over(world, path, cookie)
    assert "Imported" in page
    assert world.follow("one1").headers["location"] == "https://example.com/1"
    assert "Sheet" in seen(world, "/links/folders", cookie)
    assert sent(world, path, {}, cookie).status == 303  # nothing is imported twice
    assert len(re.findall("/l/one1<", seen(world, "/links?search=one1", cookie))) == 1


def test_a_file_is_imported_as_it_is(world: World, cookie: str) -> None:
    body = (
        b'--b\r\ncontent-disposition: form-data; name="file"; filename="links.json"\r\n\r\n'
        b'[{"targetUrl": "https://example.com/json", "slug": "from-json"}]\r\n--b--\r\n'
    )
    headers = {"content_type": "multipart/form-data; boundary=b", "cookie": cookie, "sec_fetch_site": "same-origin"}
    answer = world.box.ask("POST", "/links/bulk/file", headers=headers, body=body)
    assert answer.status == 303
    assert "Import 1 link<" in over(world, answer.headers["location"], cookie)


@pytest.mark.parametrize(("content", "says"), [("", "Choose a file"), (" \n", "Choose a file")])
def test_nothing_is_not_imported(world: World, cookie: str, content: str, says: str) -> None:
    answer = sent(world, "/links/bulk/text", {"text": content}, cookie)
    assert (answer.status, says in answer.body.decode()) == (400, True)


def test_what_is_no_sheet_of_links_says_so(world: World, cookie: str) -> None:
    assert "targetUrl has to be one of them" in over(world, imported(world, cookie, "a,b\n1,2"), cookie)
    assert "A JSON file of links is a list of objects" in over(world, imported(world, cookie, '{"a": 1}'), cookie)


RULES = {
    "rules.0.name": "Germans",
    "rules.0.targetUrl": "https://example.com/de",
    "rules.0.conditions.0.property": "country",
    "rules.0.conditions.0.operator": "in",
    "rules.0.conditions.0.value": "DE, Austria",
    "rules.1.name": "",
    "rules.1.targetUrl": "https://example.com/mobile",
    "rules.1.conditions.0.property": "device",
    "rules.1.conditions.0.operator": "equals",
    "rules.1.conditions.0.value": "mobile",
    "rules.2.name": "",
    "rules.2.targetUrl": "",
    "rules.2.conditions.0.property": "country",
    "rules.2.conditions.0.operator": "in",
    "rules.2.conditions.0.value": "",
}


def test_everything_of_a_link_can_be_said_in_the_form_and_comes_back_in_it(world: World, cookie: str) -> None:
    variants = {
        "variants.0.name": "A",
        "variants.0.targetUrl": "https://example.com/a",
        "variants.0.weight": "3",
        "variants.1.name": "",
        "variants.1.targetUrl": "https://example.com/b",
        "variants.1.weight": "1",
    }
    plain = {
        "name": "All of it",
        "targetUrl": "https://example.com/all",
        "slug": "all-of-it",
        "tags": "one, two",
        "expiresAt": "2027-05-04T03:02",
        "expiredRedirectUrl": "https://example.com/over",
        "maxClicks": "500",
        "password": "open sesame",
        "redirectStatus": "307",
        "queryForwarding": "override",
        "iosUrl": "https://example.com/ios",
        "androidUrl": "https://example.com/android",
        "deepLinkApp": "spotify",
        "ogTitle": "Seen",
        "ogDescription": "Shown",
        "ogImageUrl": "https://example.com/i.png",
        "ogVideoUrl": "https://example.com/v.mp4",
        "externalId": "ext-1",
        "utm.source": "poster",
    }
    answer = sent(world, "/links/new", plain | RULES | variants | {"do": "save"}, cookie)
    assert answer.status == 303, answer.body.decode()
    link_id = answer.headers["location"].removeprefix("/links/").partition("?")[0]
    link = world.call("links.get", id=link_id).json
    expected: dict[str, Any] = {
        name: value for name, value in plain.items() if name not in {"password", "tags", "utm.source"}
    }
    expected |= {"expiresAt": "2027-05-04T03:02:00Z", "maxClicks": 500, "redirectStatus": 307, "hasPassword": True}
    expected |= {"tags": ["one", "two"], "utm": {"source": "poster"}}
    assert {name: link[name] for name in expected} == expected | {"expiresAt": link["expiresAt"]}
    assert link["expiresAt"].startswith("2027-05-04T03:02:00")
    assert [(rule["name"], rule["conditions"]) for rule in link["rules"]] == [
        ("Germans", [{"property": "country", "operator": "in", "values": ["DE", "Austria"]}]),
        ("Rule 2", [{"property": "device", "operator": "equals", "value": "mobile"}]),
    ]
    assert [(one["name"], one["weight"]) for one in link["variants"]] == [("A", 3), ("B", 1)]
    unchanged = sent(world, f"/links/{link_id}/edit", fields_of(seen(world, f"/links/{link_id}/edit", cookie)), cookie)
    assert unchanged.status == 303, unchanged.body.decode()
    assert world.call("links.get", id=link_id).json == link


class Fields(HTMLParser):
    """What a browser would send of the form of a link as it is."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, str] = {}
        self._select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        name = given.get("name") or ""
        if tag == "input" and name and (given.get("type") != "checkbox" or "checked" in given):
            self.found[name] = given.get("value") or ""
        elif tag == "select":
            self._select = name
        elif tag == "option" and self._select and ("selected" in given or self._select not in self.found):
            self.found[self._select] = given.get("value") or ""


def fields_of(page: str) -> dict[str, str]:
    """The fields of the form in this page, saved as they are."""
    reader = Fields()
    reader.feed(page)
    return reader.found | {"do": "save"}


def answer_of(page: str) -> str:
    """What the preview says."""
    return page.split('id="preview"', 1)[1].split("</section>", 1)[0]


@pytest.mark.parametrize(
    ("visitor", "url", "because"),
    [
        ({"as.country": "de"}, "https://example.com/de?ref=x", "by Germans"),
        ({"as.country": "austria", "as.device": "mobile"}, "https://example.com/de?ref=x", "by Germans"),
        ({"as.country": "FR", "as.system": "iOS"}, "https://example.com/mobile?ref=x", "by Rule 2"),
        ({"as.country": "FR"}, "https://example.com/landing?ref=x", "the link&#39;s target"),
    ],
)
def test_the_preview_says_where_such_a_visitor_would_be_led(
    world: World, cookie: str, visitor: dict[str, str], url: str, because: str
) -> None:
    fields = {"targetUrl": TARGET, "do": "preview", "queryForwarding": "keep", "as.query": "?ref=x"} | RULES | visitor
    answer = sent(world, "/links/new", fields, cookie)
    assert answer.status == 200
    said = answer_of(answer.body.decode())
    assert f'<code id="goes">{url}</code>' in said
    assert because in said


def test_the_preview_of_a_test_shows_all_variants_with_campaign_and_share(world: World, cookie: str) -> None:
    variants = {"variants.0.targetUrl": "https://example.com/a", "variants.0.weight": "3"}
    variants |= {"variants.1.targetUrl": "https://example.com/b", "variants.1.weight": "1", "utm.source": "poster"}
    said = answer_of(sent(world, "/links/new", {"targetUrl": TARGET, "do": "preview"} | variants, cookie).body.decode())
    assert "https://example.com/a?utm_source=poster" in said
    assert "75.0\N{NO-BREAK SPACE}% of visitors" in said
    assert "https://example.com/b?utm_source=poster" in said


def test_the_preview_is_what_a_visitor_gets(world: World, cookie: str) -> None:
    fields = {"targetUrl": TARGET, "slug": "as-said", "do": "save"} | RULES
    assert sent(world, "/links/new", fields, cookie).status == 303
    assert world.follow("as-said", user_agent=ANDROID).headers["location"] == "https://example.com/mobile"
    assert world.follow("as-said", user_agent=IPHONE).headers["location"] == "https://example.com/mobile"
    assert world.follow("as-said").headers["location"] == TARGET


def test_a_preview_keeps_nothing_and_says_what_is_wrong(world: World, cookie: str) -> None:
    before = seen(world, "/links", cookie)
    said = answer_of(
        sent(world, "/links/new", {"targetUrl": "javascript:alert(1)", "do": "preview"}, cookie).body.decode()
    )
    assert "A link leads to an http or https address" in said
    assert "data:image/svg+xml" not in said
    assert "data:image/svg+xml;base64," in answer_of(
        sent(world, "/links/new", {"targetUrl": TARGET, "slug": "drawn", "do": "preview"}, cookie).body.decode()
    )
    assert seen(world, "/links", cookie) == before


def names(page: str) -> list[str]:
    """The names of the rules in the form, in their order."""
    return re.findall(r'name="rules\.\d+\.name" type="text" value="([^"]*)"', page)


@pytest.mark.parametrize(
    ("button", "left", "focus"),
    [
        ("add-rule", ["Germans", "", "", ""], "rules.3.conditions.0.property"),
        ("remove-rule.0", ["", ""], "add-rule"),
        ("down.0", ["", "Germans", ""], "rules.1.name"),
        ("up.1", ["", "Germans", ""], "rules.0.name"),
        ("up.0", ["Germans", "", ""], ""),
        ("up.99", ["Germans", "", ""], ""),
        ("nonsense.x.1", ["Germans", "", ""], ""),
    ],
)
def test_the_buttons_of_the_form_work_without_scripts(
    world: World, cookie: str, button: str, left: list[str], focus: str
) -> None:
    answer = sent(world, "/links/new", {"targetUrl": TARGET, "do": button} | RULES, cookie)
    page = answer.body.decode()
    assert (answer.status, names(page)) == (200, left)
    assert [re.findall('id="([^"]*)"', tag)[0] for tag in re.findall("<[^>]* autofocus[^>]*>", page)] == [focus] * bool(
        focus
    )


def test_conditions_and_variants_are_added_and_removed(world: World, cookie: str) -> None:
    page = sent(world, "/links/new", {"do": "add-condition.0"} | RULES, cookie).body.decode()
    assert 'id="rules.0.conditions.1.value"' in page
    page = sent(world, "/links/new", {"do": "remove-condition.0.0"} | RULES, cookie).body.decode()
    assert 'id="rules.0.conditions.0.value"' not in page
    page = sent(world, "/links/new", {"do": "add-variant"}, cookie).body.decode()
    fields = fields_of(page)
    assert (fields["variants.0.name"], fields["variants.1.name"]) == ("A", "B")
    page = sent(world, "/links/new", fields | {"do": "remove-variant.0"}, cookie).body.decode()
    assert fields_of(page)["variants.0.name"] == "B"


WRONG = (
    ({"targetUrl": ""}, "targetUrl", "Say where the link leads to"),
    ({"targetUrl": "javascript:alert(1)"}, "targetUrl", "A link leads to an http or https address"),
    ({"slug": "a b"}, "slug", "A slug has 3 to 50"),
    ({"slug": "taken"}, "slug", "This slug is already taken"),
    ({"maxClicks": "many"}, "maxClicks", "Write a whole number"),
    ({"maxClicks": "0"}, "maxClicks", "Write a whole number"),
    ({"expiresAt": "soon"}, "expiresAt", "Write a day and a time"),
    ({"password": "abc"}, "password", "4 to 128"),
    ({"folderId": "nowhere"}, "folderId", "There is no folder"),
    ({"domain": "not.ours.example"}, "domain", "not one of the organization"),
    ({"redirectStatus": "418"}, "redirectStatus", "does not fit"),
    ({"rules.0.targetUrl": "ftp://x.example/"}, "rules.0.targetUrl", "http or https"),
    ({"rules.0.targetUrl": ""}, "rules.0.targetUrl", "Say where"),
    ({"rules.0.conditions.0.value": ""}, "rules.0.conditions.0.value", "A rule needs a condition"),
    ({"rules.0.conditions.0.property": "shoe"}, "rules.0.conditions.0.property", "does not fit"),
    (
        {"variants.0.targetUrl": TARGET, "variants.0.weight": "x", "variants.1.targetUrl": TARGET},
        "variants.0.weight",
        "from 1 to 1000",
    ),
    ({"variants.0.targetUrl": TARGET, "variants.0.weight": "1"}, "variants", "two variants"),
    ({"iosUrl": "shoe://x"}, "iosUrl", "http or https"),
)


@pytest.mark.parametrize(("fields", "field", "says"), WRONG)
def test_what_is_wrong_is_said_at_its_field(
    world: World, cookie: str, fields: dict[str, str], field: str, says: str
) -> None:
    if fields.get("slug") == "taken":
        made(world, cookie, slug="taken")
    answer = sent(world, "/links/new", {"targetUrl": TARGET, "name": HOSTILE, "do": "save"} | RULES | fields, cookie)
    page = answer.body.decode()
    assert answer.status in {400, 409}
    assert f'<a href="#{field}">' in page
    assert re.search(rf'id="{re.escape(field)}-error">.*?{says}', page, re.DOTALL), page
    assert "<script>alert" not in page


def test_a_password_is_kept_changed_and_taken_away(world: World, cookie: str) -> None:
    link_id = made(world, cookie, slug="guarded", password="open sesame")
    page = seen(world, f"/links/{link_id}/edit", cookie)
    assert "open sesame" not in page
    fields = fields_of(page)
    assert sent(world, f"/links/{link_id}/edit", fields, cookie).status == 303
    assert world.unlock("guarded", "open sesame").status == 303
    assert sent(world, f"/links/{link_id}/edit", fields | {"removePassword": "on"}, cookie).status == 303
    assert world.follow("guarded").status == 302


def test_a_link_is_deleted_after_a_question(world: World, cookie: str) -> None:
    link_id = made(world, cookie, name=HOSTILE, slug="goes-away")
    page = seen(world, f"/links/{link_id}/delete", cookie)
    assert "/l/goes-away stops at once" in page
    assert sent(world, f"/links/{link_id}/delete", {}, cookie).headers["location"] == "/links?done=deleted"
    assert world.follow("goes-away").status == 404
    assert world.box.get(f"/links/{link_id}", cookie=cookie, accept="text/html").status == 404


PLACES = ("", "/edit", "/delete", "/parts/figures", "/parts/sources")


@pytest.mark.parametrize("rest", PLACES)
def test_links_of_others_are_not_there(world: World, cookie: str, rest: str) -> None:
    world.box.box.box_db.write_now(
        lambda db: (
            db.execute(
                "insert or ignore into links (id, organization_id, created_by, domain, slug, name, target_url,"
                " target_domain, created_at, updated_at)"
                " values ('foreign1', ?, 'x', '', 'foreign1', 'Secret plan', 'https://e.example/', 'e.example', 1, 1)",
                (world.box.foreign_organization_id,),
            )
            and None
        )
    )
    for link_id in ("foreign1", "nowhere1"):
        answer = world.box.get(f"/links/{link_id}{rest}", cookie=cookie, accept="text/html")
        assert answer.status == 404
        assert b"Secret plan" not in answer.body
    assert "Secret plan" not in seen(world, "/links", cookie)


def test_what_people_typed_does_nothing_on_any_page(world: World, cookie: str) -> None:
    link_id = made(world, cookie, name=HOSTILE, tags=HOSTILE, externalId=HOSTILE, ogTitle=HOSTILE)
    for path in ("/links", f"/links/{link_id}?wait=all", f"/links/{link_id}/edit", f"/links/{link_id}/delete"):
        assert "<script>alert" not in seen(world, path, cookie)
    world.follow("never-was-this")
    assert "<script>alert" not in seen(world, f"/links?search={quote(HOSTILE)}&tag={quote(HOSTILE)}&folder=x", cookie)


def test_viewers_read_and_members_write_but_not_domains(world: World) -> None:
    link_id = world.link(slug="for-all")["id"]
    viewer, member = cookie_of(world.box, "viewer"), cookie_of(world.box, "member")
    for path in ("/links", f"/links/{link_id}", "/links/folders", "/links/domains", f"/links/{link_id}/qr/svg"):
        assert world.box.get(path, cookie=viewer, accept="text/html").status == 200, path
    assert "/links/new" not in seen(world, "/links", viewer)
    assert "/edit" not in seen(world, f"/links/{link_id}", viewer)
    for path in ("/links/new", f"/links/{link_id}/edit", f"/links/{link_id}/delete", "/links/bulk"):
        assert world.box.get(path, cookie=viewer, accept="text/html").status == 403, path
        assert world.box.get(path, cookie=member, accept="text/html").status == 200, path
    for path in (
        "/links/new",
        f"/links/{link_id}/edit",
        f"/links/{link_id}/delete",
        "/links/folders",
        "/links/bulk/text",
    ):
        assert sent(world, path, {"targetUrl": TARGET, "name": "x", "text": "x"}, viewer).status == 403, path
    for path in ("/links/domains", "/links/domains/save", "/links/domains/remove"):
        assert sent(world, path, {"domain": "x.example"}, member).status == 403, path
    assert world.follow("for-all").status == 302


def test_an_import_is_seen_by_who_began_it(world: World, cookie: str) -> None:
    path = imported(world, cookie, SHEET)
    over(world, path, cookie)
    member = cookie_of(world.box, "member")
    assert world.box.get(path, cookie=member, accept="text/html").status == 404
    assert sent(world, path, {}, member).status == 404
    world.box.clock.advance(seconds=16 * 60)
    assert world.box.get(path, cookie=cookie, accept="text/html").status == 404


def test_what_was_checked_for_one_organization_is_not_imported_into_another(world: World) -> None:
    both = cookie_of(world.box, "member", also_in=world.box.foreign_organization_id)
    path = imported(world, both, SHEET)
    over(world, path, both)
    assert sent(world, "/organizations/switch", {"organization": world.box.foreign_organization_id}, both).status == 303
    assert sent(world, path, {}, both).status == 404


def test_the_list_is_paged_sorted_and_forgiving(world: World, cookie: str) -> None:
    rows = "\n".join(f"P{number:03},https://example.com/p{number},,Paged" for number in range(60))
    path = imported(world, cookie, f"name,targetUrl,slug,folder\n{rows}")
    over(world, path, cookie)
    sent(world, path, {}, cookie)
    over(world, path, cookie)
    folder = re.findall(r'/links\?folder=([^"]+)"><bdi>Paged', seen(world, "/links/folders", cookie))[0]
    first = seen(world, f"/links?folder={folder}&sort=name-asc", cookie)
    assert "1–50 of 60" in first
    assert ("P000" in first, "P050" in first) == (True, False)
    second = seen(world, f"/links?folder={folder}&sort=name-asc&page=2", cookie)
    assert "51–60 of 60" in second
    assert ("P000" in second, "P050" in second) == (False, True)
    for query in ("page=0", "page=-1", "page=x", "page=99999999", "sort=x", "page=\u0663", "folder=%00"):
        assert world.box.get(f"/links?{query}", cookie=cookie, accept="text/html").status == 200, query


@pytest.mark.parametrize("name", ["figures", "sources", "countries", "devices", "variants", "rules", "kinds"])
def test_every_part_can_be_had_alone(world: World, cookie: str, name: str) -> None:
    link_id = world.link()["id"]
    answer = world.box.get(f"/links/{link_id}/parts/{name}?tab=cities,systems,bots", cookie=cookie, accept="text/html")
    assert answer.status == 200
    wanted = "figures" if name == "figures" else f"panel-{name}"
    assert re.findall(r'<section[^>]* id="([^"]+)"', answer.body.decode()) == [wanted]
    assert world.box.get(f"/links/{link_id}/parts/nothing", cookie=cookie, accept="text/html").status == 404


def test_a_click_on_a_value_filters_the_whole_page(world: World, cookie: str) -> None:
    link_id = world.link(slug="filtered")["id"]
    for agent in (IPHONE, IPHONE, ANDROID):
        world.follow("filtered", user_agent=agent)
    world.follow("filtered")
    page = seen(world, f"/links/{link_id}?wait=all&range=today", cookie)
    assert re.search(r'id="tile-clicks".*?number">4<', page, re.DOTALL)
    href = re.findall(r'href="([^"]*device_type=mobile[^"]*)"', page)[0].replace("&amp;", "&")
    page = seen(world, f"{href}&wait=all", cookie)
    assert re.search(r'id="tile-clicks".*?number">3<', page, re.DOTALL)
    assert 'id="chip-device_type"' in page


def test_a_part_that_takes_long_is_fetched_by_the_page(
    world: World, cookie: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    link_id = world.link()["id"]
    monkeypatch.setattr(stats_pages, "BUDGET_SECONDS", 0)
    page = seen(world, f"/links/{link_id}?range=today", cookie)
    for name in ("figures", "sources", "countries", "devices", "kinds"):
        assert f'data-hx-get="/links/{link_id}/parts/{name}?range=today"' in page
    assert f'href="/links/{link_id}?range=today&amp;wait=all"' in page
    assert "data-hx-get" not in seen(world, f"/links/{link_id}?range=today&wait=all", cookie)


def test_only_so_many_files_wait_at_once(world: World, cookie: str) -> None:
    world.box.clock.advance(seconds=16 * 60)
    for _ in range(MOST):
        imported(world, cookie_of(world.box, "member"), SHEET)
    answer = sent(world, "/links/bulk/text", {"text": SHEET}, cookie)
    assert (answer.status, answer.headers["retry-after"]) == (503, "60")
    world.box.clock.advance(seconds=16 * 60)
    imported(world, cookie, SHEET)
