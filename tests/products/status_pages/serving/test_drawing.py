"""Bars and lines are drawn in few characters, day by day."""

from msgspec.structs import replace

from analytics_box.products.status_pages.seen import ComponentDay
from analytics_box.products.status_pages.serving.bars import bars
from analytics_box.products.status_pages.serving.shown import chart
from tests.cases import each
from tests.products.status_pages.serving.examples import days

MEASURED = ComponentDay("2026-11-01", "up", 100.0, 1, 1, 0, 10.0, 20.0)


def measured(*averages: float | None) -> list[ComponentDay]:
    return [replace(MEASURED, average_ms=one, p95_ms=None) for one in averages]


@each(
    ("averages", "line"),
    [
        ((10.0, 20.0, 20.0, 5.0), "M0.5 20l1-20 1 0 1 30"),
        ((None, 20.0, None, 10.0, 20.0), "M1.5 0h0M3.5 20l1-20"),
        ((20.0, None), "M0.5 0h0"),
    ],
)
def test_a_line_goes_from_day_to_day_and_leaves_out_what_is_not_known(
    averages: tuple[float | None, ...], line: str
) -> None:
    drawn = chart(measured(*averages), slow=True)
    assert drawn is not None
    assert (drawn.average, drawn.slow) == (line, "")


@each("found", [(), measured(10.0), measured(None, None)])
def test_nothing_is_drawn_of_nothing(found: list[ComponentDay]) -> None:
    assert chart(found, slow=True) is None


def test_the_line_of_slow_checks_is_drawn_where_there_is_room() -> None:
    both, one = chart(days({}), slow=True), chart(days({}), slow=False)
    assert both is not None
    assert one is not None
    assert both.slow
    assert (one.slow, one.words[-6:].replace("\N{NO-BREAK SPACE}", " ")) == ("", "160 ms")


def test_equal_days_are_one_path() -> None:
    drawn = bars(days({0: ("down", 99.5, 432), 1: ("down", 99.5, 432)}, unknown=30))
    assert drawn is not None
    assert [(run.letter, run.path) for run in drawn.runs] == [("n", "M0 21h30"), ("u", "M30 14h58"), ("d", "M88 14h2")]
    assert [(run.letter, run.path) for run in drawn.drawn] == [("u", "M30 14h58"), ("d", "M88 14h2"), ("n", "M0 21h30")]
    assert drawn.marks == "M88 33h1M89 33h1"
    assert [run.words.replace("\N{NO-BREAK SPACE}", " ") for run in drawn.noted] == [
        "19 – 20 Nov 2026: downtime, 99.50 % uptime, 7 m 12 s down",
        "23 Aug – 21 Sep 2026: no data",
    ]


def test_a_maintenance_each_week_makes_no_long_page() -> None:
    drawn = bars(days(dict.fromkeys(range(0, 90, 7), ("maintenance", None, None))))
    assert drawn is not None
    assert len(drawn.runs) == 26
    assert [(run.letter, run.words) for run in drawn.drawn] == [("u", ""), ("m", "")]


def test_a_component_without_days_has_no_bars() -> None:
    assert bars(()) is None
