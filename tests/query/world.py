"""A real events.db that stories are told to, and questions are asked of, the way the box does both."""

import asyncio
import itertools
import json
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import patch
from zlib import crc32

import msgspec
from msgspec.structs import replace

from analytics_box.base.clock import DAY
from analytics_box.base.facts.event import Event, Fact
from analytics_box.base.store import schema
from analytics_box.base.store.db import Db
from analytics_box.base.store.strings import Strings
from analytics_box.ingest.ledger import Ledger
from analytics_box.ingest.live import LiveSessions
from analytics_box.query.access import ReadScope
from analytics_box.query.engines import Engines, column_replica, sqlite
from analytics_box.query.engines.batches import LONGEST
from analytics_box.query.filters import Filter, FilterGroup, FunnelSteps
from analytics_box.query.named import LinkNumbers, Splits, WebsiteFunnels, WebsiteGoals
from analytics_box.query.ranges import Granularity
from analytics_box.query.request import DECODER, GivenQuery, QueryRequest, check
from analytics_box.query.run import ParameterAnswer, QueryRunner
from analytics_box.query.traits import TraitLookup
from tests.examples import is_thorough
from tests.inprocess import FixedClock
from tests.migrated import migrated
from tests.query.happenings import Happening
from tests.query.oracle import Asked, Row

T = TypeVar("T")


class PageThenEvent:
    """A funnel of every website, by any id but “nothing”: a page, then a custom event."""

    async def find(self, site: int, funnel_id: str) -> FunnelSteps | None:
        if funnel_id == "nothing":
            return None
        page, event = (FilterGroup(False, (Filter(field, "is_set", ()),)) for field in ("viewed_page", "event"))
        return FunnelSteps(("Page", "Event"), (page, event))


class World:
    """The database. Every story gets sites of its own, so that stories never mix.

    Every question is asked of both engines, which have to agree, but for some that are drawn. What was stored before
    the first one is rolled up for SQLite, which answers every third question from events nevertheless.
    """

    def __init__(
        self,
        directory: Path,
        traits: TraitLookup | None = None,
        splits: Splits | None = None,
        links: LinkNumbers | None = None,
        goals: WebsiteGoals | None = None,
        funnels: WebsiteFunnels | None = None,
    ) -> None:
        migrated(directory)
        self.db = Db(directory / schema.EVENTS_FILE, readers=2, durability="normal")
        strings, live = Strings(), LiveSessions()
        self.db.attach(strings, live)
        self._ledger = Ledger(strings, live)
        self.clock = FixedClock()
        later = FixedClock(self.clock.now() + 4_000 * DAY)  # all days are over
        self._engines = Engines(self.db, later, columnar="off"), Engines(self.db, later, columnar="on")
        self._engines[0]._columns.path = (
            directory / "none"
        )  # the replica is the other's, and no remains of an earlier one
        self._engines[1]._rollups._backoff.wait(LONGEST)  # its replica answers everything
        self.runners = [
            QueryRunner(
                engines,
                self.clock,
                seconds=30,
                traits=traits,
                links=links,
                goals=goals,
                funnels=funnels or PageThenEvent(),
                splits=splits,
            )
            for engines in self._engines
        ]
        self._runner = asyncio.Runner()
        self._sites = itertools.count(1)
        self._turns = itertools.count()

    def new_sites(self, number: int) -> tuple[int, ...]:
        return tuple(itertools.islice(self._sites, number))

    def store(self, happenings: Sequence[Happening]) -> None:
        """Each event in a write of its own, in the order of arrival."""
        for happening in happenings:
            self._append(happening.fact())

    def store_facts(self, facts: Sequence[Fact]) -> None:
        """All at once."""
        self.db.write_now(lambda db: self._ledger.append(db, facts))

    def _append(self, fact: Event) -> None:
        self.db.write_now(lambda db: self._ledger.append(db, [fact]))

    def entries(
        self,
        content: dict[str, object],
        sites: tuple[int, ...] | ReadScope,
        *,
        now: int = 0,
        both: bool = True,
        steps: Granularity | None = None,
    ) -> list[ParameterAnswer]:
        """The answer to the body of a POST /v1/query; `both` engines are asked unless there are too many questions.
        Series have rows of these `steps`, which pages may ask for and the API may not."""
        given = DECODER.decode(json.dumps(content))
        assert isinstance(given, GivenQuery)
        request = check(given, zone_name=None, now=now)
        if steps is not None:
            wider = tuple(replace(question, granularity=steps) for question in request.questions)
            request = replace(request, questions=wider)
        scope = sites if isinstance(sites, ReadScope) else ReadScope(sites)
        if not both:
            return self.run(self.runners[0].answer(request, scope))
        answers = self.run(self._answers(request, scope))
        ledger, columns = (msgspec.to_builtins(answer) for answer in answers)
        assert_same(ledger, columns, where="")
        return answers[0]

    def run(self, asking: Coroutine[Any, Any, T]) -> T:
        """As the runner does, which looks after signals each time, too, for a tenth of the time of a question."""
        return self._runner.get_loop().run_until_complete(asking)

    async def _answers(self, request: QueryRequest, scope: ReadScope) -> list[list[ParameterAnswer]]:
        ledger, columns = self._engines
        if columns.name == "sqlite":
            with patch.object(column_replica, "MOST_THREADS", 1):  # several threads share out what is no work here
                await columns.maintain()
        if ledger._rollups.file is None:
            await ledger.maintain()
        with from_rows() if next(self._turns) % 3 == 0 else nullcontext():
            answers = [await queries.answer(request, scope) for queries in self.runners]
        assert [engines.name for engines in self._engines] == ["sqlite", "duckdb"]
        return answers

    def rows(self, asked: Asked) -> list[Row]:
        """The rows of one question."""
        (entry,) = self.entries(body_of(asked), asked.sites)
        assert entry.success, entry.error
        assert entry.ignoredFilters is msgspec.UNSET
        return entry.data

    def drawn(self, asked: Asked) -> list[Row]:
        """The rows of one question of many that were drawn."""
        body = body_of(asked)
        (entry,) = self.entries(body, asked.sites, both=is_for_both(body))
        assert entry.success, entry.error
        return entry.data

    def close(self) -> None:
        self.db.close()
        for engines in self._engines:
            engines.close()
        self._runner.close()


def is_for_both(body: dict[str, Any]) -> bool:
    """Whether both engines are asked a question that was drawn: a third of these in an ordinary run, the same ones each
    time. DuckDB takes ten times as long to understand one as SQLite to answer it."""
    return is_thorough() or crc32(json.dumps(body).encode()) % 3 == 0


@contextmanager
def from_rows() -> Iterator[None]:
    """SQLite answers from events, not from roll-ups."""
    with patch.object(sqlite, "roll_of", lambda _: None):
        yield


def assert_same(one: object, other: object, where: str) -> None:
    """Both engines answer the same, to the last digit (semantics 22 and 23)."""
    if isinstance(one, dict) and isinstance(other, dict):
        assert one.keys() == other.keys(), where
        for name in one:
            assert_same(one[name], other[name], f"{where}.{name}")
    elif isinstance(one, list) and isinstance(other, list):
        assert len(one) == len(other), where
        for number, (first, second) in enumerate(zip(one, other, strict=True)):
            assert_same(first, second, f"{where}[{number}]")
    else:
        assert one == other, where


def body_of(asked: Asked) -> dict[str, object]:
    """A question as clients write it."""
    body: dict[str, object] = {
        "parameters": [asked.type],
        "startDate": asked.first.isoformat(),
        "endDate": asked.last.isoformat(),
        "timeZone": asked.tz.key,
        "granularity": "hourly" if asked.hourly else "daily",
        "limit": asked.limit,
        "page": asked.page,
        "filters": [
            {"field": name, "op": operator, "value": values if operator in {"in", "not_in"} else values[0]}
            for name, operator, values in asked.filters
        ],
    }
    if asked.sort_by is not None:
        body |= {"sortBy": asked.sort_by, "sortOrder": "desc" if asked.descending else "asc"}
    return body


@contextmanager
def world_in(directory: Path, links: LinkNumbers | None = None, goals: WebsiteGoals | None = None) -> Iterator[World]:
    world = World(directory, links=links, goals=goals)
    try:
        yield world
    finally:
        world.close()
