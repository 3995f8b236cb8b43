"""Everything that makes a definition invalid."""

from collections.abc import Iterable

from analytics_box.errors import Detail
from analytics_box.flags.flag import Definition, Flag, TargetGroup


def faults(key: str, definition: Definition, others: Iterable[Flag], groups: Iterable[TargetGroup]) -> list[Detail]:
    """What is wrong."""
    return []


def group_faults(group: TargetGroup, others: Iterable[TargetGroup]) -> list[Detail]:
    """What is wrong with the rules of a target group."""
    return []
