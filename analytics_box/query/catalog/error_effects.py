"""The effects on visitors of one error, or of the errors of one page (wire 1.7, without the part about payments)."""

from collections.abc import Sequence

from analytics_box.query.catalog.errors import OWN
from analytics_box.query.catalog.types import OutputColumn, QueryType, Record, ScanRequest, column
from analytics_box.query.catalog.values import SortableValue, Value, difference, field, ratio
from analytics_box.query.ranges import TimeWindow

_NEEDS = ("message", "path", "fingerprint")


def _impact(rows: Sequence[list[Record]], _window: TimeWindow) -> list[Record]:
    return [rows[0][0] | {"ambiguous": sum(row["sessions"] for row in rows[1])}]


def _number(name: str, description: str, value: SortableValue | Value) -> OutputColumn:
    return column(name, "number", description, value)


def _percent(name: str, description: str, part: str, whole: str) -> OutputColumn:
    return column(name, "number", description, ratio(part, whole), unit="percent")


def _type(
    name: str, title: str, description: str, columns: tuple[OutputColumn, ...], *asks: ScanRequest, **more: object
) -> QueryType:
    return QueryType(
        name=name,
        family="Errors",
        title=title,
        description=f"{description}. Needs exactly one filter eq on {' or '.join(_NEEDS)}",
        columns=columns,
        asks=asks,
        filters=OWN,
        needs=_NEEDS,
        needs_one=True,
        visualization="metric",
        **more,  # type: ignore[arg-type]  # a shape, or nothing
    )


TYPES = (
    _type(
        "error_customer_impact",
        "Affected visitors",
        "The number of visitors and sessions affected by an error, and how many of them are identified",
        (
            _number("error_occurrences", "Errors", field("count")),
            _number("affected_sessions", "Distinct sessions", field("sessions")),
            _number("affected_visitor_identifiers", "Distinct visitors", field("users")),
            _number("linked_visitor_identifiers", "Identified visitors", field("users_known")),
            _number("unlinked_visitor_identifiers", "All other visitors", difference("users", "users_known")),
            _number("identified_profiles", "Distinct identified people", field("profiles")),
            _number(
                "ambiguous_profile_sessions",
                "Affected sessions with more than one identified person",
                field("ambiguous"),
            ),
            _percent(
                "identity_coverage_percent", "Linked visitors as a share of all affected ones", "users_known", "users"
            ),
        ),
        ScanRequest("errors", ("count", "sessions", "users", "users_known", "profiles")),
        ScanRequest("errors", ("profiles", "sessions"), ("session",), present=("session",), least=("profiles", 2)),
        shape=_impact,
    ),
    _type(
        "error_route_continuation_comparison",
        "Continuation after an error",
        "Sessions with an error on a page, compared with sessions that saw the page without it: the share of each that"
        " saw another page afterwards. Each affected session is matched with a control session of the same page, UTC"
        " day and device type, earliest first. Only matched sessions are compared",
        (
            _number("candidate_exposed_sessions", "Affected sessions", field("exposed")),
            _number(
                "candidate_control_sessions",
                "Unaffected sessions that saw a page on which others were affected",
                field("control"),
            ),
            _number("matched_exposed_sessions", "Exposed sessions with a control session", field("exposed_matched")),
            _number("matched_control_sessions", "Control sessions with an exposed one", field("control_matched")),
            _number(
                "unmatched_exposed_sessions",
                "Exposed sessions without a control session",
                difference("exposed", "exposed_matched"),
            ),
            _number(
                "unmatched_control_sessions",
                "Control sessions without an exposed session",
                difference("control", "control_matched"),
            ),
            _number(
                "exposed_continued_sessions",
                "Matched exposed sessions that saw another page after the error",
                field("exposed_continued"),
            ),
            _number(
                "control_continued_sessions",
                "Matched control sessions that saw another page after this one",
                field("control_continued"),
            ),
            _percent(
                "exposed_continuation_percent",
                "Share of the matched exposed sessions that continued",
                "exposed_continued",
                "exposed_matched",
            ),
            _percent(
                "control_continuation_percent",
                "Share of the matched control sessions that continued",
                "control_continued",
                "control_matched",
            ),
        ),
        ScanRequest(
            "exposures",
            (
                *("exposed", "control", "exposed_matched", "control_matched"),
                *("exposed_continued", "control_continued"),
            ),
        ),
    ),
)
