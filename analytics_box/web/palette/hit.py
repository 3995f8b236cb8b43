"""Hits of the palette, how they match, and the part that asks all rooms for them."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Literal

from msgspec import Struct

from analytics_box.base.errors import BoxError
from analytics_box.web.call import Call

Kind = Literal[
    "here",
    "website",
    "goal",
    "funnel",
    "report",
    "segment",
    "question",
    "link",
    "monitor",
    "status",
    "flag",
    "page",
    "action",
    "manual",
]
KINDS: Final[tuple[Kind, ...]] = Kind.__args__  # type: ignore[attr-defined]  # the arguments of a Literal
LONGEST: Final = 100  # characters of a question


class PaletteHit(Struct, frozen=True):
    """Something to go to. `detail` is next to the label and is searched as well."""

    kind: Kind
    label: str
    href: str
    icon: str
    detail: str = ""


class PaletteSearch(Struct, frozen=True):
    """A search: its words, casefolded; without words everything matches. `here` is the path of the current page, `most`
    the number of hits of each kind.
    """

    words: tuple[str, ...]
    here: str = ""
    most: int = 6

    def fits(self, *texts: str) -> bool:
        """Whether each word is in one of these texts."""
        folded = " ".join(texts).casefold()
        return all(word in folded for word in self.words)

    def rank(self, hit: PaletteHit) -> int:
        """The rank of a hit; lower is better: its beginning, beginnings of its words, anywhere in it, its detail."""
        label = hit.label.casefold()
        if label.startswith(" ".join(self.words)):
            return 0
        beginnings = label.replace("-", " ").replace("/", " ").replace(".", " ").split()
        if all(any(one.startswith(word) for one in beginnings) for word in self.words):
            return 1
        return 2 if all(word in label for word in self.words) else 3


def palette_search(asked: str, here: str = "", most: int = 6) -> PaletteSearch:
    """The search for these words."""
    return PaletteSearch(tuple(asked[:LONGEST].casefold().split()), here[:LONGEST], most)


def best(hits: Sequence[PaletteHit], asked: PaletteSearch) -> list[tuple[Kind, list[PaletteHit]]]:
    """The best hits of each kind, at most so many; the kind with the best hit first, else in the order of KINDS."""
    found: list[tuple[int, Kind, list[PaletteHit]]] = []
    for kind in KINDS:
        own = sorted((hit for hit in hits if hit.kind == kind), key=asked.rank)  # equal ones stay as sources had them
        if own:
            found.append((asked.rank(own[0]) if asked.words else 0, kind, own[: asked.most]))
    return [(kind, own) for _, kind, own in sorted(found, key=lambda one: one[0])]


log = logging.getLogger(__name__)

# What a room has that fits, of the person's organization and in their reach, in its own order. It may be more than is
# shown, and it must be quick: it is asked with each letter that is typed.
Source = Callable[[Call, PaletteSearch], Awaitable[Sequence[PaletteHit]]]


class PaletteSources:
    """All sources, in any order."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = tuple(sources)

    async def find(self, call: Call, asked: PaletteSearch) -> list[PaletteHit]:
        """The hits of all rooms; a room that fails is left out."""
        answers = await asyncio.gather(*(source(call, asked) for source in self._sources), return_exceptions=True)
        found: list[PaletteHit] = []
        for answer in answers:
            if isinstance(answer, BoxError):
                log.warning("A source of the palette failed: %s", answer.message)
            elif isinstance(answer, BaseException):
                raise answer
            else:
                found += answer
        return found
