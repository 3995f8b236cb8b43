"""The result of an experiment in words: the results of each variant, the leader, and caveats. Pure.

With more than one variant in addition to the control, the threshold of each difference is stricter (Bonferroni): the
chance that any variant looks better than it is stays at one in twenty.
"""

from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.translation import _, ngettext

NO_SHARES = {
    "changed": _(
        "Weights, rules or required flags changed in this range, so the split between variants cannot be checked."
    ),
    "not_by_chance": _("Rules also assign variants, so the split between variants cannot be checked."),
}


ONE_IN_TWENTY: Final = 0.05
UNEQUAL: Final = 0.01  # A p-value of the shares below this means that the result cannot be trusted.
_FEW_VISITORS, _FEW_CONVERSIONS = 100, 10
_WIDE: Final = 100  # The width of the drawing in its own units.
Row = dict[str, Any]  # A row of the query type flag_exposures.


class RateBar(Struct, frozen=True):
    """A rate with its interval, in percent of the width of the drawing."""

    start: float
    width: float
    rate: float


class VariantResult(Struct, frozen=True):
    """A variant with its results; `drawn` is None if its rate is unknown. `judged` says whether its difference is
    statistically significant, `tone` in which direction.
    """

    name: str
    is_control: bool
    visitors: str
    share: str
    expected: str
    bar: str
    conversions: str
    rate: str
    interval: str
    label: str
    drawn: RateBar | None
    difference: str
    judged: str
    tone: str


class ExperimentResult(Struct, frozen=True):
    """The result of an experiment. `warning` comes first: if there is one, the rest does not count. `clear` is whether
    there is a leader.
    """

    variants: tuple[VariantResult, ...]
    verdict: str
    clear: bool
    warning: str
    notes: tuple[str, ...]
    control: str


def result_of(rows: Sequence[Row], event: str, notes: Sequence[str] = ()) -> ExperimentResult:
    """The result in the rows of the query type, the control first; `event` is empty if none was chosen."""
    given = [row for row in rows if row["is_given"]]
    control = given[0]["variant"] if given else ""
    limit = ONE_IN_TWENTY / max(len(given) - 1, 1)
    chance = rows[0]["sample_ratio_p_value"]
    unequal = chance is not None and chance < UNEQUAL
    judged = [_significance(row, limit) for row in rows]
    highest = max((row["conversion_rate_high"] or 0 for row in rows), default=0)
    verdict, clear = _verdict(given, judged[: len(given)], event)
    return ExperimentResult(
        variants=tuple(_variant_result(row, sign, highest) for row, sign in zip(rows, judged, strict=True)),
        verdict="" if unequal and event else verdict,
        clear=clear and not unequal,
        warning=_(
            "The split between variants is not as configured. By chance that happens {chance}. "
            "Check for a redirect, an error in one variant, or a change of the flag in this "
            "range. Do not trust this result."
        ).format(chance=_seldom(chance))
        if unequal
        else "",
        notes=(*_not_given(rows), *_doubts(given, event), *_no_shares(rows[0]), *notes),
        control=figures.visible(control),
    )


def _significance(row: Row, limit: float) -> int:
    """The sign of a significant difference from the control's rate: 1 if higher, -1 if lower, else 0."""
    low, high, chance = row["difference_low"], row["difference_high"], row["p_value"]
    if low is None or chance is None or chance >= limit:
        return 0
    return 1 if low > 0 else -1 if high < 0 else 0


def _verdict(rows: Sequence[Row], judged: Sequence[int], event: str) -> tuple[str, bool]:
    if not rows:
        return _("No visitors received a variant."), False
    if len(rows) < 2:
        return _("All visitors received the same variant, so there is nothing to compare."), False
    if not event:
        return _("Select a success metric above to compare the variants."), False
    if not any(row["conversions"] for row in rows):
        return _("No visitor sent “{event}” after receiving a variant.").format(event=figures.visible(event)), False
    better = [row for row, sign in zip(rows, judged, strict=True) if sign > 0]
    worse = [row for row, sign in zip(rows, judged, strict=True) if sign < 0]
    if not better and not worse:
        return _(
            "No statistically significant difference so far. It may need more visitors, or there may be none."
        ), False
    row = max(better or worse, key=lambda one: one["difference"])
    ends = (row["difference_low"], row["difference_high"])
    low, high = sorted(abs(end) for end in ends)
    return (
        _(
            "“{variant}” converts better than “{control}” for “{event}”, by {low} to {high}. "
            "The difference is statistically significant."
        )
        if better
        else _(
            "“{variant}” converts worse than “{control}” for “{event}”, by {low} to {high}. "
            "The difference is statistically significant."
        )
    ).format(
        variant=figures.visible(row["variant"]),
        control=figures.visible(rows[0]["variant"]),
        event=figures.visible(event),
        low=_points(low),
        high=_points(high),
    ), True


def _not_given(rows: Sequence[Row]) -> list[str]:
    count = sum(row["visitors"] + row["mixed_visitors"] for row in rows if not row["is_given"])
    return (
        [
            ngettext(
                "1 visitor received no variant because the flag was off or the SDK received no "
                "answer. They are excluded from the comparison.",
                "{count} visitors received no variant because the flag was off or the SDK "
                "received no answer. They are excluded from the comparison.",
                count,
            ).format(count=figures.count(count))
        ]
        if count
        else []
    )


def _no_shares(row: Row) -> list[str]:
    """The reason why there are no expected shares to compare with."""
    found = NO_SHARES.get(row["expected_share_unknown"])
    return [] if found is None else [found]


def _doubts(rows: Sequence[Row], event: str) -> list[str]:
    """Further caveats about a result."""
    mixed = sum(row["mixed_visitors"] for row in rows)
    found = (
        [
            ngettext(
                "1 visitor received several variants and is excluded.",
                "{count} visitors received several variants and are excluded.",
                mixed,
            ).format(count=figures.count(mixed))
        ]
        if mixed
        else []
    )
    if not event or len(rows) < 2:
        return found
    few = any(row["visitors"] < _FEW_VISITORS or row["conversions"] < _FEW_CONVERSIONS for row in rows)
    if few:
        found.append(_("There are few visitors or events so far. The result can change quickly."))
    if len(rows) > 2:
        found.append(
            _(
                "With {count} variants, the threshold for significance is stricter, because one "
                "of many is more likely to look better by chance."
            ).format(count=figures.count(len(rows)))
        )
    return [
        *found,
        _(
            "Decide how long the experiment runs before you start it. Stopping at the first "
            "significant difference finds one by chance far more often than once in twenty "
            "times."
        ),
    ]


def _variant_result(row: Row, sign: int, highest: float) -> VariantResult:
    rate, low, high = row["conversion_rate"], row["conversion_rate_low"], row["conversion_rate_high"]
    known = rate is not None and low is not None
    said = {"rate": _percent(rate), "low": _percent(low), "high": _percent(high)} if known else {}
    differs = row["difference"] is not None
    return VariantResult(
        name=figures.visible(row["variant"]) if row["is_given"] else _("No variant"),
        is_control=row["is_control"],
        visitors=figures.count(row["visitors"]),
        share=_("{share} of visitors").format(share=_percent(row["share"])) if row["share"] is not None else "",
        expected=_("expected {share}").format(share=_percent(row["expected_share"]))
        if row["expected_share"] is not None
        else "",
        bar=figures.bar_width(row["share"] or 0, 100),
        conversions=figures.count(row["conversions"]) if row["conversions"] is not None else "–",
        rate=_percent(rate) if known else "–",
        interval=_("{low} to {high}").format(**said) if known else "",
        label=_("Rate {rate}, with 95 % between {low} and {high}").format(**said) if known else "",
        drawn=_rate_bar(rate, low, high, highest) if known else None,
        difference=_points(row["difference"], signed=True) if differs else "",
        judged=(_("Significant") if sign else _("Not significant")) if differs else "",
        tone={1: "good", -1: "bad"}.get(sign, ""),
    )


def _rate_bar(rate: float, low: float, high: float, highest: float) -> RateBar | None:
    """The rate on a scale that ends with the highest end of all intervals."""
    if not highest:
        return None
    start, end = (round(_WIDE * value / highest, 2) for value in (low, high))
    return RateBar(start, max(round(end - start, 2), 0.5), round(_WIDE * rate / highest, 2))


def _percent(value: float) -> str:
    return figures.percent(value)


def _points(value: float, *, signed: bool = False) -> str:
    number = f"{value:+.1f}" if signed else f"{value:.1f}"
    return _("{number} points").format(number=number.replace("-", figures.MINUS))


def _seldom(chance: float) -> str:
    """The frequency of a chance event, in words; the chance has four digits."""
    if chance < 0.0001:
        return _("less than once in {number} times").format(number=figures.count(10_000))
    return _("about once in {number} times").format(number=figures.count(1 / chance))
