"""What an overview shows of made-up facts is what plain Python finds in them: tiles, every list with what stands beside
it, its panel and its files, the hours of the week and goals, for filters, groups and zones of every kind."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from analytics_box.app.box import open_box
from analytics_box.base import figures
from analytics_box.base.clock import HOUR
from analytics_box.base.facts.event import describe_attributes
from analytics_box.base.facts.tables import ATTRIBUTES
from analytics_box.base.settings import Settings
from analytics_box.base.store import schema
from analytics_box.base.store.db import Db
from analytics_box.base.store.strings import Strings
from analytics_box.ingest.ledger import Ledger
from analytics_box.ingest.live import LiveSessions
from analytics_box.products.overview.board import LISTS, WEBSITE
from tests.cases import each
from tests.inprocess import FixedClock, WholeBox, fill
from tests.products.goals.conftest import unlimited
from tests.query import brute, calendars
from tests.query.brute import happened
from tests.query.brute.facts import Facts, Filter, Group, Question, Row, counted, read, with_flags
from tests.query.brute.filters import holds
from tests.query.brute.measures import rank, share
from tests.query.brute.sessions import Visit, visits
from tests.query.stories import PLACES, Teller

ZONE, AROUND = PLACES[4]  # the night in which clocks go back by half an hour
SEED, FACTS = 4, 260
GOAL = ("event", "eq", ["buy"])
TABLES = {name: listed for name, listed in LISTS.items() if listed.look == "bars"}


class Told:
    """A box that was told a story, and what is stored of it."""

    def __init__(self, box: WholeBox, facts: Facts) -> None:
        self.box, self.facts, self.cookie = box, facts, box.cookie
        self.home = f"/sites/{box.sites['shop']}"
        made = {"websiteId": box.sites["shop"], "name": "Buys", "type": "EVENT", "target": "buy"}
        assert box.post("/goals/create", made, key="all").status == 200

    def get(self, path: str) -> str:
        answer = self.box.get(f"{self.home}{path}", cookie=self.cookie, accept="text/html")
        assert answer.status == 200, path
        return answer.body.decode("utf-8-sig")


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    directory = tmp_path_factory.mktemp("told") / "data"
    clock = FixedClock(AROUND + 26 * HOUR)
    filled = fill(directory, clock.now())
    facts = _tell(directory, (filled.numbers["shop"], filled.numbers["blog"], filled.numbers["local"]))
    box = WholeBox(open_box(unlimited(Settings(data_dir=directory, limit_export=0)), clock), clock, filled)
    try:
        yield Told(box, facts)
    finally:
        box.close()


def _tell(directory: Path, sites: tuple[int, int, int]) -> Facts:
    """Stores a story whose sessions begin where their pages say, on devices that are known."""
    db = Db(directory / schema.EVENTS_FILE, readers=1)
    try:
        strings, live = Strings(), LiveSessions()
        db.attach(strings, live)
        device = ATTRIBUTES.index("device")
        story = [
            replace(fact, attributes=(fact.path, *texts[1:device], "mobile", *texts[device + 1 :]))
            for fact in Teller(SEED, sites, AROUND).facts(FACTS)
            for texts in (describe_attributes(fact),)
        ]
        db.write_now(lambda connection: Ledger(strings, live).append(connection, story))
        return db.read_now(lambda connection: read(connection, {sites[0]: "shop"}))
    finally:
        db.close()


QUESTIONS: tuple[tuple[str, tuple[Filter, ...], tuple[Group, ...]], ...] = (
    ("", (), ()),
    (
        "country.not=Germany&path.contains=/&utm_term.not=a",
        (("country", "not_in", ["Germany"]), ("path", "contains", ["/"]), ("utm_term", "not_in", ["a"])),
        (),
    ),
    (
        "1.event=buy&1.city.unset=yes&2.language.matches=^a&2.scroll=50&match=any",
        (),
        (
            (
                "any",
                (
                    ("all", (("event", "in", ["buy"]), ("city", "is_not_set", []))),
                    ("all", (("language", "regex", ["^a"]), ("scroll", "in", ["50"]))),
                ),
            ),
        ),
    ),
)


@each(("query", "filters", "groups"), QUESTIONS)
def test_an_overview_is_what_brute_force_finds(
    told: Told, query: str, filters: tuple[Filter, ...], groups: tuple[Group, ...]
) -> None:
    first = calendars.shown(AROUND, ZoneInfo(ZONE)).date()
    last = first + timedelta(days=1)
    asked = Question(first, last, ZoneInfo(ZONE), filters, now=told.box.clock.now())
    address = f"range=custom&from={first}&to={last}&zone={ZONE}&{query}"
    facts = _narrowed(told.facts, asked, groups)
    (totals,) = brute.ANSWERS["summary_totals"](facts, asked)
    whole = json.loads(told.get(f"/export/json?{address}"))
    assert {row["figure"]: row["value"] for row in whole["figures"]} == {
        metric.name: totals[metric.name] if totals["sessions"] or not metric.needs else None
        for metric in WEBSITE.metrics
    }
    assert sum(row["pageviews"] for row in whole["series"]) == totals["pageviews"]
    assert whole["hour_of_week"] == brute.ANSWERS["hour_of_week"](facts, asked)
    for name, listed in TABLES.items():
        expected = _rows(name, facts, asked, totals["visitors"])
        rows = json.loads(told.get(f"/details/{name}/json?{address}"))["rows"]
        assert rows == expected == whole.get(name, rows), name
        if listed.within:
            lines = list(csv.DictReader(io.StringIO(told.get(f"/details/{name}/csv?{address}"), newline="")))
            assert [line[listed.counted] for line in lines] == [str(row[listed.counted]) for row in rows], name
    for name in ("sources", "pages", "browsers"):  # the first lists of their panels
        panel = told.get(f"/parts/{name}?{address}").partition(f'id="panel-{name}"')[2].partition("</section>")[0]
        shares = [figures.share(100 * row["visitors"] / totals["visitors"]) for row in whole[name]]
        assert re.findall(r'bar-share">([^<]*)<', panel) == shares[:8], name
    (reached,) = brute.ANSWERS["summary_totals"](_narrowed(told.facts, asked, (*groups, ("all", (GOAL,)))), asked)
    counted_so = re.findall(r'bar-value">([^<]*)<', told.get(f"/parts/goals?{address}"))
    assert counted_so == [str(reached["visitors"])]


def _narrowed(facts: Facts, asked: Question, groups: tuple[Group, ...]) -> Facts:
    known = happened.with_sessions(with_flags(counted(facts, asked), asked))
    return {table: [row for row in rows if all(holds(row, one) for one in groups)] for table, rows in known.items()}


def _rows(name: str, facts: Facts, asked: Question, visitors: int) -> list[Row]:
    """The table of a list, row by row."""
    listed = TABLES[name]
    if name == "events":  # what flags gave is none on pages
        facts = facts | {"events": [row for row in facts["events"] if row["name"] != "$flag_evaluated"]}
    beside = {
        one.type.name: {row["name"]: row for row in _beside(one.type.name, facts, asked)} for one in listed.beside
    }
    begun = visits(facts, asked)
    made = []
    answer = brute.ANSWERS[listed.type](facts, asked)
    for row in answer:
        names = dict.fromkeys((listed.shown, *listed.within))
        found = {field: row[field] for field in names} | {listed.counted: row[listed.counted]}
        if listed.apart:
            found["share"] = share(row[listed.counted], sum(one[listed.counted] for one in answer))
        else:
            found["share"] = share(row[listed.counted], visitors) if listed.counted == "visitors" else row["percentage"]
        found |= {column.known_as: row[column.name] for column in listed.columns}
        for one in listed.beside:
            if one.type.name in {"page_time_analysis", "page_scroll_performance"}:
                (column,) = one.columns
                found[column.name] = beside[one.type.name].get(row[listed.shown], {}).get(column.name)
            else:
                found |= _of_sessions([visit for visit in begun if _is_of(name, row, visit)])
        made.append(found)
    if listed.order:  # What is unknown comes last.
        made.sort(key=lambda row: (row[listed.order] is None, -(row[listed.order] or 0)))
    return made


def _beside(type_name: str, facts: Facts, asked: Question) -> list[Row]:
    own = {"page_time_analysis", "page_scroll_performance"}
    return brute.ANSWERS[type_name](facts, asked) if type_name in own else []


_DIMENSIONS = {
    **{"sources": "source", "channels": "channel", "browsers": "browser", "systems": "system", "devices": "device"},
    **{"languages": "language", "windows": "viewport", "countries": "country", "regions": "region", "cities": "city"},
}


def _known(text: str) -> str:
    return text or "Unknown"


_SHOWN: dict[str, Callable[[str], str]] = {"devices": str.capitalize, "windows": str}


def _is_of(name: str, row: Row, visit: Visit) -> bool:
    """Whether a session is one of a row's."""
    if name in {"pages", "entry"}:
        return bool(visit.pages) and visit.pages[0]["path"] == row["path"]
    first = visit.rows[0]
    value = first[_DIMENSIONS.get(name, name)]
    shown = _SHOWN.get(name, _known)(value)
    return bool(shown == row["name"] and (name not in {"regions", "cities"} or first["country"] == row["country"]))


def _of_sessions(found: list[Visit]) -> dict[str, Any]:
    """What a table says of sessions."""
    number = len(found)
    return {
        "sessions": number,
        "bounce_rate": share(sum(visit.bounced for visit in found), number) if number else None,
        "median_session_duration": share(rank((visit.duration for visit in found), 50) or 0, 1000, 1)
        if number
        else None,
    }
