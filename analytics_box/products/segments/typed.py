"""Filters of a segment as people read and type them: with the names of goals, not their ids."""

from collections import Counter
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from analytics_box.figures.converting import GoalTarget
from analytics_box.figures.narrowing import Narrowing, normal
from analytics_box.figures.values import Value, matching_values
from analytics_box.query.named_goals import FIELD


def by_name(filters: Narrowing, goals: Sequence[GoalTarget]) -> Narrowing:
    """The filters with a goal by its name where no other has that name."""
    named = Counter(goal.name.casefold() for goal in goals)
    shown = {goal.id: goal.name for goal in goals if goal.name.strip() and named[goal.name.casefold()] == 1}
    return _with_goals(filters, lambda value: (shown.get(value, value),))


def by_id(filters: Narrowing, goals: Sequence[GoalTarget]) -> Narrowing:
    """The filters with each goal by its id, which its name, in any case, stands for."""
    known = [Value(goal.id, goal.name) for goal in goals]
    return _with_goals(filters, lambda value: matching_values(known, value))


def _with_goals(filters: Narrowing, said: Callable[[str], tuple[str, ...]]) -> Narrowing:
    return normal(
        [
            replace(item, values=tuple(name for value in item.values for name in said(value)))
            if item.field == FIELD
            else item
            for item in filters.items
        ],
        filters.match,
    )
