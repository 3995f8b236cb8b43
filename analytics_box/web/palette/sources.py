"""The part that asks all rooms what they have for the palette."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from analytics_box.base.errors import BoxError
from analytics_box.web.call import Call
from analytics_box.web.palette.hit import PaletteHit, PaletteSearch

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
