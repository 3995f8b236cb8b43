"""News of websites, in memory: that events were stored, or left out, and who waits to hear so."""

from collections.abc import Callable, Sequence

from analytics_box.base.facts.event import Fact

Told = Callable[[], None]


class Arrivals:
    """Counters of arrivals per site, since the start of the box. Two equal numbers mean that nothing arrived in
    between.
    """

    def __init__(self) -> None:
        self._stored: dict[int, int] = {}
        self._missed: dict[int, int] = {}
        self._listening: dict[int, set[Told]] = {}

    def stored(self, site: int) -> int:
        """The number of times that facts of this site were stored."""
        return self._stored.get(site, 0)

    def missed(self, site: int) -> int:
        """The number of times that something of this site was dropped or quarantined."""
        return self._missed.get(site, 0)

    def note_stored(self, facts: Sequence[Fact]) -> None:
        """Facts are on disk."""
        first = facts[0].site
        for site in (first,) if len(facts) == 1 else {fact.site for fact in facts}:
            self._stored[site] = self._stored.get(site, 0) + 1
            if site in self._listening:
                self._tell(site)

    def note_missed(self, site: int) -> None:
        """Something of this site does not count."""
        self._missed[site] = self._missed.get(site, 0) + 1
        self._tell(site)

    def subscribe(self, site: int, told: Told) -> Callable[[], None]:
        """Have news of this site told, until what this returns is called."""
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
