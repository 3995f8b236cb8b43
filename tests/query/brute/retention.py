"""Who comes back (wire 1.19), told day by day: of visitors with lasting ids, and of people under all their ids."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from fractions import Fraction
from typing import Any

from analytics_box.base.facts.event import LASTS
from tests.query import calendars
from tests.query.brute.facts import CUSTOM, EXIT, Answer, Facts, Question, Row, with_flags
from tests.query.brute.measures import half_up, instant
from tests.query.brute.sessions import visits

Test = Callable[[Row], bool]
Pairs = dict[Any, dict[int, Row]]  # of each visitor the periods in which it was there, and its first event there
DAY = 86_400_000


def visited(row: Row) -> bool:
    return bool(row["kind"] != EXIT and row["visitor"])


def did(name: str) -> Test:
    return lambda row: row["kind"] == CUSTOM and row["name"] == name


def earlier(asked: Question, days: int) -> Question:
    return replace(asked, first=asked.first - timedelta(days=days))


def periods_of(asked: Question, width: str) -> list[date]:
    """The first days of the periods of a range; weeks begin on Sunday."""
    days = [asked.first + timedelta(days=number) for number in range((asked.last - asked.first).days + 1)]
    begins = {"day": [True] * len(days), "week": [day.isoweekday() == 7 for day in days]}
    own = begins.get(width) or [day.day == 1 for day in days]
    return [day for at, day in enumerate(days) if at == 0 or own[at]]


def end_of(first: date, width: str) -> date:
    """The last day of a period."""
    day = first
    while width != "day" and not _is_last(day, width):
        day += timedelta(days=1)
    return day


def _is_last(day: date, width: str) -> bool:
    following = day + timedelta(days=1)
    return following.isoweekday() == 7 if width == "week" else following.day == 1


def pairs(facts: Facts, since: int, asked: Question, test: Test, number: Callable[[int], int]) -> Pairs:
    """Who did what the test asks for in which period: the person of the first event of each visitor in it."""
    firsts: dict[Any, Row] = {}
    for row in sorted(facts["events"], key=lambda row: (row["time"], row["id"])):
        if not row["bot"] and since <= row["time"] < asked.end and test(row):
            firsts.setdefault((row["site"], row["visitor"], row["profile"], number(row["time"])), row)
    found: Pairs = {}
    for (_, visitor, _, period), row in firsts.items():
        if row["person"] or visitor & LASTS == LASTS:
            own = found.setdefault(("person", row["person"]) if row["person"] else visitor, {})
            if period not in own or (row["time"], row["id"]) < (own[period]["time"], own[period]["id"]):
                own[period] = row
    return found


def _numbers(asked: Question, starts: list[date], width: str) -> Callable[[int], int]:
    first = starts[0]
    before = (first.replace(day=1) - timedelta(days=1)).replace(day=1)
    previous = before if width == "month" else first - timedelta(days=7 if width == "week" else 1)

    def number(time: int) -> int:
        day = calendars.shown(time, asked.tz).date()
        if day < first:
            return -1 if day >= previous else -2
        return max(at for at, start in enumerate(starts) if start <= day)

    return number


def is_over(asked: Question, first: date, width: str) -> bool:
    last = end_of(first, width)
    return last <= asked.last and calendars.day_begins(last + timedelta(days=1), asked.tz) <= asked.now


def cohorts(
    facts: Facts, asked: Question, width: str = "day", activation: Test = visited, comeback: Test = visited
) -> list[Row]:
    """The whole table of cohorts."""
    starts = periods_of(asked, width)
    number = _numbers(asked, starts, width)
    since = asked.start - 90 * DAY
    firsts = {own: min(found.items()) for own, found in pairs(facts, since, asked, activation, number).items()}
    chosen = None
    if asked.filters:
        longer = earlier(asked, 91)
        chosen = {visit.number for visit in visits(with_flags(facts, longer), longer)}
    again = pairs(facts, since, asked, comeback, number)
    size: dict[int, int] = {}
    back: dict[tuple[int, int], int] = {}
    for own, (cohort, row) in firsts.items():
        if cohort < 0 or (chosen is not None and row["session"] not in chosen):
            continue
        size[cohort] = size.get(cohort, 0) + 1
        for later in again.get(own, {}):
            if later > cohort:
                back[cohort, later] = back.get((cohort, later), 0) + 1
    there = [at for at, start in enumerate(starts) if calendars.day_begins(start, asked.tz) <= asked.now]
    rows = []
    for cohort in there:
        for later in there[cohort:]:
            whole = size.get(cohort, 0)
            part = whole if later == cohort else back.get((cohort, later), 0)
            rows.append(
                {
                    "cohort_date": starts[cohort].isoformat(),
                    "cohort_size": whole,
                    "period": later - cohort,
                    "visitors": part,
                    "retention_rate": half_up(Fraction(100 * part, whole)) if whole else 0.0,
                    "is_complete": is_over(asked, starts[later], width),
                }
            )
    return rows


def _selected(facts: Facts, asked: Question, days: int) -> Facts:
    """The events of the sessions that the filters select."""
    if not asked.filters:
        return facts
    longer = earlier(asked, days)
    chosen = {visit.number for visit in visits(with_flags(facts, longer), longer)}
    return facts | {"events": [row for row in facts["events"] if row["session"] in chosen]}


def active(facts: Facts, asked: Question) -> list[Row]:
    """Stickiness: who was there on a day, and on the 7 and 30 days up to it."""
    longer = earlier(asked, 29)
    starts = periods_of(longer, "day")
    there = pairs(_selected(facts, asked, 30), longer.start, asked, visited, _numbers(longer, starts, "day"))
    rows = []
    for day in range(29, len(starts)):
        daily, weekly, monthly = (
            sum(any(day - days < other <= day for other in found) for found in there.values()) for days in (1, 7, 30)
        )
        rows.append(
            {
                "date": starts[day].isoformat(),
                "daily": daily,
                "weekly": weekly,
                "monthly": monthly,
                "stickiness": half_up(Fraction(100 * daily, monthly)) if monthly else 0.0,
                "weekly_stickiness": half_up(Fraction(100 * daily, weekly)) if weekly else 0.0,
                "is_complete": is_over(asked, starts[day], "day"),
            }
        )
    return rows


def lifecycle(facts: Facts, asked: Question, width: str = "day") -> list[Row]:
    starts = periods_of(asked, width)
    number = _numbers(asked, starts, width)
    there = pairs(_selected(facts, asked, 91), asked.start - 90 * DAY, asked, visited, number)
    rows = []
    for at, start in enumerate(starts):
        own = [found for found in there.values() if at in found]
        before = [found for found in there.values() if at - 1 in found]
        over = is_over(asked, start, width)
        rows.append(
            {
                "date": start.isoformat(),
                "visitors": len(own),
                "new": sum(min(found) == at for found in own),
                "returning": sum(at - 1 in found for found in own),
                "resurrected": sum(at - 1 not in found and min(found) < at for found in own),
                "dormant": sum(at not in found for found in before) if over else None,
                "is_complete": over,
            }
        )
    return rows


def profiles(facts: Facts, asked: Question) -> list[Row]:
    """People by the day of their first activation, and whether they came back within the horizon."""
    given = {name: values[0] for name, _, values in asked.filters}
    observed = date.fromisoformat(given["observation_end"])
    until = min(calendars.day_begins(observed + timedelta(days=1), asked.tz), asked.now)
    horizon = int(given["horizon_days"]) * DAY
    events = [row for row in facts["events"] if not row["bot"] and row["time"] >= asked.start]
    done = [row for row in events if did(given["activation_event"])(row) and asked.has(row["time"])]
    back = [row for row in events if did(given["return_event"])(row) and row["time"] < until]
    started: dict[str, int] = {}
    for row in done:
        if row["person"]:
            started[row["person"]] = min(row["time"], started.get(row["person"], row["time"]))
    of_days: dict[str, tuple[list[str], list[Row]]] = {}

    def day_of(time: int) -> str:
        return calendars.shown(time, asked.tz).date().isoformat()

    for row in done:
        of_days.setdefault(day_of(row["time"]), ([], []))[1].append(row)
    for person, time in started.items():
        of_days.setdefault(day_of(time), ([], []))[0].append(person)

    def line(kind: str, day: str | None, people: list[str], own: list[Row]) -> Row:
        eligible = [person for person in people if started[person] + horizon <= until]
        retained = [
            person
            for person in eligible
            if any(
                row["person"] == person and started[person] < row["time"] < started[person] + horizon for row in back
            )
        ]
        known = sum(bool(row["person"]) for row in own)
        return {
            "row_type": kind,
            "cohort_date": day,
            "activated_profiles": len(people),
            "eligible_profiles": len(eligible),
            "retained_profiles": len(retained),
            "not_retained_profiles": len(eligible) - len(retained),
            "incomplete_profiles": len(people) - len(eligible),
            "retention_rate": half_up(Fraction(100 * len(retained), len(eligible))) if eligible else None,
            "activation_events": len(own),
            "identified_activation_events": known,
            "unidentified_activation_events": len(own) - known,
            "activation_identity_coverage": half_up(Fraction(100 * known, len(own))) if own else None,
            "cohort_from": asked.first.isoformat(),
            "cohort_to": asked.last.isoformat(),
            "cohort_start": instant(asked.start),
            "cohort_end": instant(asked.end),
            "observation_end": observed.isoformat(),
            "observed_before": instant(until),
            "timezone": asked.tz.key,
            "horizon_days": int(given["horizon_days"]),
            "identity_basis": "profile_id",
            "activation_basis": "first_activation_in_range",
        }

    return [
        line("overall", None, list(started), done),
        *(line("cohort", day, people, own) for day, (people, own) in sorted(of_days.items())),
    ]


ANSWERS: dict[str, Answer] = {
    "retention": cohorts,
    "stickiness": active,
    "lifecycle": lifecycle,
    "identified_profile_retention": profiles,
}
