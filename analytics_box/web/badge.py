"""Badges: a name and a value as a small picture for other websites. Pure."""

import re
from collections.abc import Callable
from typing import Final

Render = Callable[..., str]

_NO_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_LONGEST: Final = 40
_PADDING: Final = 6
_NARROW, _WIDE = frozenset("iljtfIr.,:;'|!()[] "), frozenset("mwMW@%")


def clean(text: str) -> str:
    """Text without the characters that XML does not have."""
    return _NO_XML.sub("", text)


def badge(render: Render, label: str, value: str, colour: str) -> str:
    """The badge as SVG, with the value on this colour. Widths are fixed, so that every font fits."""
    label = clean(label)
    label = label if len(label) <= _LONGEST else f"{label[: _LONGEST - 1]}…"
    left, right = _width(label), _width(value)
    return render("badge.svg", label=label, value=value, colour=colour, left=left, right=right, padding=_PADDING)


def _width(text: str) -> int:
    """The approximate width in Verdana of 11 px."""
    return round(sum(4.2 if letter in _NARROW else 10.2 if letter in _WIDE else _usual(letter) for letter in text))


def _usual(letter: str) -> float:
    if not letter.isascii():
        return 11.0
    return 7.8 if letter.isupper() else 6.8
