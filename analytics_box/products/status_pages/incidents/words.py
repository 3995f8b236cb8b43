"""Titles and messages in one spelling, without characters that pages, feeds and emails cannot show. Pure."""

import unicodedata
from typing import Final

from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _

_LINES: Final = frozenset("\n\t")
_NOWHERE: Final = frozenset("\ufffe\uffff")  # in no XML


def title(given: str) -> str:
    """A title as one line. Raises BadRequest for an empty one."""
    text = " ".join(given.split())
    if not text or not _is_text(text):
        raise BadRequest.about("title", _("Enter a title"))
    return text


def message(given: str) -> str:
    """Markdown of one or more lines. Raises BadRequest for an empty one."""
    text = optional(given)
    if not text:
        raise BadRequest.about("message", _("Enter a message"))
    return text


def optional(given: str) -> str:
    """Markdown, or nothing. Raises BadRequest for control characters."""
    text = given.replace("\r\n", "\n").replace("\r", "\n").strip()
    if not _is_text(text):
        raise BadRequest.about("message", _("Enter a text without control characters"))
    return text


def _is_text(text: str) -> bool:
    return not any(
        letter in _NOWHERE or (letter not in _LINES and unicodedata.category(letter) in {"Cc", "Cs"}) for letter in text
    )
