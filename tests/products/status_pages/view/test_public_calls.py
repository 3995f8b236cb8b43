"""What anybody may ask of status pages over RPC (wire 9.1, 9.2)."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from analytics_box.base.facts.uptime import UP, UptimeSpan
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.window import Covers, MaintenanceWindow, Repeat
from analytics_box.products.status_pages.directory import StatusPages
from analytics_box.products.status_pages.page import Whole, new_page
from analytics_box.products.status_pages.public_calls import BySlug
from tests.cases import each
from tests.inprocess import NOON, Answer
from tests.products.status_pages.view.world import PAGE, StatusWorld, incident

DAY = 24 * 3_600_000


def ask(world: StatusWorld, procedure: str, **given: Any) -> Answer:
    return world.box.post(f"/statusPage/{procedure}", given)


def found(world: StatusWorld, slug: str = "acme") -> Any:
    answer = ask(world, "getBySlug", slug=slug)
    assert answer.status == 200, answer.body
    return answer.json


@pytest.fixture
def monitor(status_world: StatusWorld) -> str:
    made = status_world.made("https://api.example.com/health", name="API")
    status_world.live(made, "up")
    status_world.spans(made, UptimeSpan(UP, NOON - DAY, 0))
    status_world.checks(made, (NOON - 60_000, 1, 12_000))
    status_world.add("component-1", made)
    return made


def test_a_page_has_the_shape_of_the_wire(status_world: StatusWorld, monitor: str) -> None:
    page = found(status_world)
    days = page["monitors"][0].pop("dailyData")
    assert page == {
        "organization": {"name": "Ada", "slug": "ada", "logo": None},
        "statusPage": {
            **{"name": "Acme", "description": None, "logoUrl": None, "faviconUrl": None},
            **{"websiteUrl": None, "supportUrl": None, "theme": None},
        },
        "overallStatus": "operational",
        "monitors": [
            {
                "id": "component-1",
                "name": "API",
                "domain": "api.example.com",
                "currentStatus": "up",
                "freshness": "fresh",
                "uptimePercentage": 100.0,
                "lastCheckedAt": "2026-06-17T11:59:30.000Z",
            }
        ],
        "incidents": [],
    }
    assert len(days) == 90
    assert days[0] == {"date": "2026-03-20", "total_checks": 0, "successful_checks": 0}
    assert days[-1] == {
        **{"date": "2026-06-17", "uptime_percentage": 100.0, "total_checks": 1, "successful_checks": 1},
        **{"downtime_seconds": 0, "avg_response_time": 12.0, "p95_response_time": 12.0},
    }


@each(
    ("hidden", "gone"),
    [
        ({"hide_url": True}, {"domain"}),
        (
            {"hide_uptime": True},
            {"uptimePercentage", "uptime_percentage", "total_checks", "successful_checks", "downtime_seconds"},
        ),
        ({"hide_latency": True}, {"avg_response_time", "p95_response_time"}),
    ],
)
def test_hidden_values_are_left_out(
    status_world: StatusWorld, monitor: str, hidden: dict[str, bool], gone: set[str]
) -> None:
    usual = {"hide_url": False, "hide_uptime": False, "hide_latency": False}
    status_world.change("component-1", **usual)
    before = found(status_world)["monitors"][0]
    status_world.change("component-1", **(usual | hidden))
    after = found(status_world)["monitors"][0]
    assert keys(before) - keys(after) == gone


def keys(monitor: Any) -> set[str]:
    """Of a monitor and of its last day."""
    return {*monitor, *monitor["dailyData"][-1]}


def test_incidents_use_the_words_of_the_wire(status_world: StatusWorld, monitor: str) -> None:
    whole = status_world.whole()
    incidents = (
        incident("incident-3", ("component-1", "API", "maintenance"), kind="maintenance", status="in_progress"),
        incident("incident-2", ("component-1", "API", "partial"), (None, "Old", "down"), severity="major"),
        incident("incident-1", ("component-1", "API", "operational"), status="postmortem", resolved_at=NOON),
        incident("incident-0", is_draft=True),
    )
    parts = status_world.box.box.parts
    parts[StatusPages].remember(Whole(whole.page, whole.groups, whole.components, incidents))
    page = found(status_world)
    update = {"id": "incident-2-update", "status": "investigating", "message": "We look at it."}
    assert page["incidents"] == [
        {
            "id": "incident-2",
            "title": "It is broken",
            "status": "investigating",
            "severity": "major",
            "createdAt": "2026-06-17T12:00:00.000Z",
            "resolvedAt": None,
            "updates": [{**update, "createdAt": "2026-06-17T12:00:00.000Z"}],
            "affectedMonitors": [{"statusPageMonitorId": "component-1", "monitorName": "API", "impact": "degraded"}],
        },
        {
            "id": "incident-1",
            "title": "It is broken",
            "status": "resolved",
            "severity": "minor",
            "createdAt": "2026-06-17T12:00:00.000Z",
            "resolvedAt": "2026-06-17T12:00:00.000Z",
            "updates": [{**update, "id": "incident-1-update", "createdAt": "2026-06-17T12:00:00.000Z"}],
            "affectedMonitors": [],
        },
    ]
    assert page["overallStatus"] == "degraded"


def test_a_component_that_shows_only_while_degraded_is_left_out_while_it_is_not(
    status_world: StatusWorld, monitor: str
) -> None:
    status_world.change("component-1", only_if_degraded=True)
    assert found(status_world)["monitors"] == []
    status_world.live(monitor, "down", code=0, age=0)
    status_world.box.clock.advance(seconds=1)
    assert [one["currentStatus"] for one in found(status_world)["monitors"]] == ["down"]


@each(
    ("given", "status", "code", "message"),
    [
        ({"slug": "unknown"}, 404, "NOT_FOUND", "There is no status page with this slug"),
        ({"slug": PAGE}, 404, "NOT_FOUND", "There is no status page with this slug"),
        ({"slug": ""}, 400, "BAD_REQUEST", "slug is required"),
        ({}, 400, "BAD_REQUEST", "slug is required"),
        ({"slug": "acme", "more": 1}, 400, "BAD_REQUEST", "more is not a known field"),
    ],
)
def test_invalid_request_is_refused(
    status_world: StatusWorld, given: dict[str, Any], status: int, code: str, message: str
) -> None:
    answer = ask(status_world, "getBySlug", **given)
    assert (answer.status, answer.json["code"], answer.json["error"]) == (status, code, message)


def test_a_page_with_a_password_is_neither_listed_nor_told(status_world: StatusWorld, monitor: str) -> None:
    status_world.change_page(password="$argon2id$whatever")
    answer = ask(status_world, "getBySlug", slug="acme")
    assert (answer.status, answer.json["code"]) == (401, "AUTH_REQUIRED")
    assert b'"API"' not in answer.body
    assert ask(status_world, "listPublic").json == []


def test_the_list_has_pages_that_may_be_found_the_latest_first(status_world: StatusWorld) -> None:
    own = status_world.box.organization_id
    status_world.box.clock.advance(seconds=60)
    status_world.add_page(new_page(id="page-0002", organization_id=own, slug="hidden", name="Hidden", indexed=False))
    status_world.add_page(new_page(id="page-0003", organization_id=own, slug="newer", name="Newer"))
    assert ask(status_world, "listPublic").json == [
        {"slug": "newer", "updatedAt": "2026-06-17T12:01:00.000Z"},
        {"slug": "acme", "updatedAt": "2026-06-17T12:00:00.000Z"},
    ]
    assert found(status_world, "hidden")["statusPage"]["name"] == "Hidden"


def test_oRPC_gets_the_same(status_world: StatusWorld, monitor: str) -> None:  # noqa: N802  a name
    answer = status_world.box.post("/rpc/statusPage/getBySlug", {"json": {"slug": "acme"}})
    assert answer.json == {"json": found(status_world)}
    assert BySlug("acme").slug == "acme"


@pytest.mark.parametrize(
    ("procedure", "given", "most"), [("listPublic", {}, 60), ("getBySlug", {"slug": "nothing"}, 600)]
)
def test_each_address_may_ask_so_often(
    limited_world: StatusWorld, procedure: str, given: dict[str, str], most: int
) -> None:
    statuses = [ask(limited_world, procedure, **given).status for _ in range(most + 1)]
    assert 429 not in statuses[:most]
    assert statuses[most] == 429


def test_all_addresses_together_may_ask_for_one_page_so_often(limited_world: StatusWorld) -> None:
    body = b'{"slug": "acme"}'

    def status(number: int) -> int:
        headers = {"content_type": "application/json"}
        address = f"203.0.113.{number}"
        return limited_world.box.ask(
            "POST", "/statusPage/getBySlug", headers=headers, body=body, address=address
        ).status

    statuses = [status(number % 100) for number in range(121)]
    assert statuses == [200] * 120 + [429]


def test_announced_maintenance_of_monitors_is_on_pages_that_show_them(status_world: StatusWorld, monitor: str) -> None:
    monitors = status_world.box.box.parts[Monitors]

    named, tagged = Covers(monitor_ids=(monitor,)), Covers(tags=("other",))

    def window(start: int, covers: Covers = named, *, announced: bool = True) -> MaintenanceWindow:
        return MaintenanceWindow(
            id="window-0001",
            organization_id=status_world.box.organization_id,
            name="New disks",
            covers=covers,
            announced=announced,
            starts_at=NOON + start,
            ends_at=NOON + start + DAY,
        )

    for given, statuses in (
        (window(DAY), ["scheduled"]),
        (window(-1000), ["in_progress"]),
        (window(-2 * DAY), []),
        (window(DAY, announced=False), []),
        (window(DAY, tagged), []),
    ):
        monitors.remember_window(given)
        status_world.box.clock.advance(seconds=1)
        seen = status_world.seen().maintenances
        assert [one.status for one in seen] == statuses, given
        assert [(one.title, one.affected[0].name) for one in seen] == [("New disks", "API")] * len(statuses)
        page = status_world.box.get("/status/acme").body.decode()
        assert ("New disks" in page) == bool(statuses)
    assert status_world.box.get("/status/acme/incidents/window-0001").status == 404


def test_occurrences_of_announced_windows_are_in_the_history_of_their_month(
    status_world: StatusWorld, monitor: str
) -> None:
    started = datetime.fromtimestamp((NOON - 8 * DAY) / 1000, UTC)
    daily = MaintenanceWindow(
        id="window0001",
        organization_id=status_world.box.organization_id,
        name="New disks",
        covers=Covers(monitor_ids=(monitor,)),
        announced=True,
        starts_at=NOON - 8 * DAY - 1000,
        repeat=Repeat("day", f"{started:%H:%M}", 60),
    )
    status_world.box.box.parts[Monitors].remember_window(daily)
    status_world.box.clock.advance(seconds=1)

    def history(month: str = "") -> str:
        return status_world.box.get(f"/status/acme/history{month}").body.decode()

    dates = [started + timedelta(days=day) for day in range(9)]
    for month in {f"{one:%Y-%m}" for one in dates}:
        assert history(f"/{month}").count("<article") == sum(f"{one:%Y-%m}" == month for one in dates)
    occurrence = f"window0001-{NOON - 8 * DAY}"
    assert f"/incidents/{occurrence}" in history(f"/{started:%Y-%m}")
    assert "New disks" in status_world.box.get(f"/status/acme/incidents/{occurrence}").body.decode()
    assert status_world.box.get(f"/status/acme/incidents/window0001-{NOON - 8 * DAY + 1}").status == 404
    assert status_world.box.get(f"/status/acme/incidents/window0001-{'9' * 15}").status == 404

    status_world.box.box.parts[Monitors].remember_window(replace(daily, announced=False))
    status_world.box.clock.advance(seconds=20)
    assert "New disks" not in history(f"/{started:%Y-%m}")
