"""The observations of a check of any kind, such as DNS records, as input of assertions. Pure."""

import re
from ipaddress import ip_address
from typing import Any, Final

from msgspec import Struct

from analytics_box.products.monitors.monitor import RecordType

LONGEST: Final = 2_000  # characters of a record
_ADDRESSES: Final = frozenset(("A", "AAAA"))
_QUOTED: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPED: Final = re.compile(r"\\(\d{3}|.)", re.DOTALL)
_SPACE: Final = re.compile(r"\s+")


class DnsRecord(Struct, frozen=True):
    """A record. `meaning` has no quotes, no pieces of 255 bytes and no final dots of names, as `written` does."""

    kind: RecordType
    meaning: str
    written: str

    def equals(self, value: str) -> bool:
        """Whether this value means this record, in any of the usual spellings."""
        return value in {self.meaning, self.written} or normalize_value(self.kind, value) == normalize_value(
            self.kind, self.meaning
        )

    def contains(self, value: str) -> bool:
        """Whether the value is a part of it; of names without regard to case."""
        if self.kind in {"TXT", "CAA"}:
            return value in self.meaning or value in self.written
        return value.lower() in self.meaning.lower() or value.lower() in self.written.lower()


def dns_record(kind: RecordType, record: Any) -> DnsRecord:
    """A record as dnspython has it."""
    written = str(record.to_text())
    meaning = b"".join(record.strings).decode("utf-8", "replace") if kind == "TXT" else _without_spelling(written)
    return DnsRecord(kind, meaning[:LONGEST], written[:LONGEST])


def normalize_value(kind: RecordType, value: str) -> str:
    """A value in the one spelling in which records of this kind are compared."""
    value = value.strip()
    if kind == "TXT":
        return _unquote(value)
    if kind in _ADDRESSES:
        try:
            return str(ip_address(value))
        except ValueError:
            return value
    text = _without_spelling(value)
    return text if kind == "CAA" else text.lower()


def _without_spelling(text: str) -> str:
    """Words with single spaces between them, without quotes and final dots. The root itself is a dot."""
    words = _SPACE.split(text)
    return " ".join(
        _plain(word[1:-1]) if _QUOTED.fullmatch(word) else (word.removesuffix(".") or word) for word in words
    )


def _unquote(text: str) -> str:
    """The text of strings in quotes; any other text as it is."""
    pieces = _QUOTED.findall(text)
    is_quoted = bool(pieces) and not _QUOTED.sub("", text).strip()
    return "".join(map(_plain, pieces)) if is_quoted else text


def _plain(text: str) -> str:
    """Text without the escapes of a zone file, whose numbers are bytes of UTF-8."""
    if "\\" not in text:
        return text
    found, end = b"", 0
    for each in _ESCAPED.finditer(text):
        found += text[end : each.start()].encode()
        byte = int(each[1]) if len(each[1]) == 3 else 256
        found += bytes([byte]) if byte < 256 else each[1].encode()
        end = each.end()
    return (found + text[end:].encode()).decode("utf-8", "replace")


_CHARSET: Final = re.compile(
    r"charset\s*=\s*\"?(utf-?(?:8|16|32)\w*|us-ascii|(?:iso-8859|windows|koi8|euc)-\w{1,6}|gb\w{1,6}|big5|shift_jis)\b",
    re.IGNORECASE,
)

Pairs = tuple[tuple[str, str], ...]


class CheckObservations(Struct):
    """The observations of a check; None or empty for what this kind of check does not see.

    `status_name` is like 404 Not Found; `total` and `ttfb` are in ms. `unreadable` says why there is no body where one
    came. `certificate_ends` is UTC ms. `tls_wrong` says why a certificate is not accepted; `certificate_valid` is None
    if it was not checked.
    """

    status: int | None = None
    status_name: str = ""
    headers: Pairs = ()
    body: bytes | None = None
    size: int | None = None
    complete: bool = True
    unreadable: str = ""
    records: tuple[DnsRecord, ...] | None = None
    banner: bytes | None = None
    total: float | None = None
    ttfb: float | None = None
    certificate_ends: int | None = None
    certificate_valid: bool | None = None
    tls_wrong: str = ""

    def header(self, name: str) -> str | None:
        """All headers of this name, joined; None if there is none."""
        found = [value for key, value in self.headers if key == name.lower()]
        return ", ".join(found) if found else None

    def text(self) -> str | None:
        """The body as text: in the encoding that the answer names, else UTF-8."""
        if self.body is None:
            return None
        named = _CHARSET.search(self.header("content-type") or "")
        try:
            text = self.body.decode(named[1] if named else "utf-8", "replace")
        except LookupError:
            text = self.body.decode("utf-8", "replace")
        return text.removeprefix("\ufeff")
