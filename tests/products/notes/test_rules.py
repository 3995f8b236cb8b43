"""When a note is, and what it may say."""

from typing import NamedTuple

import pytest

from analytics_box.base.errors import BadRequest
from analytics_box.products.notes import annotation, draft
from tests.cases import each

NOON = 1_763_640_000_000  # 2025-11-20T12:00:00Z


class Written(NamedTuple):
    """A time as it is written, and what it means: UTC ms and whether it is a whole day; None is refused."""

    text: str
    at: int | None
    whole: bool = False


TIMES = (
    Written("2025-11-20", 1_763_596_800_000, whole=True),
    Written(" 2025-11-20 ", 1_763_596_800_000, whole=True),
    Written("2025-11-20T12:00:00Z", NOON),
    Written("2025-11-20T12:00", NOON),
    Written("2025-11-20 13:00:00+01:00", NOON),
    Written("2025-11-20T12:00:00.000Z", NOON),
    Written("2025-02-29", None),
    Written("1979-12-31", None),
    Written("2101-01-01T00:00:00Z", None),
    Written("0001-01-01T00:00:00+14:00", None),
    Written("yesterday", None),
    Written("", None),
)


@each("case", TIMES)
def test_a_time_is_a_day_or_an_instant(case: Written) -> None:
    if case.at is None:
        with pytest.raises(BadRequest) as refused:
            draft.note_moment(case.text, "xValue")
        assert refused.value.details[0].field == "xValue"
        return
    assert draft.note_moment(case.text, "xValue") == (case.at, case.whole)


def test_a_range_has_an_end_that_is_not_before_its_beginning() -> None:
    day, later = draft.note_moment("2025-11-20", ""), draft.note_moment("2025-11-22", "")
    noon = draft.note_moment("2025-11-20T12:00Z", "")
    assert draft.note_period(day, later, ranged=True) == (day.at, later.at, True)
    assert draft.note_period(day, day, ranged=True).until == day.at
    assert draft.note_period(day, noon, ranged=True).days is False
    assert draft.note_period(noon, None, ranged=False) == (noon.at, None, False)
    for start, end in ((day, None), (later, day)):
        with pytest.raises(BadRequest) as refused:
            draft.note_period(start, end, ranged=True)
        assert refused.value.details[0].field == "xEndValue"


def test_texts_are_one_line_that_can_be_seen() -> None:
    assert annotation.clean_text("  Version 2.1\n\tis out ") == "Version 2.1 is out"
    assert annotation.clean_text("Größe 中文 🚀") == "Größe 中文 🚀"
    assert annotation.clean_text("a" * 500) == "a" * 500
    for empty in ("", " \n", "\u200b\u200e", "a" * 501, "Version \u202e2", "a\x00b"):
        with pytest.raises(BadRequest):
            annotation.clean_text(empty)


def test_tags_are_said_once_and_colours_are_hexadecimal() -> None:
    assert annotation.clean_tags([" release ", "release", "", "web"]) == ("release", "web")
    assert annotation.clean_color("#3b82f6") == "#3B82F6"
    for wrong in (["a" * 51], [str(number) for number in range(21)]):
        with pytest.raises(BadRequest):
            annotation.clean_tags(wrong)
    for wrong_color in ("red", "#fff", "#3B82F6;", "url(#a)"):
        with pytest.raises(BadRequest):
            annotation.clean_color(wrong_color)
