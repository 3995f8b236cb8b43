"""Who may see and change monitors: scopes, roles, other organizations, and keys of single websites."""

from typing import Any

from analytics_box.base.identity import Role
from tests.cases import each
from tests.inprocess import WholeBox
from tests.products.monitors.world import URL, World
from tests.tenants.keys.world import cookie_of, make

NEW: dict[str, Any] = {"url": "https://example.com/new", "granularity": "minute"}
READING = ("listSchedules", "paginated", "listTags", "getSchedule", "listMaintenances")
ONCE = {"name": "A", "covers": {"all": True}, "startsAt": "2027-01-01T00:00:00Z", "endsAt": "2027-01-02T00:00:00Z"}


def given(name: str, monitor_id: str) -> dict[str, Any]:
    """Input with which this procedure succeeds for those who may."""
    match name:
        case "createSchedule" | "tryCheck":
            return {**NEW} if name == "createSchedule" else {"url": URL}
        case "bulk":
            return {"scheduleIds": [monitor_id], "action": "pause"}
        case "createMaintenance":
            return ONCE
        case "listSchedules" | "paginated" | "listTags" | "listMaintenances":
            return {}
        case _:
            return {"scheduleId": monitor_id}


WRITING = ("createSchedule", "updateSchedule", "tryCheck", "manualCheck", "createMaintenance", "bulk", "deleteSchedule")


@each(("role", "may"), (("viewer", False), ("member", True), ("admin", True), ("owner", True)))
def test_people_of_every_role_see_monitors_and_members_change_them(world: World, role: Role, may: bool) -> None:
    cookie, one = cookie_of(world.box, role), world.made(f"https://example.com/{role}")
    for name in READING:
        assert world.call(name, cookie=cookie, **given(name, one)).status == 200, name
    for name in WRITING:
        answer = world.call(name, cookie=cookie, **given(name, one))
        assert answer.status == (200 if may else 403), (name, answer.body)
    if may:
        world.good("deleteSchedule", scheduleId=next(one["id"] for one in world.good("listSchedules")))


def key_of(box: WholeBox, **fields: Any) -> str:
    secret: str = make(box, box.cookie, **fields)["secret"]
    return secret


def test_a_key_needs_the_scope(world: World) -> None:
    one = world.made()
    reading = key_of(world.box, scopes=["read:monitors"])
    writing = key_of(world.box, scopes=["write:monitors"])
    for name in READING:
        assert world.box.post(f"/uptime/{name}", given(name, one), x_api_key=reading).status == 200, name
        assert world.box.post(f"/uptime/{name}", given(name, one), x_api_key=writing).status == 403, name
        assert world.call(name, key="reading", **given(name, one)).status == 403
        assert world.box.post(f"/uptime/{name}", given(name, one)).status == 401
    for name in WRITING:
        assert world.box.post(f"/uptime/{name}", given(name, one), x_api_key=reading).status == 403, name
        assert world.box.post(f"/uptime/{name}", given(name, one), x_api_key=writing).status == 200, name


def test_a_key_of_a_website_reaches_only_its_monitor(world: World) -> None:
    shop, blog = world.box.sites["shop"], world.box.sites["blog"]
    own = world.made("https://shop.example/", websiteId=shop)
    other, loose = world.made("https://blog.example/", websiteId=blog), world.made()
    scopes = ["read:monitors", "write:monitors"]
    key = key_of(world.box, scopes=[], resources={f"website:{shop}": scopes})

    def call(name: str, /, **asked: Any) -> Any:
        return world.box.post(f"/uptime/{name}", asked, x_api_key=key)

    assert [one["id"] for one in call("listSchedules").json] == [own]
    assert call("paginated").json["total"] == 1
    assert call("getScheduleByWebsiteId", websiteId=shop).json["id"] == own
    assert call("getScheduleByWebsiteId", websiteId=blog).status == 404
    for hidden in (other, loose):
        for name in ("getSchedule", "updateSchedule", "pauseSchedule", "manualCheck", "deleteSchedule", "tryCheck"):
            assert call(name, scheduleId=hidden).status == 404, name
        assert call("updateSchedule", scheduleId=own, parentId=hidden).status == 400
    assert call("bulk", scheduleIds=[own, other], action="pause").json == {
        "changed": 1, "unchanged": 0, "unknown": [other]
    }  # fmt: skip
    assert call("createSchedule", **NEW).json["details"][0]["field"] == "websiteId"
    assert call("createSchedule", **NEW, websiteId=blog).status == 400
    assert call("updateSchedule", scheduleId=own, websiteId=None).status == 400
    assert call("listMaintenances").status == 403
    assert call("createMaintenance", **ONCE).status == 403
    assert call("deleteSchedule", scheduleId=own).status == 200
    assert call("createSchedule", **NEW, websiteId=shop).status == 200


def test_a_person_reaches_the_monitors_of_all_their_organizations(world: World) -> None:
    foreign = world.call("createSchedule", key="foreign", **NEW).json["scheduleId"]
    both = cookie_of(world.box, "member", also_in=world.box.foreign_organization_id)
    only = cookie_of(world.box, "member")
    for name in ("getSchedule", "pauseSchedule", "deleteSchedule"):
        assert world.call(name, cookie=only, scheduleId=foreign).status == 404
        assert world.call(name, cookie=both, scheduleId=foreign).status == 200
    for cookie, status in ((both, 200), (only, 403)):
        answer = world.call("listSchedules", cookie=cookie, organizationId=world.box.foreign_organization_id)
        assert answer.status == status
