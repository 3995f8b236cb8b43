"""Status pages by their procedures (wire 9.3): what they take, refuse and answer with, and who may call them."""

import pytest

from tests.cases import each
from tests.inprocess import KeyName
from tests.products.status_pages.world import DOMAIN, World


def test_a_page_is_made_with_defaults_and_listed_newest_first(shared: World) -> None:
    made = shared.good("create", name="  First   page ", slug="first")
    shared.box.clock.advance(seconds=1)
    second = shared.page("second", uptimeScheduleIds=[shared.monitor("https://example.com/listed")])
    assert made == made | {
        "organizationId": shared.box.organization_id,
        "slug": "first",
        "name": "First page",
        "url": "http://localhost:8000/status/first",
        "description": None,
        "logoUrl": None,
        "faviconUrl": None,
        "websiteUrl": None,
        "supportUrl": None,
        "theme": None,
        "timeZone": "UTC",
        "domain": None,
        "hasPassword": False,
        "isIndexed": True,
        "isSubscribable": True,
        "automaticIncidents": "off",
        "publishAfterMinutes": 5,
    }
    listed = [(page["id"], page["monitorCount"]) for page in shared.good("list")]
    assert listed[:2] == [(second, 1), (made["id"], 0)]
    assert shared.good("list", organizationId=shared.box.organization_id)[0]["id"] == second
    assert shared.good("get", statusPageId=made["id"]) == made | {"monitors": [], "components": [], "groups": []}


def test_every_field_changes_and_what_is_not_given_stays(shared: World) -> None:
    page_id = shared.page("fields", description="What we run")
    fields = {
        "name": "Another name",
        "slug": "other-fields",
        "websiteUrl": "https://example.com/",
        "supportUrl": "https://example.com/help?a=1#top%22%3E",
        "theme": "dark",
        "timeZone": "Europe/Berlin",
        "isIndexed": False,
        "isSubscribable": False,
        "automaticIncidents": "publish",
        "publishAfterMinutes": 15,
    }
    changed = shared.good("update", statusPageId=page_id, **fields)
    assert changed == changed | fields | {"description": "What we run"}
    quoted = shared.good("update", statusPageId=page_id, supportUrl='https://example.com/help?a=1#top">')
    assert quoted["supportUrl"] == fields["supportUrl"]
    emptied = shared.good("update", statusPageId=page_id, description=None, websiteUrl=None, theme=None)
    assert (emptied["description"], emptied["websiteUrl"], emptied["theme"]) == (None, None, None)
    assert emptied["supportUrl"] == fields["supportUrl"]
    assert shared.pages.by_slug("fields") is None
    assert shared.pages.by_slug("other-fields") == shared.known(page_id)


@each(
    ("given", "message"),
    [
        *(
            ({"slug": slug}, "Use 1 to 100 letters a-z and digits, with hyphens only between them")
            for slug in ("Upper", "with space", "-x", "x-", "-", "ö")
        ),
        ({"slug": "new"}, "This slug is reserved. Enter another one"),
        ({"slug": "taken"}, "Another status page already has this slug"),
        ({"slug": "a" * 101}, "Must be at most 100 characters"),
        ({"name": "x" * 121}, "Must be at most 120 characters"),
        ({"name": " \u200b "}, "Enter a name with visible characters"),
        ({"description": "x" * 501}, "Must be at most 500 characters"),
        ({"websiteUrl": "http://example.com"}, "Enter a URL that starts with https://"),
        ({"websiteUrl": "https://ada:secret@example.com/"}, "user"),
        ({"websiteUrl": "https://example.com/" + "a" * 2040}, "2048"),
        ({"supportUrl": "javascript:alert(1)"}, "Enter the full address, such as https:"),
        ({"logoUrl": "http://example.com/logo.png"}, "Enter a URL that starts with https://"),
        ({"faviconUrl": "https://127.0.0.1/icon.png"}, "The image could not be downloaded"),
        ({"theme": "blue"}, "Must be one of: "),
        ({"timeZone": "Mars/Olympus"}, "Enter an IANA time zone, such as Europe/Berlin"),
        ({"domain": "not-ours.example.org"}, "Verify this domain first"),
        ({"publishAfterMinutes": 1441}, "Must be a whole number from 0 to 1440"),
        ({"password": ""}, "This is required"),
        ({"nonsense": 1}, "This is not a known field"),
    ],
)
def test_invalid_input_is_refused_in_one_line(shared: World, given: dict[str, object], message: str) -> None:
    if shared.pages.by_slug("taken") is None:
        shared.page("taken")
        shared.page("right")
    status, said = shared.refused("create", **{"name": "Shop", "slug": "wrong"} | given)
    assert status == 400
    assert message in said
    right = shared.pages.by_slug("right")
    assert right is not None
    status, said = shared.refused("update", statusPageId=right.page.id, **given)
    assert (status, message in said) == (400, True), said
    assert shared.pages.by_slug("wrong") is None
    assert shared.pages.by_slug("right") == right


def test_a_page_that_is_deleted_is_gone_at_once_and_its_slug_is_free(shared: World) -> None:
    page_id = shared.page("gone", uptimeScheduleIds=[shared.monitor("https://example.com/gone")])
    assert shared.good("delete", statusPageId=page_id) == {"success": True}
    assert shared.refused("get", statusPageId=page_id) == (404, "There is no status page with this id")
    assert shared.refused("delete", statusPageId=page_id)[0] == 404
    assert shared.pages.by_slug("gone") is None
    assert shared.rows("select 1 from status_page_components where page_id = ?", page_id) == []
    shared.page("gone")


def test_a_password_is_kept_as_a_hash_and_never_told(shared: World) -> None:
    page_id = shared.page("secret", password="open sesame")
    stored = shared.known(page_id).page.password
    assert stored.startswith("$argon2id$")
    answers = str(shared.good("get", statusPageId=page_id)) + str(shared.good("list")) + shared.audited()
    assert "open sesame" not in answers
    assert stored not in answers
    assert shared.good("update", statusPageId=page_id, name="Still secret")["hasPassword"]
    assert not shared.good("update", statusPageId=page_id, password=None)["hasPassword"]
    assert shared.known(page_id).page.password == ""


def test_a_domain_has_to_be_proven_and_serves_one_thing(shared: World) -> None:
    shared.domain()
    page_id = shared.page("on-domain")
    assert shared.refused("update", statusPageId=page_id, domain=DOMAIN, cookie=shared.member)[0] == 403
    changed = shared.good("update", statusPageId=page_id, domain=f" {DOMAIN.upper()}. ")
    assert (changed["domain"], changed["url"]) == (DOMAIN, f"http://{DOMAIN}")
    assert shared.pages.by_domain(DOMAIN) == shared.known(page_id)
    assert shared.refused("create", name="Second", slug="second-on", domain=DOMAIN) == (
        409,
        "Another status page already uses this domain",
    )
    links = shared.box.post("/links/addDomain", {"domain": DOMAIN}, key="all")
    assert (links.status, "status page Shop" in links.json["error"]) == (409, True)
    removed = shared.box.post("/config/removeDomain", {"domainId": f"dom-{DOMAIN}"}, key="all")
    assert (removed.status, "status page Shop" in removed.json["error"]) == (409, True)
    assert shared.good("update", statusPageId=page_id, domain=None)["domain"] is None
    assert shared.pages.by_domain(DOMAIN) is None
    assert shared.box.post("/links/addDomain", {"domain": DOMAIN}, key="all").status == 200
    assert shared.refused("update", statusPageId=page_id, domain=DOMAIN)[0] == 409


READS = ("list", "get")
WRITES = {
    "create": {"name": "Mine", "slug": "mine"},
    "update": {"name": "Mine"},
    "delete": {},
    "createAssetUploadUrl": {"asset": "logo"},
    "addComponent": {"name": "Mine"},
    "addGroup": {"name": "Mine"},
}


@pytest.mark.parametrize("key", ["reading", "restricted", "foreign"])
def test_keys_without_the_scope_and_keys_of_others_change_nothing(shared: World, key: KeyName) -> None:
    page_id = shared.page(f"for-{key}")
    before = shared.known(page_id)
    for procedure, given in WRITES.items():
        if procedure == "create" and key == "foreign":
            continue  # it makes pages of its own
        named = given if procedure == "create" else given | {"statusPageId": page_id}
        status, _ = shared.refused(procedure, key=key, **named)
        assert status == (404 if key == "foreign" else 403), procedure
    assert shared.known(page_id) == before


def test_viewers_see_and_only_members_change(shared: World) -> None:
    page_id = shared.page("for-viewers")
    assert shared.good("get", statusPageId=page_id, cookie=shared.viewer)["id"] == page_id
    for procedure, given in WRITES.items():
        named = given if procedure == "create" else given | {"statusPageId": page_id}
        assert shared.refused(procedure, cookie=shared.viewer, **named)[0] == 403, procedure
    assert (
        shared.good("update", statusPageId=page_id, name="By a member", cookie=shared.member)["name"] == "By a member"
    )


def test_others_see_nothing(shared: World) -> None:
    page_id = shared.page("for-nobody-else")
    assert shared.refused("get", statusPageId=page_id, cookie=shared.foreign)[0] == 404
    assert shared.refused("list", organizationId=shared.box.organization_id, cookie=shared.foreign)[0] == 403
    assert page_id not in str(shared.good("list", cookie=shared.foreign))
    assert shared.box.post("/statusPage/list", {}).status == 401


def test_each_change_is_a_new_version_and_stands_in_the_audit_log(world: World) -> None:
    page_id = world.page()
    assert world.known(page_id).page.version == 1
    world.good("update", statusPageId=page_id, name="Renamed")
    group = world.good("addGroup", statusPageId=page_id, name="APIs")["id"]
    world.good("addComponent", statusPageId=page_id, name="API", groupId=group)
    assert world.known(page_id).page.version == 4
    world.good("delete", statusPageId=page_id)
    log = world.audited().splitlines()
    assert [line.split(" {")[0] for line in log] == [
        "created status page",
        "updated status page",
        "created status page group",
        "created status page component",
        "deleted status page",
    ]
    assert '"before": "Shop", "after": "Renamed"' in log[1]


def test_pages_are_there_again_after_a_restart(world: World) -> None:
    page_id = world.page(uptimeScheduleIds=[world.monitor()])
    world.good("addGroup", statusPageId=page_id, name="APIs")
    before = world.known(page_id)
    world.box.reopen()
    assert world.known(page_id) == before
    assert world.pages.by_slug("shop") == before


def test_an_organization_has_a_hundred_pages_at_most(world: World) -> None:
    organization_id, now = world.box.organization_id, world.box.clock.now()
    world.box.box.box_db.write_now(
        lambda db: (
            db.executemany(
                "insert into status_pages (id, organization_id, slug, name, created_at, updated_at)"
                " values (?, ?, ?, ?, ?, ?)",
                [(f"page-{number:04}", organization_id, f"page-{number}", "Page", now, now) for number in range(100)],
            )
            and None
        )
    )
    assert world.refused("create", name="One more", slug="more") == (
        409,
        "An organization can have up to 100 status pages. Delete one first",
    )
