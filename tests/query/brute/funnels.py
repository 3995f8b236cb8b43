"""Who took which step of a funnel, told visit by visit: every way through the events is tried."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor
from typing import Literal

from analytics_box.base.facts.event import LASTS
from tests.query.brute.facts import CUSTOM, VIEW, Answer, Facts, Question, Row
from tests.query.brute.measures import half_up, rank
from tests.query.brute.sessions import visits

Test = Callable[[Row], bool]
Span = tuple[int, int]  # when an attempt began, and when it reached a step


@dataclass(frozen=True)
class Told:
    """A funnel in plain words: the tests of its steps, and how they must be taken."""

    steps: tuple[Test, ...]
    order: Literal["ordered", "strict", "any"] = "ordered"
    within: int = 0
    people: bool = False


@dataclass(frozen=True)
class Passage:
    """What one visit did: when it first reached each step that it reached, and how long its conversion took."""

    times: tuple[int, ...]
    took: int | None


def passages(facts: Facts, asked: Question, funnel: Told) -> list[Passage]:
    """The visits that took the first step."""
    if funnel.people:
        groups = list(_of_people(facts, asked, funnel).values())
    else:
        groups = [visit.in_order for visit in visits(facts, asked)]
    found = [_passage(own, asked, funnel) for own in groups]
    return [one for one in found if one.times]


def payers(facts: Facts, asked: Question, funnel: Told) -> set[int]:
    """The sessions that took all steps; with people, all sessions of the visitors who did."""
    if not funnel.people:
        groups = {visit.number: visit.in_order for visit in visits(facts, asked)}
    else:
        groups = _of_people(facts, asked, funnel)
    done = {who for who, own in groups.items() if len(_passage(own, asked, funnel).times) == len(funnel.steps)}
    if not funnel.people:
        return done
    return {row["session"] for row in facts["events"] if row["visitor"] in done and row["session"] and not row["bot"]}


def _of_people(facts: Facts, asked: Question, funnel: Told) -> dict[int, list[Row]]:
    found: dict[int, list[Row]] = {}
    for row in sorted(facts["events"], key=lambda row: (row["time"], row["id"])):
        near = asked.start <= row["time"] < asked.end + funnel.within
        if row["session"] and not row["bot"] and row["visitor"] & LASTS and near:
            found.setdefault(row["visitor"], []).append(row)
    return found


def steps_told(found: list[Passage], names: Sequence[str]) -> list[Row]:
    """A row per step."""
    rows = []
    for number, name in enumerate(names, start=1):
        there = [one for one in found if len(one.times) >= number]
        before = [one for one in found if len(one.times) >= max(number - 1, 1)]
        times = [one.times[number - 1] - one.times[number - 2] for one in there] if number > 1 else []
        spent = sum(times)
        rows.append(
            {
                "step_number": number,
                "step_name": name,
                "users": len(there),
                "total_users": len(found),
                "conversion_rate": half_up(Fraction(100 * len(there), len(found))) if found else 0.0,
                "dropoffs": len(before) - len(there),
                "dropoff_rate": half_up(Fraction(100 * (len(before) - len(there)), len(before))) if before else 0.0,
                "avg_time_to_complete": half_up(Fraction(spent, 1000 * len(there))) if there else 0.0,
                "p90_time_to_complete": half_up(Fraction(floor((rank(times, 90) or 0) + Fraction(1, 2)), 1000)),
            }
        )
    return rows


def _page_then_event(facts: Facts, asked: Question) -> list[Row]:
    """The funnel that each website of a test has (tests.query.world)."""
    others = tuple(item for item in asked.filters if item[0] != "funnel")
    told = Told((lambda row: bool(row["kind"] == VIEW), _is_deed))
    return steps_told(passages(facts, replace(asked, filters=others), told), ("Page", "Event"))


def _passage(rows: list[Row], asked: Question, funnel: Told) -> Passage:
    if funnel.order == "strict":
        rows = [row for row in rows if row["kind"] == VIEW or _is_deed(row) or any(test(row) for test in funnel.steps)]
    may_begin = [not funnel.people or row["time"] < asked.end for row in rows]
    known = _in_any_order(rows, may_begin, funnel) if funnel.order == "any" else _in_order(rows, may_begin, funnel)
    spans = [[span for span in own if not funnel.within or span[1] - span[0] <= funnel.within] for own in known]
    times = []
    for own in spans:
        if not own:
            break
        times.append(min(reached for _, reached in own))
    took = None
    if spans and spans[-1]:
        first = min(end for _, end in spans[-1])
        took = first - min(start for start, end in spans[-1] if end == first)
        if funnel.within:  # any attempt counts, and the quickest is the conversion
            took = min(end - start for start, end in spans[-1])
    return Passage(tuple(times), took)


def _in_order(rows: list[Row], may_begin: Sequence[bool], funnel: Told) -> list[list[Span]]:
    """Of each step the attempts that reach it: with the place of the event, all of them."""
    first = [(row["time"], at) for at, row in enumerate(rows) if funnel.steps[0](row) and may_begin[at]]
    known = [first]
    for test in funnel.steps[1:]:
        reached = []
        for at, row in enumerate(rows):
            if not test(row):
                continue
            for start, before in known[-1]:
                near = before == at - 1 if funnel.order == "strict" else before < at
                if near and (not funnel.within or row["time"] - start <= funnel.within):
                    reached.append((start, at))
        known.append(sorted(set(reached)))
    return [[(start, rows[at]["time"]) for start, at in own] for own in known]


def _in_any_order(rows: list[Row], may_begin: Sequence[bool], funnel: Told) -> list[list[Span]]:
    """An attempt is an event for each of the steps; it begins with the first of them, and ends with the last."""
    pools = []
    for number, test in enumerate(funnel.steps):
        pools.append([row["time"] for at, row in enumerate(rows) if test(row) and (number or may_begin[at])])
    known: list[list[Span]] = [[(time, time) for time in pools[0]]]
    for pool in pools[1:]:
        known.append(sorted({(min(start, time), max(end, time)) for start, end in known[-1] for time in pool}))
    return known


def _is_deed(row: Row) -> bool:
    return bool(row["kind"] == CUSTOM and row["name"] != "$flag_evaluated")


ANSWERS: dict[str, Answer] = {"funnel": _page_then_event}
