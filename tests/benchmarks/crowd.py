"""A crowd whose figures are known: regulars who come back all the time, and passers-by who read a few pages and leave.

What it does depends on nothing but its numbers, so that a soak of hours needs no memory of what it has sent.
"""

import itertools
from array import array
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

PATHS = 500
REGULARS = 100  # of each connection
MOST_PAGES = 5  # of a passer-by


class View(NamedTuple):
    """A page view. `nth` counts those of its visitor from 0; `name` is its alone."""

    name: str
    visitor: str
    nth: int
    path: int


def views(connection: int) -> Iterator[View]:
    """The page views that come over one connection, without end: by turns one of a regular and of a passer-by."""
    passing = _passing(connection)
    for number in itertools.count():
        visits, regular = divmod(number, REGULARS)
        path = (7 * number + connection) % PATHS
        yield View(f"{connection}-r{number}", f"regular-{connection}-{regular}", visits, path)
        yield next(passing)


def _passing(connection: int) -> Iterator[View]:
    for visitor in itertools.count():
        for page in range(1 + visitor % MOST_PAGES):
            path = (11 * visitor + page + connection) % PATHS
            yield View(f"{connection}-p{visitor}-{page}", f"passer-{connection}-{visitor}", page, path)


class Known:
    """What acknowledged views have made of the figures. A visitor has one session: nobody stays away for long.

    A view that was sent before a midnight of UTC and acknowledged after it belongs to one of both days: `either`.
    """

    def __init__(self) -> None:
        self.paths = array("q", bytes(8 * PATHS))
        self.entries = array("q", bytes(8 * PATHS))
        self.days: Counter[int] = Counter()
        self.either = 0
        self.visitors = 0
        self.bounces = 0

    def note(self, view: View, sent_on: int, acknowledged_on: int) -> None:
        """A view was acknowledged; the days are UTC days."""
        self.paths[view.path] += 1
        if sent_on == acknowledged_on:
            self.days[sent_on] += 1
        else:
            self.either += 1
        if view.nth == 0:
            self.entries[view.path] += 1
            self.visitors += 1
            self.bounces += 1
        elif view.nth == 1:
            self.bounces -= 1

    @property
    def views(self) -> int:
        """All of them."""
        return sum(self.paths)
