"""Notes on the axis of a chart: where they are, which buckets they touch, and how many flags there are."""

from datetime import date, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from analytics_box.figures.board import Metric
from analytics_box.figures.chart import Axis, chart
from analytics_box.figures.marks import ChartNote, flags, marks
from tests.cases import each

BERLIN = ZoneInfo("Europe/Berlin")
DAYS = [{"date": f"2026-11-{day:02}", "visitors": day} for day in range(18, 22)]
AXIS = Axis(now=datetime.fromisoformat("2026-11-21T12:00"), last=date(2026, 11, 21), zone=BERLIN)


def utc(text: str) -> int:
    return round(datetime.fromisoformat(f"{text}+00:00").timestamp() * 1000)


def note(at: str, until: str = "", *, days: bool = False, name: str = "n") -> ChartNote:
    return ChartNote(name, utc(at), utc(until) if until else None, days, f"Note {name}", "", "#3B82F6")


class Placed(NamedTuple):
    """A note, and where it is: from, to, and the buckets that it touches; nothing outside of the chart."""

    note: ChartNote
    left: float | None
    right: float = 0
    buckets: tuple[int, ...] = ()


@each(
    "case",
    (
        Placed(note("2026-11-18T11:00"), 0.0, 0.0, (0,)),  # noon in Berlin
        Placed(note("2026-11-18T23:00"), 0.5, 0.5, (1,)),  # midnight there
        Placed(note("2026-11-20T00:00", days=True), 2.0, 2.0, (2,)),
        Placed(note("2026-11-17T00:00", "2026-11-19T00:00", days=True), -0.5, 1.0, (0, 1)),
        Placed(note("2026-11-20T11:00", "2026-12-24T11:00"), 2.0, 3.5, (2, 3)),
        Placed(note("2026-11-17T22:59"), None),
        Placed(note("2026-11-21T23:00"), None),
        Placed(note("2026-11-22T00:00", days=True), None),
        Placed(note("2026-11-17T00:00", days=True), None),
    ),
)
def test_a_note_is_where_its_time_is_in_the_pages_zone(case: Placed) -> None:
    found = marks([case.note], AXIS.places(DAYS, AXIS.last), BERLIN)
    if case.left is None:
        assert found == ()
        return
    (mark,) = found
    assert (mark.left, mark.right, tuple(mark.buckets)) == (case.left, case.right, case.buckets)


# The night in which clocks go back, hour by hour: 02:00 comes twice.
NIGHT = [
    {"date": f"2026-10-25 {hour}", "visitors": 1}
    for hour in ("00:00:00", "01:00:00", "02:00:00+02:00", "02:00:00+01:00", "03:00:00")
]
HOURS = Axis(datetime.fromisoformat("2026-10-25T12:00"), "hour", date(2026, 10, 25), zone=BERLIN)


@each(
    "case",
    (
        Placed(note("2026-10-25T00:30"), 2.0, 2.0, (2,)),  # the first 02:30
        Placed(note("2026-10-25T01:30"), 3.0, 3.0, (3,)),
        Placed(note("2026-10-25T00:30", "2026-10-25T02:00"), 2.0, 3.5, (2, 3, 4)),
        Placed(note("2026-10-25T00:00", days=True), -0.5, 4.5, (0, 1, 2, 3, 4)),
        Placed(note("2026-10-23T00:00", "2026-10-25T00:00", days=True), -0.5, 4.5, (0, 1, 2, 3, 4)),
        Placed(note("2026-10-24T00:00", days=True), None),
    ),
)
def test_a_note_is_in_its_hour_also_where_clocks_go_back_and_a_day_in_all_of_its_hours(case: Placed) -> None:
    found = marks([case.note], HOURS.places(NIGHT, HOURS.last), BERLIN)
    if case.left is None:
        assert found == ()
        return
    (mark,) = found
    assert (mark.left, mark.right, tuple(mark.buckets)) == (case.left, case.right, case.buckets)


def test_the_table_and_the_crosshair_say_what_a_bucket_has() -> None:
    made = chart(Metric("visitors", "t", "s"), DAYS, None, axis=AXIS, notes=[note("2026-11-19T11:00")])
    assert made.columns["notes"] == ["", "Note n", "", ""]
    assert [made.note_of(point) for point in made.points] == ["", "Note n", "", ""]
    bare = chart(Metric("visitors", "t", "s"), DAYS, None, axis=AXIS)
    assert ("notes" in bare.columns, bare.flags, bare.note_of(bare.points[0])) == (False, (), "")


def test_notes_that_would_cover_each_other_share_a_flag() -> None:
    rows = [{"date": date.fromordinal(738_000 + number).isoformat(), "visitors": 1} for number in range(365)]
    last = date.fromordinal(738_364)
    axis = Axis(now=datetime.fromisoformat("2030-01-01"), last=last)
    notes = [
        ChartNote(str(number), utc(str(row["date"])), None, days=True, text="x", when="", color="#000000")
        for number, row in enumerate(rows)
    ]
    found = flags(marks(notes, axis.places(rows, last), BERLIN), len(rows))
    assert len(found) <= 40
    assert sum(len(flag.notes) for flag in found) == 365
