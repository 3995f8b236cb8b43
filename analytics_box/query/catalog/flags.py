"""Feature flags: what visitors were given, and what they did afterwards.

Exposures are counted, not evaluations: custom events $flag_evaluated, which pages send where a variant is shown, and
the SDK where it fetches one flag. Only such visitors are in an experiment.

Every interval here contains the true rate, or the true difference, with a probability of 95 %.
"""

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

from analytics_box.query.catalog.types import OutputColumn, QueryType, Record, ScanRequest, column
from analytics_box.query.catalog.values import Measured, SortableValue, field, instant, quotient
from analytics_box.query.filters import COMMON
from analytics_box.query.plan import DerivedKey, PlanOrder
from analytics_box.query.ranges import TimeWindow

Z: Final = 1.959963984540054  # of the normal distribution: 95 % lie within so many deviations
_FEWEST: Final = 5  # expected of each, for the chi-square distribution to be near enough


class Interval(NamedTuple):
    """From `low` to `high`; both are shares between -1 and 1."""

    low: float
    high: float


def interval_of_rate(part: int, whole: int) -> Interval | None:
    """Wilson's score interval of a rate, which is also valid for few and for rare events; None of nothing."""
    if not whole:
        return None
    rate, square = part / whole, Z * Z / whole
    middle = rate + square / 2
    reach = Z * math.sqrt((rate * (1 - rate) + square / 4) / whole)
    below, above = (middle - reach) / (1 + square), (middle + reach) / (1 + square)
    return Interval(max(below, 0.0) if part else 0.0, min(above, 1.0) if part < whole else 1.0)


def interval_of_difference(part: int, whole: int, other_part: int, other_whole: int) -> Interval | None:
    """The interval of the difference of two rates: Newcombe's, computed from both rates' intervals; None if either
    sample is empty.
    """
    one, other = interval_of_rate(part, whole), interval_of_rate(other_part, other_whole)
    if one is None or other is None:
        return None
    rate, other_rate = part / whole, other_part / other_whole
    difference = rate - other_rate
    return Interval(
        difference - math.hypot(rate - one.low, other.high - other_rate),
        difference + math.hypot(one.high - rate, other_rate - other.low),
    )


def chance_of_difference(part: int, whole: int, other_part: int, other_whole: int) -> float | None:
    """The p-value, 0 to 1, of the difference between two rates; None if it is undefined."""
    if not (whole and other_whole):
        return None
    both = (part + other_part) / (whole + other_whole)
    deviation = math.sqrt(both * (1 - both) * (1 / whole + 1 / other_whole))
    if not deviation:
        return None
    return math.erfc(abs(part / whole - other_part / other_whole) / deviation / math.sqrt(2))


def chance_of_shares(counts: Sequence[int], weights: Sequence[float]) -> float | None:
    """The p-value, 0 to 1, of these counts under these weights (Pearson's chi-square).

    None if fewer than two weights are positive, or the counts are too small for the test.
    """
    weighed = [(count, weight) for count, weight in zip(counts, weights, strict=True) if weight > 0]
    total, whole = sum(count for count, _ in weighed), sum(weight for _, weight in weighed)
    expected = [total * weight / whole for _, weight in weighed]
    if len(weighed) < 2 or min(expected) < _FEWEST:
        return None
    square = sum((count - wanted) ** 2 / wanted for (count, _), wanted in zip(weighed, expected, strict=True))
    return _beyond(square, len(weighed) - 1)


def _beyond(square: float, degrees: int) -> float:
    """The upper tail of the chi-square distribution: the regularized gamma function Q of half-integers,
    by recurrence."""
    half = square / 2
    if not half:
        return 1.0
    odd = degrees % 2
    found = math.erfc(math.sqrt(half)) if odd else math.exp(-half)
    place = 0.5 if odd else 1.0
    while place < degrees / 2:
        found += math.exp(place * math.log(half) - half - math.lgamma(place + 1))
        place += 1
    return min(found, 1.0)


CONTROL = "control"  # what a variant is called that all others are compared with
NOT_GIVEN = "(not given)"  # what is shown for visitors who got none of a flag's variants
_OFF = "false"
_P_DIGITS = 4


def _variant_name(row: Measured) -> str:
    return f"{row['flag']}={row['variant']}"


def _results(rows: Sequence[list[Record]], _window: TimeWindow) -> list[Record]:
    """A row for each variant: the one that all others are compared with, then the others by their visitors."""
    everyone, (split,) = rows
    found = [row for row in everyone if not split["closed"] or row["variant"] in split["variants"]]
    others = [row for row in everyone if row not in found]
    weights = dict(zip(split["variants"], split["weights"], strict=False))
    counts = {row["variant"]: row["visitors"] + row["mixed"] for row in found}
    sample_ratio = chance_of_shares([counts.get(name, 0) for name in weights], list(weights.values()))
    beside = {
        "whole": sum(counts.values()),
        "whole_weight": sum(weights.values()),
        "sample_ratio": _round_chance(sample_ratio) if weights else None,
        "untold": split["untold"],
    }
    control = _control(list(counts), split["variants"]) if found else ""
    ordered = sorted(found, key=lambda row: row["variant"] != control)
    results = [_result(row, ordered[0], weights.get(row["variant"]), beside) for row in ordered]
    return [*results, *([_not_given(others, beside)] if others else [])]


def _not_given(rows: Sequence[Record], beside: Record) -> Record:
    """The row of visitors without any of the flag's variants, compared with nothing: the flag was off for them, or the
    SDK had no answer.
    """
    asked = rows[0]["conversions"] is not None
    whole = {name: sum(row[name] for row in rows) for name in ("visitors", "mixed")}
    conversions = sum(row["conversions"] for row in rows) if asked else None
    row = {"variant": NOT_GIVEN, **whole, "conversions": conversions}
    return _result(row, row, None, beside) | {"is_given": False, "is_control": False, "share": None}


def _control(found: Sequence[str], variants: Sequence[str]) -> str:
    """The variant that is called control; else the first one of the flag, else what is off, else the first by name."""
    called = (name for name in found if name.lower() == CONTROL)
    return next(name for name in (*called, *variants, _OFF, *sorted(found)) if name in found)


def _result(row: Record, base: Record, weight: float | None, beside: Record) -> Record:
    visitors, conversions = row["visitors"], row["conversions"]
    is_control, asked = row is base, conversions is not None
    pair = (conversions, visitors, base["conversions"], base["visitors"])
    rate = interval_of_rate(conversions, visitors) if asked else None
    difference = interval_of_difference(*pair) if asked and not is_control else None
    chance = chance_of_difference(*pair) if asked and not is_control else None
    whole_weight = beside["whole_weight"]
    return {
        "variant": row["variant"],
        "is_given": True,
        "is_control": is_control,
        "visitors": visitors,
        "mixed_visitors": row["mixed"],
        "share": quotient(100 * (visitors + row["mixed"]), beside["whole"] or 1),
        "expected_share": quotient(100 * weight / whole_weight) if weight is not None and whole_weight else None,
        "expected_share_unknown": beside["untold"],
        "sample_ratio_p_value": beside["sample_ratio"],
        "conversions": conversions,
        "conversion_rate": quotient(100 * conversions, visitors) if asked and visitors else None,
        **_percent("conversion_rate", rate),
        "difference": _difference(*pair) if difference is not None else None,
        **_percent("difference", difference),
        "p_value": _round_chance(chance),
    }


def _difference(part: int, whole: int, other_part: int, other_whole: int) -> float:
    """Percentage points between two rates, of their exact numbers."""
    return quotient(100 * (part * other_whole - other_part * whole), whole * other_whole)


def _percent(name: str, interval: Interval | None) -> Record:
    """The ends of an interval in percent."""
    low, high = (None, None) if interval is None else (quotient(100 * interval.low), quotient(100 * interval.high))
    return {f"{name}_low": low, f"{name}_high": high}


def _round_chance(chance: float | None) -> float | None:
    return None if chance is None else quotient(chance, digits=_P_DIGITS)


def _number(name: str, description: str, unit: str = "") -> OutputColumn:
    return column(name, "number", description, unit=unit)


TYPES = (
    QueryType(
        name="flag_variants",
        family="Flags",
        title="Flags",
        description="Feature flags and variants that visitors of the range received",
        columns=(
            column(
                "name",
                "string",
                "Value for the filter flag: key=variant",
                SortableValue(_variant_name, DerivedKey("variant", ("flag", "variant"))),
            ),
            column("flag", "string", "Key of the flag"),
            column("variant", "string", "The variant, or the value of a flag without variants"),
            column("visitors", "number", "Distinct visitors who received it"),
            column("exposures", "number", "Number of exposures", field("count")),
            column("first_seen", "datetime", "First exposure in the range, UTC", instant("first")),
            column("last_seen", "datetime", "Last exposure in the range, UTC", instant("last")),
        ),
        asks=(
            ScanRequest(
                "flag_exposures",
                ("visitors", "count", "first", "last"),
                ("flag", "variant"),
                order=(PlanOrder("visitors"),),
            ),
        ),
        filters=COMMON,
        visualization="bar",
    ),
    QueryType(
        name="flag_exposures",
        family="Flags",
        title="Result of an experiment",
        description="The variants of a flag, and how many visitors of each sent the custom event named by the filter "
        "conversion afterwards. The first exposure in the range decides. Intervals have 95 % confidence. "
        "Needs exactly one filter eq on flag, with its key",
        columns=(
            column("variant", "string", "The variant, or the value of a flag without variants"),
            column(
                "is_given",
                "boolean",
                "Whether this is a variant of the flag. False for at most one row: visitors who received none, "
                "because the flag was off or the SDK had no answer. They are excluded from shares and comparisons",
            ),
            column("is_control", "boolean", "Whether this is the control that others are compared with"),
            _number("visitors", "Distinct visitors who received only this variant in the range"),
            _number("mixed_visitors", "Visitors who received this variant first and others later, excluded from rates"),
            _number("share", "Both as a share of all visitors who received a variant", "percent"),
            _number(
                "expected_share",
                "Expected share by the current weights; null if unknown, or if the weights changed in the range",
                "percent",
            ),
            column(
                "expected_share_unknown",
                "string",
                "Why expected shares are unknown: unknown_flag (no such flag), not_by_chance (rules also assign "
                "variants), environments (several have a flag with this key), changed (the weights changed in the "
                "range); null if they are known",
            ),
            _number(
                "sample_ratio_p_value",
                "Probability of such a deviation from the expected shares by chance, 0 to 1. Below 0.01, the "
                "experiment is not reliable. Null without expected shares",
            ),
            _number("conversions", "Visitors with the event after their first exposure, in the range"),
            _number("conversion_rate", "Conversions as a share of the visitors", "percent"),
            _number("conversion_rate_low", "Lower bound of the interval", "percent"),
            _number("conversion_rate_high", "Upper bound of the interval", "percent"),
            _number("difference", "Difference from the rate of the control", "percentage points"),
            _number("difference_low", "Lower bound of the interval", "percentage points"),
            _number(
                "difference_high",
                "Upper bound of the interval. Statistically significant if the interval excludes 0 and p_value is "
                "below 0.05 divided by the number of variants other than the control",
                "percentage points",
            ),
            _number("p_value", "Probability of such a difference by chance, 0 to 1"),
        ),
        asks=(
            ScanRequest(
                "experiments", ("visitors", "mixed", "conversions"), ("variant",), order=(PlanOrder("visitors"),)
            ),
        ),
        shape=_results,
        weighed=True,
        filters=(*COMMON, "conversion"),
        needs=("flag",),
        needs_one=True,
        alone=("conversion",),
    ),
)
