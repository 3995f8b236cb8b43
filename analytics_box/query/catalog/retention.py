"""Retention (wire 1.19, and beyond it): which visitors come back, of those who can be recognized on another day."""

from collections.abc import Sequence

from analytics_box.query.catalog.types import QueryType, Record, ScanRequest, column
from analytics_box.query.catalog.values import instant_text, percent_of
from analytics_box.query.filters import COMMON
from analytics_box.query.plan import LONGEST_GAP
from analytics_box.query.ranges import TimeWindow

_WEEK = 7
_DATE = column("date", "date", "First day of the period")
_IS_COMPLETE = column("is_complete", "boolean", "Whether the period is over")
_OF_VISITORS = "Visitors with lasting IDs and identified people only"


def _cohorts(rows: Sequence[list[Record]], window: TimeWindow) -> list[Record]:
    """Each cohort with a row for each of its periods until now. One that is not over has what came back so far."""
    measured, (notes,) = rows
    found = {(row["cohort"], row["period"]): row["visitors"] for row in measured}
    begun = sum(bucket.start <= window.now for bucket in window.buckets)
    return [
        {
            "cohort_date": window.buckets[cohort].label,
            "cohort_size": found.get((cohort, 0), 0),
            "period": period,
            "visitors": found.get((cohort, period), 0),
            "retention_rate": percent_of(found.get((cohort, period), 0), found.get((cohort, 0), 0)),
            "is_complete": cohort + period < notes["finished"],
        }
        for cohort in range(begun)
        for period in range(begun - cohort)
    ]


def _active(rows: Sequence[list[Record]], window: TimeWindow) -> list[Record]:
    """A row for each day: a visitor counts from each of its days on until the next, for as long as the range goes."""
    measured, (notes,) = rows
    by_day: dict[int, list[tuple[int, int]]] = {}
    for row in measured:
        by_day.setdefault(row["period"], []).append((row["ahead"], row["visitors"]))

    found = []
    for day in range(LONGEST_GAP - 1, len(window.buckets)):
        daily, weekly, monthly = (
            sum(
                count
                for earlier in range(day - days + 1, day + 1)
                for ahead, count in by_day.get(earlier, ())
                if not ahead or earlier + ahead > day
            )
            for days in (1, _WEEK, LONGEST_GAP)
        )
        found.append(
            {
                "date": window.buckets[day].label,
                "daily": daily,
                "weekly": weekly,
                "monthly": monthly,
                "stickiness": percent_of(daily, monthly),
                "weekly_stickiness": percent_of(daily, weekly),
                "is_complete": day < notes["finished"],
            }
        )
    return found


def _lifecycle(rows: Sequence[list[Record]], window: TimeWindow) -> list[Record]:
    measured, (notes,) = rows
    found = {row["period"]: row for row in measured}
    nothing = dict.fromkeys(("visitors", "fresh", "returning", "resurrected", "gone"), 0)
    lines = []
    for number, bucket in enumerate(window.buckets):
        here, before = found.get(number, nothing), found.get(number - 1, nothing)
        over = number < notes["finished"]
        lines.append(
            {
                "date": bucket.label,
                "visitors": here["visitors"],
                "new": here["fresh"],
                "returning": here["returning"],
                "resurrected": here["resurrected"],
                "dormant": before["gone"] if over else None,
                "is_complete": over,
            }
        )
    return lines


def _profiles(rows: Sequence[list[Record]], window: TimeWindow) -> list[Record]:
    """All cohorts together, then each day."""
    people, events, (notes,) = rows
    names = ("profiles", "eligible", "retained", "events", "identified")
    measured = [*people, *events]
    whole = {name: sum(row.get(name, 0) for row in measured) for name in names}
    lines: list[tuple[str, str | None, Record]] = [("overall", None, whole)]
    of_people, of_events = ({row["period"]: row for row in found} for found in (people, events))
    for number in sorted({*of_people, *of_events}):
        own = dict.fromkeys(names, 0) | of_people.get(number, {}) | of_events.get(number, {})
        lines.append(("cohort", window.buckets[number].label, own))
    constants = notes | {
        "observed_before": instant_text(notes["observed_before"]),
        "cohort_start": instant_text(window.start),
        "cohort_end": instant_text(window.end),
        "identity_basis": "profile_id",
        "activation_basis": "first_activation_in_range",
    }
    return [
        {
            "row_type": kind,
            "cohort_date": day,
            "activated_profiles": row["profiles"],
            "eligible_profiles": row["eligible"],
            "retained_profiles": row["retained"],
            "not_retained_profiles": row["eligible"] - row["retained"],
            "incomplete_profiles": row["profiles"] - row["eligible"],
            "retention_rate": percent_of(row["retained"], row["eligible"]) if row["eligible"] else None,
            "activation_events": row["events"],
            "identified_activation_events": row["identified"],
            "unidentified_activation_events": row["events"] - row["identified"],
            "activation_identity_coverage": percent_of(row["identified"], row["events"]) if row["events"] else None,
            **constants,
        }
        for kind, day, row in lines
    ]


_PERCENT = "percent"
TYPES = (
    QueryType(
        name="identified_profile_retention",
        family="Retention",
        title="Retention of identified people",
        description="People by the day of their first activation event in the range, up to 90 days, and how many of"
        " them send the return event within 7 or 30 days. Needs the filters activation_event, return_event,"
        " horizon_days and observation_end",
        columns=(
            column("row_type", "string", "overall or cohort"),
            column("cohort_date", "date", "Day of the first activation; null for all days"),
            column("activated_profiles", "number", "People who sent the activation event"),
            column("eligible_profiles", "number", "Those whose horizon is over"),
            column("retained_profiles", "number", "Those of them who sent the return event within the horizon"),
            column("not_retained_profiles", "number", "Those of them who did not"),
            column("incomplete_profiles", "number", "People whose horizon is not over"),
            column("retention_rate", "number", "Retained of eligible people; null if there are none", unit=_PERCENT),
            column("activation_events", "number", "Activation events"),
            column("identified_activation_events", "number", "Those of identified people"),
            column("unidentified_activation_events", "number", "Those of unknown visitors"),
            column("activation_identity_coverage", "number", "Share of identified events", unit=_PERCENT),
            column("cohort_from", "date", "First day of the cohorts"),
            column("cohort_to", "date", "Last day of the cohorts"),
            column("cohort_start", "datetime", "Start of the cohorts (UTC)"),
            column("cohort_end", "datetime", "End of the cohorts (UTC)"),
            column("observation_end", "date", "Last day on which people can return"),
            column("observed_before", "datetime", "The instant up to which return events count (UTC)"),
            column("timezone", "string", "Time zone of the days"),
            column("horizon_days", "number", "Days within which people return", unit="days"),
            column("identity_basis", "string", "How people are recognized"),
            column("activation_basis", "string", "Which activation begins a cohort"),
        ),
        asks=(
            ScanRequest("profile_retention", ("profiles", "eligible", "retained"), ("period",)),
            ScanRequest("activations", ("events", "identified"), ("period",)),
        ),
        shape=_profiles,
        study="profiles",
        personal=True,
        needs=("activation_event", "return_event", "horizon_days", "observation_end"),
        alone=("activation_event", "return_event", "horizon_days", "observation_end", "namespace"),
        filters=("activation_event", "return_event", "horizon_days", "observation_end", "namespace"),
    ),
    QueryType(
        name="retention",
        family="Retention",
        title="Retention",
        description=f"Visitors by the period of their first visit, or of their first activation_event, and how many"
        f" of them come back in each later period. {_OF_VISITORS}. A first visit is one after 90 days without any."
        " Filters select the session of the first visit. Periods are days, weeks or months (period); weeks"
        " begin on Sunday unless week_start says otherwise (0 is Monday)",
        columns=(
            column("cohort_date", "date", "First day of the cohort's period"),
            column("cohort_size", "number", "Visitors of the cohort"),
            column("period", "number", "Periods since the first visit; 0 is its own"),
            column("visitors", "number", "Visitors of the cohort who came back in this period"),
            column("retention_rate", "number", "Their share of the cohort", unit=_PERCENT),
            column("is_complete", "boolean", "Whether the period is over"),
        ),
        asks=(ScanRequest("retention", ("visitors",), ("cohort", "period")),),
        shape=_cohorts,
        study="retention",
        alone=("activation_event", "return_event", "period", "week_start"),
        filters=(*COMMON, "activation_event", "return_event", "period", "week_start"),
        default_limit=10_000,
    ),
    QueryType(
        name="stickiness",
        family="Retention",
        title="Stickiness",
        description=f"Active visitors of each day, of the 7 and of the 30 days up to it. {_OF_VISITORS}",
        columns=(
            _DATE,
            column("daily", "number", "Active visitors of the day"),
            column("weekly", "number", "Active visitors of the last 7 days"),
            column("monthly", "number", "Active visitors of the last 30 days"),
            column("stickiness", "number", "Daily of monthly active visitors", unit=_PERCENT),
            column("weekly_stickiness", "number", "Daily of weekly active visitors", unit=_PERCENT),
            _IS_COMPLETE,
        ),
        asks=(ScanRequest("activity", ("visitors",), ("period", "ahead")),),
        shape=_active,
        study="stickiness",
        filters=COMMON,
        visualization="timeseries",
    ),
    QueryType(
        name="lifecycle",
        family="Retention",
        title="Lifecycle",
        description=f"Visitors of each period: new, returning from the period before, resurrected after a longer"
        f" time, and dormant, which were there in the period before and did not come back. {_OF_VISITORS}",
        columns=(
            _DATE,
            column("visitors", "number", "Visitors of the period"),
            column("new", "number", "Without a visit in the 90 days before the range, or in it"),
            column("returning", "number", "Also there in the period before"),
            column("resurrected", "number", "Back after at least one period without a visit"),
            column("dormant", "number", "There in the period before, and not in this one; null until it is over"),
            _IS_COMPLETE,
        ),
        asks=(ScanRequest("activity", ("visitors", "fresh", "returning", "resurrected", "gone"), ("period",)),),
        shape=_lifecycle,
        study="lifecycle",
        alone=("period", "week_start"),
        filters=(*COMMON, "period", "week_start"),
        visualization="timeseries",
    ),
)
