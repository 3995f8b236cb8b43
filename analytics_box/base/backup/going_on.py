"""Cancellation: long work asks now and then whether to go on, because its caller may no longer want the backup."""

from collections.abc import Callable

GoingOn = Callable[[], None]  # raises what ends it


def nobody_minds() -> None:
    """Go on."""
