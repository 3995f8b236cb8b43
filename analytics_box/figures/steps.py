"""The width of the points of a chart: hours, days, weeks or months (`by=` in an address). Pure."""

from typing import Final, Literal

from analytics_box.base.texts import Steps, Unread, figures
from analytics_box.figures.spans import quoted_value
from analytics_box.query.ranges import MAX_DAYS, MAX_HOURLY_DAYS, DayRange

Step = Literal["hour", "day", "week", "month"]
STEPS: Final[tuple[Step, ...]] = ("hour", "day", "week", "month")

# How many days a range may have, at least and at most, to be drawn in steps of this width.
_LEAST: Final[dict[Step, int]] = {"hour": 1, "day": 1, "week": 8, "month": 32}
_MOST: Final[dict[Step, int]] = {"hour": MAX_HOURLY_DAYS, "day": 800, "week": MAX_DAYS, "month": MAX_DAYS}
# Up to how many days a range is drawn in these steps by itself.
_USUAL: Final[tuple[tuple[int, Step], ...]] = ((1, "hour"), (184, "day"), (800, "week"))


def read_step(text: str) -> tuple[Step | Literal[""], str]:
    """The steps that an address asks for, empty for those that fit; and what could not be read of it."""
    found: Step | None = next((step for step in STEPS if step == text), None)
    return (found, "") if found is not None else ("", quoted_value(text))


def possible(days: DayRange, theirs: int = 0) -> tuple[Step, ...]:
    """The steps in which these days can be drawn beside those that they are compared with, of which there are
    `theirs`: neither may have too many hours."""
    return tuple(
        step
        for step in STEPS
        if _LEAST[step] <= days.length <= _MOST[step] and (step != "hour" or theirs <= MAX_HOURLY_DAYS)
    )


def usual(days: DayRange, theirs: int = 0) -> Step:
    """The steps that are drawn when none are chosen: about as many points as can be told apart."""
    wanted = next((step for most, step in _USUAL if days.length <= most), "month")
    can = possible(days, theirs)
    return wanted if wanted in can else can[0]


def steps_to_draw(by: Step | Literal[""], days: DayRange, theirs: int = 0) -> tuple[Step, str]:
    """The steps that are drawn, and what is said where they are not the chosen ones."""
    step = usual(days, theirs)
    if not by or by in possible(days, theirs):
        return by or step, ""
    words = Unread.step_here.format(
        wanted=Steps.names[by], days=figures.count(days.length), steps=Steps.names[step].lower()
    )
    return step, words
