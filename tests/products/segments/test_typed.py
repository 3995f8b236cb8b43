"""Filters of a segment as people read and type them."""

from analytics_box.figures.converting import GoalTarget
from analytics_box.figures.narrowing import Narrow, Narrowing
from analytics_box.products.segments.pages import by_id, by_name

GOALS = [GoalTarget("g1", "Signed up"), GoalTarget("g2", "Bought"), GoalTarget("g3", "Bought"), GoalTarget("g4", "")]
PLAIN = Narrow("country", values=("g1",))


def reached(*values: str) -> Narrowing:
    return Narrowing((PLAIN, Narrow("reached_goal", "not", values)))


def test_goals_are_shown_by_the_names_that_only_they_have() -> None:
    assert by_name(reached("g1", "g2", "g4", "gone"), GOALS) == reached("Signed up", "g2", "g4", "gone")


def test_a_name_in_any_case_is_the_goal_and_one_of_several_all_of_them() -> None:
    assert by_id(reached("signed UP", "g2"), GOALS) == reached("g1", "g2")
    assert by_id(reached("Bought", "nothing"), GOALS) == reached("g2", "g3", "nothing")
