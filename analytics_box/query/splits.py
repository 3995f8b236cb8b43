"""In which shares flags give their variants: what the box knows of a flag beside what was counted of it."""

from typing import Protocol

from msgspec import Struct


class Split(Struct, frozen=True):
    """The variants of a flag in its own order, and in percent how many visitors each of them is meant to get; no
    `weights` where that cannot be told."""

    variants: tuple[str, ...] = ()
    weights: tuple[float, ...] = ()


class Splits(Protocol):
    """The flags of the box, as far as questions about exposures need them."""

    def of(self, site: int, flag: str) -> Split | None:
        """How this flag of a website splits its visitors; None where the box does not know it."""


class NoSplits:
    """A box that knows no flags."""

    def of(self, site: int, flag: str) -> Split | None:
        """None of any."""
