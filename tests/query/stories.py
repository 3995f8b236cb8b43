"""Made-up stories of two websites and their organization: everything that facts may hold, close together in time.

A story is drawn from a seed: the same number tells the same one. Its people come back, are late, are in the middle of
a change of the clock, are programs, have no id, or are somebody else a minute later.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from analytics_box.base.clock import HOUR, MINUTE, utc_day
from analytics_box.base.facts.event import CUSTOM, PAGE_EXIT, PAGE_VIEW, TIMINGS, Event, Fact, FactSpan
from analytics_box.base.facts.tables import ATTRIBUTES, SPANS
from analytics_box.base.store.db import Connection
from analytics_box.query.access import ReadScope
from tests.query.brute.facts import Facts, read
from tests.query.happenings import at
from tests.query.world import World

# A zone, and about when: by clocks that are moved, and by the turn of a day.
PLACES = (
    ("UTC", at(2026, 6, 17)),
    ("Europe/Berlin", at(2026, 10, 24, 22)),
    ("America/Havana", at(2026, 10, 31, 4)),
    ("Asia/Kolkata", at(2026, 12, 30)),
    ("Australia/Lord_Howe", at(2026, 4, 4, 13)),
    ("America/Santiago", at(2026, 9, 6, 4)),
)
PLAIN = ("", "a", "b")
TEXTS = ("", "a", "b", "Ünï'\"", "%_")
WORDS: dict[str, tuple[str, ...]] = {
    "source": ("Direct", "Google", "news.example", "ChatGPT"),
    "channel": ("", "Direct", "Email", "AI Assistant"),
    "country": ("", "Germany", "France"),
    "region": ("", "Berlin", "Île-de-France"),
    "city": ("", "Berlin", "Paris"),
    "device": ("", "desktop", "mobile"),
    "viewport": ("", "1280x720", "390x844"),
    "browser": ("", "Chrome", "Firefox"),
    "browser_version": ("", "1.2", "1.3", "10.0"),
    "system_version": ("", "9", "10.1"),
    "path": ("/", "/a", "/b/c", "/ü"),
    "query_string": ("", "q=1"),
    "name": ("buy", "sign ✓", "$flag_evaluated", "buy", "not_found"),
    "namespace": ("", "shop"),
    "origin": ("", "backend"),
    "profile": ("", "", "ann", "bea"),
    "message": ("", "x is no function", "No ✓"),
    "type": ("", "TypeError", "Error"),
    "filename": ("app.js", "b.js"),
    "stack": ("", "at app.js:3", "s" * 1_600),
    "href": ("https://x.example/a", "https://y.example/ü"),
    "text": ("", "X", "Ünï'\""),
    "domain": ("x.example", "y.example"),
    "agent": ("", "Googlebot", "curl"),
    "exit_type": ("unload", "hidden"),
    "rage_target": ("", "button", "div"),
    "dead_target": ("", "button", "a"),
    "last_field": ("", "email", "name"),
    "tool": ("find", "book", "ü"),
    "error": ("", "", "Order 1 failed", "No ✓"),
    "error_group": ("", "g1", "g2"),
    "client_name": ("", "claude-code", "cursor"),
    "client_version": ("", "1.0", "2.0", "3.0", "4.0"),
    "server_name": ("", "orders", "ü"),
    "server_version": ("", "1"),
    "environment": ("", "production", "staging"),
    "user_agent": ("", "agent/1", "agent/2"),
    "flag": ("new", "price"),
    "variant": ("a", "b"),
    "key": ("k", "plan", "ü", "referrer"),
    "client_session": ("", "", "s1"),
    "provider": ("stripe", "paddle", "server", "tracker"),
    "payment_type": ("sale", "sale", "subscription", "refund", "subscription_event"),
    "payment_status": ("completed", "completed", "completed", "refunded", "failed", "canceled"),
    "currency": ("EUR", "EUR", "USD", "JPY", "BHD"),
    "lifecycle": ("", "new", "renewal", "churn", "trial"),
    "attribution": ("session", "profile", "anonymous", "customer", "unmatched"),
    "unmatched_reason": ("", "pending", "not_found"),
    "first_source": ("Direct", "Google", ""),
    "first_channel": ("", "Direct", "Email"),
    "ai_agent": ("gptbot", "claude-user", "gone-bot"),
    "product": ("ChatGPT", "Claude", "Ünï"),
    "purpose": ("training", "search_index", "on_demand"),
    "format": ("html", "markdown", "llms"),
}
NUMBERS: dict[str, tuple[int | None, ...]] = {
    "line": (0, 3, 40),
    "position": (0, 4),
    "time_on_page": (None, 0, 900, 30_000, 61_000),
    "active_time": (None, 0, 400, 20_001),
    "first_interaction": (None, None, 0, 350, 901),
    "scroll": (None, 0, 24, 25, 50, 74, 75, 99, 100),
    "interactions": (None, 0, 1, 2),
    "duration": (None, 0, 12, 340, 61_000),
    "output_chars": (None, 0, 7, 4_000),
    "form_fields": (0, 0, 1, 2),
    "form_submits": (0, 0, 1),
    "amount": (0, 1, 99, 1_230, 250_001, -500),
    "reference": (0,),
    "verified": (0, 1, 1),
    "pending": (0, 1),
    "status": (None, 200, 304, 404, 500),
    "known_address": (None, None, 0, 1),
}
_VALUES: tuple[Any, ...] = (
    *("x", "y", "=1", "", "2026-06-17", "2026-06-17T10:00:00Z", "https://x.example", "true", "1"),
    *(0, -3, 7, 4.5, True, False, None, [1, "a"], {"x": 1}, "l" * 120),
)


class Teller:
    """Draws the facts of one story around an instant. `sites` are two websites and the organization itself; on the day
    of `plain`, or else of that instant, all ids of visitors are plain ones."""

    def __init__(self, seed: int, sites: tuple[int, int, int], around: int, plain: int = 0) -> None:
        self._random = Random(seed)
        self._sites = sites
        self._around = around
        self._plain = utc_day(plain or around)
        self._rich = self._random.random() < 0.3  # stories with many properties, values and long texts

    def facts(self, number: int) -> list[Fact]:
        """So many facts, in the order of arrival."""
        return [self._event() if self._random.random() < 0.6 else self._span() for _ in range(number)]

    def links(self) -> list[tuple[int, int, int, str]]:
        """Who some visitors turned out to be: (site, visitor, from when on, profile), each instant once."""
        made = {(self._place()[0], self._time()): self._of("profile") for _ in range(4)}
        return [(site, site * 16 + self._random.randint(1, 3), time, who) for (site, time), who in made.items() if who]

    def _of(self, name: str) -> str:
        return self._random.choice(WORDS.get(name, PLAIN))

    def _place(self) -> tuple[int, int]:
        """A website and a visitor of it, 0 for nobody; a visitor's id belongs to one website (semantics 7)."""
        site = self._random.choice((self._sites[0],) * 5 + (self._sites[1],) * 2)
        who = self._random.choice((0, 1, 1, 2, 2, 3))
        return site, site * 16 + who if who else 0

    def _ids(self, visitor: int, time: int) -> tuple[int, int]:
        """The id of a visitor at this time, and the one of the day before: even ones are new each UTC day (semantics
        7)."""
        if visitor % 2 or not visitor:
            return visitor, visitor
        days = utc_day(time) - self._plain
        return visitor + (days % 16 << 20), visitor + ((days - 1) % 16 << 20)

    def _time(self) -> int:
        hour = self._random.choice((-20, 0, 0, 1, 1, 2, 23))
        return self._around + hour * HOUR + self._random.randint(0, 90) * MINUTE // 2

    def _attributes(self) -> tuple[str, ...]:
        return tuple(self._of(name) for name in ATTRIBUTES)

    def _event(self) -> Event:
        kind = self._random.choice((PAGE_VIEW, PAGE_VIEW, CUSTOM, PAGE_EXIT))
        site, visitor = self._place()
        if kind == CUSTOM and self._random.random() < 0.1:
            site, visitor = self._sites[2], 0
        left = kind == PAGE_EXIT
        time = self._time()
        visitor, yesterday = self._ids(visitor, time)
        program = self._random.random() < 0.12
        timings = self._random.sample(sorted(TIMINGS.values()), 2) if kind == PAGE_VIEW else []
        return Event(
            site=site,
            time=time,
            kind=kind,
            name=self._of("name") if kind == CUSTOM else "page_exit" if left else "screen_view",
            namespace=self._of("namespace") if kind == CUSTOM else "",
            visitor=visitor,
            yesterday=yesterday,
            path="" if site == self._sites[2] else self._of("path"),
            query_string=self._of("query_string"),
            title="",
            engaged=self._random.choice((0, 1, 2, 9, 10, 10, 3600)) if left else 0,
            scroll=self._random.choice(NUMBERS["scroll"]) if left else None,
            bot=self._random.choice(("known_bot_user_agent", "data_centre")) if program else "",
            origin=self._of("origin"),
            client_session=self._of("client_session") if visitor else "",
            attributes=self._attributes(),
            properties=self._properties() if kind in {CUSTOM, PAGE_VIEW} else None,
            profile=self._of("profile"),
            interactions=self._random.choice((0, 1, 2, None))
            if left
            else 0
            if kind == CUSTOM and time % 3 == 0
            else None,
            agent=self._of("agent") if program else "",
            exposure=(self._of("flag"), self._of("variant")) if kind == CUSTOM and not program else None,
            timings=tuple((number, float(self._random.randint(0, 4000))) for number in timings),
        )

    def _properties(self) -> str | None:
        keys = [key for key in WORDS["key"] if self._random.random() < 0.5]
        made = {key: self._value(key) for key in keys}
        return json.dumps(made, separators=(",", ":"), ensure_ascii=False) if made else None

    def _value(self, key: str) -> Any:
        if self._rich and key == "plan":
            return self._random.choice((True, self._random.randint(0, 60), f"{'t' * 130}{self._random.random()}"))
        return self._random.choice(_VALUES)

    def _span(self) -> FactSpan:
        table = self._random.choice((*sorted(SPANS), "transactions", "transactions"))
        site, visitor = self._place()
        time = self._time()
        visitor, yesterday = self._ids(visitor, time)
        return FactSpan(
            table=table,
            site=site,
            time=time,
            visitor=visitor,
            yesterday=yesterday,
            client_session=self._of("client_session") if visitor else "",
            path=self._of("path"),
            query_string=self._of("query_string"),
            attributes=self._attributes(),
            own=self._own(table),
            profile=self._of("profile"),
        )

    def _own(self, table: str) -> tuple[int | float | str | None, ...]:
        if table == "vitals":
            return (self._random.choice((1, 2, 2, 3, 4, 5, 6, 11)), float(self._random.randint(0, 4000)))
        return tuple(
            self._of(name)
            if name in WORDS and name not in NUMBERS
            else self._random.choice(NUMBERS.get(name, (0, 1, 2)))
            for name in SPANS[table]
        )


FACTS = 90  # of a story


@dataclass
class Story:
    """A story that the box was told. `sites` are the ids of its websites by their numbers."""

    world: World
    zone: str
    around: int
    websites: Mapping[int, str]
    owner: int
    _read: dict[tuple[int, ...], Facts] = field(default_factory=dict, repr=False)

    def scope(self, number: int, *, owner: bool) -> ReadScope:
        """The first websites, with or without what the organization has of its own."""
        own = dict(list(self.websites.items())[:number])
        return ReadScope(tuple(own), owner=self.owner if owner else 0, ids={name: site for site, name in own.items()})

    def facts(self, scope: ReadScope, *, owner: bool) -> Facts:
        """What is stored of it; the organization's own facts where a type counts them."""
        sites = {site: self.websites[site] for site in scope.sites} | (
            {scope.owner: ""} if scope.owner and owner else {}
        )
        if tuple(sites) not in self._read:
            self._read[tuple(sites)] = self.world.db.read_now(lambda db: read(db, sites))
        return self._read[tuple(sites)]


def tell(world: World, seed: int) -> Story:
    """Tells the box a story."""
    first, second, owner = world.new_sites(3)
    zone, around = PLACES[seed % len(PLACES)]
    teller = Teller(seed, (first, second, owner), around)
    world.store_facts(teller.facts(FACTS))
    world.db.write_now(lambda db: _link(db, teller))
    return Story(world, zone, around, {first: "first", second: "second"}, owner)


def _link(db: Connection, teller: Teller) -> None:
    for site, visitor, time, who in teller.links():
        db.execute("insert or ignore into strings (value) values (?)", (who,))
        db.execute(
            "insert or ignore into visitor_profiles (site, visitor, time, profile)"
            " select ?, ?, ?, id from strings where value = ?",
            (site, visitor, time, who),
        )
