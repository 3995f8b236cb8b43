"""links.* and linkFolders.* over RPC (wire 7.1 and 7.2): fields, refusals, scopes."""

from typing import Any, NamedTuple

import pytest

from analytics_box.base.clock import DAY
from analytics_box.base.identity import Role
from tests.cases import each
from tests.inprocess import KeyName
from tests.products.links.world import TARGET, World
from tests.tenants.keys.world import cookie_of

# Wire 7.2, then what this project adds.
WIRE_FIELDS = frozenset(
    (
        *("id", "organizationId", "createdBy", "createdAt", "updatedAt", "deletedAt", "name", "targetUrl", "slug"),
        *("folderId", "expiresAt", "expiredRedirectUrl", "ogTitle", "ogDescription", "ogImageUrl", "ogVideoUrl"),
        *("iosUrl", "androidUrl", "deepLinkApp", "externalId", "sourceType", "sourceId", "sourceOwnerId"),
        "targetDomain",
    )
)
BEYOND = frozenset(
    (
        *("domain", "shortUrl", "maxClicks", "hasPassword", "redirectStatus", "queryForwarding", "rules", "variants"),
        *("utm", "tags", "clicks", "lastClickedAt"),
    )
)
FOLDER_FIELDS = {"id", "organizationId", "name", "slug", "createdAt", "updatedAt"}


class Refusal(NamedTuple):
    """A call, and how it is refused."""

    what: str
    name: str
    given: dict[str, Any]
    status: int
    code: str
    field: str = ""


NEW: dict[str, Any] = {"name": "A link", "targetUrl": TARGET}
REFUSALS = (
    Refusal("no name", "links.create", {"targetUrl": TARGET}, 400, "BAD_REQUEST", "name"),
    Refusal("empty name", "links.create", NEW | {"name": ""}, 400, "BAD_REQUEST", "name"),
    Refusal("blank name", "links.create", NEW | {"name": "  "}, 400, "BAD_REQUEST", "name"),
    Refusal("long name", "links.create", NEW | {"name": "x" * 256}, 400, "BAD_REQUEST", "name"),
    Refusal("hidden letters", "links.create", NEW | {"name": "a\u202eb"}, 400, "BAD_REQUEST", "name"),
    Refusal("no target", "links.create", {"name": "A"}, 400, "BAD_REQUEST", "targetUrl"),
    Refusal("short slug", "links.create", NEW | {"slug": "ab"}, 400, "BAD_REQUEST", "slug"),
    Refusal("long slug", "links.create", NEW | {"slug": "x" * 51}, 400, "BAD_REQUEST", "slug"),
    Refusal("odd slug", "links.create", NEW | {"slug": "a/b"}, 400, "BAD_REQUEST", "slug"),
    Refusal("dotted slug", "links.create", NEW | {"slug": "robots.txt"}, 400, "BAD_REQUEST", "slug"),
    Refusal("taken slug", "links.create", NEW | {"slug": "taken"}, 409, "CONFLICT", "slug"),
    Refusal("unknown folder", "links.create", NEW | {"folderId": "nothere1"}, 400, "BAD_REQUEST", "folderId"),
    Refusal("unknown domain", "links.create", NEW | {"domain": "go.example.org"}, 400, "BAD_REQUEST", "domain"),
    Refusal("no date", "links.create", NEW | {"expiresAt": "tomorrow"}, 400, "BAD_REQUEST", "expiresAt"),
    Refusal(
        "last year", "links.create", NEW | {"expiresAt": "9999-12-31T23:59:59-12:00"}, 400, "BAD_REQUEST", "expiresAt"
    ),
    Refusal(
        "year 1", "links.create", NEW | {"expiresAt": "0001-01-01T00:00:00+12:00"}, 400, "BAD_REQUEST", "expiresAt"
    ),
    Refusal("unknown app", "links.create", NEW | {"deepLinkApp": "myspace"}, 400, "BAD_REQUEST", "deepLinkApp"),
    Refusal("long preview", "links.create", NEW | {"ogTitle": "x" * 201}, 400, "BAD_REQUEST", "ogTitle"),
    Refusal("no clicks", "links.create", NEW | {"maxClicks": 0}, 400, "BAD_REQUEST", "maxClicks"),
    Refusal("other status", "links.create", NEW | {"redirectStatus": 200}, 400, "BAD_REQUEST", "redirectStatus"),
    Refusal("short password", "links.create", NEW | {"password": "abc"}, 400, "BAD_REQUEST", "password"),
    Refusal(
        "one variant",
        "links.create",
        NEW | {"variants": [{"name": "a", "targetUrl": TARGET, "weight": 1}]},
        400,
        "BAD_REQUEST",
        "variants",
    ),
    Refusal(
        "rule without condition",
        "links.create",
        NEW | {"rules": [{"name": "a", "targetUrl": TARGET, "conditions": []}]},
        400,
        "BAD_REQUEST",
        "rules",
    ),
    Refusal("many tags", "links.create", NEW | {"tags": [str(n) for n in range(21)]}, 400, "BAD_REQUEST", "tags"),
    Refusal("unknown field", "links.create", NEW | {"target": TARGET}, 400, "BAD_REQUEST"),
    Refusal("other organization", "links.create", NEW | {"organizationId": "foreign"}, 403, "FORBIDDEN"),
    Refusal("unknown link", "links.get", {"id": "nothere1"}, 404, "NOT_FOUND"),
    Refusal("unknown link", "links.update", {"id": "nothere1", "name": "B"}, 404, "NOT_FOUND"),
    Refusal("unknown link", "links.delete", {"id": "nothere1"}, 404, "NOT_FOUND"),
    Refusal("link of others", "links.get", {"id": "{foreign}"}, 404, "NOT_FOUND"),
    Refusal("link of others", "links.update", {"id": "{foreign}", "name": "B"}, 404, "NOT_FOUND"),
    Refusal("link of others", "links.delete", {"id": "{foreign}"}, 404, "NOT_FOUND"),
    Refusal("page of none", "links.paginated", {"limit": 0}, 400, "BAD_REQUEST", "limit"),
    Refusal("large page", "links.paginated", {"limit": 101}, 400, "BAD_REQUEST", "limit"),
    Refusal("other order", "links.paginated", {"sort": "size"}, 400, "BAD_REQUEST", "sort"),
    Refusal("no externalId", "links.upsert", NEW, 400, "BAD_REQUEST", "externalId"),
    Refusal("long folder", "linkFolders.create", {"name": "x" * 81}, 400, "BAD_REQUEST", "name"),
    Refusal("same folder", "linkFolders.create", {"name": "NEWS"}, 409, "CONFLICT", "name"),
    Refusal("unknown folder", "linkFolders.update", {"id": "nothere1", "name": "B"}, 404, "NOT_FOUND"),
    Refusal("unknown folder", "linkFolders.delete", {"id": "nothere1"}, 404, "NOT_FOUND"),
    Refusal("unproven domain", "links.addDomain", {"domain": "go.example.org"}, 400, "BAD_REQUEST", "domain"),
    Refusal("unknown domain", "links.removeDomain", {"domain": "go.example.org"}, 404, "NOT_FOUND"),
)


@pytest.fixture
def foreign(world: World) -> str:
    """The id of a link of others, beside a slug and a folder that are taken."""
    world.link(slug="taken")
    world.call("linkFolders.create", name="News")
    made: str = world.call("links.create", key="foreign", **NEW).json["id"]
    return made


@each("case", REFUSALS, ids=lambda case: f"{case.name} {case.what}")
def test_a_call_is_refused(world: World, foreign: str, case: Refusal) -> None:
    given: dict[str, Any] = {
        name: value.format(foreign=foreign) if name == "id" else value for name, value in case.given.items()
    }
    answer = world.call(case.name, **given)
    assert (answer.status, answer.json["code"]) == (case.status, case.code), answer.body
    assert answer.json["success"] is False
    if case.field:
        assert any(case.field in detail["field"] + detail["message"] for detail in answer.json["details"])
    if case.code == "CONFLICT" and case.field == "slug":
        assert answer.json["error"] == "This slug is already taken"  # wire 7.1


SCOPES = (
    ("linking", 200),
    ("all", 200),
    ("reading", 403),
    ("tracking", 403),
    ("restricted", 403),
    ("revoked", 401),
    ("expired", 401),
)


@each(
    ("key", "status", "name"),
    [
        (key, status, name)
        for key, status in SCOPES
        for name in ["links.list", "links.create", "linkFolders.list", "linkFolders.create"]
    ],
)
def test_a_key_needs_the_scope(world: World, key: KeyName, status: int, name: str) -> None:
    given: dict[str, Any] = NEW if name == "links.create" else {"name": key} if name.endswith("create") else {}
    assert world.call(name, key=key, **given).status == status


def test_without_a_credential_nothing_is_told(world: World) -> None:
    for name in ("links.list", "links.get", "linkFolders.list", "links.export"):
        assert world.box.post("/" + name.replace(".", "/"), {}).status == 401


def test_a_link_has_the_fields_of_the_wire(world: World) -> None:
    given: dict[str, Any] = {
        "slug": "my-Link_1",
        "expiresAt": "2027-01-01T00:00:00.000Z",
        "expiredRedirectUrl": "https://example.com/over",
        "ogTitle": "Title",
        "ogDescription": "Words",
        "ogImageUrl": "https://example.com/i.png",
        "ogVideoUrl": "https://example.com/v.mp4",
        "iosUrl": "https://apps.apple.com/1",
        "androidUrl": "https://play.google.com/1",
        "deepLinkApp": "youtube",
        "externalId": "crm-1",
        "sourceType": "campaign",
        "sourceId": "7",
        "sourceOwnerId": "8",
    }
    made = world.link(**given)
    assert set(made) == WIRE_FIELDS | BEYOND
    assert {name: made[name] for name in given} == given
    assert made["organizationId"] == world.box.organization_id
    assert made["createdBy"].startswith("apikey:")
    assert (made["deletedAt"], made["targetDomain"], made["clicks"]) == (None, "example.com", 0)
    assert made["createdAt"] == "2026-06-17T12:00:00.000Z"
    assert made["shortUrl"] == "http://localhost:8000/l/my-Link_1"
    assert world.call("links.get", id=made["id"]).json == made
    assert world.call("links.list").json == [made]


def test_the_orpc_form_marks_dates(world: World) -> None:
    content = {"json": NEW | {"expiresAt": "2027-01-01T00:00:00.000Z"}, "meta": [[1, "expiresAt"]]}
    answer = world.box.post("/rpc/links/create", content, key="linking")
    assert [1, "expiresAt"] in answer.json["meta"]
    assert answer.json["json"]["expiresAt"] == "2027-01-01T00:00:00.000Z"


def test_an_update_changes_what_is_given_and_null_empties(world: World) -> None:
    made = world.link(ogTitle="Title", expiresAt="2027-01-01T00:00:00Z", tags=["b", "a"], externalId="x")
    assert made["tags"] == ["a", "b"]
    world.box.clock.advance(seconds=1)
    changed = world.call("links.update", id=made["id"], name="New", expiresAt=None, tags=[]).json
    assert {name for name in made if made[name] != changed[name]} == {"name", "expiresAt", "tags", "updatedAt"}
    assert (changed["name"], changed["expiresAt"], changed["tags"]) == ("New", None, [])
    moved = world.call("links.update", id=made["id"], targetUrl="https://other.example/x").json
    assert moved["targetDomain"] == "other.example"
    own = world.call("links.update", id=made["id"], targetUrl=TARGET, targetDomain="mine").json
    assert own["targetDomain"] == "mine"
    again = world.call("links.update", id=made["id"], name="New").json
    assert again["updatedAt"] == own["updatedAt"]


def test_a_change_is_seen_by_the_next_redirect(world: World) -> None:
    made = world.link(slug="first")
    assert world.follow("first").headers["location"] == TARGET
    world.call("links.update", id=made["id"], targetUrl="https://example.com/new")
    assert world.follow("first").headers["location"] == "https://example.com/new"
    world.call("links.update", id=made["id"], slug="second")
    assert world.follow("first").status == 404
    assert world.follow("second").headers["location"] == "https://example.com/new"
    assert world.call("links.delete", id=made["id"]).json == {"success": True}
    assert world.follow("second").status == 404
    assert world.call("links.get", id=made["id"]).status == 404
    assert world.link(slug="second")["slug"] == "second"


def test_upsert_by_external_id(world: World) -> None:
    first = world.call("links.upsert", externalId="crm-1", **NEW).json
    second = world.call("links.upsert", externalId="crm-1", name="Renamed", targetUrl="https://example.com/2").json
    assert second["id"] == first["id"]
    assert second["slug"] == first["slug"]
    assert second["name"] == "Renamed"
    assert world.follow(first["slug"]).headers["location"] == "https://example.com/2"
    assert len(world.call("links.list", externalId="crm-1").json) == 1
    padded = world.call("links.upsert", externalId=" crm-1 ", **NEW).json
    assert padded["id"] == first["id"], "spaces around it are none of it"
    foreign = world.call("links.upsert", key="foreign", externalId="crm-1", **NEW).json
    assert foreign["id"] != first["id"]


def test_lists_are_filtered_sorted_searched_and_paged(world: World) -> None:
    folder = world.call("linkFolders.create", name="News").json
    assert set(folder) == FOLDER_FIELDS
    one = world.link(name="Beta", folderId=folder["id"], externalId="e1", tags=["x"], sourceType="s", slug="beta")
    two = world.link(name="alpha", deepLinkApp="x", targetUrl="https://other.example/some")
    three = world.link(name="Gamma", sourceId="i", sourceOwnerId="o")

    def ids(procedure: str, **given: Any) -> list[str]:
        found = world.call(procedure, **given).json
        return [item["id"] for item in (found["items"] if procedure == "links.paginated" else found)]

    every = [three["id"], two["id"], one["id"]]
    assert ids("links.list") == every
    for given, wanted in (
        ({"folderId": folder["id"]}, [one]),
        ({"folderId": None}, [three, two]),
        ({"externalId": "e1"}, [one]),
        ({"tag": "x"}, [one]),
        ({"sourceType": "s"}, [one]),
        ({"sourceId": "i"}, [three]),
        ({"sourceOwnerId": "o"}, [three]),
        ({"targetDomain": "other.example"}, [two]),
        ({"domain": ""}, [three, two, one]),
        ({"domain": "go.example.org"}, []),
    ):
        assert ids("links.list", **given) == [item["id"] for item in wanted], given
    for given, expected in (
        ({"sort": "oldest"}, every[::-1]),
        ({"sort": "name-asc"}, [two["id"], one["id"], three["id"]]),
        ({"sort": "name-desc"}, [three["id"], one["id"], two["id"]]),
        ({"type": "deep"}, [two["id"]]),
        ({"type": "short"}, [three["id"], one["id"]]),
        ({"search": "BET"}, [one["id"]]),
        ({"search": "other.ex"}, [two["id"]]),
        ({"search": "100%_"}, []),
        ({"limit": 2}, every[:2]),
        ({"limit": 2, "offset": 2}, every[2:]),
    ):
        assert ids("links.paginated", **given) == expected, given
    assert world.call("links.paginated", limit=2).json["hasMore"] is True
    assert world.call("links.paginated", limit=2, offset=1).json["hasMore"] is False
    assert ids("links.list") != []
    assert world.call("links.list", key="foreign").json == []
    assert world.call("links.listTags").json == [{"tag": "x", "links": 1}]


def test_a_folder_is_renamed_and_its_links_stay_when_it_goes(world: World) -> None:
    folder = world.call("linkFolders.create", name="News & more").json
    assert folder["slug"] == "news-more"
    assert world.call("linkFolders.create", name="日本").json["slug"] == "folder"
    assert world.call("linkFolders.create", name="한국").json["slug"] == "folder-2"
    assert [one["name"] for one in world.call("linkFolders.list").json] == ["News & more", "日本", "한국"]
    assert world.call("linkFolders.update", id=folder["id"], name="Press").json["slug"] == "press"
    made = world.link(folderId=folder["id"])
    assert world.call("linkFolders.delete", id=folder["id"], key="foreign").status == 404
    assert world.call("linkFolders.delete", id=folder["id"]).json == {"success": True}
    assert world.call("links.get", id=made["id"]).json["folderId"] is None


def test_every_change_is_in_the_audit_log(world: World) -> None:
    made = world.link()
    world.call("links.update", id=made["id"], name="New")
    world.call("links.delete", id=made["id"])
    folder = world.call("linkFolders.create", name="F").json["id"]
    world.call("linkFolders.delete", id=folder)
    entries = world.box.box.box_db.read_now(
        lambda db: db.execute(
            "select action, subject, subject_id from audit where subject in ('link', 'link folder') order by id"
        ).fetchall()
    )
    assert entries == [
        ("created", "link", made["id"]),
        ("updated", "link", made["id"]),
        ("deleted", "link", made["id"]),
        ("created", "link folder", folder),
        ("deleted", "link folder", folder),
    ]


def test_clicks_are_counted_on_the_row(world: World) -> None:
    made = world.link()
    for _ in range(3):
        world.follow(made["slug"])
    world.follow(made["slug"], method="HEAD")
    shown = world.call("links.get", id=made["id"]).json
    assert (shown["clicks"], shown["lastClickedAt"]) == (3, "2026-06-17T12:00:00.000Z")
    assert world.call("links.paginated").json["items"][0]["clicks"] == 3


@pytest.mark.parametrize("role", ["viewer", "member", "admin", "owner"])
def test_people_read_and_members_write(world: World, role: Role) -> None:
    cookie = cookie_of(world.box, role)
    wanted = 403 if role == "viewer" else 200
    own = world.box.post("/links/create", NEW, cookie=cookie)
    assert own.status == wanted
    assert world.box.post("/links/list", {}, cookie=cookie).status == 200
    if own.status == 200:
        assert not own.json["createdBy"].startswith("apikey:")


def test_qr_codes_say_the_short_address(world: World) -> None:
    made = world.link(slug="for-print")
    shown = world.call("links.getQr", id=made["id"]).json
    assert shown["url"] == made["shortUrl"]
    assert shown["content"].lstrip().startswith("<?xml")
    picture = world.box.get(f"/links/{made['id']}/qr/png", x_api_key=world.box.keys["linking"])
    assert picture.headers["content-type"] == "image/png"
    assert picture.body.startswith(b"\x89PNG")
    for path, status in (
        (f"/links/{made['id']}/qr/gif", 404),
        ("/links/nothere1/qr/svg", 404),
        (f"/links/{made['id']}/qr/svg?scale=0", 400),
        (f"/links/{made['id']}/qr/svg?scale=4000", 400),
    ):
        assert world.box.get(path, x_api_key=world.box.keys["linking"]).status == status
    assert world.box.get(f"/links/{made['id']}/qr/svg", x_api_key=world.box.keys["foreign"]).status == 404
    assert world.box.get(f"/links/{made['id']}/qr/svg", x_api_key=world.box.keys["reading"]).status == 403


def test_addresses_that_lead_nowhere_are_counted_by_kind_and_slug(world: World) -> None:
    for _ in range(2):
        world.follow("gone-1")
    world.follow("gone-1", method="HEAD")
    world.follow("??")
    for number in range(150):
        world.follow(f"many-{number}")
    found = world.call("links.listOrphans").json
    counts = {(one["slug"], one["kind"]): one["count"] for one in found}
    assert counts["gone-1", "click"] == 2
    assert counts["gone-1", "head"] == 1
    assert counts["", "click"] == 1 + 52  # one that is no slug, and those past the first hundred names of the day
    assert sum(counts.values()) == 154
    world.box.clock.advance(seconds=40 * DAY / 1000)
    assert world.call("links.listOrphans").json == []
    assert len(world.call("links.listOrphans", days=90).json) > 50


def test_a_preview_leads_where_the_redirect_would_and_counts_nothing(world: World) -> None:
    condition = {"property": "country", "operator": "equals", "value": "DE"}
    made = world.link(
        rules=[{"name": "Germans", "targetUrl": "https://example.com/de", "conditions": [condition]}],
        iosUrl="https://apps.apple.com/1",
        queryForwarding="keep",
        expiresAt="2026-06-17T11:00:00Z",
        utm={"source": "mail"},
    )

    def preview(**visit: Any) -> dict[str, Any]:
        found: dict[str, Any] = world.call("links.preview", id=made["id"], **visit).json
        return found

    german = {"url": "https://example.com/de?utm_source=mail", "rule": "Germans", "variant": "", "app": ""}
    for country in ("DE", "de", "Germany", "germany"):
        assert preview(country=country) == german | {"expired": True, "password": False}
    assert preview(system="iOS")["url"] == "https://apps.apple.com/1?utm_source=mail"
    assert preview(country="FR", query="a=1")["url"] == f"{TARGET}?utm_source=mail&a=1"
    assert world.counted() == []
