"""Names that people give: every script, apostrophes, ampersands and emoji; nothing that nobody sees. Pure."""

from typing import Final

LONGEST: Final = 100
_JOINERS: Final = dict.fromkeys((0x200C, 0x200D))  # Persian, Hindi and emoji are written with them


def one_line(text: str) -> str:
    """The text with single spaces, and none at its ends."""
    return " ".join(text.split())


def is_visible(text: str) -> bool:
    """Whether it has no control characters, none that change the direction of text, and no joiners alone."""
    seen = text.translate(_JOINERS)
    return seen.isprintable() and (bool(seen) or not text)


def is_name(text: str, longest: int = LONGEST) -> bool:
    """Whether it is a name of 1 to `longest` characters."""
    return 1 <= len(text) <= longest and is_visible(text)
