"""Searching the manual: entries that hold the words asked for, the best first, each with the words marked. Pure."""

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

_MOST_WORDS = 8
_MOST_HITS = 30
_AROUND = 110  # characters of an excerpt on each side of its first word


class Entry(Struct, frozen=True):
    """Something that can be found: its address, its title, the page it stands on, and its text."""

    href: str
    title: str
    where: str
    text: str


class Hit(Struct, frozen=True):
    """A found entry. `excerpt` is text in pieces; each says whether it is a word that was asked for."""

    entry: Entry
    excerpt: tuple[tuple[str, bool], ...]


def search(entries: Iterable[Entry], asked: str) -> tuple[Hit, ...]:
    """At most 30 entries: those in which most of the words begin a word, titles before texts."""
    words = [re.compile(_beginning(word), re.IGNORECASE) for word in asked.split()[:_MOST_WORDS]]
    ranked = [(_rank(entry, words), entry) for entry in entries]
    most = max((held for (held, _), _ in ranked), default=0)
    best = sorted((one for one in ranked if most and one[0][0] == most), key=lambda one: -one[0][1])
    return tuple(Hit(entry, tuple(_excerpt(entry.text, words))) for _, entry in best[:_MOST_HITS])


def _beginning(word: str) -> str:
    """A pattern for words that begin so; in `limit_track`, `track` begins one."""
    return rf"(?<![^\W_]){re.escape(word)}"


def _rank(entry: Entry, words: list[re.Pattern[str]]) -> tuple[int, int]:
    """How many of the words it holds, and how prominently."""
    weights = [
        12 * bool(word.search(entry.title)) + 4 * bool(word.search(entry.where)) + min(len(word.findall(entry.text)), 4)
        for word in words
    ]
    whole = 8 * (len(words) > 0 and all(word.match(entry.title) for word in words))
    return sum(weight > 0 for weight in weights), sum(weights) + whole


def _excerpt(text: str, words: list[re.Pattern[str]]) -> Iterator[tuple[str, bool]]:
    first = min((found.start() for word in words if (found := word.search(text))), default=0)
    start = text.find(" ", max(0, first - _AROUND), first) + 1 if first > _AROUND else 0
    end = text.rfind(" ", first, first + 2 * _AROUND) if len(text) > first + 2 * _AROUND else len(text)
    cut = ("… " if start else "") + text[start:end] + (" …" if end < len(text) else "")
    for number, piece in enumerate(re.split("|".join(f"({word.pattern})" for word in words), cut, flags=re.IGNORECASE)):
        if piece:
            yield piece, number % (len(words) + 1) != 0
