"""Status pages as visitors may see them, made by hand."""

from datetime import date, timedelta
from typing import Final

from msgspec.structs import replace

from analytics_box.products.status_pages.seen import (
    AffectedSeen,
    ComponentDay,
    ComponentSeen,
    DayState,
    GroupSeen,
    IncidentSeen,
    PageSeen,
    UpdateSeen,
)

TODAY: Final = date(2026, 11, 20)
NOW: Final = 1_795_183_200_000  # 2026-11-20 14:00 UTC
HOUR: Final = 3_600_000
DAY: Final = 24 * HOUR
Bad = tuple[DayState, float | None, int | None]  # a day's state, uptime in percent, and seconds down


def days(bad: dict[int, Bad], *, unknown: int = 0, ms: int = 120) -> tuple[ComponentDay, ...]:
    """The last 90 days: those in `bad` count back from today, the first `unknown` of all have no data."""
    found = []
    for back in range(89, -1, -1):
        when = (TODAY - timedelta(days=back)).isoformat()
        if back >= 90 - unknown:
            found.append(ComponentDay(when, "unknown"))
            continue
        state, uptime, down = bad.get(back, ("up", 100.0, 0))
        average = ms + (back * 37) % 41 + (200 if state != "up" else 0)
        found.append(ComponentDay(when, state, uptime, 1_440, 1_440 - (down or 0) // 60, down, average, average * 2.5))
    return tuple(found)


def component(name: str, **more: object) -> ComponentSeen:
    """A component of a monitor that is up."""
    usual = ComponentSeen(
        id=f"component-{name.lower().replace(' ', '-')}",
        name=name,
        description="",
        group_id=None,
        position=0,
        manual=False,
        status="operational",
        current="up",
        freshness="fresh",
        domain=None,
        uptime=99.98,
        last_checked_at=NOW - 30_000,
        days=days({12: ("down", 99.65, 302)}),
        created_at=NOW - 400 * DAY,
        updated_at=NOW - DAY,
    )
    return replace(usual, **more)


def update(number: int, status: str, message: str, at: int, **more: object) -> UpdateSeen:
    """An update."""
    usual = UpdateSeen(
        id=f"update-{number}",
        status=status,  # type: ignore[arg-type]  # one of the words
        message=message,
        at=at,
        created_at=at,
        updated_at=at,
        notified=True,
        affected=(),
    )
    return replace(usual, **more)


API: Final = component("API", description="Requests of programs", position=1, domain="api.example.com")
ONGOING: Final = IncidentSeen(
    id="incident-1",
    kind="incident",
    title="Requests to the API fail",
    status="identified",
    severity="major",
    is_open=True,
    created_at=NOW - 2 * HOUR,
    updated_at=NOW - HOUR,
    started_at=NOW - 2 * HOUR,
    monitoring_at=None,
    resolved_at=None,
    scheduled_for=None,
    scheduled_until=None,
    updates=(
        update(
            2,
            "identified",
            "A disk is **full**. We are moving data; see [the plan](https://example.com/plan).",
            NOW - HOUR,
        ),
        update(
            1, "investigating", "About half of all requests fail.\n\n- `POST /orders`\n- `GET /orders`", NOW - 2 * HOUR
        ),
    ),
    affected=(AffectedSeen(API.id, "API", "down"),),
)
ENDED: Final = IncidentSeen(
    id="incident-0",
    kind="incident",
    title="Slow pages",
    status="resolved",
    severity="minor",
    is_open=False,
    created_at=NOW - 8 * DAY,
    updated_at=NOW - 8 * DAY + 2 * HOUR,
    started_at=NOW - 8 * DAY,
    monitoring_at=NOW - 8 * DAY + HOUR,
    resolved_at=NOW - 8 * DAY + 2 * HOUR,
    scheduled_for=None,
    scheduled_until=None,
    updates=(
        update(4, "resolved", "All pages are fast again.", NOW - 8 * DAY + 2 * HOUR),
        update(3, "investigating", "Pages take seconds to load.", NOW - 8 * DAY),
    ),
    affected=(AffectedSeen(None, "Website", "degraded"),),
)
PLANNED: Final = IncidentSeen(
    id="maintenance-1",
    kind="maintenance",
    title="New database servers",
    status="scheduled",
    severity="minor",
    is_open=True,
    created_at=NOW - DAY,
    updated_at=NOW - DAY,
    started_at=NOW + 2 * DAY,
    monitoring_at=None,
    resolved_at=None,
    scheduled_for=NOW + 2 * DAY,
    scheduled_until=NOW + 2 * DAY + 3 * HOUR,
    updates=(update(5, "scheduled", "Orders cannot be placed for up to ten minutes.", NOW - DAY),),
    affected=(AffectedSeen(API.id, "API", "maintenance"),),
)

CALM: Final = PageSeen(
    id="page-1",
    slug="acme",
    url="https://status.example.com/status/acme",
    name="Acme",
    organization="Acme Ltd",
    organization_slug="acme-ltd",
    organization_logo=None,
    description="How the shop and its interfaces are.",
    logo_url=None,
    favicon_url=None,
    website_url="https://example.com",
    support_url="https://example.com/help",
    theme=None,
    zone="Europe/Berlin",
    indexed=True,
    subscribable=True,
    overall="operational",
    indicator="none",
    headline="All systems operational",
    groups=(),
    components=(component("Website", domain="example.com", position=0), API),
    incidents=(),
    maintenances=(),
    created_at=NOW - 400 * DAY,
    updated_at=NOW - DAY,
    at=NOW,
    version=7,
    etag="calm",
)


def _many() -> tuple[ComponentSeen, ...]:
    payments = days({0: ("degraded", 100.0, 0), 1: ("degraded", 100.0, 0), 30: ("maintenance", None, None)}, unknown=40)
    return (
        component("Website", domain="example.com", position=0),
        replace(
            API,
            status="major_outage",
            current="down",
            uptime=97.1,
            days=days({0: ("down", 91.3, 7_000), 20: ("down", 99.1, 790)}),
        ),
        component("Search", position=3, uptime=None, shows_uptime=False, days=()),
        component(
            "Invoices by e-mail",
            position=4,
            manual=True,
            status="degraded_performance",
            shows_latency=False,
            uptime=None,
        ),
        component("Orders", group_id="group-1", position=5, days=days({})),
        component("Payments", group_id="group-1", position=6, status="degraded_performance", days=payments),
        component(
            "Pictures",
            group_id="group-1",
            position=7,
            status=None,
            current="unknown",
            days=days({}, unknown=90),
            uptime=None,
        ),
        component("Europe", group_id="group-2", position=9, days=days({}, ms=40)),
        component("America", group_id="group-2", position=10, days=days({44: ("down", 99.99, 8)}, ms=90)),
        component("Asia", group_id="group-2", position=11, status="under_maintenance", days=days({}, ms=240)),
    )


BUSY: Final = replace(
    CALM,
    overall="outage",
    indicator="major",
    headline="Major outage",
    groups=(
        GroupSeen(id="group-1", name="Shop", description="", position=4, status="degraded_performance"),
        GroupSeen(id="group-2", name="Regions", description="", position=8, status="under_maintenance"),
    ),
    components=_many(),
    incidents=(ONGOING, ENDED),
    maintenances=(PLANNED,),
    etag="busy",
)
"""A page with ten components, an outage, an incident of last week and a planned maintenance."""
