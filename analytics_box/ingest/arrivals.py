"""Arrivals of events by website, in memory, and their listeners."""

from collections.abc import Callable, Sequence

from analytics_box.base.facts.event import Fact

Told = Callable[[], None]


class Arrivals:
    """Counters of arrivals per site since the start of the box. Equal numbers mean that nothing arrived in between."""

    def __init__(self) -> None:
        self._stored: dict[int, int] = {}
        self._missed: dict[int, int] = {}
        self._listening: dict[int, set[Told]] = {}

    def stored(self, site: int) -> int:
        """The number of times that facts of this site were stored."""
        return self._stored.get(site, 0)

    def missed(self, site: int) -> int:
        """The number of times that something of this site arrived and was not stored: dropped, quarantined, a check."""
        return self._missed.get(site, 0)

    def note_stored(self, facts: Sequence[Fact]) -> None:
        """Count stored facts, and notify listeners."""
        first = facts[0].site
        for site in (first,) if len(facts) == 1 else {fact.site for fact in facts}:
            self._stored[site] = self._stored.get(site, 0) + 1
            if site in self._listening:
                self._tell(site)

    def note_missed(self, site: int) -> None:
        """Count something that is not stored as a fact of visitors, and notify listeners."""
        self._missed[site] = self._missed.get(site, 0) + 1
        self._tell(site)

    def subscribe(self, site: int, told: Told) -> Callable[[], None]:
        """Call `told` at each arrival on this site, until the returned function is called."""
        self._listening.setdefault(site, set()).add(told)

        def undo() -> None:
            others = self._listening.get(site, set())
            others.discard(told)
            if not others:
                self._listening.pop(site, None)

        return undo

    def _tell(self, site: int) -> None:
        for told in tuple(self._listening.get(site, ())):
            told()
