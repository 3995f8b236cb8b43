"""Who waits for a backup may not want it any more: whatever takes long asks now and then whether to go on."""

from collections.abc import Callable

GoingOn = Callable[[], None]  # raises what ends it


def nobody_minds() -> None:
    """Go on."""
