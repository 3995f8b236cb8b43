"""Rows as CSV (RFC 4180), safe to open in a spreadsheet."""

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import msgspec

from analytics_box.query.catalog.types import Record

# What a spreadsheet takes for a formula at the beginning of a text; full-width ones, too
FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def cell(value: Any) -> Any:
    """A value as a cell; text that a spreadsheet would run as a formula gets a leading quote (security: templates)."""
    if isinstance(value, str):
        return "'" + value if value.startswith(FORMULA) else value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list):
        return cell(msgspec.json.encode(value).decode())
    return "" if value is None else value


def lines(names: Sequence[str], rows: Iterable[Record], *, heading: bool = True) -> str:
    """Rows as text with CRLF, the names first."""
    text = io.StringIO()
    writer = csv.writer(text)
    if heading:
        writer.writerow(names)
    writer.writerows([cell(row[name]) for name in names] for row in rows)
    return text.getvalue()


def file(text: str) -> bytes:
    """A sheet that people download: UTF-8 with the mark by which Excel knows it. Programs get theirs without."""
    return f"\ufeff{text}".encode()


def tables(
    tables_of: Sequence[tuple[str, Sequence[str], Sequence[Record]]], *, check: Callable[[int], None] = lambda _: None
) -> str:
    """Several tables, each under its name and with an empty line between; a single one without its name.

    `check` is told how many characters they have so far, and what it raises ends that.
    """
    parts, length = [], 0
    for label, names, rows in tables_of:
        heading = f"# {cell(label)}\r\n" if len(tables_of) > 1 else ""
        parts.append(heading + lines(names, rows))
        length += len(parts[-1])
        check(length)
    return "\r\n".join(parts)
