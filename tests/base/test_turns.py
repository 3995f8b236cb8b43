"""Room that is shared out: nobody is lost, no bound is passed, and groups come in turn."""

from collections import Counter
from random import Random

from analytics_box.base.turns import FairQueue


def test_groups_come_in_turn_and_each_has_its_share() -> None:
    turns: FairQueue[int] = FairQueue(6, 2)
    for number in range(9):
        turns.add("many", number)
    for group in ("few", "other"):
        turns.add(group, 100)
    assert [turns.next() for _ in range(5)] == [("many", 0), ("few", 100), ("other", 100), ("many", 1), None]


def test_a_group_has_more_than_its_share_while_half_of_the_room_is_free() -> None:
    turns: FairQueue[int] = FairQueue(6, 2)
    for number in range(9):
        turns.add("many", number)
    assert [turns.next() for _ in range(4)] == [("many", 0), ("many", 1), ("many", 2), None]
    turns.add("few", 100)
    assert (turns.next(), turns.next()) == (("few", 100), None)
    for group in ("many", "many", "few"):
        turns.leave(group)
    assert [turns.next() for _ in range(3)] == [("many", 3), ("many", 4), None]


def test_in_any_disorder_nothing_is_lost_and_no_bound_is_passed() -> None:
    chance, turns, inside = Random(7), FairQueue[int](8, 3), Counter[str]()
    came: list[int] = []
    for number in range(2_000):
        turns.add(chance.choice("aaaabc"), number)
        while (found := turns.next()) is not None:
            inside[found[0]] += 1
            came.append(found[1])
            assert turns.inside == inside.total() <= 8
            assert inside[found[0]] <= 4
        for group in [*inside.elements()]:
            if chance.random() < 0.5:
                inside[group] -= 1
                turns.leave(group)
    while turns:
        while (found := turns.next()) is not None:
            inside[found[0]] += 1
            came.append(found[1])
        group = next(inside.elements())
        inside[group] -= 1
        turns.leave(group)
    assert sorted(came) == [*range(2_000)]
