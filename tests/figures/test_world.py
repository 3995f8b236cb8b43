"""The map of countries: how dark each is, and what the file that draws it has."""

import re

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from analytics_box.figures import outlines as known
from analytics_box.figures.outlines import EVERYWHERE, HEIGHT, WIDTH, around
from analytics_box.figures.scale import LEVELS, scale
from analytics_box.figures.shading import Shader, Shading
from analytics_box.figures.world import CountryRow, world
from tests.cases import each
from tests.figures.outlines import FILE, outlines

VISITORS = Shader("visitors", "Visitors")
RATE = Shader("conversion_rate", "Conversion rate", "percent", "?shade=conversion_rate")
PLAIN = Shading(VISITORS, (VISITORS,))


def row(code: str, count: int) -> CountryRow:
    return CountryRow(code, f"Name of {code}", {"visitors": count}, f"?country={code}", selected=False)


@each(
    ("counts", "expected"),
    [
        ([1], ["1"]),
        ([7, 7], ["7"]),
        ([1, 2], ["1", "2"]),
        ([80, 0, 90], ["80–81", "82–83", "84–85", "86–87", "88–90"]),
        ([1, 40, 100_000], ["1–9", "10–99", "100–999", "1,000–9,999", "10,000–100,000"]),
    ],
)
def test_each_shade_begins_at_the_same_multiple_of_the_one_before(counts: list[int], expected: list[str]) -> None:
    made = scale(counts)
    assert made is not None
    assert [shade.text for shade in made.shades] == expected
    assert [shade.level for shade in made.shades] == [*range(LEVELS + 1 - len(expected), LEVELS + 1)]


@given(st.lists(st.integers(0, 10**9), min_size=1))
def test_more_is_never_lighter_and_the_most_is_darkest(counts: list[int]) -> None:
    made = scale(counts)
    if made is None:
        assert not any(counts)
        return
    levels = [made.level(count) for count in sorted(counts)]
    assert levels == sorted(levels)
    assert levels[-1] == LEVELS
    assert all((level == 0) == (count == 0) for level, count in zip(levels, sorted(counts), strict=True))


def test_unknown_countries_are_not_on_the_map() -> None:
    made = world([row("DE", 90), row("", 40), row("fr", 1)], PLAIN)
    assert made is not None
    assert [(one.code, one.level, one.text) for one in made.countries] == [
        ("DE", 5, "Name of DE, visitors: 90"),
        ("FR", 1, "Name of fr, visitors: 1"),
    ]
    assert [shade.text for shade in made.shades] == ["1", "2–5", "6–14", "15–36", "37–90"]
    assert (made.shaded, made.steps) == (
        "Visitors by country",
        "Each shade starts at about 2.5 times the previous one.",
    )
    assert world([row("", 40)], PLAIN) is None
    assert world([], PLAIN) is None


@each(
    ("counts", "said"),
    [([1], ""), ([80, 90], ""), ([1, 100_000], "10"), ([1, 200_000], "11"), ([10, 80], "1.5")],
)
def test_the_legend_says_how_shades_grow_where_they_do(counts: list[int], said: str) -> None:
    made = world([row("DE", count) for count in counts], PLAIN, closer=True)
    assert made is not None
    assert made.shaded == "Visitors by country, including neighbors"
    assert made.steps == (f"Each shade starts at about {said} times the previous one." if said else "")


def test_rates_are_shaded_in_tenths_of_a_percent_and_zero_is_pale() -> None:
    rows = [("DE", 40, 12.5), ("FR", 9, 0.0), ("PT", 8, 0.3), ("IT", 0, None)]
    made = world(
        [
            CountryRow(code, code, {"visitors": visitors, "conversion_rate": rate}, "", False)
            for code, visitors, rate in rows
        ],
        Shading(RATE, (VISITORS, RATE)),
    )
    assert made is not None
    assert [(one.code, one.level, one.text.replace("\N{NO-BREAK SPACE}", " ")) for one in made.countries] == [
        ("DE", 5, "DE, visitors: 40, conversion rate: 12.5 %"),
        ("FR", 0, "FR, visitors: 9, conversion rate: 0.0 %"),
        ("PT", 1, "PT, visitors: 8, conversion rate: 0.3 %"),
    ]
    assert made.shades[0].text.replace("\N{NO-BREAK SPACE}", " ") == "0.3 %–0.5 %"
    assert made.shading.choices == (VISITORS, RATE)


def test_map_file_is_small_and_has_all_countries_by_code() -> None:
    drawn = FILE.read_text(encoding="utf-8")
    assert f'viewBox="0 0 {WIDTH} {HEIGHT}"' in drawn
    codes = re.findall(r'<(?:path|circle) id="([A-Z]{2})"', drawn)
    assert len(codes) == len(set(codes)) > 230
    assert {"DE", "US", "FJ", "RU", "XK", "MT", "SG", "HK"} <= set(codes)
    assert "AQ" not in codes
    assert len(drawn) < 60_000
    assert not re.search(r"<script|<style|href|NaN", drawn)


def test_a_country_is_shown_from_near_with_all_of_its_largest_piece_inside() -> None:
    assert known._outlines() == outlines()
    for code, (left, top, right, bottom) in outlines().items():
        part = around(code)
        assert part.left <= left < right <= part.left + part.width, code
        assert part.top <= top < bottom <= part.top + part.height, code
        assert 0 <= part.left <= part.left + part.width <= WIDTH
        assert 0 <= part.top <= part.top + part.height <= HEIGHT
        assert abs(part.width / part.height - WIDTH / HEIGHT) < 0.02
    assert around("DE").width * 5 == WIDTH
    assert around("MT").width * 5 == WIDTH
    assert around("") == around("AQ") == EVERYWHERE


def test_the_map_is_near_where_one_of_its_countries_is_chosen() -> None:
    de, fr = row("DE", 90), row("FR", 40)
    far, near = world([de, fr], PLAIN), world([replace(de, selected=True), fr], PLAIN, closer=True)
    assert far is not None
    assert near is not None
    assert (far.part, far.is_near) == (EVERYWHERE, False)
    assert (near.part, near.is_near) == (around("DE"), True)
    assert [one.code for one in near.countries] == ["DE", "FR"]
