"""The public page says how everything is, in few bytes and without a script."""

import re
from html.parser import HTMLParser

from msgspec.structs import replace

from analytics_box.products.status_pages.subscribers.public import Reply
from tests.cases import each
from tests.products.status_pages.serving.examples import (
    BUSY,
    CALM,
    DAY,
    ENDED,
    HOUR,
    NOW,
    ONGOING,
    Bad,
    component,
    days,
)
from tests.products.status_pages.serving.world import World


class Tags(HTMLParser):
    """What a browser makes of some HTML: its tags, their attributes, its links."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.links: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links += [value for name, value in attrs if name == "href" and value]


def page(world: World, path: str = "") -> str:
    answer = world.get(path)
    assert answer.status == 200
    return answer.body.decode()


def test_a_busy_page_of_ten_components_is_small(world: World) -> None:
    assert len(BUSY.components) == 10
    assert len(world.get().body) < 30_000


def test_a_page_of_ten_components_with_a_maintenance_each_week_and_outages_is_small(world: World) -> None:
    bad: dict[int, Bad] = dict.fromkeys(range(0, 90, 7), ("maintenance", 100.0, 0))
    bad |= {back: ("down", 99.0 + back / 100, back * 60) for back in range(5, 90, 20)}
    many = tuple(component(f"Part {n}", description="What it is for", days=days(bad)) for n in range(10))
    world.known.seen = replace(BUSY, components=many, groups=())
    assert len(world.get().body) < 30_000


def test_page_shows_state_then_open_incidents_then_components(world: World) -> None:
    shown = page(world)
    places = [
        shown.index(words)
        for words in ("Major outage</h1>", "Requests to the API fail", "New database", "<h3><bdi>API")
    ]
    assert places == sorted(places)
    assert "<title>Major outage · Acme</title>" in shown


def test_page_needs_no_script_and_loads_nothing_external(world: World) -> None:
    shown = page(world)
    assert "<script" not in shown
    assert not re.search(r"<[^>]*\s(style|on\w+)=", shown)
    assert not re.search(r'(src|stylesheet" href|icon" href)="(?!/static/)', shown)


def test_days_are_drawn_and_said(world: World) -> None:
    shown = page(world)
    assert 'aria-label="The last 90 days: no downtime on 88 days; downtime on 2 days."' in shown
    assert "<title>20 Nov 2026: downtime, 91.30\N{NO-BREAK SPACE}% uptime" in shown
    assert "<li>12 Oct – 18 Nov 2026" not in shown  # only days on which something was


@each(
    ("theme", "said"),
    [
        (None, '<html lang="en">'),
        ("dark", '<html lang="en" class="dark">'),
        ("light", '<html lang="en" class="light">'),
    ],
)
def test_the_theme_is_that_of_the_page(world: World, theme: str | None, said: str) -> None:
    world.known.seen = replace(BUSY, theme=theme, etag=f"theme {theme}")
    assert said in page(world)


def test_unknown_values_are_not_shown(world: World) -> None:
    hidden = component("Vault", uptime=None, shows_uptime=False, shows_latency=False, days=days({}))
    hidden = replace(hidden, days=tuple(replace(day, uptime=None, average_ms=None, p95_ms=None) for day in hidden.days))
    world.known.seen = replace(CALM, components=(hidden,))
    for shown in (page(world), page(world, "components/component-vault")):
        assert "% uptime" not in shown
        assert "Response time" not in shown
        assert " ms" not in shown


def test_a_component_that_is_shown_only_while_something_is_wrong_is_not_there_else(world: World) -> None:
    fine = component("Printer", only_if_degraded=True)
    world.known.seen = replace(CALM, components=(fine,))
    assert "Printer" not in page(world)
    world.known.seen = replace(CALM, components=(replace(fine, status="partial_outage"),), etag="worse")
    assert "Printer" in page(world)


def test_a_page_without_components_says_so(world: World) -> None:
    world.known.seen = replace(CALM, components=())
    assert "no components yet" in page(world)


def test_times_are_in_the_zone_of_the_page_and_readable_by_programs(world: World) -> None:
    assert '<time datetime="2026-11-20T14:00:00Z">20 Nov 2026, 15:00</time>' in page(world)  # Berlin


def test_typed_text_is_escaped(world: World) -> None:
    hostile = '"><script>alert(1)</script><img src=x onerror=alert(1)>'
    said = replace(ENDED.updates[0], message=f"{hostile} [x](javascript:alert(1)) ![p](https://evil.example/p.png)")
    bad = replace(ENDED, title=hostile, updates=(said,))
    world.known.seen = replace(
        CALM, name=hostile, description=hostile, incidents=(bad,), components=(component(hostile),)
    )
    for path in (
        "",
        "incidents/incident-0",
        "history/2026-11",
        "badge.svg",
        "history.atom",
        "history.rss",
    ):
        tags = Tags(page(world, path))
        assert tags.names.isdisjoint({"script", "img"})
        assert "onerror" not in tags.attributes
        assert not [link for link in tags.links if link.startswith("javascript")]


def test_links_in_updates_do_not_pass_on_reputation(world: World) -> None:
    assert '<a href="https://example.com/plan" rel="nofollow noopener">the plan</a>' in page(world)


def test_incidents_older_than_two_weeks_are_in_the_history_only(world: World) -> None:
    old = replace(ENDED, started_at=NOW - 20 * DAY, resolved_at=NOW - 20 * DAY + HOUR)
    world.known.seen = replace(CALM, incidents=(old,))
    assert "Slow pages" not in page(world)
    assert "Slow pages" in page(world, "history/2026-10")


def test_an_old_state_says_how_old_it_is(world: World) -> None:
    world.known.seen = replace(BUSY, stale_since=NOW - 5 * 60_000)
    assert "It shows the status of 5\N{NO-BREAK SPACE}min ago (20 Nov 2026, 14:55)." in page(world)
    world.clock.advance(seconds=60)
    assert "status of 6\N{NO-BREAK SPACE}min ago" in page(world)


def test_an_incident_has_a_page_with_all_that_was_said(world: World) -> None:
    shown = page(world, "incidents/incident-1")
    assert "<h1><bdi>Requests to the API fail</bdi></h1>" in shown
    assert shown.index("A disk is <strong>full</strong>") < shown.index("About half of all requests fail.")
    assert "Affects API (major outage)" in shown


def test_of_many_updates_the_latest_are_on_the_page_and_the_rest_a_click_away(world: World) -> None:
    many = tuple(replace(ONGOING.updates[0], id=f"u{n}", message=f"word {n}", at=NOW - n) for n in range(8))
    world.known.seen = replace(BUSY, incidents=(replace(ONGOING, updates=many),))
    shown = page(world)
    assert "word 4<" in shown
    assert "word 5<" not in shown
    assert '<a href="/status/acme/incidents/incident-1">All updates<' in shown
    assert "word 7<" in page(world, "incidents/incident-1")


def test_a_component_has_its_days_as_a_table(world: World) -> None:
    shown = page(world, "components/component-api")
    assert shown.count("<tr>") == 91
    assert '<th scope="row">20 Nov 2026</th><td>Downtime</td><td>91.30' in shown


@each(
    ("indexed", "said"),
    [(True, False), (False, True)],
)
def test_search_engines_stay_away_where_the_page_says_so(world: World, indexed: bool, said: bool) -> None:
    world.known.seen = replace(BUSY, indexed=indexed, etag=f"indexed {indexed}")
    for path in ("", "history", "incidents/incident-1", "components/component-api"):
        assert ('<meta name="robots" content="noindex">' in page(world, path)) is said
    for path in ("", "history.atom", "badge.svg", "api/v2/status.json"):
        assert ("x-robots-tag" in world.get(path).headers) is said


def test_subscribing_offers_email_only_if_the_server_sends_email_and_feeds_always(world: World) -> None:
    for by_email in (True, False):
        world.known.reply = Reply(template="status/subscribe.html", by_email=by_email, action="/subscribe")
        shown = page(world, "subscribe")
        assert ('type="email"' in shown) is by_email
        assert {f"/status/acme/history.{kind}" for kind in ("rss", "atom", "ics")} <= set(Tags(shown).links)
        assert shown.index("<details") < shown.index('type="url"')
