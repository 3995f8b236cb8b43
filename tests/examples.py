"""How many examples a test draws: `pytest --hypothesis-profile thorough` draws twice as many, and others each time."""

from collections.abc import Iterable

from hypothesis import HealthCheck, settings

THOROUGH = "thorough"  # the name of the profile; conftest.py has both


def examples(number: int, *, anew: bool = False, unchecked: Iterable[HealthCheck] = ()) -> settings:
    """The settings of a test with so many examples in a thorough run, and half of them, the same ones each time, in any
    other. With `anew` these are others each time, too. `unchecked` are what Hypothesis need not complain of."""
    thorough = settings.get_current_profile_name() == THOROUGH
    return settings(
        max_examples=number if thorough else -(-number // 2),
        derandomize=not (thorough or anew),
        suppress_health_check=tuple(unchecked),
    )
