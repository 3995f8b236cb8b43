"""Patterns that people write into filters, matched in linear time by RE2 whatever they are."""

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    import re2

# Bytes of one compiled pattern. More than people need, and little enough that the worst takes a few ms to compile:
# with RE2's own 8 MB a pattern of ten characters takes 150 ms and 5 MB.
MOST_BYTES = 262_144


class Pattern(Protocol):
    programsize: int  # how many instructions it has: what a search takes grows with it

    def search(self, text: str) -> object | None: ...


class NotAPattern(Exception):
    """Raised when a text is not a valid pattern."""


@cache
def _options() -> "re2.Options":
    import re2  # noqa: PLC0415  2.6 MB that only patterns pay

    options = re2.Options()
    options.max_mem = MOST_BYTES
    options.log_errors = False  # what people typed belongs in no log
    options.never_capture = True  # groups are not used, and take several times as long
    return options


@lru_cache(maxsize=200)
def compile_pattern(text: str) -> Pattern:
    """Raises NotAPattern; RE2 knows no look-around and no back references."""
    import re2  # noqa: PLC0415  as above

    try:
        return cast(Pattern, re2.compile(text, _options()))
    except re2.error as wrong:
        reason = wrong.args[0]
        raise NotAPattern(reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)) from wrong


def literal_pattern(text: str) -> str:
    """A pattern that matches this text and nothing else."""
    import re2  # noqa: PLC0415  as above

    return cast(str, re2.escape(text))


def found_in(pattern: str, text: str) -> bool:
    """Whether the pattern is found somewhere in the text."""
    return compile_pattern(pattern).search(text) is not None
