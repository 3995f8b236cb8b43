"""A link's values as cells of a sheet, and back: what stands side by side here undoes each other. Pure."""

import re
from collections.abc import Sequence
from typing import Final

from analytics_box.query.sheets import FORMULA

_QUOTE: Final = "'"
_BETWEEN: Final = ";"
_ESCAPED = re.compile(r"[\\;]")
_PIECE = re.compile(r"[^\\;]+|\\([\\;])|.", re.DOTALL)  # a backslash before anything else is one


def quote_cell(text: str) -> str:
    """Text before it becomes a cell: a quote at its beginning is doubled.

    `sheets.cell` then puts one before whatever a spreadsheet would run.
    """
    return _QUOTE + text if text.startswith(_QUOTE) else text


def plain(cell: str) -> str:
    """The text in a cell: without the quote before what a spreadsheet would run, and before another quote."""
    return cell[1:] if cell.startswith(_QUOTE) and cell[1:].startswith((*FORMULA, _QUOTE)) else cell


def join_tags(tags: Sequence[str]) -> str:
    r"""Tags in one cell with ; between them; a ; or \ in a tag has a \ before it."""
    return _BETWEEN.join(_ESCAPED.sub(r"\\\g<0>", tag) for tag in tags)


def split(cell: str) -> list[str]:
    """The tags in a cell, without those that are blank."""
    tags: list[list[str]] = [[]]
    for piece in _PIECE.finditer(cell):
        if piece[0] == _BETWEEN:
            tags.append([])
        else:
            tags[-1].append(piece[1] or piece[0])
    return [text for tag in tags if (text := "".join(tag).strip())]
