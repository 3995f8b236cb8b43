"""Limits on the disk space that anonymous callers can use: a budget of new strings and of bytes per website and hour.

An event over budget counts like any other; only new texts in it are folded into "(other)". An address may use a fifth,
so that it folds nothing of others. The hour is an hour of UTC. A restart begins it again. Used by the writer thread
alone; rolled back writes are not counted.
"""

from typing import NamedTuple

from analytics_box.base.clock import HOUR

SHARE = 5  # of so many addresses each may use as much as the others
MOST_SENDERS = 10_000  # of a website whose shares are looked at, some 3 MB
_TWICE = 2  # a string is in its table and in the index of that
_ROW = 40  # bytes that a row with its entry of an index takes besides its text


class DiskBudget(NamedTuple):
    """The new strings per hour, and the bytes of them and of properties; 0 is no limit."""

    texts: int
    bytes: int


class Meter:
    """The use of a website in this hour. `folded` is whether anything was refused since it was last read."""

    __slots__ = ("_by_sender", "_bytes", "_texts", "_undo", "budget", "folded", "sender")

    def __init__(self, budget: DiskBudget, undo: list["Undo"]) -> None:
        self.budget = budget
        self._undo = undo
        self.folded = False
        self.sender = ""  # whose events these are; nobody's have no share
        self._texts = self._bytes = 0
        self._by_sender: dict[str, tuple[int, int]] = {}  # texts and bytes

    def takes_text(self, text: str) -> bool:
        """Whether a new string may be stored. What is left may be overdrawn once, so that nothing is folded by size."""
        return self._takes(_TWICE * size_of(text) + _ROW, texts=1)

    def takes_row(self) -> bool:
        """Whether a new combination of strings may be stored."""
        return self._takes(_ROW, texts=1)

    def takes_bytes(self, size: int) -> bool:
        """Whether so many bytes may be stored that are no string of their own: properties, traits."""
        return self._takes(size, texts=0)

    def take_folded(self) -> bool:
        """Whether anything was refused; asked again, what was refused after that."""
        folded, self.folded = self.folded, False
        return folded

    def _takes(self, size: int, *, texts: int) -> bool:
        most, sender = self.budget, self.sender
        own_texts, own_bytes = self._by_sender.get(sender, (0, 0))
        if (texts and most.texts and (self._texts >= most.texts or own_texts * SHARE >= most.texts)) or (
            most.bytes and (self._bytes >= most.bytes or own_bytes * SHARE >= most.bytes)
        ):
            self.folded = True
            return False
        self._undo.append((self, self._texts, self._bytes, sender, own_texts, own_bytes))
        self._texts += texts
        self._bytes += size
        if sender and (own_bytes or len(self._by_sender) < MOST_SENDERS):
            self._by_sender[sender] = (own_texts + texts, own_bytes + size)
        return True

    def reset(self, texts: int, size: int, sender: str, own_texts: int, own_bytes: int) -> None:
        """Be as before something was taken."""
        self._texts, self._bytes = texts, size
        if sender in self._by_sender:
            self._by_sender[sender] = (own_texts, own_bytes)


Undo = tuple[Meter, int, int, str, int, int]  # what a meter had in all and of a sender: texts, bytes


class Budgets:
    """The meters of all websites that have added something in this hour."""

    def __init__(self, usual: DiskBudget) -> None:
        self._usual = usual
        self._hour = -1
        self._meters: dict[int, Meter] = {}
        self._undo: list[Undo] = []

    def meter(self, site: int, now: int, own: DiskBudget | None = None, *, sender: str = "") -> Meter:
        """The meter of a site in this hour. In `own`, its own budget, 0 is as much as usual. `sender` is a network."""
        hour = now // HOUR
        if hour != self._hour:  # a clock that was ahead must not leave anybody without one
            self._hour = hour
            self._meters.clear()
        usual = self._usual
        budget = DiskBudget(own.texts or usual.texts, own.bytes or usual.bytes) if own is not None else usual
        meter = self._meters.get(site)
        if meter is None:
            meter = self._meters[site] = Meter(budget, self._undo)
        meter.budget = budget
        meter.sender = sender
        meter.folded = False
        return meter

    def mark(self) -> int:
        return len(self._undo)

    def undo(self, mark: int) -> None:
        for meter, texts, size, sender, own_texts, own_bytes in reversed(self._undo[mark:]):
            meter.reset(texts, size, sender, own_texts, own_bytes)
        del self._undo[mark:]

    def committed(self) -> None:
        self._undo.clear()


def ends_at(now: int) -> int:
    """The end of the hour of this instant (UTC ms)."""
    return (now // HOUR + 1) * HOUR


def size_of(text: str) -> int:
    """Bytes that a text takes on disk."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
