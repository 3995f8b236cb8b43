"""Uptime and checks, told plainly (wire 1.16, semantics 20 to 22): from single checks and from what a monitor was in
each half minute. Nothing is ever put together here, so that it also says what old checks must still answer."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import groupby
from math import ceil
from typing import Any

from tests.query.brute.facts import Question, Row, Rows

TICK = 30_000  # ms; spans and buckets begin at such marks
STATES = {1: "up", 2: "degraded", 3: "down", 4: "unknown", 5: "maintenance", 6: "paused"}
_PHASES = ("dns", "connect", "tls", "first_byte", "transfer")

Span = tuple[int, int, int]  # state, start, until; 0 where it goes on
Ranks = dict[str, Fraction]  # field → what the measurement at this rank exactly is, in ms


def rounded(number: Fraction) -> float:
    """Half up, to two decimals (semantics 22)."""
    return int(number * 100 + Fraction(1, 2)) / 100


def percent(part: int, whole: int) -> float | None:
    """Never 100 where anything is missing."""
    if not whole:
        return None
    shown = rounded(Fraction(100 * part, whole))
    return 99.99 if shown == 100 and part < whole else shown


def was(spans: Sequence[Span], start: int, end: int, now: int) -> Counter[str]:
    """How many ms of it were in each state; `""` is what no span covers. What is to come counts nowhere."""
    found: Counter[str] = Counter()
    for tick in range(start, min(end, now), TICK):
        states = [STATES[state] for state, since, until in spans if since <= tick < (until or now)]
        assert len(states) <= 1
        found[states[0] if states else ""] += min(TICK, end - tick, now - tick)
    return found


def uptime(spans: Sequence[Span], start: int, end: int, now: int) -> Row:
    found = was(spans, start, end, now)
    up, down = found["up"] + found["degraded"], found["down"]
    window = sum(found.values())
    return {
        "uptime_percentage": percent(up, up + down),
        "downtime_seconds": down / 1000 if up + down else None,
        "coverage": rounded(Fraction(100 * (up + down + found["maintenance"]), window)) if window else None,
    }


def _mean(checks: Rows, field: str) -> float | None:
    measured = [one[field] for one in checks if one[field] is not None]
    return rounded(Fraction(sum(measured), 1000 * len(measured))) if measured else None


def _rank(checks: Rows, field: str, share: int) -> Fraction | None:
    """The least measurement that so many percent are not above."""
    measured = sorted(one[field] for one in checks if one[field] is not None)
    return Fraction(measured[max(0, ceil(Fraction(share * len(measured), 100)) - 1)], 1000) if measured else None


def times(checks: Rows) -> Row:
    measured = [one["total"] for one in checks if one["total"] is not None]
    return {
        "avg_response_time": _mean(checks, "total"),
        "avg_ttfb": _mean(checks, "ttfb"),
        "min_response_time": rounded(Fraction(min(measured), 1000)) if measured else None,
        "max_response_time": rounded(Fraction(max(measured), 1000)) if measured else None,
        **{f"p{share}_response_time": _rank(checks, "total", share) for share in (50, 75, 90, 95, 99)},
        **{f"p{share}_ttfb": _rank(checks, "ttfb", share) for share in (50, 95)},
    }


def counts(checks: Rows) -> Row:
    return {
        "total_checks": sum(one["status"] in {0, 1} for one in checks),
        "successful_checks": sum(one["status"] == 1 for one in checks),
    }


def _certificate(checks: Rows) -> Row:
    ends = [one for one in checks if one["certificate_ends"] is not None]
    valid = [one for one in checks if one["certificate_valid"] is not None]
    return {
        "ssl_expiry_ms": max(ends, key=lambda one: one["time"])["certificate_ends"] if ends else None,
        "ssl_valid": bool(max(valid, key=lambda one: one["time"])["certificate_valid"]) if valid else None,
        "invalid_ssl_checks": sum(one["certificate_valid"] == 0 for one in checks),
    }


def _buckets(asked: Question) -> list[tuple[str, int, int]]:
    starts = [slot.begins for slot in asked.slots] + [asked.end]
    return [(slot.label, slot.begins, end) for slot, end in zip(asked.slots, starts[1:], strict=True)]


def _by_bucket(checks: Rows, asked: Question, fields: Callable[[Rows, int, int], Row]) -> list[Row]:
    return [
        {"date": label, **fields([one for one in checks if start <= one["time"] < end], start, end)}
        for label, start, end in _buckets(asked)
    ]


def _within(checks: Iterable[Row], asked: Question) -> list[Row]:
    return [one for one in checks if asked.has(one["time"])]


def _overview(checks: Rows, spans: Sequence[Span], asked: Question) -> list[Row]:
    own = _within(checks, asked)
    overlapping = [
        span for span in spans if span[1] < min(asked.end, asked.now) and (span[2] or asked.now) > asked.start
    ]
    return [
        {
            **uptime(spans, asked.start, asked.end, asked.now),
            **counts(own),
            **times(own),
            **_certificate(own),
            "outages": [state for state, _ in groupby(one[0] for one in overlapping if one[0] not in (4, 5))].count(3),
        }
    ]


def _series(checks: Rows, spans: Sequence[Span], asked: Question) -> list[Row]:
    return _by_bucket(
        checks,
        asked,
        lambda own, start, end: {**uptime(spans, start, end, asked.now), **counts(own), **times(own)},
    )


def _trends(checks: Rows, _spans: Sequence[Span], asked: Question) -> list[Row]:
    return _by_bucket([one for one in checks if one["status"] == 1], asked, lambda own, *_: times(own))


def _phases(checks: Rows, _spans: Sequence[Span], asked: Question) -> list[Row]:
    return _by_bucket(
        checks,
        asked,
        lambda own, *_: (
            {f"avg_{name}": _mean(own, name) for name in _PHASES} | {"avg_response_time": _mean(own, "total")}
        ),
    )


def _statuses(checks: Rows, _spans: Sequence[Span], asked: Question) -> list[Row]:
    own = _within(checks, asked)
    decided = sum(one["status"] != 2 for one in own)
    found = Counter((one["status"], one["http_code"]) for one in own)
    return [
        {
            "status": status,
            "http_code": code,
            "count": count,
            "percentage": None if status == 2 else rounded(Fraction(100 * count, decided)),
        }
        for (status, code), count in sorted(found.items(), key=lambda item: (-item[1], item[0]))
    ]


def _reasons(checks: Rows, _spans: Sequence[Span], asked: Question) -> list[Row]:
    own = [one for one in _within(checks, asked) if one["status"] != 1]
    found = Counter(one["reason"] for one in own)
    return [
        {"reason": reason, "count": count, "percentage": rounded(Fraction(100 * count, len(own)))}
        for reason, count in sorted(found.items(), key=lambda item: (-item[1], item[0]))
    ]


def _regions(checks: Rows, _spans: Sequence[Span], asked: Question) -> list[Row]:
    found: dict[str, list[Row]] = defaultdict(list)
    for one in _within(checks, asked):
        found[one["region"] or "Unknown"].append(one)
    rows = [
        {
            "region": region,
            **counts(own),
            **times(own),
            "uptime_percentage": percent(counts(own)["successful_checks"], counts(own)["total_checks"]),
        }
        for region, own in found.items()
    ]
    return sorted(rows, key=lambda row: (-row["total_checks"], row["region"]))


def _timeline(_checks: Rows, spans: Sequence[Span], asked: Question) -> list[Row]:
    return [
        {"state": STATES[state], "start_ms": start, "duration": ((until or asked.now) - start) / 1000}
        for state, start, until in sorted(spans, key=lambda span: span[1])
        if start < asked.end and (not until or until > asked.start)
    ]


def _last(checks: Rows, _spans: Sequence[Span], asked: Question) -> list[Row]:
    own = sorted(_within(checks, asked), key=lambda one: -one["time"])
    return [
        {
            "status": one["status"],
            "http_code": one["http_code"],
            "total_ms": _mean([one], "total"),
            "error": one["error"],
            **{f"{name}_ms": _mean([one], name) for name in _PHASES},
        }
        for one in own
    ]


# What each type must answer, as far as it is told here; a Fraction is a percentile, which bins know to 1 %.
ANSWERS: dict[str, Callable[[Rows, Sequence[Span], Question], list[Row]]] = {
    "uptime_overview": _overview,
    "uptime_time_series": _series,
    "uptime_status_breakdown": _statuses,
    "uptime_recent_checks": _last,
    "uptime_response_time_trends": _trends,
    "uptime_ssl_status": lambda checks, _, asked: [_certificate(_within(checks, asked))],
    "uptime_by_region": _regions,
    "uptime_spans": _timeline,
    "uptime_phases": _phases,
    "uptime_reasons": _reasons,
}
SINGLE = frozenset(("uptime_recent_checks",))  # types about single checks, which are gone once these were put together


def agrees(found: Any, told: Any) -> bool:
    """Whether a value is the one that was told."""
    if isinstance(told, Fraction):
        return found is not None and abs(Fraction(found) - told) <= told / 100 + Fraction(1, 200)
    return bool(found == told)
