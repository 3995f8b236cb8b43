"""Source maps: what is kept of an uploaded one, and the original positions of places in a script. Pure.

Positions are found in one pass over the mappings, which keeps nothing but the wanted ones, so that memory is
bounded by the text of a map. sourcesContent is dropped, so that the box has no source code.
"""

import zlib
from collections.abc import Collection, Iterator
from typing import Final

import msgspec
from msgspec import Raw, Struct

from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _

# The most bytes of an uploaded map.
MOST_MAP_BYTES: Final = 12_000_000
_MOST_SECTIONS: Final = 1_000
_MOST_SOURCES: Final = 50_000
_MOST_NAMES: Final = 300_000
_MOST_LINES: Final = 500_000
_MOST_VALUE: Final = 2**31
# Five numbers below _MOST_VALUE have fewer characters.
_LONGEST_SEGMENT: Final = 40
# Characters of a line that are split at the same time.
_PIECE: Final = 65_536
_KNOWN_SEGMENTS: Final = 20_000
# The most parts of a path that are compared.
_MOST_PARTS: Final = 12
_DIGITS: Final = {
    digit: value for value, digit in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
}

# A line and a column, from 0.
Place = tuple[int, int]


class StackLine(Struct, frozen=True):
    """A line of a stack. `bundled` is the line as the browser sent it, if `text` has the original place. Frames of
    dependencies are not `own`."""

    text: str
    bundled: str = ""
    own: bool = True


Stack = tuple[StackLine, ...]


class OriginalPosition(Struct, frozen=True):
    """A place in the source code: line from 1, column from 1, and the name that the script has there, or none."""

    source: str
    line: int
    column: int
    name: str


class _SectionStart(Struct, frozen=True):
    """The place in the script at which a section begins."""

    line: int
    column: int


class _PlainMap(Struct, frozen=True, rename="camel"):
    """A source map without sections. Lists stay text until their number of values is known."""

    version: int
    mappings: str
    sources: Raw
    names: Raw = Raw(b"[]")
    source_root: str | None = None


class _Section(Struct, frozen=True):
    """A section of an index map."""

    offset: _SectionStart
    map: _PlainMap


class _IndexMap(Struct, frozen=True):
    """A source map that consists of those of the parts of a script."""

    version: int
    sections: list[_Section]


class _MapKind(Struct, frozen=True):
    """Whether a map has sections."""

    sections: Raw = Raw()


class MapPart(Struct, frozen=True, array_like=True):
    """A part of a stored map, which begins at this place of the script."""

    line: int
    column: int
    sources: list[str | None]
    names: list[str]
    mappings: str


_SOURCES: Final = msgspec.json.Decoder(list[str | None])
_NAMES: Final = msgspec.json.Decoder(list[str])
_UNREADABLE: Final = _("This is not a source map of version 3")
_TOO_COMPLEX: Final = _("This source map is too large")


def pack(content: bytes) -> bytes:
    """An uploaded map as it is stored. Raises BadRequest for one that cannot be read. Takes up to seconds."""
    try:
        parts = _parts(content.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as broken:
        raise BadRequest(_UNREADABLE) from broken
    for part in parts:
        _positions(part, (), _MOST_LINES)
    return zlib.compress(msgspec.json.encode(parts), 6)


def find_positions(packed: bytes, places: Collection[Place]) -> dict[Place, OriginalPosition]:
    """The original positions of places in a script by its stored map. Places that come from no source are left out.

    Takes up to seconds.
    """
    parts = msgspec.json.decode(zlib.decompress(packed), type=list[MapPart])
    found: dict[Place, OriginalPosition] = {}
    for number, part in enumerate(parts):
        start = part.line, part.column
        end = (parts[number + 1].line, parts[number + 1].column) if number + 1 < len(parts) else (_MOST_VALUE, 0)
        wanted = {
            (line - part.line, column - (part.column if line == part.line else 0)): (line, column)
            for line, column in places
            if start <= (line, column) < end
        }
        if wanted:
            positions = _positions(part, wanted, max(line for line, _column in wanted))
            found |= {wanted[place]: position for place, position in positions.items()}
    return found


def _parts(content: bytes) -> list[MapPart]:
    if not bytes(msgspec.json.decode(content, type=_MapKind).sections):
        return [_part(_SectionStart(0, 0), msgspec.json.decode(content, type=_PlainMap))]
    index = msgspec.json.decode(content, type=_IndexMap)
    starts = [(one.offset.line, one.offset.column) for one in index.sections]
    if index.version != 3 or starts != sorted(starts) or any(min(start) < 0 for start in starts):
        raise BadRequest(_UNREADABLE)
    if len(starts) > _MOST_SECTIONS:
        raise BadRequest(_TOO_COMPLEX)
    return [_part(one.offset, one.map) for one in index.sections]


def _part(start: _SectionStart, given: _PlainMap) -> MapPart:
    if given.version != 3:
        raise BadRequest(_UNREADABLE)
    # Commas are counted before there is an object for each value.
    sources, names = bytes(given.sources), bytes(given.names)
    if (
        sources.count(b",") > _MOST_SOURCES
        or names.count(b",") > _MOST_NAMES
        or given.mappings.count(";") > _MOST_LINES
    ):
        raise BadRequest(_TOO_COMPLEX)
    root = (given.source_root or "").rstrip("/")
    paths = [f"{root}/{path}" if root and path is not None else path for path in _SOURCES.decode(sources)]
    return MapPart(start.line, start.column, paths, _NAMES.decode(names), given.mappings)


def _positions(part: MapPart, wanted: Collection[Place], last_line: int) -> dict[Place, OriginalPosition]:
    """The positions of places that count from the begin of a part. Raises BadRequest for broken mappings."""
    columns: dict[int, list[Place]] = {}
    for place in sorted(wanted, reverse=True):
        columns.setdefault(place[0], []).append(place)
    found: dict[Place, OriginalPosition] = {}
    known: dict[str, tuple[int, ...]] = {}
    source = line = column = name = 0
    for number, text in enumerate(part.mappings.split(";", last_line + 1)[: last_line + 1]):
        open_places, generated = columns.get(number, []), 0
        here: OriginalPosition | None = None
        for segment in _segments(text):
            fields = known.get(segment)
            if fields is None:
                fields = _numbers(segment)
                if len(known) < _KNOWN_SEGMENTS:
                    known[segment] = fields
            generated += fields[0]
            while open_places and open_places[-1][1] < generated:
                place = open_places.pop()
                if here is not None:
                    found[place] = here
            size = len(fields)
            if size > 1:
                source, line, column = source + fields[1], line + fields[2], column + fields[3]
                if size > 4:
                    name += fields[4]
            if open_places:
                here = _position(part, (source, line, column), name if size > 4 else -1) if size > 1 else None
        if here is not None:
            found |= dict.fromkeys(open_places, here)
    return found


def _position(part: MapPart, original: tuple[int, int, int], name: int) -> OriginalPosition | None:
    source, line, column = original
    path = part.sources[source] if 0 <= source < len(part.sources) else None
    if path is None or line < 0 or column < 0:
        return None
    return OriginalPosition(path, line + 1, column + 1, part.names[name] if 0 <= name < len(part.names) else "")


def _segments(line: str) -> Iterator[str]:
    """The segments of a line, of which only a piece is split at a time."""
    start = 0
    while start < len(line):
        end = line.find(",", start + _PIECE)
        end = len(line) if end < 0 else end
        yield from (segment for segment in line[start:end].split(",") if segment)
        start = end + 1


def _numbers(segment: str) -> tuple[int, ...]:
    """The numbers of a segment, which are base 64 VLQ. Raises BadRequest."""
    if len(segment) > _LONGEST_SEGMENT:
        raise BadRequest(_UNREADABLE)
    numbers: list[int] = []
    value = shift = 0
    for digit in segment:
        bits = _DIGITS.get(digit)
        if bits is None or shift > 30:
            raise BadRequest(_UNREADABLE)
        value |= (bits & 31) << shift
        shift += 5
        if bits < 32:
            numbers.append(-(value >> 1) if value & 1 else value >> 1)
            value = shift = 0
    if shift or len(numbers) not in {1, 4, 5}:
        raise BadRequest(_UNREADABLE)
    return tuple(numbers)


def shown_path(source: str) -> str:
    """The path of a source file without what bundlers put in front of it."""
    path = source.partition("?")[0]
    if "://" in path:
        path = path.partition("://")[2].partition("/")[2]
    while path.startswith(("./", "../", "/")):
        path = path.partition("/")[2]
    return path or source


def suffixes(script: str) -> Iterator[str]:
    """The names that a script can have in an upload, from its whole path to its file name."""
    parts = shown_path(script.partition("#")[0]).split("/")[-_MOST_PARTS:]
    return ("/".join(parts[start:]) for start in range(len(parts)))
