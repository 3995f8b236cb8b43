"""Funnels: how many visits took one step after another (wire 10.5)."""

from collections.abc import Sequence

from analytics_box.query.catalog.types import QueryType, Record, ScanRequest, column
from analytics_box.query.catalog.values import percent_of, quotient
from analytics_box.query.filters import COMMON
from analytics_box.query.plan import MOST_STEPS, TIME_EDGES
from analytics_box.query.ranges import TimeWindow

REACHED = tuple(f"step_{number}" for number in range(1, MOST_STEPS + 1))
MEASURES = (
    *REACHED,
    *(f"{name}_{number}" for number in range(2, MOST_STEPS + 1) for name in ("spent", "spent_p90")),
    "took_total",
    "median_took",
    "took_p90",
    *(f"took_{number}" for number in range(len(TIME_EDGES) + 1)),
)


def step_rows(measured: Record, names: Sequence[str]) -> list[Record]:
    """A row per step, from what was measured."""
    rows: list[Record] = []
    entered = before = measured[REACHED[0]]
    for number, name in enumerate(names, start=1):
        users = measured[f"step_{number}"]
        spent, late = measured.get(f"spent_{number}") or 0, measured.get(f"spent_p90_{number}") or 0
        rows.append(
            {
                "step_number": number,
                "step_name": name,
                "users": users,
                "total_users": entered,
                "conversion_rate": percent_of(users, entered),
                "dropoffs": before - users,
                "dropoff_rate": percent_of(before - users, before),
                "avg_time_to_complete": quotient(spent, 1000 * users) if users else 0.0,
                "p90_time_to_complete": quotient(late, 1000),
            }
        )
        before = users
    return rows


def _steps(rows: Sequence[list[Record]], _window: TimeWindow) -> list[Record]:
    return step_rows(rows[0][0], [row["name"] for row in rows[1]])


TYPES = (
    QueryType(
        name="funnel",
        family="Funnels",
        title="Funnel",
        description="Sessions that reached each step of a funnel. Needs exactly one filter eq on funnel, with its id",
        columns=(
            column("step_number", "number", "1 for the first step"),
            column("step_name", "string", "Name of the step"),
            column("users", "number", "Sessions (or visitors, if the funnel counts days) that reached this step"),
            column("total_users", "number", "Sessions (or visitors) that reached the first step"),
            column("conversion_rate", "number", "Share of those that reached the first step", unit="percent"),
            column("dropoffs", "number", "Sessions (or visitors) that reached the previous step but not this one"),
            column(
                "dropoff_rate", "number", "Drop-offs as a share of those that reached the previous step", unit="percent"
            ),
            column("avg_time_to_complete", "number", "Mean time since the previous step", unit="seconds"),
            column(
                "p90_time_to_complete", "number", "90th percentile of the time since the previous step", unit="seconds"
            ),
        ),
        asks=(ScanRequest("funnels", MEASURES),),
        shape=_steps,
        filters=(*COMMON, "funnel"),
        needs=("funnel",),
        needs_one=True,
    ),
)
