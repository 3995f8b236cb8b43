"""uptime.* over RPC (wire 8.1 and 8.2): fields, refusals, and that what runs monitors follows at once."""

import json
from typing import Any, NamedTuple

import pytest

from tests.cases import each
from tests.products.monitors.world import URL, World

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


class Refusal(NamedTuple):
    """A call, and how it is refused."""

    what: str
    name: str
    given: dict[str, Any]
    status: int
    field: str = ""


NEW: dict[str, Any] = {"url": URL, "granularity": "minute"}


def asserted(**assertion: Any) -> dict[str, Any]:
    return NEW | {"options": {"assertions": [assertion]}}


REFUSALS = (
    Refusal("no url", "createSchedule", {"granularity": "minute"}, 400, "url"),
    Refusal("no granularity", "createSchedule", {"url": URL}, 400, "granularity"),
    Refusal("odd granularity", "createSchedule", NEW | {"granularity": "second"}, 400, "granularity"),
    Refusal("other scheme", "createSchedule", NEW | {"url": "file:///etc/passwd"}, 400, "url"),
    Refusal("other kind", "createSchedule", NEW | {"kind": "tcp"}, 400, "url"),
    Refusal("password in it", "createSchedule", NEW | {"url": "https://a:b@example.com/"}, 400, "url"),
    Refusal("line break", "createSchedule", NEW | {"url": "https://example.com/\r\nX: y"}, 400, "url"),
    Refusal("loopback", "createSchedule", NEW | {"url": "http://127.0.0.1/"}, 400, "url"),
    Refusal("loopback by name", "createSchedule", NEW | {"url": "http://LOCALHOST:81/"}, 400, "url"),
    Refusal("loopback as a number", "createSchedule", NEW | {"url": "http://2130706433/"}, 400, "url"),
    Refusal("private", "createSchedule", NEW | {"url": "https://10.1.2.3/"}, 400, "url"),
    Refusal("link-local", "createSchedule", NEW | {"url": "http://169.254.169.254/latest"}, 400, "url"),
    Refusal("mapped", "createSchedule", NEW | {"url": "http://[::ffff:10.0.0.1]/"}, 400, "url"),
    Refusal("private tcp", "createSchedule", NEW | {"url": "tcp://192.168.0.1:22"}, 400, "url"),
    Refusal("mail port", "createSchedule", NEW | {"url": "tcp://example.com:25"}, 400, "url"),
    Refusal("tcp without port", "createSchedule", NEW | {"url": "tcp://example.com"}, 400, "url"),
    Refusal("tcp with a path", "createSchedule", NEW | {"url": "tcp://example.com:1/a"}, 400, "url"),
    Refusal("dns of an address", "createSchedule", NEW | {"url": "dns://1.1.1.1"}, 400, "url"),
    Refusal(
        "private name server",
        "createSchedule",
        NEW | {"url": "dns://example.com", "options": {"server": "127.0.0.1"}},
        400,
        "options.server",
    ),
    Refusal("private ping", "createSchedule", NEW | {"url": "ping://127.0.0.1"}, 400, "url"),
    Refusal("ping with a port", "createSchedule", NEW | {"url": "ping://example.com:80"}, 400, "url"),
    Refusal("short timeout", "createSchedule", NEW | {"timeout": 999}, 400, "timeout"),
    Refusal("long timeout", "createSchedule", NEW | {"timeout": 120_001}, 400, "timeout"),
    Refusal("hidden letters", "createSchedule", NEW | {"name": "a\u202eb"}, 400, "name"),
    Refusal("many tags", "createSchedule", NEW | {"tags": [str(n) for n in range(21)]}, 400, "tags"),
    Refusal("no failures", "createSchedule", NEW | {"failuresToDown": 0}, 400, "failuresToDown"),
    Refusal("unknown parent", "createSchedule", NEW | {"parentId": "nothere1"}, 400, "parentId"),
    Refusal("parent of others", "createSchedule", NEW | {"parentId": "{foreign}"}, 400, "parentId"),
    Refusal("unknown website", "createSchedule", NEW | {"websiteId": "nothere1"}, 400, "websiteId"),
    Refusal("website of others", "createSchedule", NEW | {"websiteId": "{foreignSite}"}, 400, "websiteId"),
    Refusal("other organization", "createSchedule", NEW | {"organizationId": "foreign"}, 403),
    Refusal("unknown field", "createSchedule", NEW | {"colour": "red"}, 400),
    Refusal("own header", "createSchedule", NEW | {"headers": {"Host": "a"}}, 400, "headers.Host"),
    Refusal("odd header", "createSchedule", NEW | {"headers": {"a b": "c"}}, 400, "headers.a b"),
    Refusal("two lines", "createSchedule", NEW | {"headers": {"A": "b\nC: d"}}, 400, "headers.A"),
    Refusal("twice", "createSchedule", NEW | {"headers": {"A": "b", "a": "c"}}, 400, "headers.a"),
    Refusal("nothing stored", "createSchedule", NEW | {"headers": {"A": None}}, 400, "headers.A"),
    Refusal("body of a GET", "createSchedule", NEW | {"body": "a"}, 400, "body"),
    Refusal(
        "headers of a ping",
        "createSchedule",
        NEW | {"url": "ping://example.com", "headers": {"A": "b"}},
        400,
        "headers",
    ),
    Refusal(
        "two ways in",
        "createSchedule",
        NEW | {"basicAuth": {"user": "a", "password": "b"}, "bearerToken": "c"},
        400,
        "bearerToken",
    ),
    Refusal(
        "of another kind",
        "createSchedule",
        asserted(subject="banner", comparison="contains", value="a"),
        400,
        "options.assertions[0].subject",
    ),
    Refusal(
        "no such comparison",
        "createSchedule",
        asserted(subject="status", comparison="contains", value="2"),
        400,
        "options.assertions[0].comparison",
    ),
    Refusal(
        "no status",
        "createSchedule",
        asserted(subject="status", comparison="in", value="2xx"),
        400,
        "options.assertions[0].value",
    ),
    Refusal(
        "no number",
        "createSchedule",
        asserted(subject="response_time", comparison="less_than", value="nan"),
        400,
        "options.assertions[0].value",
    ),
    Refusal(
        "no pattern",
        "createSchedule",
        asserted(subject="body", comparison="matches", value="("),
        400,
        "options.assertions[0].value",
    ),
    Refusal(
        "look-ahead",
        "createSchedule",
        asserted(subject="body", comparison="matches", value="(?=a)"),
        400,
        "options.assertions[0].value",
    ),
    Refusal(
        "no pointer",
        "createSchedule",
        asserted(subject="json", comparison="exists", property="a.b"),
        400,
        "options.assertions[0].property",
    ),
    Refusal(
        "no header",
        "createSchedule",
        asserted(subject="header", comparison="exists"),
        400,
        "options.assertions[0].property",
    ),
    Refusal("a second one", "createSchedule", {"url": "https://EXAMPLE.com/taken", "granularity": "day"}, 409, "url"),
    Refusal("a second one", "createSchedule", NEW | {"websiteId": "{shop}"}, 409, "websiteId"),
    Refusal(
        "url of another", "updateSchedule", {"scheduleId": "{own}", "url": "https://example.com/below"}, 409, "url"
    ),
    Refusal("another kind", "updateSchedule", {"scheduleId": "{own}", "url": "ping://example.com"}, 400, "url"),
    Refusal("its own parent", "updateSchedule", {"scheduleId": "{own}", "parentId": "{own}"}, 400, "parentId"),
    Refusal("in a circle", "updateSchedule", {"scheduleId": "{own}", "parentId": "{below}"}, 400, "parentId"),
    Refusal("not paused", "resumeSchedule", {"scheduleId": "{own}"}, 400),
    Refusal("no push", "rotatePushUrl", {"scheduleId": "{own}"}, 400),
    Refusal("no tag", "bulk", {"scheduleIds": ["{own}"], "action": "tag"}, 400, "tags"),
    Refusal("nothing", "bulk", {"scheduleIds": [], "action": "pause"}, 400, "scheduleIds"),
    Refusal("page of none", "paginated", {"limit": 0}, 400, "limit"),
    Refusal("large page", "paginated", {"limit": 101}, 400, "limit"),
    *(
        Refusal(f"{what} monitor", name, {"scheduleId": which}, 404)
        for what, which in (("unknown", "nothere1"), ("foreign", "{foreign}"))
        for name in (
            "getSchedule",
            "updateSchedule",
            "deleteSchedule",
            "pauseSchedule",
            "resumeSchedule",
            "togglePause",
            "manualCheck",
            "rotatePushUrl",
            "tryCheck",
        )
    ),
    Refusal("by a key", "transfer", {"scheduleId": "{own}", "targetOrganizationId": "a"}, 403),
    Refusal("unknown website", "getScheduleByWebsiteId", {"websiteId": "nothere1"}, 404),
    Refusal("website of others", "getScheduleByWebsiteId", {"websiteId": "{foreignSite}"}, 404),
)


@pytest.fixture
def names(world: World) -> dict[str, str]:
    """Ids that are in the way."""
    own = world.made("https://example.com/taken", websiteId=world.box.sites["shop"])
    foreign = world.call("createSchedule", key="foreign", **NEW).json["scheduleId"]
    return {
        "own": own,
        "below": world.made("https://example.com/below", parentId=own),
        "foreign": foreign,
        "shop": world.box.sites["shop"],
        "foreignSite": world.box.sites["foreign"],
    }


@each("case", REFUSALS, ids=lambda case: f"{case.name} {case.what}")
def test_a_call_is_refused(world: World, names: dict[str, str], case: Refusal) -> None:
    def filled(value: Any) -> Any:
        if isinstance(value, list):
            return [filled(one) for one in value]
        return value.format(**names) if isinstance(value, str) and value.startswith("{") else value

    answer = world.call(case.name, **{name: filled(value) for name, value in case.given.items()})
    assert answer.status == case.status, answer.body
    if case.field:
        assert [detail["field"] for detail in answer.json["details"]] == [case.field]


def test_refusals_say_the_words_of_the_wire(world: World, names: dict[str, str]) -> None:
    site: dict[str, Any] = {"url": "https://example.com/other", "granularity": "day", "websiteId": names["shop"]}
    taken: dict[str, Any] = {"url": "https://example.com/taken", "granularity": "day"}
    said = [world.call("createSchedule", **given).json["error"] for given in (taken, site)]
    assert said == ["Monitor already exists for this URL in this organization", "This website already has a monitor"]
    assert world.call("resumeSchedule", scheduleId=names["own"]).json["error"] == "Monitor is not paused"
    world.good("pauseSchedule", scheduleId=names["own"])
    assert world.call("pauseSchedule", scheduleId=names["own"]).json["error"] == "Monitor is already paused"


def test_all_that_is_wrong_is_named_at_once(world: World) -> None:
    answer = world.call("createSchedule", url="http://10.0.0.1/", granularity="minute", name="\u202e", body="a")
    assert {detail["field"] for detail in answer.json["details"]} == {"url", "name", "body"}


SPELLINGS = (
    (None, "HTTPS://Example.COM/a b".replace(" ", "%20"), "https://example.com/a%20b"),
    (None, "example.com", "https://example.com/"),
    (None, "https://bücher.example/", "https://xn--bcher-kva.example/"),
    (None, "tcp://Example.com:5432", "tcp://example.com:5432"),
    ("tcp", "example.com:443", "tcp://example.com:443"),
    (None, "tcp://[2606:4700::1111]:53", "tcp://[2606:4700::1111]:53"),
    (None, "tls://example.com", "tls://example.com"),
    (None, "tls://example.com:443/", "tls://example.com"),
    (None, "tls://example.com:8443", "tls://example.com:8443"),
    ("dns", "_dmarc.Example.com.", "dns://_dmarc.example.com"),
    ("ping", "1.1.1.1", "ping://1.1.1.1"),
)


@each(("kind", "given", "expected"), SPELLINGS)
def test_a_url_has_one_spelling(world: World, kind: str | None, given: str, expected: str) -> None:
    made = world.good("createSchedule", url=given, granularity="hour", **({"kind": kind} if kind else {}))
    world.good("deleteSchedule", scheduleId=made["scheduleId"])
    assert made["url"] == expected


def test_monitors_of_dns_differ_in_what_they_ask_for(world: World) -> None:
    world.made("dns://example.com")
    world.made("dns://example.com", options={"record": "MX", "server": "1.1.1.1:5353"})
    again = world.call("createSchedule", url="dns://example.com", granularity="day", options={"record": "MX"})
    assert again.status == 409


def test_names_of_private_networks_need_a_name_server(world: World) -> None:
    answer = world.call("createSchedule", url="dns://vault.internal", granularity="day")
    assert (answer.status, [detail["field"] for detail in answer.json["details"]]) == (400, ["url"])
    world.made("dns://vault.internal", options={"server": "1.1.1.1"})


def test_an_edit_acts_at_once_and_leaves_the_rest(world: World) -> None:
    one = world.made(name="Shop", timeout=5_000, tags=["a"], headers={"A": "1", "B": "2"})
    changed = world.good(
        "updateSchedule", scheduleId=one, granularity="hour", timeout=None, headers={"a": None, "C": "3"}, tags=["b"]
    )
    assert changed == {
        "scheduleId": one, "url": URL, "name": "Shop", "granularity": "hour", "pushUrl": None
    }  # fmt: skip
    run = world.run(one)
    assert (run.interval, run.timeout, run.tags, run.secrets.headers) == (3_600, None, ("b",), (("a", "1"), ("C", "3")))
    world.good("updateSchedule", scheduleId=one, url="https://example.com/else", name=None)
    assert (world.run(one).url, world.run(one).name) == ("https://example.com/else", None)
    before = world.audited()
    world.good("updateSchedule", scheduleId=one, name=None)
    assert world.audited() == before


def test_pausing_and_resuming_act_at_once(world: World) -> None:
    one = world.made()
    assert world.good("pauseSchedule", scheduleId=one) == {"isPaused": True, "success": True}
    assert world.run(one).is_paused
    assert world.good("getSchedule", scheduleId=one)["schedulerStatus"] == "missing"
    assert world.good("togglePause", scheduleId=one)["isPaused"] is False
    assert not world.run(one).is_paused
    assert world.call("manualCheck", scheduleId=one).status == 200
    world.good("togglePause", scheduleId=one)
    assert world.call("manualCheck", scheduleId=one).status == 400
    assert world.good("resumeSchedule", scheduleId=one)["isPaused"] is False


def test_a_deleted_monitor_is_gone_and_those_below_it_have_no_parent(world: World) -> None:
    one = world.made()
    below = world.made("https://example.com/below", parentId=one)
    number = world.known(one).number
    assert world.good("deleteSchedule", scheduleId=one) == {"success": True}
    assert world.call("getSchedule", scheduleId=one).status == 404
    assert number not in world.engine.known
    for _ in ("in memory", "after a restart"):
        assert world.good("getSchedule", scheduleId=below)["parentId"] is None
        assert world.run(below).parent_id is None
        world.reopen()
    again = world.made()
    assert world.known(again).number > number


def test_a_monitor_is_checked_now_and_tried_as_it_would_be(world: World) -> None:
    one = world.made(options={"assertions": [{"subject": "status", "comparison": "in", "value": "200"}]}, body=None)
    checked = world.good("manualCheck", scheduleId=one)
    check = checked["check"]
    assert (checked["success"], check["outcome"], check["httpCode"], check["totalMs"]) == (True, "pass", 200, 12.345)
    assert check["phases"] == {"dns": 1.0, "connect": 2.0, "tls": 3.0, "firstByte": 4.0, "transfer": 2.345}
    assert check["assertions"] == [
        {"subject": "status", "comparison": "in", "value": "200", "property": "", "level": "fail", "held": True,
         "seen": "200"}
    ]  # fmt: skip
    assert world.engine.checked == [world.known(one).number]
    before = world.rows("select * from monitors")
    assert world.good("tryCheck", url="https://example.com/new", timeout=3_000)["outcome"] == "pass"
    assert world.good("tryCheck", scheduleId=one, timeout=2_000)["outcome"] == "pass"
    assert [(tried.number, tried.url, tried.timeout) for tried in world.engine.tried] == [
        (0, "https://example.com/new", 3_000),
        (0, URL, 2_000),
    ]
    assert world.call("tryCheck", url="http://127.0.0.1/").status == 400
    assert world.call("tryCheck", url="push://").status == 400
    assert world.rows("select * from monitors") == before


def test_nothing_is_checked_where_no_server_runs(world: World) -> None:
    world.monitors.engine = None
    one = world.made()
    assert world.good("getSchedule", scheduleId=one)["schedulerStatus"] == "missing"
    assert world.call("manualCheck", scheduleId=one).status == 503
    assert world.call("tryCheck", url=URL).status == 503


def test_many_are_changed_at_once(world: World) -> None:
    ids = [world.made(f"https://example.com/{number}", tags=["a"]) for number in range(4)]
    assert world.good("bulk", scheduleIds=[*ids, ids[0], "nothere1"], action="pause") == {
        "changed": 4, "unchanged": 0, "unknown": ["nothere1"]
    }  # fmt: skip
    assert all(world.run(one).is_paused for one in ids)
    assert world.good("bulk", scheduleIds=ids, action="pause")["unchanged"] == 4
    assert world.good("bulk", scheduleIds=ids[:2], action="tag", tags=["b", "a"])["changed"] == 2
    assert world.good("bulk", scheduleIds=ids, action="untag", tags=["a"])["changed"] == 4
    assert [world.known(one).tags for one in ids] == [("b",), ("b",), (), ()]
    assert world.good("bulk", scheduleIds=ids[:3], action="delete")["changed"] == 3
    assert [one["id"] for one in world.good("listSchedules")] == ids[3:]
    assert [*world.engine.known] == [world.known(ids[3]).number]


def test_bulk_action_is_one_entry_in_the_audit_log(world: World) -> None:
    ids = [world.made(f"https://example.com/{number}") for number in range(25)]
    before = len(world.audited())
    world.good("bulk", scheduleIds=ids, action="pause")
    world.good("bulk", scheduleIds=ids, action="pause")  # nothing changes
    world.good("bulk", scheduleIds=ids[:2], action="tag", tags=["a"])
    world.good("bulk", scheduleIds=ids[1:3], action="delete")
    entries = [(action, json.loads(detail)) for action, detail in world.audited()[before:]]
    names = [f"https://example.com/{number}" for number in range(25)]
    assert entries == [
        ("updated", {"name": "25 monitors", "bulk": "pause", "count": 25, "ids": ids[:20], "names": names[:20]}),
        (
            "updated",
            {"name": "2 monitors", "bulk": "tag", "tags": ["a"], "count": 2, "ids": ids[:2], "names": names[:2]},
        ),
        ("deleted", {"name": "2 monitors", "bulk": "delete", "count": 2, "ids": ids[1:3], "names": names[1:3]}),
    ]
    world.good("resumeSchedule", scheduleId=ids[0])
    assert json.loads(world.audited()[-1][1])["is_paused"] == {"before": True, "after": False}


def test_an_organization_has_as_many_monitors_as_the_box_allows(world: World) -> None:
    for number in range(100):
        world.made(f"https://example.com/{number}")
    answer = world.call("createSchedule", **NEW)
    assert (answer.status, answer.json["error"]) == (
        409, "An organization can have up to 100 monitors here (monitors_per_organization); delete one first"
    )  # fmt: skip
    assert len(world.good("listSchedules")) == 100


def test_a_monitor_can_be_given_to_another_organization_of_the_same_person(world: World) -> None:
    cookie = world.box.cookie
    made = world.box.post("/organizations/create", {"name": "Home"}, cookie=cookie, sec_fetch_site="same-origin").json
    one = world.made(websiteId=world.box.sites["shop"], headers={"A": "1"})
    below = world.made("https://example.com/below", parentId=one)
    foreign: dict[str, Any] = {"scheduleId": one, "targetOrganizationId": world.box.foreign_organization_id}
    assert world.call("transfer", cookie=cookie, **foreign).status == 403
    moved = world.call("transfer", cookie=cookie, scheduleId=one, targetOrganizationId=made["id"])
    assert moved.json == {"success": True, "secretsLeftOut": False}
    assert world.call("getSchedule", scheduleId=one).status == 404
    for _ in ("in memory", "after a restart"):
        run = world.run(one)
        assert (run.organization_id, run.website_id, run.secrets.headers) == (made["id"], None, (("A", "1"),))
        assert world.run(below).parent_id is None
        world.reopen()
    shown = world.call("getSchedule", cookie=world.box.cookie, scheduleId=one)
    assert shown.json["organizationId"] == made["id"]
    world.made(websiteId=world.box.sites["shop"])
