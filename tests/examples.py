"""How much a test asks: a thorough run (`pytest --hypothesis-profile thorough`) all of it, any other a part."""

from collections.abc import Iterable, Sequence
from random import Random
from typing import TypeVar

from hypothesis import HealthCheck, settings

THOROUGH = "thorough"  # the name of the profile; conftest.py has both

T = TypeVar("T")


def is_thorough() -> bool:
    """Whether this run asks everything."""
    return settings.get_current_profile_name() == THOROUGH


def some(rows: Iterable[T], number: int) -> Sequence[T]:
    """Of a long table: all its rows in a thorough run, and in any other so many, drawn once for all runs."""
    table = tuple(rows)
    if is_thorough() or len(table) <= number:
        return table
    drawn = Random(number).sample(range(len(table)), number)
    return tuple(table[place] for place in sorted(drawn))


def examples(number: int, *, anew: bool = False, unchecked: Iterable[HealthCheck] = ()) -> settings:
    """The settings of a test with so many examples in a thorough run, and a quarter of them, the same each time, in any
    other. With `anew` these are others each time, too. `unchecked` are what Hypothesis need not complain of."""
    thorough = is_thorough()
    return settings(
        max_examples=number if thorough else -(-number // 4),
        derandomize=not (thorough or anew),
        suppress_health_check=tuple(unchecked),
    )
