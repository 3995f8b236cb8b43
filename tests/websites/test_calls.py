"""Procedures of websites over the whole box: who may do what, what they answer, what the audit log says."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analytics_box import jobs
from analytics_box.box import open_box
from analytics_box.clock import DAY
from analytics_box.ingest import erase
from analytics_box.store.db import Db
from tests.inprocess import Answer, KeyName, SiteName, WholeBox, whole_box

ROW = {
    "id", "domain", "name", "status", "isPublic", "organizationId", "settings", "integrations",
    "createdAt", "updatedAt", "deletedAt",
}  # wire 10.3  # fmt: skip


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data") as inside:
        yield inside


def call(box: WholeBox, name: str, given: object, *, key: KeyName | None = "all", **headers: str) -> Answer:
    """A procedure over the plain mirror."""
    return box.post(f"/websites/{name}", given, key=key, **headers)


def row(box: WholeBox, site: SiteName = "shop") -> Any:
    return call(box, "getById", {"id": box.sites[site]}).json


def audit(box: WholeBox) -> list[tuple[str, str, str, Any]]:
    """Organization, actor, action and detail of every entry about a website, oldest first."""
    entries = ask(
        box.box.box_db,
        "select organization_id, actor, action, detail from audit where subject = 'website' order by id",
    )
    return [(organization, actor, action, json.loads(detail)) for organization, actor, action, detail in entries]


def ask(db: Db, statement: str, *values: str | int) -> list[Any]:
    """The rows of a statement, over the box's own connections."""
    return db.read_now(lambda connection: connection.execute(statement, values).fetchall())


def view(box: WholeBox, client_id: str, path: str = "/a") -> Answer:
    event = {"name": "screen_view", "path": f"https://shop.example{path}"}
    return box.post(f"/?client_id={client_id}", event)


def events(box: WholeBox, site: SiteName) -> int:
    ((count,),) = ask(box.box.events_db, "select count(*) from events where site = ?", box.numbers[site])
    return int(count)


def run_job(box: WholeBox, name: str) -> None:
    job = next(job for job in jobs.JOBS if job.name == name)

    async def run() -> None:
        await job.run(box.box)

    box._runner.run(run())


def test_a_row_is_the_wire_s(box: WholeBox) -> None:
    found = row(box)
    assert set(found) >= ROW
    assert found["createdAt"] == "2026-06-17T12:00:00.000Z"
    assert (found["deletedAt"], found["integrations"]) == (None, None)
    assert found["clientId"] == found["id"]
    assert found["settings"]["visitorIdMode"] == "auto"
    assert found["settings"]["dataRetentionDays"] is None


def test_only_own_websites_are_listed_and_a_restricted_key_lists_its_own(box: WholeBox) -> None:
    names = [each["name"] for each in call(box, "list", {}, key="reading").json]
    assert (names[0], len(names)) == ("Shop", 4)
    assert [each["name"] for each in call(box, "list", {}, key="restricted").json] == ["Shop"]
    assert [each["name"] for each in call(box, "list", {}, key="foreign").json] == ["Foreign"]
    assert call(box, "list", {"organizationId": box.foreign_organization_id}).status == 403


def test_charts_come_with_the_list(box: WholeBox) -> None:
    assert view(box, box.sites["shop"]).status == 200
    answer = call(box, "listWithCharts", {}).json
    shop, blog = box.sites["shop"], box.sites["blog"]
    assert {each["id"] for each in answer["websites"]} == set(answer["chartData"]) == set(answer["activeUsers"])
    assert answer["activeUsers"][shop] == 1
    chart = answer["chartData"][shop]
    assert [point["value"] for point in chart["data"]] == [0, 0, 0, 0, 0, 0, 1]
    assert chart["data"][-1]["date"] == "2026-06-17"
    assert (chart["totalViews"], chart["trend"], chart["hasAnyData"]) == (1, None, True)
    assert answer["chartData"][blog]["hasAnyData"] is False


@pytest.mark.parametrize("path", ["/rpc/websites", "/websites"])
@pytest.mark.parametrize("name", ["getById", "getPublicSummary"])
def test_strangers_see_the_reduced_row_of_a_public_website_only(box: WholeBox, path: str, name: str) -> None:
    public = box.post(f"{path}/{name}", {"id": box.sites["blog"]})
    assert public.status == 200
    assert public.json == {"id": box.sites["blog"], "domain": "blog.example", "name": "Blog", "isPublic": True}
    private = box.post(f"{path}/{name}", {"id": box.sites["shop"]})
    unknown = box.post(f"{path}/{name}", {"id": "unknown"})
    assert private.status == unknown.status == (401 if name == "getById" else 404)
    assert b"shop.example" not in private.body


def test_somebody_else_s_key_sees_the_reduced_row_too(box: WholeBox) -> None:
    assert set(call(box, "getById", {"id": box.sites["blog"]}, key="foreign").json) == {
        "id", "domain", "name", "isPublic",
    }  # fmt: skip
    assert call(box, "getById", {"id": box.sites["shop"]}, key="foreign").status == 404


CHANGES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("update", {"name": "Other"}),
    ("togglePublic", {"isPublic": True}),
    ("updateSettings", {"settings": {"visitorIdMode": "cookieless"}}),
    ("rotateTracking", {}),
    ("delete", {}),
)


@pytest.mark.parametrize(("name", "given"), CHANGES, ids=[name for name, _ in CHANGES])
def test_a_change_is_for_own_websites_with_the_scope(box: WholeBox, name: str, given: dict[str, Any]) -> None:
    wanted = {"id": box.sites["shop"], **given}
    assert call(box, name, wanted, key=None).status == 401
    assert call(box, name, wanted, key="reading").status == 403
    assert call(box, name, wanted, key="foreign").status == 404
    assert call(box, name, wanted | {"id": "unknown"}).status == 404
    assert call(box, name, wanted | {"surprise": 1}).status == 400
    before = len(audit(box))
    assert call(box, name, wanted).status == 200
    assert len(audit(box)) == before + 1


@pytest.mark.parametrize(
    ("role", "may"),
    [
        ("viewer", set()),
        ("member", {"updateSettings", "rotateTracking"}),
        ("admin", {name for name, _ in CHANGES}),
    ],
)
def test_people_may_do_what_their_role_allows(box: WholeBox, role: str, may: set[str]) -> None:  # wire 10.4
    box.box.box_db.write_now(lambda db: db.execute("update members set role = ?", (role,)))
    cookie = box.cookie
    for name, given in CHANGES:
        answer = call(box, name, {"id": box.sites["shop"], **given}, key=None, cookie=cookie)
        assert answer.status == (200 if name in may else 403), name


def test_a_change_is_in_the_audit_log_with_what_was_before_and_after(box: WholeBox) -> None:
    shop = box.sites["shop"]
    call(box, "update", {"id": shop, "name": "Store"})
    call(box, "updateSettings", {"id": shop, "settings": {"allowedIps": ["203.0.113.9/32"], "dataRetentionDays": 30}})
    call(box, "togglePublic", {"id": shop, "isPublic": False})  # it is not public: nothing changes, nothing is said
    details = [(action, detail) for _, actor, action, detail in audit(box) if actor.startswith("apikey:")]
    assert details == [
        ("updated", {"name": {"before": "Shop", "after": "Store"}}),
        (
            "updated",
            {
                "allowedIps": {"before": [], "after": ["203.0.113.9"]},
                "dataRetentionDays": {"before": None, "after": 30},
            },
        ),
    ]


def test_settings_that_are_not_given_stay(box: WholeBox) -> None:
    shop = box.sites["shop"]
    call(box, "updateSettings", {"id": shop, "settings": {"ignoredPaths": ["/admin/*"], "dataRetentionDays": 30}})
    call(box, "updateSettings", {"id": shop, "settings": {"allowedOrigins": ["https://App.example.com/"]}})
    found = row(box)["settings"]
    assert found["ignoredPaths"] == ["/admin/*"]
    assert found["dataRetentionDays"] == 30
    assert found["allowedOrigins"] == ["https://app.example.com"]
    call(box, "updateSettings", {"id": shop, "settings": {"dataRetentionDays": None}})
    assert row(box)["settings"]["dataRetentionDays"] is None


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"allowedOrigins": ["ftp/x y"]}, "allowedOrigins"),
        ({"allowedOrigins": ["https://a.example/path"]}, "allowedOrigins"),
        ({"allowedOrigins": ["a.*.example"]}, "allowedOrigins"),
        ({"allowedIps": ["203.0.113.300"]}, "allowedIps"),
        ({"ignoredIps": ["example.com"]}, "ignoredIps"),
        ({"ignoredPaths": ["admin"]}, "ignoredPaths"),
        ({"ignoredPaths": ["/a*b*c*d*e*f*g*h*i*"]}, "ignoredPaths"),
        ({"ignoredTrackingOrigins": [""]}, "ignoredTrackingOrigins"),
        ({"visitorIdMode": "cookies"}, "settings.visitorIdMode"),
        ({"dataRetentionDays": 0}, "settings.dataRetentionDays"),
        ({"allowedIps": None}, "settings.allowedIps"),
        ({"surprise": 1}, "settings"),
    ],
)
def test_wrong_settings_are_refused_by_name(box: WholeBox, settings: dict[str, Any], field: str) -> None:
    before = row(box)
    answer = call(box, "updateSettings", {"id": box.sites["shop"], "settings": settings})
    assert (answer.status, answer.json["code"]) == (400, "BAD_REQUEST")
    assert answer.json["details"][0]["field"] == field
    assert row(box) == before


# Client ids


def test_a_rotation_gives_trackers_a_new_id_and_the_old_one_time(box: WholeBox) -> None:
    shop = box.sites["shop"]
    rotated = call(box, "rotateTracking", {"id": shop}).json
    new = rotated["clientId"]
    assert rotated["id"] == shop != new
    assert rotated["oldClientIds"] == [{"id": shop, "endsAt": "2026-07-17T12:00:00.000Z", "lastSeenAt": None}]
    assert view(box, new).status == 200
    box.clock.advance(seconds=29 * 86_400 + 100)
    assert view(box, shop).status == 200
    assert events(box, "shop") == 2
    run_job(box, "note old client ids")
    assert row(box)["oldClientIds"][0]["lastSeenAt"] == "2026-07-16T12:00:00.000Z"  # to the hour
    box.clock.advance(seconds=86_400)
    late = view(box, shop)
    assert (late.status, late.json["reason"]) == (400, "INGEST_INVALID_CLIENT_ID")
    assert box.post(f"/track?website_id={shop}", {"name": "x"}).status == 404
    assert view(box, new).status == 200
    # Pages still send with it, so it is still shown; a week of silence later it is not.
    run_job(box, "note old client ids")
    assert row(box)["oldClientIds"][0]["id"] == shop
    box.clock.advance(seconds=8 * 86_400)
    assert row(box)["oldClientIds"] == []
    # For the API the website keeps its id.
    assert box.post("/track", {"name": "x", "websiteId": shop}, key="all").status == 200


def test_an_old_client_id_never_comes_back_and_is_nobody_else_s(box: WholeBox) -> None:
    shop = box.sites["shop"]
    ids = {shop} | {call(box, "rotateTracking", {"id": shop}).json["clientId"] for _ in range(5)}
    assert len(ids) == 6
    answer = call(box, "rotateTracking", {"id": shop})
    assert (answer.status, answer.json["code"]) == (409, "CONFLICT")
    assert all(view(box, each).status == 200 for each in ids)
    assert events(box, "shop") == 6


def test_rotations_outlive_a_restart(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data") as box:
        shop = box.sites["shop"]
        new = call(box, "rotateTracking", {"id": shop}).json["clientId"]
        box.box.close()
        again = open_box(box.box.settings, box.clock)
        tracked = again.calls.websites.tracked(new, box.clock.now())
        old = again.calls.websites.tracked(shop, box.clock.now())
        again.close()
    assert tracked is not None
    assert old is not None
    assert tracked.website == old.website
    assert tracked.website.client_id == new


# Deletion


def test_a_deleted_website_is_gone_and_can_be_restored(box: WholeBox) -> None:
    shop = box.sites["shop"]
    view(box, shop)
    assert call(box, "delete", {"id": shop}).json == {"success": True}
    assert view(box, shop).status == 400
    assert row(box)["code"] == "NOT_FOUND"
    assert box.query("shop", {"parameters": ["summary_totals"], "preset": "today"}).status == 403
    assert call(box, "restore", {"id": shop}, key="foreign").status == 404
    box.clock.advance(seconds=6 * 86_400)
    run_job(box, "purge websites")
    restored = call(box, "restore", {"id": shop}).json
    assert (restored["id"], restored["deletedAt"]) == (shop, None)
    assert view(box, shop).status == 200
    assert events(box, "shop") == 2
    assert call(box, "restore", {"id": shop}).status == 404, "it is not deleted"


def test_a_website_whose_domain_was_taken_since_cannot_come_back(box: WholeBox) -> None:
    call(box, "delete", {"id": box.sites["shop"]})
    assert call(box, "create", {"name": "Shop 2", "domain": "shop.example"}).status == 200
    assert call(box, "restore", {"id": box.sites["shop"]}).status == 409


def test_after_the_grace_period_its_events_are_removed_and_no_others(
    box: WholeBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erase, "CHUNK", 2)
    shop, blog = box.sites["shop"], box.sites["blog"]
    for number in range(5):
        view(box, shop, f"/{number}")
    box.post(f"/?client_id={blog}", {"name": "screen_view", "path": "https://blog.example/"})
    call(box, "delete", {"id": shop})
    box.clock.advance(seconds=7 * 86_400)
    assert call(box, "restore", {"id": shop}).status == 404, "the time to restore it is over"
    run_job(box, "purge websites")
    assert (events(box, "shop"), events(box, "blog")) == (0, 1)
    assert ask(box.box.box_db, "select count(*) from websites where id = ?", shop) == [(0,)]
    assert ask(box.box.box_db, "select count(*) from client_ids where website_id = ?", shop) == [(0,)]
    assert audit(box)[-1][1:] == ("the box", "deleted", {"domain": "shop.example", "eventsRemoved": 5})
    run_job(box, "purge websites")
    assert call(box, "create", {"name": "Shop", "domain": "shop.example"}).status == 200
    assert events(box, "shop") == 0


# Retention


@pytest.mark.parametrize("chunk", [1, 2, 1_000])
def test_events_older_than_the_retention_go_and_sessions_stay_whole(
    box: WholeBox, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(erase, "CHUNK", chunk)
    shop, blog = box.sites["shop"], box.sites["blog"]
    midnight = box.clock.now() - box.clock.now() % DAY

    def at(time: int, path: str, site: str = shop) -> dict[str, Any]:
        page = f"https://shop.example{path}"
        return {
            "name": "screen_view", "path": page, "websiteId": site, "anonymousId": "a", "anonymizeVisitorIds": False,
            "timestamp": time,
        }  # fmt: skip

    border = midnight - 30 * DAY
    sent = [
        at(border - 5 * DAY, "/old"),
        at(border - 60_000, "/begun-before"),
        at(border + 60_000, "/same-session"),  # goes with the session that began the day before
        at(border + DAY // 2, "/kept"),
        at(midnight, "/new"),
        at(border - 5 * DAY, "/old", blog),
    ]
    assert box.post("/track", sent, key="all").status == 200
    assert call(box, "updateSettings", {"id": shop, "settings": {"dataRetentionDays": 30}}).status == 200
    run_job(box, "retain events")
    left = ask(
        box.box.events_db,
        "select events.site, value from events join strings on strings.id = path order by events.id",
    )
    numbers = box.numbers
    assert left == [(numbers["shop"], "/kept"), (numbers["shop"], "/new"), (numbers["blog"], "/old")]


# Transfer


def join(box: WholeBox, role: str) -> None:
    """Make the owner a member of the other organization."""
    box.box.box_db.write_now(
        lambda db: db.execute(
            "insert into members (organization_id, user_id, role, created_at) values (?, ?, ?, ?)",
            (box.foreign_organization_id, box.user_id, role, box.clock.now() + 1),
        )
    )


@pytest.mark.parametrize("name", ["transfer", "transferToOrganization"])
def test_a_transferred_website_belongs_to_the_other_organization_only(box: WholeBox, name: str) -> None:
    shop = box.sites["shop"]
    view(box, shop)
    join(box, "admin")
    given = {"websiteId": shop, "organizationId": box.foreign_organization_id}
    moved = call(box, name, given, key=None, cookie=box.cookie)
    assert moved.status == 200
    assert moved.json["organizationId"] == box.foreign_organization_id
    assert call(box, "getById", {"id": shop}).status == 404
    assert box.query("shop", {"parameters": ["summary_totals"], "preset": "today"}).status == 403
    for key in ("all", "restricted"):
        assert box.post("/track", {"name": "x", "websiteId": shop}, key=key).status == 403
    assert call(box, "list", {}, key="restricted").json == []
    foreign = box.query("shop", {"parameters": ["summary_totals"], "preset": "today"}, key="foreign")
    assert foreign.json["data"][0]["data"][0]["pageviews"] == 1
    assert view(box, shop).status == 200, "trackers go on sending"
    entries = [(organization, detail) for organization, _, action, detail in audit(box) if action == "updated"]
    change = {"organizationId": {"before": box.organization_id, "after": box.foreign_organization_id}}
    assert entries == [(box.organization_id, change), (box.foreign_organization_id, change)]


def test_a_transfer_needs_a_manager_of_both_organizations(box: WholeBox) -> None:
    given = {"websiteId": box.sites["shop"], "organizationId": box.foreign_organization_id}
    assert call(box, "transfer", given).status == 403, "API keys cannot"
    assert call(box, "transfer", given, key=None, cookie=box.cookie).status == 403, "no member there"
    join(box, "member")
    assert call(box, "transfer", given, key=None, cookie=box.cookie).status == 403, "only a member there"
    unknown = given | {"organizationId": "unknown"}
    assert call(box, "transfer", unknown, key=None, cookie=box.cookie).status == 403
    stolen = {"websiteId": box.sites["foreign"], "organizationId": box.organization_id}
    assert call(box, "transfer", stolen, key=None, cookie=box.cookie).status == 404
    assert row(box)["organizationId"] == box.organization_id


def test_a_restricted_key_makes_no_websites(box: WholeBox) -> None:
    given = {"name": "New", "domain": "new.example"}
    assert call(box, "create", given, key="restricted").status == 403
    assert call(box, "create", given | {"organizationId": box.foreign_organization_id}).status == 403
    assert call(box, "create", given).json["domain"] == "new.example"
    assert call(box, "create", given).status == 409
