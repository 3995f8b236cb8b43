"""Lists of links by their clicks or their last click. The links are in box.db, what they are ranked by in events.db.

Few links are read with their totals and sorted here. Of many, the totals are walked from the best down, and box.db is
asked which of them the list wants, until a page is full; links without clicks come last, the newest first.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Final, Literal

from analytics_box.base import figures
from analytics_box.base.store.db import Connection
from analytics_box.figures.values import Value
from analytics_box.products.links import rows
from analytics_box.products.links.clicks import rows as click_rows
from analytics_box.products.links.clicks.waiting import Clicks
from analytics_box.products.links.rows import LinkSelection
from analytics_box.web.call import Call

Ranking = Literal["clicks", "last-click"]

_COLUMN: Final[dict[Ranking, str]] = {"clicks": "clicks", "last-click": "last"}


def best_links(db: Connection, ranking: Ranking, *, below: tuple[int, int] | None, limit: int) -> list[tuple[int, int]]:
    """The numbers of so many links below this place, the best first, each with what it is ranked by.

    Of equal ones the newest come first. All totals are looked at, which takes 5 ms for 100,000; no index has to be kept
    up to date with each click for it.
    """
    column = _COLUMN[ranking]
    where = f"where ({column}, link) < (:value, :link)" if below is not None else ""
    link, value = below or (0, 0)
    found = db.execute(
        f"""
        -- links.ranked.numbers
        select link, {column} from link_totals {where} order by {column} desc, link desc limit :limit
        """,
        {"limit": limit} | ({"link": link, "value": value} if below is not None else {}),
    ).fetchall()
    return [(int(str(number)), int(str(ranked_by))) for number, ranked_by in found]


FEW: Final = 10_000  # links that are sorted here
FIRST_STEP, LONGEST_STEP = 1_000, 20_000  # totals or links that are read at once


class _Page:
    """The numbers of a page, taken from all of them in their order."""

    def __init__(self, selection: LinkSelection) -> None:
        self.numbers: list[int] = []
        self._before = selection.offset
        self._limit = selection.limit

    @property
    def is_full(self) -> bool:
        return len(self.numbers) >= self._limit

    def take(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            if self._before:
                self._before -= 1
            elif not self.is_full:
                self.numbers.append(number)


async def numbers(call: Call, selection: LinkSelection, ranking: Ranking) -> list[int]:
    """The numbers of the links that this asks for, whatever its own order. Who may see them has been asked before."""
    clicks, page = call.parts[Clicks], _Page(selection)
    fitting = await call.read(partial(rows.numbers, selection=selection, limit=FEW + 1))
    await clicks.flush()
    if len(fitting) <= FEW:
        page.take(await _rank(clicks, fitting, ranking))
    else:
        await _walk_followed(call, selection, ranking, page)
        await _walk_others(call, selection, page)
    return page.numbers


async def _rank(clicks: Clicks, fitting: list[int], ranking: Ranking) -> list[int]:
    totals = await clicks.events.read(partial(click_rows.totals, links=fitting))
    values = {number: one.clicks if ranking == "clicks" else one.last for number, one in totals.items()}
    return sorted(fitting, key=lambda number: (values.get(number, 0), number), reverse=True)


async def _walk_followed(call: Call, selection: LinkSelection, ranking: Ranking, page: _Page) -> None:
    step, below = FIRST_STEP, None
    while not page.is_full:
        best = await call.parts[Clicks].events.read(partial(best_links, ranking=ranking, below=below, limit=step))
        if not best:
            return
        below, step = best[-1], min(2 * step, LONGEST_STEP)
        ranked = [number for number, _ in best]
        wanted = set(await call.read(partial(rows.numbers, selection=selection, limit=len(ranked), among=ranked)))
        page.take(number for number in ranked if number in wanted)


async def _walk_others(call: Call, selection: LinkSelection, page: _Page) -> None:
    step, older_than = FIRST_STEP, None
    while not page.is_full:
        some = await call.read(partial(rows.numbers, selection=selection, limit=step, older_than=older_than))
        if not some:
            return
        older_than, step = some[-1], min(2 * step, LONGEST_STEP)
        followed = await call.parts[Clicks].events.read(partial(click_rows.totals, links=some))
        page.take(number for number in some if number not in followed)


_LOOKED_AT: Final = 200  # links that fit, newest first


async def slugs_containing(call: Call, _site: int, typed: str) -> Sequence[Value]:
    """The links of the caller's organization whose name, slug or target has what is typed, with their clicks, the most
    clicked first; each slug once, because the filter finds the links of all domains."""
    selection = LinkSelection(
        organization_id=call.organization(None),
        search=typed.strip() or None,
        limit=_LOOKED_AT,
        among=call.identity.resources,
    )
    found = await call.read(partial(rows.links, selection=selection))
    totals = await call.parts[Clicks].totals([link.number for link in found])
    merged: dict[str, Value] = {}
    for link in found:
        known = merged.get(link.slug)
        clicks = totals[link.number].clicks if link.number in totals else 0
        merged[link.slug] = Value(
            link.slug,
            figures.visible(link.slug),
            figures.visible(known.detail if known is not None else link.name),
            clicks + (known.count if known is not None else 0),
        )
    return sorted(merged.values(), key=lambda value: -value.count)
