"""Events as plain objects that a test invents, and as facts that the box stores."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import Any, TypeVar

from hypothesis import strategies as st

from analytics_box.base.facts.event import CUSTOM, PAGE_EXIT, PAGE_VIEW, Event
from analytics_box.base.facts.tables import ATTRIBUTES

T = TypeVar("T")

SECOND = 1_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR

KINDS = {"view": PAGE_VIEW, "custom": CUSTOM, "exit": PAGE_EXIT}

PATHS = ("/", "/a", "/A", "/pricing", "/b/c", "/ü ñ", "/%_\\", "/a/b")
SOURCES = ("Direct", "Google", "news.example", "Hacker News", "Gmail", "ß", "Ünï")
BROWSERS = ("", "Chrome", "Firefox", "chrome", "Unknown")
SYSTEMS = ("", "Linux", "macOS")
DEVICES = ("desktop", "", "mobile", "tablet")
NAMES = ("sign_up", "Sign_up", "buy", "köp ✓", "a'b\"c", "$flag_evaluated")
LABELS = ("", "en", "Europe/Berlin", "%", "спам")


@dataclass(frozen=True)
class Happening:
    """One event. Times are UTC ms; `person` 0 is nobody; `arrived` is never before `time`."""

    site: int
    time: int
    arrived: int
    kind: str
    person: int
    name: str = "screen_view"
    path: str = "/"
    client_session: str = ""
    engaged: int = 0
    bot: str = ""
    properties: str | None = None
    interactions: int | None = None
    # What a session keeps from its first event, and what an event has of its own, by the names of the facts.
    session: dict[str, str] = field(default_factory=dict)
    own: dict[str, str] = field(default_factory=dict)

    @property
    def visitor(self) -> int:
        """A person is another visitor on each site and each UTC day (semantics 7)."""
        return self.visitor_on(self.time // DAY)

    @property
    def other_day(self) -> int:
        """The other of the two days that have a salt when it arrives: yesterday, unless it is yesterday's itself."""
        today = self.arrived // DAY
        return today if self.time // DAY == today - 1 else today - 1

    def visitor_on(self, utc_day: int) -> int:
        return ((self.person << 32) + (utc_day << 12) + self.site % 4096) if self.person else 0

    def fact(self) -> Event:
        """The same as the box takes it."""
        return Event(
            site=self.site,
            time=self.time,
            kind=KINDS[self.kind],
            name=self.name,
            namespace=self.own.get("namespace", ""),
            visitor=self.visitor,
            yesterday=self.visitor_on(self.other_day),
            path=self.path,
            query_string=self.own.get("query_string", ""),
            title="",
            engaged=self.engaged,
            scroll=0,
            bot=self.bot,
            origin=self.own.get("origin", ""),
            client_session=self.client_session,
            attributes=tuple(self.session.get(name, "") for name in ATTRIBUTES),
            properties=self.properties,
            interactions=self.interactions,
        )


# Silences between two arrivals, around every bound that the semantics name: inside a session, and between two.
SHORT = (0, 1, 9_999, 10_000, 5 * MINUTE, 29 * MINUTE, 30 * MINUTE - 1, 30 * MINUTE, 30 * MINUTE + 1)
LONG = (40 * MINUTE, 3 * HOUR, 23 * HOUR, DAY - 1, DAY, DAY + 1)


@cache
def one_of(values: tuple[Any, ...]) -> st.SearchStrategy[Any]:
    """Making a strategy takes longer than drawing from it."""
    return st.sampled_from(values)


@st.composite
def happenings(draw: st.DrawFn, *, sites: Sequence[int], begin: int, most: int = 25) -> list[Happening]:
    """A story of some days, in the order of arrival; some events are late by up to 50 minutes."""
    arrived = begin + draw(st.integers(0, DAY))
    told = []
    for _ in range(draw(st.integers(0, most))):
        arrived += draw(one_of((*SHORT, *SHORT, *SHORT, *LONG)))
        told.append(_happening(draw, draw(st.sampled_from(sites)), arrived))
    return told


def _happening(draw: st.DrawFn, site: int, arrived: int) -> Happening:
    late = draw(one_of((0, 0, 0, 0, 1, 4 * MINUTE, 30 * MINUTE, 50 * MINUTE)))
    kind = draw(one_of(("view", "view", "view", "exit", "exit", "custom")))

    def pick(values: tuple[T, ...]) -> T:
        found: T = draw(one_of(values))
        return found

    return Happening(
        site=site,
        time=arrived - late,
        arrived=arrived,
        kind=kind,
        person=pick((1, 1, 1, 2, 2, 0)),
        name={"view": "screen_view", "exit": "page_exit"}.get(kind) or pick(NAMES),
        path=pick(PATHS) if kind != "custom" else pick((*PATHS, "")),
        client_session=pick((*[""] * 4, "s1")),
        engaged=pick((0, 5, 9, 10)) if kind == "exit" else 0,
        bot=pick((*[""] * 15, "known_bot_user_agent")),
        properties=pick((None, '{"plan":"pro"}')) if kind == "custom" else None,
        session={
            "source": pick(SOURCES),
            "browser": pick(BROWSERS),
            "system": pick(SYSTEMS),
            "device": pick(DEVICES),
            "language": pick(LABELS),
            "time_zone": pick(LABELS),
            "utm_source": pick(LABELS),
            "utm_campaign": pick(LABELS),
        },
        own={
            "query_string": pick(("", "q=1", "q=2")),
            "namespace": pick(("", "shop")) if kind == "custom" else "",
            "origin": pick(("", "backend")) if kind == "custom" else "",
        },
    )


def at(year: int, month: int, day: int, hour: int = 0) -> int:
    """An instant in UTC ms."""
    return round(datetime(year, month, day, hour, tzinfo=UTC).timestamp()) * 1000
