"""The rows of a list that explain most of the difference to the compared range."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.translation import _
from analytics_box.figures.asking import PageQuery
from analytics_box.figures.board import Explanation, Rows
from analytics_box.figures.comparing import ComparedDays
from analytics_box.figures.panels import UNKNOWN, leads_to
from analytics_box.figures.view import View
from analytics_box.query.catalog.types import Record

MOST: Final = 4
ON_A_PAGE: Final = 10
# Rows of a list. The difference in all others is one part.
MOST_ROWS: Final = 1_000


class Mover(Struct, frozen=True):
    """A row with its part of the difference: `share` in percent, None if there is no difference. Rows that moved the
    other way have negative ones. `before` and `now` are None for sums; `texts` are these two and the share on pages.
    `href` filters the page by the row and is empty for sums."""

    label: str
    before: float | None
    now: float | None
    change: float
    share: float | None
    amount: str
    width: str
    texts: tuple[str, ...]
    href: str = ""
    code: str | None = None


class Movers(Struct, frozen=True):
    """A difference, and its parts, which sum to it."""

    explanation: Explanation
    before: float
    now: float
    amount: str
    parts: tuple[Mover, ...]


def can_be_explained(view: View, against: ComparedDays | None, explanation: Explanation) -> bool:
    """Whether the rows of a list can explain a change: against as many days, of which all is known, and unless the page
    shows a single row of the list."""
    comparable = against is not None and against.begun is None and against.fair
    return comparable and view.of.lists[explanation.listed].field not in view.plain


def movers(
    view: View,
    explanation: Explanation,
    rows: tuple[Rows, Rows],
    totals: tuple[float, float],
    *,
    limit: int,
    most: int = MOST,
) -> Movers | None:
    """The movers between two ranges, whose lists have at most `limit` rows; None if nothing moved. `rows` and `totals`
    are those of the compared range and of this one.

    A row that is missing in a list counted zero there only if the list is complete. All other rows are a sum. Visitors
    in several rows are their own part, unless a list is cut: its other rows are then unknown.
    """
    listed, counted = view.of.lists[explanation.listed], explanation.counted
    earlier, counts = ({row[listed.shown]: row[counted] for row in found} for found in rows)
    complete = tuple(len(found) < limit for found in rows)
    every: dict[str, Record] = {row[listed.shown]: row for found in rows for row in found}
    known = [name for name in every if (name in earlier or complete[0]) and (name in counts or complete[1])]
    changes = {name: counts.get(name, 0) - earlier.get(name, 0) for name in known}
    largest = sorted((name for name in known if changes[name]), key=lambda name: (-abs(changes[name]), name or ""))
    shown = largest[:most]
    whole = totals[1] - totals[0]
    top = max((abs(changes[name]) for name in shown), default=0)
    part = partial(_mover, whole, top)
    parts = [
        part(
            figures.visible(listed.label(name or "")) or _("Unknown"),
            changes[name],
            (earlier.get(name, 0), counts.get(name, 0)),
            leads_to(view, listed, every[name])[0],
            (every[name]["country_code"] or "") if listed.places else None,
        )
        for name in shown
    ]
    rest = _rest(explanation, changes, shown, whole, complete=all(complete))
    parts += [part(label, change) for label, change in rest if change]
    if not parts:
        return None
    return Movers(explanation, *totals, figures.difference(whole), tuple(parts))


async def explain(asking: PageQuery, view: View) -> Sequence[Movers]:
    """The lists that something moved in, in their order. Raises UnansweredQuery."""
    wanted = [one for one in view.of.explained_by if can_be_explained(view, asking.compared, one)]
    if not wanted:
        return ()
    types = tuple(
        dict.fromkeys((*(view.of.lists[one.listed].type for one in wanted), *(one.total[0] for one in wanted)))
    )
    answers = await asking.rows(types, so_far=types, limit=MOST_ROWS)
    now, before = (dict(zip(types, rows, strict=True)) for rows in (answers[: len(types)], answers[len(types) :]))
    found = []
    for one in wanted:
        name, (total, field) = view.of.lists[one.listed].type, one.total
        totals = before[total][0][field], now[total][0][field]
        found.append(movers(view, one, (before[name], now[name]), totals, limit=MOST_ROWS, most=ON_A_PAGE))
    return [one for one in found if one is not None]


def _mover(
    whole: float,
    largest: float,
    label: str,
    change: float,
    counts: tuple[float | None, float | None] = (None, None),
    href: str = "",
    code: str | None = None,
) -> Mover:
    share = 100 * change / whole if whole else None
    texts = (*(UNKNOWN if count is None else figures.count(count) for count in counts),)
    of_all = UNKNOWN if share is None else figures.percent(share)
    width = figures.bar_width(abs(change), largest)
    amount = figures.difference(change)
    return Mover(label, *counts, change, share, amount, width, (*texts, of_all), href, code)


def _rest(
    explanation: Explanation, changes: dict[str, float], shown: list[str], whole: float, *, complete: bool
) -> tuple[tuple[str, float], ...]:
    """The part of the difference that the shown rows leave over."""
    rest = whole - sum(changes[name] for name in shown)
    if not explanation.overlap:
        return ((_("All others"), rest),)
    if not complete:
        return ((_("All others and overlap"), rest),)
    others = sum(change for name, change in changes.items() if name not in shown)
    return (_("All others"), others), (explanation.overlap, rest - others)
