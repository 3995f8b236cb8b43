"""Feeds and badges say the same as the page, to programs."""

import re
from datetime import UTC, datetime
from xml.etree import ElementTree

from msgspec.structs import replace

from tests.cases import each
from tests.products.status_pages.serving.examples import BUSY, CALM, DAY, ENDED, HOUR, NOW, PLANNED, component
from tests.products.status_pages.serving.world import World

ATOM = "{http://www.w3.org/2005/Atom}"


def atom(world: World) -> ElementTree.Element:
    return ElementTree.fromstring(world.get("history.atom").body)


def test_atom_has_an_entry_for_each_update_newest_first(world: World) -> None:
    entries = atom(world).findall(f"{ATOM}entry")
    assert [entry.findtext(f"{ATOM}title") for entry in entries] == [
        "Requests to the API fail: Identified",
        "Requests to the API fail: Investigating",
        "New database servers: Scheduled",
        "Slow pages: Resolved",
        "Slow pages: Investigating",
    ]
    assert entries[0].findtext(f"{ATOM}content") == (
        '<p>A disk is <strong>full</strong>. We are moving data; see <a href="https://example.com/plan"'
        ' rel="nofollow noopener">the plan</a>.</p>'
    )


def test_ids_of_entries_stay_when_the_page_moves_and_the_text_changes(world: World) -> None:
    before = [entry.findtext(f"{ATOM}id") for entry in atom(world).findall(f"{ATOM}entry")]
    edited = replace(ENDED, updates=tuple(replace(said, message="Other words") for said in ENDED.updates))
    world.known.seen = replace(
        BUSY, url="https://status.acme.example", incidents=(BUSY.incidents[0], edited), etag="moved"
    )
    after = [entry.findtext(f"{ATOM}id") for entry in atom(world).findall(f"{ATOM}entry")]
    assert before == after
    assert len(set(after)) == 5
    assert all(re.fullmatch(r"urn:uuid:[0-9a-f-]{36}", one or "") for one in after)


def test_an_edited_update_is_updated(world: World) -> None:
    edited = replace(ENDED, updates=(replace(ENDED.updates[0], updated_at=NOW - HOUR // 2), ENDED.updates[1]))
    world.known.seen = replace(CALM, incidents=(edited,))
    feed = atom(world)
    assert feed.findtext(f"{ATOM}updated") == "2026-11-20T13:30:00Z"
    assert feed.find(f"{ATOM}entry").findtext(f"{ATOM}published") == "2026-11-12T16:00:00Z"  # type: ignore[union-attr]


def test_rss_has_the_same(world: World) -> None:
    channel = ElementTree.fromstring(world.get("history.rss").body).find("channel")
    assert channel is not None
    items = channel.findall("item")
    assert [item.findtext("guid") for item in items] == [
        entry.findtext(f"{ATOM}id") for entry in atom(world).findall(f"{ATOM}entry")
    ]
    assert items[0].findtext("pubDate") == "Fri, 20 Nov 2026 13:00:00 GMT"
    assert items[0].findtext("link") == "https://status.example.com/status/acme/incidents/incident-1#update-2"


def test_a_feed_has_the_latest_fifty(world: World) -> None:
    many = tuple(
        replace(ENDED, id=f"incident-{n}", updates=(replace(ENDED.updates[0], id=f"u{n}", at=NOW - n * DAY),))
        for n in range(60)
    )
    world.known.seen = replace(CALM, incidents=many)
    assert len(atom(world).findall(f"{ATOM}entry")) == 50


def test_a_feed_without_anything_is_a_feed(world: World) -> None:
    world.known.seen = CALM
    assert atom(world).findtext(f"{ATOM}updated") == "2025-10-16T14:00:00Z"


def test_characters_that_xml_does_not_have_are_left_out(world: World) -> None:
    world.known.seen = replace(CALM, name="Ac\x00me\x1f", maintenances=(replace(PLANNED, title="a\x0bb\ufffe"),))
    assert atom(world).findtext(f"{ATOM}title") == "Acme: incidents and maintenance"
    assert "ab: Scheduled" in world.get("history.rss").body.decode()
    ElementTree.fromstring(world.get("badge.svg").body)


@each(
    ("path", "said"),
    [
        ("badge.svg", "Acme: outage"),
        ("badge/component-website.svg", "Website: operational"),
        ("badge/component-api.svg", "API: major outage"),
        ("badge/component-pictures.svg", "Pictures: no data"),
    ],
)
def test_a_badge_says_how_a_page_or_a_component_is(world: World, path: str, said: str) -> None:
    answer = world.get(path)
    assert answer.headers["content-type"] == "image/svg+xml"
    assert ElementTree.fromstring(answer.body).attrib["aria-label"] == said


@each("path", ["badge/nobody.svg", "badge/component-api", "badge/component-api.png", "badge/.svg"])
def test_other_badges_do_not_exist(world: World, path: str) -> None:
    assert world.get(path).status == 404


def test_a_long_name_does_not_make_a_wide_badge(world: World) -> None:
    world.known.seen = replace(CALM, components=(component("W" * 120),))
    drawn = ElementTree.fromstring(world.get(f"badge/component-{'w' * 120}.svg").body)
    assert int(drawn.attrib["width"]) < 600


def calendar(world: World) -> list[str]:
    """The lines of the calendar, unfolded."""
    answer = world.get("history.ics")
    assert answer.headers["content-type"] == "text/calendar; charset=utf-8"
    assert max(len(line) for line in answer.body.split(b"\r\n")) <= 75
    return answer.body.decode().replace("\r\n ", "").split("\r\n")


def test_calendar_has_maintenance_as_events(world: World) -> None:
    lines = calendar(world)
    assert lines.count("BEGIN:VEVENT") == 1
    assert "SUMMARY:Acme: New database servers" in lines
    start, end = (
        f"{datetime.fromtimestamp((at or 0) / 1000, UTC):%Y%m%dT%H%M%SZ}"
        for at in (PLANNED.scheduled_for, PLANNED.scheduled_until)
    )
    assert {f"DTSTART:{start}", f"DTEND:{end}"} <= set(lines)
    assert not [line for line in lines if "Requests to the API fail" in line]


def test_long_and_special_text_stays_one_value_in_the_calendar(world: World) -> None:
    title = "Ü;,\\" * 40
    world.known.seen = replace(CALM, maintenances=(replace(PLANNED, title=f"{title}\nDTEND:1"),), etag="special")
    escaped = "Ü\\;\\,\\\\" * 40
    assert f"SUMMARY:Acme: {escaped}\\nDTEND:1" in calendar(world)


def test_maintenance_that_was_cancelled_before_it_began_is_not_in_the_calendar(world: World) -> None:
    start = PLANNED.scheduled_for or 0
    over = replace(PLANNED, status="completed", is_open=False, resolved_at=start - HOUR)
    world.known.seen = replace(CALM, maintenances=(over,), etag="cancelled")
    assert "BEGIN:VEVENT" not in calendar(world)
