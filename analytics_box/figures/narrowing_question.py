"""Filters of a page as those of a question (spec 2.7), and back. Pure."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from analytics_box.base.translation import _
from analytics_box.figures.narrowing import WITHOUT_VALUE, Match, Narrow, Narrowing, Op, join_parts
from analytics_box.query.filters import Op as WireOp
from analytics_box.query.happened import FIELDS, LIMITS, LOOKUPS, wrong_with
from analytics_box.query.named import GOAL
from analytics_box.query.patterns import NotAPattern, compile_pattern
from analytics_box.query.request import MAX_HAPPENED, MAX_PATTERN, MAX_PATTERNS, QueryFilterInput

WIRE_OPS: Final[Mapping[Op, WireOp]] = {
    "is": "in",
    "not": "not_in",
    "contains": "contains",
    "lacks": "not_contains",
    "starts": "starts_with",
    "ends": "ends_with",
    "matches": "regex",
    "set": "is_set",
    "unset": "is_not_set",
}
_OPS_OF_WIRE: Final[Mapping[str, Op]] = {**{wire: op for op, wire in WIRE_OPS.items()}, "eq": "is", "ne": "not"}


def question_filters(narrowing: Narrowing, goals: Collection[str] | None = None) -> list[QueryFilterInput]:
    """The question's filters, without those that cannot be asked for, as `problems` has them."""
    wrong = problems(narrowing, goals)
    parts = [[_question_filter(item) for item in part if item not in wrong] for part in narrowing.parts]
    if narrowing.match == "all":
        return [part[0] if len(part) == 1 else QueryFilterInput(any=part) for part in parts if part]
    ways = [part[0] if len(part) == 1 else QueryFilterInput(all=part) for part in parts if part]
    return [QueryFilterInput(any=ways)] if ways else []


def problems(narrowing: Narrowing, goals: Collection[str] | None = None) -> dict[Narrow, str]:
    """The filters that cannot be asked for, each with the reason. `goals` are the ids of those that are there, if that
    is known."""
    found: dict[Narrow, str] = {}
    patterns = happened = 0
    for item in narrowing.items:
        patterns += len(item.values) if item.op == "matches" else 0
        happened += len(item.values) * LOOKUPS[item.field] if item.field in LOOKUPS else item.field in FIELDS
        reason = _wrong(item, patterns, happened)
        if item.field == GOAL and goals is not None and not reason and not set(item.values) <= set(goals):
            reason = _("this goal no longer exists")
        if reason:
            found[item] = reason
    return found


def _wrong(item: Narrow, patterns: int, happened: int) -> str:
    """The reason why a filter cannot be queried; `patterns` and `happened` count the filters of these
    kinds up to it."""
    if item.op == "matches" and (reason := _wrong_pattern(item.values, patterns)):
        return reason
    if item.field in FIELDS and happened > MAX_HAPPENED:
        return _("use up to {most} session filters").format(most=MAX_HAPPENED)
    limits = LIMITS.get(item.field)
    if limits is None or not wrong_with(item.field, WIRE_OPS[item.op], item.values):
        return ""
    if limits.most:
        return _("enter a whole number from 1 to {most}, with “is”, “is not” or “is set”").format(
            most=f"{limits.most:,}"
        )
    return (
        _("this filter only supports “is” and “is not”")
        if item.field == GOAL
        else _("this filter only supports “is”, “is not” and “is set”")
    )


def _wrong_pattern(patterns: tuple[str, ...], counted: int) -> str:
    """The reason why these patterns cannot be queried; `counted` are they and those before them."""
    if counted > MAX_PATTERNS:
        return _("use up to {most} patterns").format(most=MAX_PATTERNS)
    if any(len(pattern) > MAX_PATTERN for pattern in patterns):
        return _("a pattern can have up to {most} characters").format(most=MAX_PATTERN)
    for pattern in patterns:
        try:
            compile_pattern(pattern)
        except NotAPattern as wrong:
            return _("invalid pattern ({reason})").format(reason=wrong)
    return ""


def _question_filter(item: Narrow) -> QueryFilterInput:
    if item.op in WITHOUT_VALUE:
        return QueryFilterInput(item.field, WIRE_OPS[item.op])
    value = item.is_exactly
    return (
        QueryFilterInput(item.field, "eq", value)
        if value is not None
        else QueryFilterInput(item.field, WIRE_OPS[item.op], [*item.values])
    )


def narrowing_of(given: Sequence[QueryFilterInput]) -> Narrowing | None:
    """The filters of a question as a page has them; None for what no page can show."""
    if len(given) == 1 and given[0].any is not None:
        return _of_parts(given[0].any, "any")
    return _of_parts(given, "all")


def _of_parts(given: Iterable[QueryFilterInput], match: Match) -> Narrowing | None:
    parts = []
    for item in given:
        inner = item.any if match == "all" else item.all
        narrows = [_narrow(one) for one in ([item] if inner is None else inner)]
        known = tuple(narrow for narrow in narrows if narrow is not None)
        if len(known) < len(narrows):
            return None
        parts.append(known)
    return join_parts(parts, match)


def _narrow(given: QueryFilterInput) -> Narrow | None:
    op = _OPS_OF_WIRE.get(given.op or "")
    if op is None or given.field is None:
        return None
    values = given.value if isinstance(given.value, list) else [] if given.value is None else [given.value]
    return Narrow(given.field, op, () if op in WITHOUT_VALUE else tuple(str(value) for value in values))
