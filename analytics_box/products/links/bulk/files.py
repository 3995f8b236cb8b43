"""The text of a file of links as records, one after the other.

However a file is made, reading it takes no more than its text, one row and what came of the rows before it: rows are
counted while they are read, and none may be longer than MOST_CHARACTERS.
"""

import codecs
import csv
import json
import re
from collections.abc import Iterator
from typing import Any, Final, Literal, NamedTuple

import msgspec

from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _
from analytics_box.products.links.bulk import cells
from analytics_box.products.links.bulk.cells import MOST_ROWS
from analytics_box.products.links.bulk.exports import COLUMNS
from analytics_box.products.links.bulk.services import Service, service_of

Form = Literal["csv", "json"]

MOST_COLUMNS: Final = 200
MOST_CHARACTERS: Final = 1_000_000  # of one row, as it is written in the file
csv.field_size_limit(MOST_CHARACTERS)  # of a cell, for this process, in which nothing else reads CSV

_SEPARATORS: Final = ",;\t"  # what Excel writes depends on the country; a table that is copied has tabs
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)?")
_BLANK = re.compile(r"\s*")
_NAMED_SEPARATOR = re.compile(r'"?sep=([,;|\t])"?\s*\Z', re.IGNORECASE)
_BETWEEN_WORDS = re.compile(r"[\s_-]+")
_MEANINGS: Final = {name.lower(): name for name in (*COLUMNS, "password")} | {
    "url": "targetUrl",
    "target": "targetUrl",
    "longurl": "targetUrl",
    "destination": "targetUrl",
    "destinationurl": "targetUrl",
    "title": "name",
    "shortlink": "shortUrl",
    "bitlink": "shortUrl",
    "shortcode": "slug",
    "backhalf": "slug",
    "custombackhalf": "slug",
    "alias": "slug",
    "slashtag": "slug",
    "originalurl": "targetUrl",
}
_WINDOWS: Final = (16_384, 131_072, MOST_CHARACTERS)  # of text in which the end of a JSON value is looked for
_DECODER: Final = json.JSONDecoder(strict=False, parse_int=str, parse_float=str)  # only finds where values end
_QUOTES: Final = "A quotation mark is not closed. Put a cell that contains one in quotation marks and double it inside"
_OF_ADDRESS = re.compile(r"short(?:ened)?(?:url|link|code|address|path|id)|slug|alias|backhalf|bitlink")
_UNKNOWN_ADDRESS: Final = (
    "The column {heading} seems to contain short URLs, but its name is unknown: "
    "rename it to slug or shortUrl, or remove it"
)
_NOTHING: Final = "The file contains no links"
_NO_LIST: Final = "A JSON file of links is a list of objects, like [{…}, {…}]"
_LISTS: Final = frozenset(("links", "shortUrls", "data", "result"))  # in which answers of other services have links
_NUMBERED = re.compile(r"link_\d{1,9}\Z")  # how YOURLS calls them
_DEEPEST: Final = 3  # of objects around a list
_MOST_AROUND: Final = 1_000  # members of these that are passed over
_NO_OBJECT: Final = 'A link is an object, like {"targetUrl": "https://example.com/"}'


def utf8(sent: bytes) -> bytes:
    """A file as UTF-8; some programs write UTF-16, with a mark at its beginning. Raises UnicodeDecodeError."""
    if sent.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return sent.decode("utf-16").encode()
    sent.decode("utf-8")
    return sent


class LinkRecord(NamedTuple):
    """A row by the names of its fields, or why it cannot be read. One of a `service` has the service's own names.

    Rows are counted from 1, below the heading. A sheet counts blank ones too, as spreadsheets do.
    """

    number: int
    fields: dict[str, Any]
    wrong: str = ""
    service: Service | None = None


class LinkSheet:
    """A sheet being read: its records, and the unknown headings so far, which are skipped."""

    def __init__(self, content: str, form: Form) -> None:
        self.ignored: list[str] = []
        start = 1 if content.startswith("\ufeff") else 0
        self._records = self._json(content, start) if form == "json" else self._csv(content, start)

    def __iter__(self) -> Iterator[LinkRecord]:
        """Raises BadRequest for what is no file of links."""
        count = 0
        for record in self._records:
            count += 1
            if count > MOST_ROWS:
                raise BadRequest(_("A file can have up to {most:,} links. Split it").format(most=MOST_ROWS))
            yield record
        if not count:
            raise BadRequest(_NOTHING)

    def _csv(self, text: str, start: int) -> Iterator[LinkRecord]:
        if text.startswith(("[", "{"), start):
            raise BadRequest(_("The file looks like JSON. Set `format` to json"))
        start, separator = _separator(text, start)
        lines = _Lines(text, start, separator)
        reader = csv.reader(lines, delimiter=separator, strict=True)
        try:
            headings = next(reader, None)
        except csv.Error as broken:
            raise BadRequest(_("The first line cannot be read. {quotes}").format(quotes=_QUOTES)) from broken
        if headings is None:
            return
        service = service_of([_plain_name(heading) for heading in headings])
        names = self._names(headings, service)
        blank = [place for place, heading in enumerate(headings) if not heading.strip()]
        lines.number = 0
        while True:
            lines.between = True
            try:
                found = next(reader, None)
            except csv.Error:
                yield LinkRecord(lines.number, {}, _QUOTES)
                continue
            if found is None:
                return
            if not any(cell.strip() for cell in found):
                continue
            if extra := next((place for place in range(len(names), len(found)) if found[place].strip()), 0):
                yield LinkRecord(
                    lines.number, {}, f"Cell {extra + 1} has no heading; a cell with {separator!r} is quoted"
                )
                continue
            for place in [place for place in blank if place < len(found) and found[place].strip()]:
                blank.remove(place)
                self.ignored.append(f"column {place + 1}")
            fields = {name: cells.plain(cell) for name, cell in zip(names, found, strict=False) if name}
            yield LinkRecord(lines.number, fields, service=service)

    def _json(self, text: str, start: int) -> Iterator[LinkRecord]:
        """The objects of a file; those of a service by its own names, as a sheet has them."""
        ignored = dict.fromkeys(self.ignored)
        for record in _Objects(text, start):
            service = service_of([_plain_name(name) for name in record.fields])
            if service is None:
                yield record
                continue
            fields = {_plain_name(name): value for name, value in record.fields.items()}
            for name, value in record.fields.items():
                if len(ignored) < MOST_COLUMNS and service.ignores(_plain_name(name), value) and name not in ignored:
                    ignored[name] = None
                    self.ignored.append(_short(name))
            yield record._replace(fields=fields, service=service)

    def _names(self, headings: list[str], service: Service | None) -> list[str]:
        """The field that each column is, in the words of the service. Raises BadRequest if that is not clear."""
        if len(headings) > MOST_COLUMNS:
            raise BadRequest(
                _("A file can have up to {most} columns. This one has {count:,}").format(
                    most=MOST_COLUMNS, count=len(headings)
                )
            )
        names = [_meaning(heading) if service is None else _plain_name(heading) for heading in headings]
        for name in set(names) - {""}:
            if names.count(name) > 1:
                same = " and ".join(_short(each) for each, its in zip(headings, names, strict=True) if its == name)
                raise BadRequest(_("Two columns are {name}: {same}. Remove one of them").format(name=name, same=same))
        if service is not None:
            self.ignored += [
                _short(heading) for heading, name in zip(headings, names, strict=True) if name and service.ignores(name)
            ]
            return names
        if "targetUrl" not in names:
            there = ", ".join(_short(heading) for heading in headings[:20]) or "nothing"
            raise BadRequest(
                _("The first line must name the columns, including targetUrl. It has {there}").format(there=there)
            )
        unknown = [heading for heading in headings if heading.strip() and not _meaning(heading)]
        address = next((heading for heading in unknown if _OF_ADDRESS.search(_plain_name(heading))), "")
        if address and not {"slug", "shortUrl"} & set(names):
            raise BadRequest(_UNKNOWN_ADDRESS.format(heading=_short(address)))
        self.ignored += map(_short, unknown)
        return names


class _Lines:
    """The lines of a text for csv.reader, one at a time. Blank lines between two rows are skipped.

    `number` is that of the row which is being read; the reader says when it is `between` two rows.
    """

    def __init__(self, text: str, start: int, separator: str) -> None:
        self.number = -1  # the heading is row 0
        self.between = True
        self._text = text
        self._place = self._began = start
        self._blank = re.compile(rf"[\s{separator}]*")

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        if self.between:
            self._pass_blank_lines()
            self._began = self._place
            self.between = False
            self.number += 1
        end = _end(_LINE, self._text, self._place)
        if end == self._place:
            raise StopIteration
        if end - self._began > MOST_CHARACTERS:
            row = f"Row {self.number}" if self.number > 0 else "The first line"
            raise BadRequest(
                _("{row} is longer than {most:,} characters. A quotation mark may be missing").format(
                    row=row, most=MOST_CHARACTERS
                )
            )
        line = self._text[self._place : end]
        self._place = end
        return line

    def _pass_blank_lines(self) -> None:
        text, start = self._text, self._place
        end = _end(self._blank, text, start)
        if end < len(text):  # the row itself may begin with blank cells
            end = max(start, text.rfind("\n", start, end) + 1, text.rfind("\r", start, end) + 1)
        breaks = text.count("\n", start, end) + text.count("\r", start, end) - text.count("\r\n", start, end)
        self.number += breaks
        self._place = end


def _separator(text: str, start: int) -> tuple[int, str]:
    """The start of the heading and its separator: the one that yields the most known columns."""
    start = _end(_BLANK, text, start)
    end = _end(_LINE, text, start)
    first = text[start : min(end, start + _WINDOWS[0])]
    if named := _NAMED_SEPARATOR.match(first):  # Excel's own line, which only says this
        return end, named[1]
    if "\0" in first:
        raise BadRequest(_("The file is not UTF-8 text. Save it as CSV UTF-8"))

    def known(separator: str) -> int:
        names = [name.strip().strip('"') for name in first.split(separator)]
        return sum(bool(_meaning(name)) for name in names) + 10 * bool(service_of(list(map(_plain_name, names))))

    return start, max(_SEPARATORS, key=known)


def _meaning(heading: str) -> str:
    """The field that a heading means, however it is spelled; empty for none."""
    return _MEANINGS.get(_plain_name(heading), "")


def _plain_name(heading: str) -> str:
    """A heading in its one spelling; empty for one that is too long."""
    return _BETWEEN_WORDS.sub("", heading).lower() if len(heading) < 100 else ""


def _short(heading: str) -> str:
    return heading.strip()[:40]


class _Objects:
    """The objects of a JSON file, one at a time: of a list, or of a list inside the answer of another service."""

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self._place = start
        self._number = 0
        self._passed = 0
        self._is_list = False

    def __iter__(self) -> Iterator[LinkRecord]:
        """Raises BadRequest for what is no JSON, and for JSON without a list of links."""
        self._pass_blank()
        if self._text.startswith("{", self._place):
            yield from self._inside(1)
        elif self._text.startswith("[", self._place):
            yield from self._list()
        elif self._place == len(self._text):
            raise BadRequest(_NOTHING)
        if not self._is_list:
            raise BadRequest(_NO_LIST)
        self._pass_blank()
        if self._place < len(self._text):
            raise self._broken()

    def _list(self) -> Iterator[LinkRecord]:
        self._is_list = True
        for _member in self._members("]"):
            yield self._row()

    def _inside(self, depth: int) -> Iterator[LinkRecord]:
        """The lists of links in an object; everything else in it is passed over."""
        for _member in self._members("}"):
            name = self._name()
            if name in _LISTS and self._text.startswith("[", self._place):
                yield from self._list()
            elif name in _LISTS and depth < _DEEPEST and self._text.startswith("{", self._place):
                yield from self._inside(depth + 1)
            elif depth > 1 and _NUMBERED.match(name) and self._text.startswith("{", self._place):
                self._is_list = True
                yield self._row()
            else:
                self._passed += 1
                if self._passed > _MOST_AROUND:
                    raise BadRequest(_NO_LIST)
                self._pass_value()

    def _members(self, end: str) -> Iterator[None]:
        """Stop before each member of what begins here, and after its end."""
        self._place = _end(_BLANK, self._text, self._place + 1)
        is_first = True
        while not (is_first and self._text.startswith(end, self._place)):
            is_first = False
            yield
            self._pass_blank()
            if not self._text.startswith(",", self._place):
                break
            self._place = _end(_BLANK, self._text, self._place + 1)
        if not self._text.startswith(end, self._place):
            raise self._broken()
        self._place += 1

    def _name(self) -> str:
        begin = self._place
        self._pass_value()
        name = self._text[begin : self._place]
        self._pass_blank()
        if not name.startswith('"') or not self._text.startswith(":", self._place):
            raise self._broken()
        self._place = _end(_BLANK, self._text, self._place + 1)
        return name[1:-1]

    def _row(self) -> LinkRecord:
        self._number += 1
        begin = self._place
        self._pass_value()
        return _object(self._number, self._text[begin : self._place])

    def _pass_value(self) -> None:
        self._place = _end_of_value(self._text, self._place, self._number)

    def _pass_blank(self) -> None:
        self._place = _end(_BLANK, self._text, self._place)

    def _broken(self) -> BadRequest:
        return _unreadable(self._text, self._place, self._number)


def _object(number: int, text: str) -> LinkRecord:
    try:
        return LinkRecord(number, msgspec.json.decode(text, type=dict[str, Any]))
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
        return LinkRecord(number, {}, _NO_OBJECT)


def _end_of_value(text: str, place: int, number: int) -> int:
    """The end of the JSON value that begins here. Raises BadRequest."""
    wrong = place
    for size in _WINDOWS:
        window = text[place : place + size]
        is_rest = place + size >= len(text)
        try:
            _value, end = _DECODER.raw_decode(window)
        except RecursionError as deep:
            raise BadRequest(_("Row {number} is nested too deeply").format(number=number)) from deep
        except json.JSONDecodeError as broken:
            wrong = place + broken.pos
            if is_rest:
                break
        else:
            if is_rest or end < len(window):
                return place + end
    else:
        raise BadRequest(
            _("Row {number} is longer than {most:,} characters, or not valid JSON from {at} on").format(
                number=number, most=MOST_CHARACTERS, at=_at(text, wrong)
            )
        )
    raise _unreadable(text, wrong, number)


def _unreadable(text: str, place: int, number: int) -> BadRequest:
    return BadRequest(
        _("The file is not valid JSON from {at} on, in or after row {number}").format(
            at=_at(text, place), number=number
        )
    )


def _at(text: str, place: int) -> str:
    before = text.count("\n", 0, place)
    return f"line {before + 1}, character {place - text.rfind(chr(10), 0, place)}"


def _end(pattern: "re.Pattern[str]", text: str, place: int) -> int:
    """The end of the match of this pattern here; it always matches."""
    found = pattern.match(text, place)
    return found.end() if found is not None else place
