"""uptime.* over RPC (wire 8.1 and 8.2): fields, refusals, and that what runs monitors follows at once."""

from tests.monitors.world import URL, World

# Wire 8.2, then what this project adds.
WIRE_FIELDS = {
    *("id", "websiteId", "organizationId", "url", "name", "granularity", "isPaused", "timeout", "cacheBust"),
    *("createdAt", "updatedAt", "schedulerStatus", "website", "cron", "jsonParsingConfig"),
}
BEYOND = {
    *("kind", "options", "headerNames", "hasBody", "auth", "user", "failuresToDown", "successesToUp", "parentId"),
    *("group", "tags", "state", "stateSince", "lastCheck", "problem"),
}


def test_a_new_monitor_has_the_fields_of_the_wire_and_is_run_at_once(world: World) -> None:
    made = world.good("createSchedule", url=URL, granularity="five_minutes", name=" Shop ")
    assert made == {
        "scheduleId": made["scheduleId"],
        "url": URL,
        "name": "Shop",
        "granularity": "five_minutes",
        "pushUrl": None,
    }
    shown = world.good("getSchedule", scheduleId=made["scheduleId"])
    assert {*shown} == WIRE_FIELDS | BEYOND
    assert shown["organizationId"] == world.box.organization_id
    assert (shown["schedulerStatus"], shown["state"], shown["cron"]) == ("active", "new", "*/5 * * * *")
    assert (shown["isPaused"], shown["timeout"], shown["cacheBust"], shown["website"]) == (False, None, False, None)
    assert world.run(made["scheduleId"]).interval == 300
    assert world.good("listSchedules") == [shown]


def test_a_monitor_outlives_a_restart_as_it_is(world: World) -> None:
    one = world.made(
        name="Shop",
        websiteId=world.box.sites["shop"],
        timeout=5_000,
        cacheBust=True,
        tags=["b", "a", "a"],
        group="web",
        failuresToDown=3,
        successesToUp=2,
        options={"method": "POST", "assertions": [{"subject": "status", "comparison": "in", "value": "200-299"}]},
        jsonParsingConfig={"enabled": True, "mode": "manual", "fields": ["/status"]},
        headers={"X-Token": "hush"},
        body="hush",
        basicAuth={"user": "ada", "password": "hush"},
    )
    before = world.known(one)
    shown = world.good("getSchedule", scheduleId=one)
    assert shown["website"] == {"id": world.box.sites["shop"], "name": "Shop", "domain": "shop.example"}
    assert (shown["headerNames"], shown["hasBody"], shown["auth"], shown["user"]) == (["X-Token"], True, "basic", "ada")
    world.reopen()
    assert world.known(one) == before
    assert world.good("getSchedule", scheduleId=one) == shown
    assert world.good("getScheduleByWebsiteId", websiteId=world.box.sites["shop"]) == shown
    assert world.good("getScheduleByWebsiteId", websiteId=world.box.sites["blog"]) is None
