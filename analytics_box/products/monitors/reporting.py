"""Places in which an outage of a monitor can be announced to users, such as a status page. Pure."""

from collections.abc import Callable, Sequence

from msgspec import Struct


class OutageReport(Struct, frozen=True):
    """A way to tell: where it leads, what it says, and whether it is told already."""

    href: str
    label: str
    is_told: bool


class Reporting(Struct, frozen=True):
    """Told by anyone who keeps status pages: the ways for a monitor, by its id and that of its organization."""

    of: Callable[[str, str], Sequence[OutageReport]]
