"""The head of an HTTP/1 answer, read as browsers read it: only what says where the body ends has to be right. Pure."""

import re
from typing import Final

from msgspec import Struct

from analytics_box.base.outgoing.failures import BadAnswer
from analytics_box.base.outgoing.messages import Header

NOT_HTTP: Final = "The response is not HTTP, or it ended early"
_BEGINNING: Final = b"HTTP/"
_END = re.compile(rb"\n\r?\n")
_STATUS = re.compile(
    rb"HTTP/[0-9](?:\.[0-9])?[ \t]+(?P<status>[1-9][0-9]{2})(?:[^0-9].*)?\Z", re.IGNORECASE | re.DOTALL
)
_MOST_DIGITS: Final = 18  # of a length


class AnswerHead(Struct, frozen=True):
    """A head. Header names are in lower case. `length` is of the body in bytes; None if it says so itself."""

    status: int
    headers: tuple[Header, ...]
    is_chunked: bool
    length: int | None


class HeadReader:
    """Finds the heads in what arrives, interim ones first."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._searched = 0

    def take(self, data: bytes) -> None:
        """Add bytes that have arrived. Raises BadAnswer as soon as they cannot be HTTP."""
        self._data += data
        self._trim()

    def next(self) -> AnswerHead | None:
        """The next head; None until it is complete. Raises BadAnswer."""
        end = _END.search(self._data, max(0, self._searched - 2))
        self._searched = len(self._data)
        if end is None:
            return None
        found = _head(bytes(self._data[: end.start()]))
        del self._data[: end.end()]
        self._searched = 0
        if 100 <= found.status < 200:
            self._trim()
        return found

    @property
    def rest(self) -> bytes:
        """The bytes after the heads that were taken out."""
        return bytes(self._data)

    def _trim(self) -> None:
        """Blank lines may come before a head. Raises BadAnswer for what is no head."""
        if self._data.startswith((b"\r", b"\n")):
            self._data = self._data.lstrip(b"\r\n")
        if self._data[:5].upper() != _BEGINNING[: len(self._data)]:
            raise BadAnswer(NOT_HTTP)


def _head(text: bytes) -> AnswerHead:
    first, *lines = text.split(b"\n")
    found = _STATUS.match(first.rstrip(b"\r"))
    if found is None or b"\0" in text:
        raise BadAnswer(NOT_HTTP)
    headers = _headers(lines)
    is_chunked = _is_chunked(headers)
    return AnswerHead(int(found["status"]), headers, is_chunked, None if is_chunked else _length(headers))


def _headers(lines: list[bytes]) -> tuple[Header, ...]:
    """The headers of these lines. Lines that are none are passed over, with those that continue them."""
    found: list[tuple[str, list[bytes]]] = []
    values: list[bytes] | None = None
    for line in lines:
        text = line.strip(b" \t\r")
        if line[:1] in (b" ", b"\t"):
            if values is not None:
                values.append(text)
            continue
        name, colon, value = text.partition(b":")
        values = [value.strip(b" \t")] if colon and name.strip(b" \t") else None
        if values is not None:
            found.append((name.rstrip(b" \t").decode("latin-1").lower(), values))
    return tuple((name, b" ".join(values).decode("latin-1")) for name, values in found)


def _is_chunked(headers: tuple[Header, ...]) -> bool:
    codings = [part.strip() for name, value in headers if name == "transfer-encoding" for part in value.split(",")]
    return bool(codings) and codings[-1].lower() == "chunked"


def _length(headers: tuple[Header, ...]) -> int | None:
    """The length that is given; None if the body ends with the connection. Raises BadAnswer for two of them."""
    parts = [part.strip() for name, value in headers if name == "content-length" for part in value.split(",")]
    lengths = {int(part) for part in parts if part.isascii() and part.isdecimal() and len(part) <= _MOST_DIGITS}
    if len(lengths) > 1:
        raise BadAnswer(NOT_HTTP)
    return lengths.pop() if lengths else None
