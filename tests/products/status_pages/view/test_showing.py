"""What visitors may see: nothing that is hidden, of drafts, or of what is not the organization's."""

import msgspec
from msgspec.structs import replace

from analytics_box.base.facts.uptime import DOWN, UP, UptimeSpan
from analytics_box.products.status_pages import public_calls
from analytics_box.products.status_pages.page import Whole, new_page
from analytics_box.products.status_pages.seen import AffectedSeen, ComponentSeen, PageSeen
from analytics_box.products.status_pages.statuspage import ANSWERS
from analytics_box.products.status_pages.view import sources
from tests.cases import each
from tests.inprocess import NOON
from tests.products.status_pages.view.world import PAGE, StatusWorld, incident

HOUR = 3_600_000
LOGO = "d" * 32
SECRET = "https://internal-host.example.com:8443/hidden-path?token=hidden-token"


def component(seen: PageSeen, component_id: str) -> ComponentSeen:
    return next(one for one in seen.components if one.id == component_id)


def watched(world: StatusWorld, **monitor: object) -> str:
    """A monitor with a day of 23 hours up and one down, and with checks."""
    made = world.made(f"{SECRET}{len(world.monitors)}", **monitor)
    world.live(made, "up")
    yesterday = NOON - 24 * HOUR
    world.spans(made, UptimeSpan(UP, yesterday - 12 * HOUR, yesterday), UptimeSpan(DOWN, yesterday, yesterday + HOUR))
    world.spans(made, UptimeSpan(UP, yesterday + HOUR, 0))
    world.checks(made, (yesterday, 0, 5_000), (yesterday + HOUR, 1, 15_000), (yesterday + 2 * HOUR, 2, None))
    return made


def looked_at(world: StatusWorld, *incidents: object) -> PageSeen:
    """The page with these incidents, as visitors would see it."""
    whole = world.whole()
    with_them = Whole(whole.page, whole.groups, whole.components, incidents)  # type: ignore[arg-type]  # incidents
    return world.box.run(sources.see(world.snapshots.sources, with_them, world.box.clock.now()))


def test_a_component_shows_what_its_monitor_found(status_world: StatusWorld) -> None:
    monitor = watched(status_world, name="Checkout")
    status_world.add("component-1", monitor)
    found = component(status_world.seen(), "component-1")
    assert (found.name, found.domain, found.current, found.freshness) == (
        "Checkout",
        "internal-host.example.com",
        "up",
        "fresh",
    )
    assert found.last_checked_at == NOON - 30_000
    yesterday, today = found.days[-2:]
    assert (yesterday.date, yesterday.state, yesterday.downtime_seconds) == ("2026-06-16", "down", 3_600)
    assert (yesterday.uptime, yesterday.checks, yesterday.passed) == (95.83, 2, 1)
    assert (yesterday.average_ms, yesterday.p95_ms) == (10.0, 15.0)
    assert (today.date, today.state, today.uptime, today.checks) == ("2026-06-17", "up", 100.0, 0)
    assert found.uptime == 97.22  # 35 of 36 hours
    assert [day.state for day in found.days[:88]] == ["unknown"] * 88


@each(
    ("hidden", "gone", "still_there"),
    [
        ({}, set(), {"internal-host.example.com", "95.83", "15.0"}),
        ({"hide_url": True}, {"internal-host"}, {"95.83", "15.0"}),
        ({"hide_uptime": True}, {"95.83", "97.22", '"checks":2', '"passed":1', "3600"}, {"internal-host", "15.0"}),
        ({"hide_latency": True}, {'"average_ms":10', '"p95_ms":15'}, {"internal-host", "95.83"}),
    ],
)
def test_hidden_values_are_nowhere_in_the_visible_state(
    status_world: StatusWorld, hidden: dict[str, bool], gone: set[str], still_there: set[str]
) -> None:
    if not status_world.whole().components:
        status_world.add("component-1", watched(status_world, name=""))
    status_world.change("component-1", **({"hide_url": False, "hide_uptime": False, "hide_latency": False} | hidden))
    broken = incident("incident-1", ("component-1", SECRET, "down"))  # its name was what the monitor was called
    seen = looked_at(status_world, broken)
    text = msgspec.json.encode(seen).decode()
    assert [word for word in (*gone, "hidden-path", "hidden-token", "8443") if word in text] == []
    assert [word for word in still_there if word not in text] == []
    made_of_it = [*(make(seen) for make in ANSWERS.values()), public_calls.public_page_answer(seen)]
    told = "".join(msgspec.json.encode(one).decode() for one in made_of_it)
    assert [word for word in (*gone, "hidden-path", "hidden-token", "8443") if word in told] == []


@each(
    ("name", "monitor_name", "hide_url", "url", "called"),
    [
        ("Shop", "Monitor", False, "https://a.example/x", "Shop"),
        ("", "Monitor", False, "https://a.example/x", "Monitor"),
        ("", "", False, "https://a.example/x", "a.example"),
        ("", "", True, "https://a.example/x", "Service"),
        ("", "", False, "tcp://db.example.com:500", "Service"),  # only hosts of websites are shown
    ],
)
def test_a_component_is_never_called_by_what_is_hidden(
    status_world: StatusWorld, name: str, monitor_name: str, hide_url: bool, url: str, called: str
) -> None:
    for one in status_world.whole().components:
        status_world.forget(one.id)
    made = status_world.made(f"{url}{len(status_world.monitors)}", **({"name": monitor_name} if monitor_name else {}))
    status_world.add("component-1", made, name=name, hide_url=hide_url)
    assert [one.name for one in status_world.seen().components] == [called]


def test_monitors_of_others_and_unknown_ones_are_shown_nowhere(status_world: StatusWorld) -> None:
    own, given_away = watched(status_world, name="Own"), watched(status_world, name="Given away")
    status_world.add_group("group-0001", name="Empty for visitors")
    status_world.add("component-1", own)
    status_world.add("component-2", given_away, group_id="group-0001")
    assert len(status_world.seen().components) == 2
    known = status_world.known(given_away)
    status_world.monitors.move(replace(known, organization_id=status_world.box.foreign_organization_id))
    status_world.box.clock.advance(seconds=1)
    broken = incident("incident-1", ("component-2", "Given away", "down"), ("component-1", "Own", "degraded"))
    for seen in (status_world.seen(), looked_at(status_world, broken)):
        text = msgspec.json.encode(seen).decode()
        assert [one.name for one in seen.components] == ["Own"]
        assert "Given away" not in text
        assert "Empty for visitors" not in text
        assert "component-2" not in text
    assert looked_at(status_world, broken).overall == "degraded"  # that it is down counts as little


def test_drafts_are_not_seen_and_count_for_nothing(status_world: StatusWorld) -> None:
    status_world.add("component-1", name="API")
    draft = incident("incident-1", ("component-1", "API", "down"), title="Not yet said", is_draft=True)
    seen = looked_at(status_world, draft)
    assert (seen.incidents, seen.overall, seen.headline) == ((), "operational", "All systems operational")
    assert "Not yet said" not in msgspec.json.encode(seen).decode()
    published = looked_at(status_world, replace(draft, is_draft=False))
    assert (len(published.incidents), published.overall, published.indicator) == (1, "outage", "critical")
    assert published.components[0].status == "major_outage"


def test_removed_component_keeps_its_name(status_world: StatusWorld) -> None:
    seen = looked_at(status_world, incident("incident-1", (None, "Old API", "down")))
    assert seen.incidents[0].affected == (AffectedSeen(None, "Old API", "down"),)
    assert seen.incidents[0].updates[0].affected == (AffectedSeen(None, "Old API", "down"),)


@each(
    ("fields", "url", "logo"),
    [
        ({}, "http://localhost:8000/status/acme", None),
        (
            {"logo": "d" * 32},
            "http://localhost:8000/status/acme",
            "http://localhost:8000/status/acme/files/" + "d" * 32,
        ),
        ({"domain": "status.example.com", "logo": ""}, "http://status.example.com", None),
    ],
)
def test_a_page_has_an_absolute_address(
    status_world: StatusWorld, fields: dict[str, str], url: str, logo: str | None
) -> None:
    status_world.change_page(**fields)
    seen = status_world.seen()
    assert (seen.url, seen.logo_url) == (url, logo)


def test_a_page_without_components_is_neither_well_nor_ill(status_world: StatusWorld) -> None:
    seen = status_world.seen()
    assert (seen.overall, seen.indicator, seen.headline) == ("unknown", "none", "No components yet")
    assert (seen.organization, seen.organization_slug, seen.organization_logo) == ("Ada", "ada", None)


def test_a_page_with_a_password_is_never_for_search_engines(status_world: StatusWorld) -> None:
    assert status_world.seen().indexed
    status_world.change_page(password="$argon2id$whatever")
    seen = status_world.seen()
    assert not seen.indexed
    assert "argon2" not in msgspec.json.encode(seen).decode()


def test_pages_that_say_the_same_have_the_same_tag(status_world: StatusWorld) -> None:
    status_world.add("component-1", watched(status_world))
    first = looked_at(status_world)
    status_world.box.clock.advance(seconds=30)
    assert looked_at(status_world).etag == first.etag
    assert looked_at(status_world, incident("incident-1")).etag != first.etag


def test_a_page_of_an_organization_that_is_not_saved_can_be_seen(status_world: StatusWorld) -> None:
    page = new_page(id="page-new", organization_id=status_world.box.organization_id, slug="new", name="New")
    whole = Whole(page, components=(replace(status_world.add("component-1", name="API"), page_id=page.id),))
    seen = status_world.box.run(sources.see(status_world.snapshots.sources, whole, NOON))
    assert [one.name for one in seen.components] == ["API"]
    assert status_world.rows("select count(*) from component_days") == [(0,)]
    assert page.id != PAGE
