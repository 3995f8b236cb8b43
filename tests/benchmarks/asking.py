"""People who ask a box all the time, and what its answers have to be when its visitors are a known crowd."""

import asyncio
import itertools
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx

from analytics_box.base.clock import DAY
from tests.benchmarks.crowd import PATHS, Known
from tests.benchmarks.retrying import Events
from tests.running import BROWSER, Account

DAYS = 30
ASKERS = 3
PAUSE = 2.0  # seconds between two questions of one, at least: together they stay below limit_query
READING = (
    12  # times as long as an answer took its reader looks at it: all of them keep a quarter of a core busy at most
)
QUESTIONS = (
    *("summary_totals", "top_pages", "entry_pages", "session_metrics", "country", "traffic_sources"),
    *("events_by_date", "browser_name", "summary_totals", "session_duration_distribution"),
)


class Askers:
    """They ask by turns for one type each, over 30 days. An answer has every event acknowledged before the question."""

    def __init__(self, client: httpx.AsyncClient, account: Account, events: Events, others: Sequence[str] = ()) -> None:
        """`others` are websites of the account that are asked for by turns, and not looked at."""
        self._websites = (account.website_id, *others)
        self.times: list[float] = []  # ms, since they were last taken
        self.answered = 0
        self.refused = 0
        self.wrong: list[str] = []
        self._client, self._account, self._events = client, account, events
        self._over = False
        self._tasks = [asyncio.create_task(self._ask(number)) for number in range(ASKERS)]

    def take_times(self) -> list[float]:
        """Those since the last call."""
        taken, self.times = self.times, []
        return taken

    async def end(self) -> None:
        """Ask no more."""
        self._over = True
        await asyncio.gather(*self._tasks)

    async def _ask(self, number: int) -> None:
        pause = PAUSE
        for turn in itertools.count(number * len(QUESTIONS) // ASKERS):
            await asyncio.sleep(pause)
            if self._over:
                return
            name = QUESTIONS[turn % len(QUESTIONS)]
            least, began = self._events.known.views, time.monotonic()
            try:
                website = self._websites[turn // len(QUESTIONS) % len(self._websites)]
                found = await rows(self._client, self._account, name, website)
            except httpx.TransportError:
                continue  # the box was killed
            pause = max(PAUSE, READING * (time.monotonic() - began))
            if found is None:
                self.refused += 1
                continue
            self.answered += 1
            self.times.append((time.monotonic() - began) * 1000)
            if (
                website == self._account.website_id
                and name == "summary_totals"
                and not least <= found[0]["pageviews"] <= self._events.begun
            ):
                self.wrong.append(f"{found[0]['pageviews']} page views of {least} to {self._events.begun}")


async def rows(
    client: httpx.AsyncClient, account: Account, name: str, website: str = ""
) -> list[dict[str, Any]] | None:
    """The answer to one parameter over 30 days; None where it was refused or took too long.

    Of the account's first website, unless another is given.
    """
    last = datetime.now(UTC).date()
    answer = await client.post(
        "/v1/query",
        params={"website_id": website or account.website_id},
        headers={"x-api-key": account.api_key, "user-agent": BROWSER},
        json={
            "parameters": [name],
            "startDate": str(last - timedelta(days=DAYS - 1)),
            "endDate": str(last),
            "limit": 1_000,
        },
    )
    if answer.status_code != 200:
        return None
    entry = answer.json()["data"][0]
    found: list[dict[str, Any]] | None = entry["data"] if entry["success"] else None
    return found


async def differences(client: httpx.AsyncClient, account: Account, known: Known) -> list[str]:
    """Where answers are not what the crowd has done, in words; empty where all are right."""
    found = {name: await rows(client, account, name) for name in _RIGHT}
    wrong = [f"{name} is refused" for name, answer in found.items() if answer is None]
    for name, right in _RIGHT.items():
        answer = found[name]
        if answer is not None:
            wrong += [
                f"{name}: {what} is {got}, not {least} to {most}" for what, got, least, most in right(answer, known)
            ]
    return wrong


Difference = tuple[str, float, float, float]  # what, as answered, the least and the most that it may be


def _totals(found: list[dict[str, Any]], known: Known) -> list[Difference]:
    row = found[0]
    rate = round(100 * known.bounces / max(known.visitors, 1), 2)
    exact = {
        "pageviews": known.views,
        "total_events": known.views,
        "visitors": known.visitors,
        "unique_visitors": known.visitors,
        "sessions": known.visitors,
        "bounce_rate": rate,
    }
    return [(name, row[name], value, value) for name, value in exact.items() if abs(row[name] - value) > 0.011]


def _sessions(found: list[dict[str, Any]], known: Known) -> list[Difference]:
    exact = {"total_sessions": known.visitors, "total_events": known.views}
    return [(name, found[0][name], value, value) for name, value in exact.items() if found[0][name] != value]


def _pages(found: list[dict[str, Any]], known: Known) -> list[Difference]:
    return _by_path(found, known.paths)


def _entries(found: list[dict[str, Any]], known: Known) -> list[Difference]:
    return _by_path(found, known.entries)


def _by_path(found: list[dict[str, Any]], counts: Any) -> list[Difference]:
    answered = {row["name"]: row["pageviews"] for row in found}
    expected = {f"/page-{path}": counts[path] for path in range(PATHS) if counts[path]}
    return [
        (name, answered.get(name, 0), expected.get(name, 0), expected.get(name, 0))
        for name in sorted(answered.keys() | expected.keys())
        if answered.get(name, 0) != expected.get(name, 0)
    ]


def _days(found: list[dict[str, Any]], known: Known) -> list[Difference]:
    wrong: list[Difference] = []
    for row in found:
        day = int(datetime.fromisoformat(row["date"]).replace(tzinfo=UTC).timestamp() * 1000) // DAY
        least = known.days[day]
        if not least <= row["pageviews"] <= least + known.either:
            wrong.append((row["date"], row["pageviews"], least, least + known.either))
    total = sum(row["pageviews"] for row in found)
    return wrong if total == known.views else [*wrong, ("all days", total, known.views, known.views)]


def _browsers(found: list[dict[str, Any]], known: Known) -> list[Difference]:
    views, visitors = sum(row["pageviews"] for row in found), sum(row["visitors"] for row in found)
    exact = (("pageviews", views, known.views), ("visitors", visitors, known.visitors))
    return [(name, got, value, value) for name, got, value in exact if got != value]


_RIGHT: dict[str, Callable[[list[dict[str, Any]], Known], list[Difference]]] = {
    "summary_totals": _totals,
    "session_metrics": _sessions,
    "top_pages": _pages,
    "entry_pages": _entries,
    "events_by_date": _days,
    "browser_name": _browsers,
}
