"""In which shares flags give their variants: what the box knows of a flag beside what was counted of it."""

from collections.abc import Mapping
from typing import Protocol


class Splits(Protocol):
    """The flags of the box, as far as questions about exposures need them."""

    def of(self, site: int, flag: str) -> Mapping[str, float]:
        """The weights of this flag's variants, in its own order; empty where nobody knows them."""


class NoSplits:
    """A box that knows no flags."""

    def of(self, site: int, flag: str) -> Mapping[str, float]:
        """No weights."""
        return {}
