"""Where an outage of a monitor can be told to the users of what it watches. Pure."""

from collections.abc import Callable, Sequence

from msgspec import Struct


class Report(Struct, frozen=True):
    """A way to tell: where it leads, what it says, and whether it is told already."""

    href: str
    label: str
    is_told: bool


class Reporting(Struct, frozen=True):
    """Told by whoever keeps status pages: the ways for a monitor, by its id and that of its organization."""

    of: Callable[[str, str], Sequence[Report]]
