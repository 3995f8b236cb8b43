"""Checks of monitors, and how these were (wire 1.16). Uptime comes from spans alone, everything else from checks.

A row of checks stands for several once they were put together, so that everything is a weighted sum; percentiles are
those of merged histograms (facts.histogram). Durations are microseconds in the facts and milliseconds in answers.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from analytics_box.base.clock import MINUTE
from analytics_box.base.facts.uptime import (
    DOWN,
    MAINTENANCE,
    STATES,
    UptimeSpan,
    WindowUptime,
    percentage,
    percentile,
    uptime,
    uptimes,
)
from analytics_box.base.facts.uptime import UNKNOWN as UNSEEN
from analytics_box.base.outgoing.masking import mask_query
from analytics_box.query.catalog.types import OutputColumn, QueryType, Record, ScanRequest, Shape, Visualization, column
from analytics_box.query.catalog.values import (
    UNKNOWN,
    WHOLE,
    Measured,
    SortableValue,
    field,
    instant,
    instant_text,
    mean,
    quotient,
    share,
    text_or_unknown,
)
from analytics_box.query.filters import FilterCondition
from analytics_box.query.plan import BUCKET, DerivedKey, PlanOrder
from analytics_box.query.ranges import Granularity, TimeWindow

_CHECKS: Final = ("region", "http_code", "status", "reason")  # what checks can be filtered by
_PASSED = FilterCondition("status", "is", ("1",), negated=False)
_NOT_PASSED = FilterCondition("status", "is", ("1",), negated=True)
_SUMS: Final = ("count", "decided", "passed", "total", "total_count", "ttfb", "ttfb_count", "fastest", "slowest")
_DATE = column("date", "date", "The day, hour or minute")

# Bins come as one text for each row: there are many of them, and a row for each would take more than there is.
_TOTALS = ScanRequest("checks", (*_SUMS, "bins"))
_WITH_TTFB = ScanRequest("checks", (*_SUMS, "bins", "ttfb_bins"))
_SPANS = ScanRequest(
    "monitor_spans", columns=("state", "start", "until"), order=(PlanOrder("start", descending=False),)
)
_CERTIFICATES = (
    ScanRequest("checks", ("latest_certificate_ends",), ("monitor",), present=("certificate_ends",)),
    ScanRequest("checks", ("count", "last"), ("certificate_valid",)),
)


def _type(
    name: str,
    title: str,
    description: str,
    columns: tuple[OutputColumn, ...],
    *asks: ScanRequest,
    shape: Shape | None = None,
    by: tuple[Granularity, ...] = (),
    usual: Granularity = "day",
    filters: tuple[str, ...] = (),
    limit: int = 100,
    customizable: bool = False,
    visualization: Visualization = "table",
) -> QueryType:
    return QueryType(
        name=name,
        family="Uptime",
        title=title,
        description=description,
        columns=columns,
        asks=asks,
        shape=shape,
        series=bool(by),
        by=by,
        usual=usual,
        filters=filters,
        default_limit=limit,
        customizable=customizable,
        visualization=visualization,
        subject="monitor",
    )


def _milliseconds(total: int, checks: int) -> float | None:
    """The mean of a sum of microseconds."""
    return quotient(total, 1000 * checks) if checks else None


def _sum(rows: Iterable[Record], name: str) -> int:
    return sum(row[name] for row in rows)


def _bins(rows: Iterable[Record], name: str) -> Mapping[int, int]:
    """The number of checks in each bin, from texts such as `12:3,15:9,12:1`."""
    found: dict[int, int] = defaultdict(int)
    for row in rows:
        for part in row[name].split(",") if row[name] else ():
            number, _, count = part.partition(":")
            found[int(number)] += int(count)
    return found


def _at(rows: Sequence[Record], ranks: Iterable[int]) -> Record:
    """Response times at these ranks, never outside of what was measured."""
    counts = _bins(rows, "bins")
    fastest, slowest = _extremes(rows)
    found: Record = {}
    for rank in ranks:
        at = percentile(counts, rank / 100)
        within = None if at is None or fastest is None or slowest is None else min(max(at, fastest), slowest)
        found[f"p{rank}_response_time"] = None if within is None else quotient(within, 1000)
    return found


def _extremes(rows: Iterable[Record]) -> tuple[int | None, int | None]:
    """The quickest and the slowest check, in microseconds."""
    measured = [row for row in rows if row["fastest"] is not None]
    if not measured:
        return None, None
    return min(row["fastest"] for row in measured), max(row["slowest"] for row in measured)


def _times(rows: Sequence[Record], ranks: Iterable[int]) -> Record:
    """Response times of checks."""
    fastest, slowest = _extremes(rows)
    return {
        "avg_response_time": _milliseconds(_sum(rows, "total"), _sum(rows, "total_count")),
        "avg_ttfb": _milliseconds(_sum(rows, "ttfb"), _sum(rows, "ttfb_count")),
        "min_response_time": None if fastest is None else quotient(fastest, 1000),
        "max_response_time": None if slowest is None else quotient(slowest, 1000),
        **_at(rows, ranks),
    }


def _ttfbs(rows: Iterable[Record]) -> Record:
    """Times to the first byte at two ranks."""
    bins = _bins(rows, "ttfb_bins")
    found = {rank: percentile(bins, rank / 100) for rank in (50, 95)}
    return {f"p{rank}_ttfb": None if at is None else quotient(at, 1000) for rank, at in found.items()}


def _counts(rows: Sequence[Record]) -> Record:
    return {"total_checks": _sum(rows, "decided"), "successful_checks": _sum(rows, "passed")}


def _was(found: WindowUptime) -> Record:
    """The uptime fields of a monitor; None if it was not observed."""
    observed = found.up + found.degraded + found.down
    seen = observed + found.maintenance
    return {
        "uptime_percentage": found.percentage,
        "downtime_seconds": quotient(found.down, 1000) if observed else None,
        "coverage": quotient(100 * seen, found.window) if found.window > 0 else None,
    }


def _of_checks(rows: Sequence[Record]) -> float | None:
    """The share of checks that passed, in percent."""
    passed = _sum(rows, "passed")
    return percentage(passed, _sum(rows, "decided") - passed)


def _spans(rows: Iterable[Record]) -> list[UptimeSpan]:
    return [UptimeSpan(row["state"], row["start"], row["until"]) for row in rows]


def _by_bucket(rows: Iterable[Record]) -> Mapping[int, list[Record]]:
    found: dict[int, list[Record]] = defaultdict(list)
    for row in rows:
        found[row[BUCKET]].append(row)
    return found


def _outages(timeline: Iterable[UptimeSpan], now: int) -> int:
    """The number of outages until now. Maintenance, and time that was not observed, end no outage."""
    count = was = 0
    for span in timeline:
        if span.start < now and span.state not in (UNSEEN, MAINTENANCE):
            count += span.state == DOWN != was
            was = span.state
    return count


def _overview(rows: Sequence[list[Record]], window: TimeWindow) -> list[Record]:
    checks, ends, valid, spans = rows
    timeline = _spans(spans)
    return [
        {
            **_was(uptime(timeline, window.start, window.end, window.now)),
            **_counts(checks),
            **_times(checks, (50, 75, 95, 99)),
            **_certificate(ends, valid),
            "outages": _outages(timeline, window.now),
        }
    ]


def _series(rows: Sequence[list[Record]], window: TimeWindow) -> list[Record]:
    """A row per bucket. Of a minute there is often one check only: its uptime is that of its checks (wire 1.16)."""
    checks, spans = _by_bucket(rows[0]), _spans(rows[1])
    edges = [bucket.start for bucket in window.buckets] + [window.end]
    minutes = len(edges) > 2 and edges[1] - edges[0] == MINUTE == edges[2] - edges[1]
    found = []
    for number, was in enumerate(uptimes(spans, edges, window.now)):
        own = checks.get(number, [])
        found.append(
            {
                "date": window.buckets[number].label,
                **_was(was),
                **_counts(own),
                **_times(own, (50, 95)),
                **_ttfbs(own),
                **({"uptime_percentage": _of_checks(own)} if minutes else {}),
            }
        )
    return found


def _trends(rows: Sequence[list[Record]], window: TimeWindow) -> list[Record]:
    found = _by_bucket(rows[0])
    return [
        {"date": bucket.label, **_times(found.get(number, []), (50, 75, 90, 95, 99))}
        for number, bucket in enumerate(window.buckets)
    ]


def _regions(rows: Sequence[list[Record]], _window: TimeWindow) -> list[Record]:
    """The region with most checks first, then by name."""
    made = [
        {
            "region": row["region"] or UNKNOWN,
            "uptime_percentage": _of_checks([row]),
            **_counts([row]),
            **_times([row], (95,)),
        }
        for row in rows[0]
    ]
    return sorted(made, key=lambda row: (-row["total_checks"], row["region"]))


def _certificate(ends: Sequence[Record], valid: Iterable[Record]) -> Record:
    """The certificate as of the last check that saw it, and the number of checks that found it invalid."""
    known = [row for row in valid if row["certificate_valid"] is not None]
    last = max(known, key=lambda row: (row["last"], row["certificate_valid"]), default=None)
    return {
        "ssl_expiry": instant_text(max((row["latest_certificate_ends"] for row in ends), default=None)),
        "ssl_valid": None if last is None else bool(last["certificate_valid"]),
        "invalid_ssl_checks": sum(row["count"] for row in known if not row["certificate_valid"]),
    }


def _timeline(rows: Sequence[list[Record]], window: TimeWindow) -> list[Record]:
    return [
        {
            "state": STATES[span.state],
            "start": instant_text(span.start),
            "end": instant_text(span.until or None),
            "duration": quotient(max((span.until or window.now) - span.start, 0), 1000),
        }
        for span in _spans(rows[0])
    ]


def _each(name: str) -> SortableValue:
    """The duration of a step of a check, in ms: the mean if several checks were aggregated."""
    return SortableValue(
        lambda row: None if row[name] is None else quotient(row[name], 1000 * row["count"]),
        DerivedKey("mean", (name, "count")),
    )


def _address(row: Measured) -> str | None:
    return None if row["url"] is None else mask_query(str(row["url"]))


def _valid(row: Measured) -> bool | None:
    return None if row["certificate_valid"] is None else bool(row["certificate_valid"])


def _share_of_decided(row: Measured) -> float | None:
    """Pending checks are in no ratio (semantics 20)."""
    return quotient(100 * row["decided"], row[WHOLE]) if row["decided"] else None


_UPTIME = column(
    "uptime_percentage",
    "number",
    "Time up ÷ (time up + time down). Degraded counts as up; with any downtime, never 100",
    unit="percent",
)
_DOWNTIME = column("downtime_seconds", "number", "Downtime; null if nothing was observed", unit="s")
_COVERAGE = column(
    "coverage", "number", "Share of the range, until now, in which the monitor was observed", unit="percent"
)
_TOTAL = column("total_checks", "number", "Successful and failed checks, without pending ones")
_PASSES = column("successful_checks", "number", "Successful checks")
_EXPIRY = column("ssl_expiry", "datetime", "Expiry of the latest certificate, UTC")
_VALID = column("ssl_valid", "boolean", "Whether the latest certificate was valid")
_NAMES: Final = {
    "avg": "Mean",
    "p50": "Median",
    "p75": "Percentile 75",
    "p90": "Percentile 90",
    "p95": "Percentile 95",
    "p99": "Percentile 99",
    "min": "Minimum",
    "max": "Maximum",
}


def _duration_columns(what: str, of: str, *names: str) -> tuple[OutputColumn, ...]:
    """Columns of durations."""
    return tuple(column(f"{name}_{what}", "number", f"{_NAMES[name]} {of}", unit="ms") for name in names)


def _response(*names: str) -> tuple[OutputColumn, ...]:
    return _duration_columns("response_time", "of the response times", *names)


_PHASES: Final = {
    "dns": "to look up the name",
    "connect": "to connect",
    "tls": "for the TLS handshake",
    "first_byte": "from the request to the first byte",
    "transfer": "to read the answer",
}

TYPES = (
    _type(
        "uptime_overview",
        "Uptime",
        "Uptime and response times of a monitor in the range",
        (
            _UPTIME,
            *_response("avg", "p50", "p75", "p95", "p99", "max", "min"),
            *_duration_columns("ttfb", "of the times to the first byte", "avg"),
            _EXPIRY,
            _VALID,
            _COVERAGE,
            _DOWNTIME,
            column("outages", "number", "Number of outages"),
            _TOTAL,
            _PASSES,
        ),
        _TOTALS,
        *_CERTIFICATES,
        _SPANS,
        shape=_overview,
        visualization="metric",
    ),
    _type(
        "uptime_time_series",
        "Uptime over time",
        "Uptime and response times by hour, day or minute. By minute, uptime is the share of successful checks",
        (
            _DATE,
            _UPTIME,
            _TOTAL,
            _PASSES,
            _DOWNTIME,
            *_response("avg", "p50", "p95", "max"),
            *_duration_columns("ttfb", "of the times to the first byte", "avg", "p50", "p95"),
            _COVERAGE,
        ),
        _WITH_TTFB,
        _SPANS,
        shape=_series,
        by=("minute", "hour", "day"),
        usual="hour",
        customizable=True,
        visualization="timeseries",
    ),
    _type(
        "uptime_status_breakdown",
        "Statuses",
        "Checks by result and HTTP status",
        (
            column("status", "number", "1 up, 0 down, 2 pending", field("status")),
            column("http_code", "number", "HTTP status; 0 without a response", field("http_code")),
            column("count", "number", "Checks", field("count")),
            column(
                "percentage",
                "number",
                "Share of all checks that passed or failed; null for pending ones",
                SortableValue(_share_of_decided, DerivedKey("id", ("decided",))),
                unit="percent",
            ),
        ),
        ScanRequest(
            "checks", ("count", "decided"), ("status", "http_code"), share_of="decided", order=(PlanOrder("count"),)
        ),
        filters=_CHECKS,
        visualization="bar",
    ),
    _type(
        "uptime_recent_checks",
        "Checks",
        "Checks of the range, newest first. Older checks are combined by hour, then by day",
        (
            column("timestamp", "datetime", "Start, UTC", instant("time")),
            column("url", "string", "The checked URL, without likely secrets", SortableValue(_address, "url")),
            column("status", "number", "1 up, 0 down, 2 pending", field("status")),
            column("http_code", "number", "HTTP status; 0 without a response", field("http_code")),
            column("ttfb_ms", "number", "Time to the first byte", _each("ttfb"), unit="ms"),
            column("total_ms", "number", "Total duration of the check", _each("total"), unit="ms"),
            column("probe_region", "string", "Region the check was sent from", text_or_unknown("region")),
            column("probe_ip", "string", "IP address of the checked server", field("address")),
            column(
                "ssl_valid", "boolean", "Whether the certificate was valid", SortableValue(_valid, "certificate_valid")
            ),
            column("error", "string", "Error message", field("error")),
            column("reason", "string", "The kind of error", field("reason")),
            *(column(f"{name}_ms", "number", f"Time {what}", _each(name), unit="ms") for name, what in _PHASES.items()),
            column("attempt", "number", "Number of the attempt", field("attempt")),
            column("count", "number", "Number of checks that the row combines", field("count")),
        ),
        ScanRequest(
            "checks",
            columns=(
                *("time", "url", "status", "http_code", "ttfb", "total", "region", "address", "certificate_valid"),
                *("error", "reason", *_PHASES, "attempt", "count"),
            ),
            order=(PlanOrder("time"),),
        ),
        filters=_CHECKS,
        limit=50,
    ),
    _type(
        "uptime_response_time_trends",
        "Response times",
        "Response times of successful checks, by day or hour",
        (
            _DATE,
            *_response("avg", "p50", "p75", "p90", "p95", "p99", "min", "max"),
            *_duration_columns("ttfb", "of the times to the first byte", "avg"),
        ),
        ScanRequest("checks", _TOTALS.measures, where=(_PASSED,)),
        shape=_trends,
        by=("hour", "day"),
        filters=("region", "http_code"),
        visualization="timeseries",
    ),
    _type(
        "uptime_ssl_status",
        "Certificate",
        "The latest certificate",
        (
            _EXPIRY,
            _VALID,
            column("invalid_ssl_checks", "number", "Checks of the range that found an invalid certificate"),
        ),
        *_CERTIFICATES,
        shape=lambda rows, _window: [_certificate(*rows)],
        visualization="metric",
    ),
    _type(
        "uptime_by_region",
        "Regions",
        "Checks by the region they were sent from",
        (
            column("region", "string", "Region the checks were sent from"),
            column("uptime_percentage", "number", "Share of successful checks", unit="percent"),
            *_response("avg", "p95"),
            _TOTAL,
        ),
        ScanRequest("checks", _TOTALS.measures, ("region",)),
        shape=_regions,
        filters=_CHECKS,
    ),
    # Beyond the wire
    _type(
        "uptime_spans",
        "Timeline",
        "States of a monitor over time, oldest first: every state that overlaps the range, with its full duration",
        (
            column("state", "string", "up, degraded, down, unknown, maintenance or paused"),
            column("start", "datetime", "Start, UTC"),
            column("end", "datetime", "End, UTC; null while it lasts"),
            column("duration", "number", "Duration, until now if it lasts", unit="s"),
        ),
        _SPANS,
        shape=_timeline,
        limit=1_000,
    ),
    _type(
        "uptime_phases",
        "Phases of checks",
        "Durations of the steps of a check, by hour, day or minute",
        (
            _DATE,
            *(
                column(f"avg_{name}", "number", f"Mean time {what}", mean(name, f"{name}_count", below=1000), unit="ms")
                for name, what in _PHASES.items()
            ),
            column("avg_response_time", "number", "Mean", mean("total", "total_count", below=1000), unit="ms"),
            column("checks", "number", "Checks, including pending ones", field("count")),
        ),
        ScanRequest("checks", ("count", *(part for name in (*_PHASES, "total") for part in (name, f"{name}_count")))),
        by=("minute", "hour", "day"),
        usual="hour",
        filters=_CHECKS,
        visualization="timeseries",
    ),
    _type(
        "uptime_reasons",
        "Reasons",
        "Reasons for failed checks",
        (
            column("reason", "string", "The kind of error", field("reason")),
            column("count", "number", "Checks", field("count")),
            column("percentage", "number", "Share of all failed checks", share("count"), unit="percent"),
            column("last_seen", "datetime", "Last occurrence, UTC", instant("last")),
        ),
        ScanRequest(
            "checks",
            ("count", "last"),
            ("reason",),
            where=(_NOT_PASSED,),
            share_of="count",
            order=(PlanOrder("count"),),
        ),
        filters=_CHECKS,
        visualization="bar",
    ),
)
