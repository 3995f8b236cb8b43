"""A DNS record by its meaning, and as a zone file writes it. Pure."""

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
