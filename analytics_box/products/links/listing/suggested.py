"""Slugs as values of the filter by the short link that somebody came by."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from analytics_box.base import figures
from analytics_box.figures.values import Value
from analytics_box.products.links import list_rows
from analytics_box.products.links.clicks.waiting import Clicks
from analytics_box.products.links.list_rows import LinkSelection
from analytics_box.web.call import Call

_LOOKED_AT: Final = 200  # links that fit, newest first


async def slugs(call: Call, typed: str) -> Sequence[Value]:
    """The links of the caller's organization whose name, slug or target has what is typed, with their clicks, the most
    clicked first; each slug once, because the filter finds the links of all domains."""
    selection = LinkSelection(organization_id=call.organization(None), search=typed.strip() or None, limit=_LOOKED_AT)
    found = await call.read(partial(list_rows.links, selection=selection))
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
