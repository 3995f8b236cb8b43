"""Filters of a page of figures: what a click makes of them, and what they ask the engine."""

from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from multidict import MultiDict

from analytics_box.figures import chips
from analytics_box.figures.narrowing import Narrow, Narrowing, normal, read_narrowing
from analytics_box.figures.narrowing_question import narrowing_of, problems, question_filters
from analytics_box.figures.view import read_view
from analytics_box.products.overview.board import WEBSITE
from analytics_box.query.filters import Filter, FilterGroup, matcher
from analytics_box.query.request import QueryFilterInput, check_filters
from tests.cases import each

FIELDS = ("a", "b", "c")


def read(query: str) -> Narrowing:
    return read_narrowing(MultiDict(parse_qsl(query)), FIELDS, lambda _, value: value)


def written(narrowing: Narrowing) -> str:
    return urlencode(narrowing.parameters, safe="/")


CLICKS = [
    ("", {"a": "1"}, "a=1"),
    ("a=2", {"a": "1"}, "a=1"),
    ("a=1&a=2", {"a": "1"}, "a=1"),
    ("a=1&b=2", {"a": "1"}, "b=2"),
    ("a=1&b=2", {"a": "1", "b": "2"}, ""),
    ("a.not=2", {"a": "1"}, "a=1&a.not=2"),
    ("a=1&b=1&match=any", {"c": "1"}, "c=1&1.a=1&1.b=1"),
    ("c=1&1.a=1&1.b=1", {"c": "1"}, "1.a=1&1.b=1"),
    ("a=1&1.b=1&1.c=1&match=any", {"c": "2"}, "1.a=1&1.c=2&2.b=1&2.c=2&match=any"),
    ("1.a=1&1.c=2&2.b=1&2.c=2&match=any", {"c": "2"}, "a=1&b=1&match=any"),
]


@pytest.mark.parametrize(("before", "clicked", "after"), CLICKS)
def test_a_click_narrows_and_a_second_one_does_not(before: str, clicked: dict[str, str], after: str) -> None:
    assert written(read(before).toggled(clicked)) == after


NARROWS = some.builds(
    Narrow, some.sampled_from(FIELDS), some.sampled_from(("is", "not")), some.sampled_from((("1",), ("2",), ("1", "2")))
)
NARROWINGS = some.builds(
    normal,
    some.lists(
        some.builds(lambda item, group: Narrow(item.field, item.op, item.values, group), NARROWS, some.integers(0, 3)),
        max_size=6,
    ),
    some.sampled_from(("all", "any")),
)


def lets_through(narrowing: Narrowing, row: dict[str, str]) -> bool:
    """By the engine's own reading of the question."""

    def holds(item: Filter | FilterGroup) -> bool:
        if isinstance(item, FilterGroup):
            return (any if item.any else all)(holds(one) for one in item.items)
        return matcher(item)(row[item.field]) != item.op.startswith("not")

    return all(holds(item) for item in check_filters(question_filters(narrowing), ""))


ROWS = [{"a": a, "b": b, "c": c} for a in "123" for b in "123" for c in "123"]


@settings(max_examples=30)
@given(NARROWINGS, some.sampled_from(FIELDS), some.sampled_from(("1", "2", "3")))
def test_after_a_click_only_the_value_gets_through_that_got_through_before(
    narrowing: Narrowing, field: str, value: str
) -> None:
    if narrowing.holds({field: value}):
        return
    clicked = narrowing.toggled({field: value})
    others = normal(
        [item for item in narrowing.items if item.group or item.field != field or item.op != "is"], narrowing.match
    )
    for row in ROWS:
        if narrowing.match == "all":
            assert lets_through(clicked, row) == (lets_through(others, row) and row[field] == value)
        elif lets_through(clicked, row):
            assert row[field] == value
    assert clicked.holds({field: value}) or narrowing.match == "any"


@settings(max_examples=30)
@given(NARROWINGS)
def test_equivalent_filters_have_one_spelling(narrowing: Narrowing) -> None:
    def meant(row: dict[str, str]) -> bool:
        ways = [[(row[one.field] in one.values) == (one.op == "is") for one in part] for part in narrowing.parts]
        if not ways:
            return True
        return all(map(any, ways)) if narrowing.match == "all" else any(map(all, ways))

    assert [lets_through(narrowing, row) for row in ROWS] == [meant(row) for row in ROWS]
    assert normal(narrowing.items, narrowing.match) == narrowing
    assert narrowing_of(question_filters(narrowing)) is not None
    again = narrowing_of(question_filters(narrowing))
    assert again is not None
    assert [lets_through(again, row) for row in ROWS] == [meant(row) for row in ROWS]


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [("(", "invalid pattern (missing ): ()"), ("x" * 501, "a pattern can have up to 500 characters"), ("a{3}", "")],
    ids=["unfinished", "long", "good"],
)
def test_a_pattern_that_cannot_be_asked_for_is_left_out_and_says_why(pattern: str, reason: str) -> None:
    narrowing = normal([Narrow("path", "matches", (pattern,)), Narrow("country", "is", ("Germany",))])
    assert [*problems(narrowing).values()] == ([reason] if reason else [])
    assert len(question_filters(narrowing)) == (1 if reason else 2)


def test_there_are_only_so_many_patterns() -> None:
    assert len(problems(normal([Narrow("a", "matches", tuple(str(at) for at in range(21)))]))) == 1


@pytest.mark.parametrize(
    "given",
    [
        [QueryFilterInput(all=[QueryFilterInput("a", "eq", "1")])],
        [QueryFilterInput("a", "not_starts_with", "1")],
        [QueryFilterInput(any=[QueryFilterInput(any=[QueryFilterInput("a", "eq", "1")])])],
    ],
)
def test_filter_that_no_page_can_show_is_ignored(given: list[QueryFilterInput]) -> None:
    assert narrowing_of(given) is None


CHIPS = [
    ("country=Germany", ["Country Germany"]),
    ("country.not=Germany&country.not=France", ["Country is not Germany or France"]),
    ("path=/a&path=/b&path=/c&path=/d&path=/e", ["Page /a, /b, /c and 2 more"]),
    ("utm_source.set=yes", ["UTM source is set "]),
    ("1.country=Spain&1.channel=Direct&path.contains=/a", ["Page contains /a", "Channel Direct or Country Spain"]),
    ("country=Spain&channel=Direct&match=any", ["Channel Direct", "or", "Country Spain"]),
    ("path.matches=(", ["Page matches the pattern ( !invalid pattern (missing ): ()"]),
    ("segment=seg12345", ["Segment seg12345 !this segment no longer exists"]),
]


@pytest.mark.parametrize(("query", "shown"), CHIPS)
def test_chips_say_what_the_page_is_narrowed_to(query: str, shown: list[str]) -> None:
    found = []
    for group in chips.chips(read_view("/sites/w1", MultiDict(parse_qsl(query)), WEBSITE)):
        found += [group.before] if group.before else []
        texts = [f"{one.label} {one.value}" + (f" !{one.problem}" if one.problem else "") for one in group.chips]
        found.append(f" {group.within} ".join(texts))
    assert found == shown


def test_filters_can_be_joined_the_other_way_and_with_each_other() -> None:
    view = read_view("/sites/w1", MultiDict(parse_qsl("country=Spain&channel=Direct")), WEBSITE)
    assert [(one.name, one.selected, one.href) for one in chips.matches(view)] == [
        ("all", True, "/sites/w1?channel=Direct&country=Spain"),
        ("any", False, "/sites/w1?channel=Direct&country=Spain&match=any"),
    ]
    assert chips.joins(view) == (("0", "or, with Channel: Direct"), ("1", "or, with Country: Spain"))


@each(
    ("query", "said"),
    [
        ("language=de&language.not=en", "Language: German|Language is not: English"),
        ("language.contains=de", "Language contains: de"),
        ("language.matches=^de", "Language matches the pattern: ^de"),
        ("flag=new=a", "Flag: new=a"),
        ("outgoing_link.starts=https://x.example", "Outgoing link starts with: https://x.example"),
    ],
)
def test_chips_say_what_is_asked_for(query: str, said: str) -> None:
    shown = [
        chip
        for group in chips.chips(read_view("/sites/w1", MultiDict(parse_qsl(query)), WEBSITE))
        for chip in group.chips
    ]
    assert "|".join(f"{one.label}: {one.value}" for one in shown) == said
