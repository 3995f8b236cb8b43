"""What the page of a result says: who leads, whether that is more than chance, and what speaks against it."""

from typing import Any

from msgspec.structs import asdict

from analytics_box.products.flags.figures.result import NO_SHARES, ExperimentResult, result_of
from analytics_box.query.catalog.registry import TYPES
from analytics_box.query.named import Split, Untold
from tests.cases import each

Counted = dict[str, tuple[int, int]]  # visitors and conversions by variant


def rows_of(
    counted: Counted, *, asked: bool = True, mixed: int = 0, untold: Untold | None = None
) -> list[dict[str, Any]]:
    """The rows that the query type makes of such counts, with equal shares; "false" is no variant of the flag."""
    found = [
        {"variant": name, "visitors": visitors, "mixed": mixed, "conversions": conversions if asked else None}
        for name, (visitors, conversions) in counted.items()
    ]
    shape = TYPES["flag_exposures"].shape
    assert shape is not None
    names = tuple(name for name in counted if name != "false")
    split = Split(names, () if untold else (1.0,) * len(names), closed=True, untold=untold)
    return shape([found, [asdict(split)]], None)  # type: ignore[arg-type]  # it looks at no window


def said(counted: Counted, event: str = "buy", **more: Any) -> ExperimentResult:
    return result_of(rows_of(counted, asked=bool(event), **more), event)


@each(
    ("counted", "event", "verdict", "clear"),
    [
        (
            {"control": (1000, 100)},
            "buy",
            "All visitors received the same variant, so there is nothing to compare.",
            False,
        ),
        (
            {"control": (1000, 100), "b": (1000, 150)},
            "",
            "Select a success metric above to compare the variants.",
            False,
        ),
        (
            {"control": (1000, 0), "b": (1000, 0)},
            "buy",
            "No visitor sent “{event}” after receiving a variant.".format(event="buy"),
            False,
        ),
        (
            {"control": (1000, 100), "b": (1000, 110)},
            "buy",
            ("No statistically significant difference so far. It may need more visitors, or there may be none."),
            False,
        ),
        (
            {"control": (1000, 100), "b": (1000, 150)},
            "buy",
            "“b” converts better than “control” for “buy”, by 2.1 points to 7.9 points. "
            "The difference is statistically significant.",
            True,
        ),
        (
            {"control": (1000, 150), "b": (1000, 100)},
            "buy",
            "“b” converts worse than “control” for “buy”, by 2.1 points to 7.9 points. "
            "The difference is statistically significant.",
            True,
        ),
        # Significant alone (p 0.03), but not as one of four.
        (
            {"control": (1000, 100), "b": (1000, 131), "c": (1000, 100), "d": (1000, 100), "e": (1000, 101)},
            "buy",
            ("No statistically significant difference so far. It may need more visitors, or there may be none."),
            False,
        ),
    ],
)
def test_a_difference_is_called_one_only_where_it_is_more_than_chance(
    counted: Counted, event: str, verdict: str, clear: bool
) -> None:
    found = said(counted, event)
    assert (found.verdict, found.clear) == (verdict, clear)
    assert found.warning == ""


def test_unequal_shares_show_no_winner() -> None:
    found = said({"control": (1000, 100), "b": (800, 200)})
    assert "less than once in 10,000 times" in found.warning
    assert (found.verdict, found.clear) == ("", False)
    assert "about once in 204 times" in said({"control": (1000, 100), "b": (878, 200)}).warning
    assert said({"control": (1000, 100), "b": (980, 200)}).warning == ""


@each(
    ("counted", "event", "mixed", "notes"),
    [
        (
            {"control": (1000, 100), "b": (1000, 110)},
            "buy",
            0,
            [
                (
                    "Decide how long the experiment runs before you start it. Stopping at the first "
                    "significant difference finds one by chance far more often than once in twenty "
                    "times."
                )
            ],
        ),
        ({"control": (1000, 100), "b": (1000, 110)}, "", 0, []),
        (
            {"control": (90, 30), "b": (90, 30)},
            "buy",
            0,
            [
                "There are few visitors or events so far. The result can change quickly.",
                (
                    "Decide how long the experiment runs before you start it. Stopping at the first "
                    "significant difference finds one by chance far more often than once in twenty "
                    "times."
                ),
            ],
        ),
        (
            {"control": (900, 9), "b": (900, 30)},
            "buy",
            0,
            [
                "There are few visitors or events so far. The result can change quickly.",
                (
                    "Decide how long the experiment runs before you start it. Stopping at the first "
                    "significant difference finds one by chance far more often than once in twenty "
                    "times."
                ),
            ],
        ),
        (
            {"control": (900, 90), "b": (900, 90), "c": (900, 90)},
            "buy",
            0,
            [
                (
                    "With {count} variants, the threshold for significance is stricter, because one "
                    "of many is more likely to look better by chance."
                ).format(count="3"),
                (
                    "Decide how long the experiment runs before you start it. Stopping at the first "
                    "significant difference finds one by chance far more often than once in twenty "
                    "times."
                ),
            ],
        ),
        ({"control": (900, 90)}, "buy", 1, ["1 visitor received several variants and is excluded."]),
        (
            {"control": (900, 90), "b": (900, 90)},
            "",
            2,
            ["{count} visitors received several variants and are excluded.".format(count="4")],
        ),
    ],
)
def test_doubts_about_a_result_are_shown(counted: Counted, event: str, mixed: int, notes: list[str]) -> None:
    assert list(said(counted, event, mixed=mixed).notes) == notes


def test_visitors_without_a_variant_are_shown_but_not_compared() -> None:
    counted = {"control": (1000, 100), "b": (1000, 131)}
    without, found = said(counted), said(counted | {"false": (400, 300)})
    assert (found.verdict, found.clear, found.warning) == (without.verdict, True, "")
    assert found.notes == (
        (
            "{count} visitors received no variant because the flag was off or the SDK "
            "received no answer. They are excluded from the comparison."
        ).format(count="400"),
        *without.notes,
    )
    assert found.variants[0].share == without.variants[0].share
    last = found.variants[2]
    assert (last.name, last.share, last.expected, last.difference) == ("No variant", "", "", "")
    only = said({"false": (1, 0)})
    assert (only.verdict, only.control, only.notes[0]) == (
        "No visitors received a variant.",
        "",
        (
            "1 visitor received no variant because the flag was off or the SDK received no "
            "answer. They are excluded from the comparison."
        ),
    )
    assert said({"false": (1, 0)}, "").verdict == "No visitors received a variant."


def test_missing_expected_shares_are_explained() -> None:
    reasons: tuple[Untold, ...] = ("changed", "not_by_chance")
    for untold in reasons:
        words = NO_SHARES[untold]
        found = said({"control": (1000, 100), "b": (100, 10)}, untold=untold)
        assert found.warning == ""
        assert words in found.notes
    assert set(NO_SHARES) == set(reasons)
    assert not set(NO_SHARES.values()) & set(said({"control": (9, 1), "b": (9, 1)}).notes)


def test_intervals_are_drawn_on_one_scale() -> None:
    control, other = said({"control": (1000, 100), "b": (1000, 150)}).variants
    assert control.drawn is not None
    assert other.drawn is not None
    assert round(other.drawn.start + other.drawn.width) == 100
    for one in (control.drawn, other.drawn):
        assert 0 <= one.start <= one.rate <= one.start + one.width <= 100.01
    assert (control.judged, other.judged, other.tone, other.difference) == (
        "",
        "Significant",
        "good",
        "+5.0 points",
    )
    nothing, _ = said({"control": (1000, 0), "b": (1000, 0)}, "").variants
    assert (nothing.drawn, nothing.rate, nothing.conversions) == (None, "–", "–")


def test_names_that_strangers_chose_are_shown_as_they_are() -> None:
    found = said({"con\u202etrol": (10, 1)}, "b\u202euy")
    assert found.variants[0].name == "con\\u202etrol"
