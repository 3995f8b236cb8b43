"""ua-parser's patterns of browsers and systems, each compiled by its Rust engine when a User-Agent may fit it.

All of them compiled take 6 MB; what the browsers of a website say needs a few dozen of 637.
"""

from collections.abc import Callable
from functools import lru_cache
from importlib import resources
from typing import Generic, Protocol, TypeVar

import msgspec
import ua_parser_rs

_HEAD = 4  # characters by which pieces of text are found


class AgentMatch(Protocol):
    """A browser or a system as ua-parser names it."""

    family: str
    major: str | None
    minor: str | None


class _Extractor(Protocol):
    def extract(self, user_agent: str) -> AgentMatch | None: ...


_Fields = tuple[str, str | None, str | None, str | None, str | None, str | None]
_Row = tuple[str, str | None, str | None, str | None, str | None, str | None, tuple[str, ...]]
Kind = TypeVar("Kind", bound=_Extractor)


class _PatternFile(msgspec.Struct, frozen=True):
    """A row is a pattern with what replaces its groups, and pieces of text in lower case: one is in all that fits."""

    version: str
    browsers: tuple[_Row, ...]
    systems: tuple[_Row, ...]


class Patterns(Generic[Kind]):
    """Patterns in their order: the first that fits counts."""

    def __init__(self, rows: tuple[_Row, ...], compiled: Callable[[list[_Fields]], Kind]) -> None:
        self._rows: list[_Fields] = [row[:6] for row in rows]
        self._compiled: list[Kind | None] = [None] * len(rows)
        self._compile = compiled
        pieces: dict[str, list[int]] = {}
        for number, row in enumerate(rows):
            for piece in row[6] or ("",):
                pieces.setdefault(piece, []).append(number)
        self._short = tuple(item for item in pieces.items() if len(item[0]) < _HEAD)
        self._long: dict[str, list[tuple[str, list[int]]]] = {}
        for piece, numbers in pieces.items():
            if len(piece) >= _HEAD:
                self._long.setdefault(piece[:_HEAD], []).append((piece, numbers))

    def find(self, text: str, lower: str, heads: set[str]) -> AgentMatch | None:
        """The match of the first pattern that fits a text, which is also given in lower case and with its heads."""
        for number in self._candidates(lower, heads):
            pattern = self._compiled[number]
            if pattern is None:
                pattern = self._compiled[number] = self._compile([self._rows[number]])
            found = pattern.extract(text)
            if found is not None:
                return found
        return None

    def _candidates(self, lower: str, heads: set[str]) -> list[int]:
        """Patterns of which a piece is in the text, in their order."""
        found: set[int] = set()
        for piece, numbers in self._short:
            if piece in lower:
                found.update(numbers)
        for head in heads & self._long.keys():
            for piece, numbers in self._long[head]:
                if piece in lower:
                    found.update(numbers)
        return sorted(found)


def browser_and_system(user_agent: str) -> tuple[AgentMatch | None, AgentMatch | None]:
    """The browser and the system of a User-Agent, in about 60 µs once the patterns that it needs are compiled."""
    browsers, systems = _patterns()
    lower = user_agent.lower()
    heads = {lower[start : start + _HEAD] for start in range(len(lower) - _HEAD + 1)}
    return browsers.find(user_agent, lower, heads), systems.find(user_agent, lower, heads)


@lru_cache(maxsize=1)
def _patterns() -> "tuple[Patterns[ua_parser_rs.UserAgentExtractor], Patterns[ua_parser_rs.OSExtractor]]":
    """Read with the first event."""
    text = resources.files("analytics_box.web.recognition").joinpath("data/agents.json").read_bytes()
    file = msgspec.json.decode(text, type=_PatternFile)
    return (
        Patterns(file.browsers, ua_parser_rs.UserAgentExtractor),
        Patterns(file.systems, ua_parser_rs.OSExtractor),
    )
