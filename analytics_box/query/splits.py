"""In which shares flags give their variants: what the box knows of a flag beside what was counted of it."""

from typing import Literal, Protocol

from msgspec import Struct

# Why nobody can tell the shares: the box does not know the flag, something else than a draw by visitor decides, several
# environments have a flag with this key, or it gave other shares within the range than it does now.
Untold = Literal["unknown_flag", "not_by_chance", "environments", "changed"]


class Split(Struct, frozen=True):
    """The variants of a flag in its own order, and in percent how many visitors each of them is meant to get; no
    `weights` where that is `untold`. Of one that is `closed` nothing else is a variant."""

    variants: tuple[str, ...] = ()
    weights: tuple[float, ...] = ()
    closed: bool = False
    untold: Untold | None = None


UNKNOWN = Split(untold="unknown_flag")


class Splits(Protocol):
    """The flags of the box, for questions about exposures."""

    async def of(self, site: int, flag: str, start: int, end: int) -> Split | None:
        """Return the split of a website's visitors by this flag from `start` until `end` (UTC ms); None if the flag is
        unknown.
        """


class NoSplits:
    """A box that knows no flags."""

    async def of(self, site: int, flag: str, start: int, end: int) -> Split | None:
        """None of any."""
