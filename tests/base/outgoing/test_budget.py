"""Memory for answers: bounded over all of them and for each group, and free again when whoever took it is done."""

from analytics_box.base.outgoing.messages import BodyBudget, Share


def test_a_budget_is_bounded_in_all_and_for_each_group() -> None:
    budget = BodyBudget(most=10, per_group=6)
    with Share(budget, "one") as first, Share(budget, "one") as second, Share(budget, "two") as third:
        assert (first.take(4), second.take(3), second.take(2), third.take(4)) == (True, False, True, True)
        assert not third.take(1)
        assert (first.is_short, second.is_short, third.is_short) == (False, True, True)
        assert budget.taken == 10
    assert budget.taken == 0
    with Share(budget, "one") as again:
        assert again.take(6)
