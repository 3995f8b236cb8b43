"""The search index of the documentation: entries by the words that they hold. Pure."""

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from msgspec import Struct

_MOST_WORDS = 8
_MOST_HITS = 30
_MOST_RANKED = 90  # entries that are looked at more closely, for what was asked as it was written
_AROUND = 110  # characters of an excerpt on each side of its first word
# Weights of a word in a title, among the other words for an entry, on a page of that name, and in a text.
_TITLE, _TERM, _PLACE, _MOST_IN_TEXT = 12, 10, 4, 4
_LITERAL = 40  # for what holds all that was asked as it was written
_SHORT = 2  # letters of a word that is looked up whole, because too many begin so
_WORD = re.compile(r"[^\W_]+")
_ENDINGS = ("ing", "ly", "es", "ed", "s", "e")
_SHORTEST_STEM = 4
# Words of a question that say nothing about its topic.
_FILLERS = frozenset(
    _WORD.findall(
        "a an and are as at be by can could did do does don for from get have how i in is isn it its me my need not of "
        "on or our should so t that the this to want we what when where which who why will with would you your"
    )
)


class DocsEntry(Struct, frozen=True):
    """Something that can be found: its address, its title, the page it is on, its text, and other words for it. Entries
    of the reference rank below pages of the manual.
    """

    href: str
    title: str
    where: str
    text: str
    terms: str = ""
    reference: bool = False


class DocsHit(Struct, frozen=True):
    """An entry that matches. `excerpt` is text in pieces; each says whether it is a word that was asked for."""

    entry: DocsEntry
    excerpt: tuple[tuple[str, bool], ...]


class Index:
    """Entries by their words. A search reads lists of numbers instead of texts, so that it costs the same for any
    words."""

    def __init__(self, entries: Iterable[DocsEntry]) -> None:
        self._entries = tuple(entries)
        weights: dict[str, dict[int, int]] = {}
        for number, entry in enumerate(self._entries):
            for word, weight in _weights(entry).items():
                weights.setdefault(word, {})[number] = weight
        self._words = sorted(weights)
        self._numbers = {word: array("H", found) for word, found in weights.items()}
        self._weights = {word: array("B", found.values()) for word, found in weights.items()}

    def search(self, asked: str) -> tuple[DocsHit, ...]:
        """At most 30 entries: those in which most of the words begin a word, titles before texts."""
        topics = _topics(asked)
        words = tuple(dict.fromkeys(map(_stem, topics)))
        held: dict[int, int] = {}  # entry → how many of the words it holds
        ranks: dict[int, int] = {}
        for word in words:
            entries = self._beginning(word)
            rarity = (len(self._entries) // max(len(entries), 1)).bit_length()
            for number, weight in entries.items():
                held[number] = held.get(number, 0) + 1
                ranks[number] = ranks.get(number, 0) + weight * rarity
        for number in ranks:
            if self._entries[number].reference:
                ranks[number] //= 2
        most = max(held.values(), default=0)
        best = sorted((number for number in held if held[number] == most), key=lambda number: -ranks[number])
        phrases = {asked.strip().lower(), " ".join(topics)}
        ranked = sorted(
            best[:_MOST_RANKED],
            key=lambda number: -ranks[number] - max(_as_written(self._entries[number], phrase) for phrase in phrases),
        )
        hits = [self._entries[number] for number in ranked[:_MOST_HITS]]
        marks = _pattern((*topics, *words)) if hits else _WORD
        return tuple(DocsHit(entry, tuple(_excerpt(entry.text, words, marks))) for entry in hits)

    def _beginning(self, word: str) -> dict[int, int]:
        """The entries that hold a word which begins so, each with the most weight of such a word in it."""
        first = bisect_left(self._words, word)
        found: dict[int, int] = {}
        for known in islice(self._words, first, None):
            if not known.startswith(word) or (len(word) <= _SHORT and known != word):
                break
            for number, weight in zip(self._numbers[known], self._weights[known], strict=True):
                if found.get(number, 0) < weight:
                    found[number] = weight
        return found


def _topics(asked: str) -> tuple[str, ...]:
    """The words of a question, without fillers unless it has nothing else."""
    words = tuple(dict.fromkeys(_words(asked)))
    return tuple(word for word in words if word not in _FILLERS)[:_MOST_WORDS] or words[:_MOST_WORDS]


def _stem(word: str) -> str:
    """A word without a common ending, so that its beginning matches its other forms."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word.removesuffix(ending)
    return word


def _words(text: str) -> Iterator[str]:
    """The words of a text; `limit_track` has two."""
    return (found[0] for found in _WORD.finditer(text.lower()))


def _weights(entry: DocsEntry) -> dict[str, int]:
    """The prominence of each word of an entry."""
    found: dict[str, int] = {}
    for word in _words(entry.text):
        found[word] = min(found.get(word, 0) + 1, _MOST_IN_TEXT)
    for text, weight in ((entry.title, _TITLE), (entry.terms, _TERM), (entry.where, _PLACE)):
        for word in set(_words(text)):
            found[word] = found.get(word, 0) + weight
    return found


def _as_written(entry: DocsEntry, asked: str) -> int:
    """The bonus of an entry that has the query as it was written, above all at the start of its title."""
    title = entry.title.lower()
    if title == asked or asked in entry.terms.split(", "):
        return 3 * _LITERAL
    if entry.reference:
        return 0
    if title.startswith(asked):
        return 2 * _LITERAL
    return _LITERAL if asked in title or asked in entry.text.lower() else 0


def _pattern(words: Sequence[str]) -> re.Pattern[str]:
    """A pattern that matches each of these at the start of a word."""
    longest_first = sorted(words, key=len, reverse=True)
    return re.compile(f"(?<![^\\W_])({'|'.join(map(re.escape, longest_first))})", re.IGNORECASE)


def _excerpt(text: str, words: Sequence[str], marks: re.Pattern[str]) -> Iterator[tuple[str, bool]]:
    first = _first(text, words)
    start = text.find(" ", max(0, first - _AROUND), first) + 1 if first > _AROUND else 0
    end = text.rfind(" ", first, first + 2 * _AROUND) if len(text) > first + 2 * _AROUND else len(text)
    cut = ("… " if start else "") + text[start:end] + (" …" if end < len(text) else "")
    for number, piece in enumerate(marks.split(cut)):
        if piece:
            yield piece, number % 2 != 0


def _first(text: str, words: Sequence[str]) -> int:
    """The position of the first of these words; 0 for none."""
    lowered = text.lower()
    if len(lowered) != len(text):  # as with İ: its places are not those of the text
        return 0
    starts = []
    for word in words:
        place = lowered.find(word)
        while place > 0 and lowered[place - 1].isalnum():
            place = lowered.find(word, place + 1)
        if place >= 0:
            starts.append(place)
    return min(starts, default=0)
