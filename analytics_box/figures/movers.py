"""The rows of a list that explain most of the difference to the compared range. Pure."""

from typing import Final

from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.translation import _
from analytics_box.figures.board import Rows
from analytics_box.figures.panels import leads_to
from analytics_box.figures.view import View
from analytics_box.query.catalog.types import Record

MOST: Final = 4


class Mover(Struct, frozen=True):
    """A row with its part of the difference. `href` filters the page by the row; empty for the sum of all others."""

    label: str
    amount: str
    tone: str
    href: str = ""


class Movers(Struct, frozen=True):
    """The difference of visitors, and its parts, which sum to it."""

    amount: str
    parts: tuple[Mover, ...]


def movers(view: View, now: Rows, before: Rows, difference: float, limit: int) -> Movers | None:
    """The movers of the two ranges, whose lists have at most `limit` rows; None if there is no difference.

    A row that is missing in a list counted zero there only if the list is complete.
    """
    listed = view.of.lists[view.of.explained_by]
    if not difference:
        return None
    counts, earlier = ({row[listed.shown]: row[listed.counted] for row in rows} for rows in (now, before))
    rows: dict[str, Record] = {row[listed.shown]: row for row in (*before, *now)}
    known = [name for name in rows if (name in counts or len(now) < limit) and (name in earlier or len(before) < limit)]
    tone = {True: "good", False: "bad"}
    changes = {name: counts.get(name, 0) - earlier.get(name, 0) for name in known}
    largest = sorted((name for name in known if changes[name]), key=lambda name: (-abs(changes[name]), name or ""))
    parts = [
        Mover(
            figures.visible(listed.label(name or "")) or _("Unknown"),
            figures.difference(changes[name]),
            tone[changes[name] > 0],
            leads_to(view, listed, rows[name])[0],
        )
        for name in largest[:MOST]
    ]
    rest = difference - sum(changes[name] for name in largest[:MOST])
    if rest:
        parts.append(Mover(_("Other sources and overlap"), figures.difference(rest), tone[rest > 0]))
    return Movers(figures.difference(difference), tuple(parts))
