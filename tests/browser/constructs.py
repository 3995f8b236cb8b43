"""Pages of one template: which of them show, together, all that any of them shows."""

from collections.abc import Iterable, Mapping
from html.parser import HTMLParser

from tests.examples import is_thorough

_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
)
Construct = tuple[str, ...]


class _Reader(HTMLParser):
    """Collects what stands in what: each element with its classes, its attributes' names, and what it is in."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[Construct] = set()
        self._open: list[str] = [""]
        self._headings: list[str] = [""]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        kind = " ".join([tag, *sorted((given.get("class") or "").split())])
        self.found.add((*self._open[-2:], kind, *sorted(set(given) - {"class", "id"})))
        if tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
            self.found.add(("after", self._headings[-1], tag))
            self._headings.append(tag)
        if tag not in _VOID:
            self._open.append(kind)

    def handle_endtag(self, tag: str) -> None:
        places = [place for place, kind in enumerate(self._open) if kind.split(" ")[0] == tag]
        if places:
            del self._open[places[-1] :]


def constructs(html: str) -> set[Construct]:
    """What is built in what on this page, and which heading follows which."""
    reader = _Reader()
    reader.feed(html)
    return reader.found


def showing_all(pages: Mapping[str, str]) -> Iterable[str]:
    """Names of pages, given with their HTML, that together have every construct; all pages in a thorough run."""
    if is_thorough():
        return tuple(pages)
    each = {name: constructs(html) for name, html in pages.items()}
    chosen: list[str] = []
    left: set[Construct] = set().union(*each.values())
    while left:
        chosen.append(max(each, key=lambda name: len(each[name] & left)))
        left -= each[chosen[-1]]
    return chosen
