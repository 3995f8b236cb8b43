"""Stacks as they are shown: their frames with the original places, if the website has source maps."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from analytics_box.base import figures
from analytics_box.base.cache import BoundedCache
from analytics_box.ingest.fingerprints import FRAME
from analytics_box.products.source_maps import source_map
from analytics_box.products.source_maps.mappings import (
    OriginalPosition,
    Place,
    Stack,
    StackLine,
    find_positions,
    shown_path,
)
from analytics_box.query.catalog.types import Record
from analytics_box.web.call import Call

MOST_LINES: Final = 30
_MOST_SCRIPTS: Final = 8
# The most stacks of a page whose original places are looked up.
_MOST_STACKS: Final = 20
_MOST_KEPT: Final = 4_000


class OriginalPlaces:
    """The original positions of the last frames that were looked up. Maps are read one at a time, in
    their `turn`, because a large one takes seconds and a hundred megabytes."""

    def __init__(self) -> None:
        self._found: BoundedCache[tuple[str, Place], OriginalPosition | Place] = BoundedCache(_MOST_KEPT)
        self.turn = asyncio.Semaphore(1)

    async def find(self, call: Call, map_id: str, places: Sequence[Place]) -> Mapping[Place, OriginalPosition]:
        """The positions of places in the script of a map; places that it does not have are left out."""
        if any(self._found.get((map_id, place)) is None for place in places):
            async with self.turn:
                packed = await call.read(lambda db: source_map.content_of(db, map_id))
                known = {} if packed is None else await asyncio.to_thread(find_positions, packed, places)
            for place in places:
                self._found.put((map_id, place), known.get(place, place))
        found = {place: self._found.get((map_id, place)) for place in places}
        return {place: one for place, one in found.items() if isinstance(one, OriginalPosition)}


async def original_stack(call: Call, website_id: str, release: str, stack: str) -> Stack:
    """The lines of a stack, those that a source map knows with their original places."""
    lines = stack.splitlines()[:MOST_LINES]
    frames = [FRAME.match(line.strip()) for line in lines]
    scripts = list(dict.fromkeys(frame["script"] for frame in frames if frame and frame["column"]))[:_MOST_SCRIPTS]
    maps = await call.read(lambda db: source_map.find_maps(db, website_id, release, scripts)) if scripts else {}
    places = {
        script: {
            number: (int(frame["line"]) - 1, int(frame["column"]) - 1)
            for number, frame in enumerate(frames)
            if frame and frame["column"] and frame["script"] == script
        }
        for script in maps
    }
    found: dict[int, OriginalPosition] = {}
    for script, map_id in maps.items():
        known = await call.parts[OriginalPlaces].find(call, map_id, [*places[script].values()])
        found |= {number: known[place] for number, place in places[script].items() if place in known}
    shown = []
    for number, line in enumerate(lines):
        frame, position = frames[number], found.get(number)
        if frame is None or position is None:
            shown.append(StackLine(figures.visible(line)))
            continue
        # The frame below has the name by which it calls the function.
        caller = found.get(number + 1)
        name = (caller.name if caller else "") if frame["name"] else ""
        name = name or (frame["name"] or "").strip()
        path = shown_path(position.source)
        place = f"{path}:{position.line}:{position.column}"
        text = f"at {name} ({place})" if name else f"at {place}"
        shown.append(StackLine(figures.visible(text), figures.visible(line), "node_modules/" not in path))
    return tuple(shown)


async def original_stacks(call: Call, website_id: str, rows: Iterable[Record]) -> dict[tuple[str, str], Stack]:
    """The lines of the stacks of errors, by release and stack; of many only the first are looked up."""
    wanted = list(dict.fromkeys((row["release"], row["stack"] or "") for row in rows))
    known = {one: await original_stack(call, website_id, *one) for one in wanted[:_MOST_STACKS]}
    return known | {one: tuple(map(StackLine, one[1].splitlines()[:MOST_LINES])) for one in wanted[_MOST_STACKS:]}
