"""The list of websites: one card each, with its last seven days."""

from collections.abc import Sequence

from msgspec import Struct

from analytics_box.overview.week import Week
from analytics_box.texts import Sites, figures
from analytics_box.websites.rules import Website

WIDTH, HEIGHT, MARGIN = 280.0, 44.0, 3.0


class SiteCard(Struct, frozen=True):
    """One website as its card shows it. `line`, `tail` and `area` are SVG paths of its visitors per
    day, empty if none: the finished days, the last step to today, which is not over, and the surface below."""

    id: str
    name: str
    domain: str
    href: str
    waiting: bool
    visitors: str
    unit: str
    online: str
    line: str
    tail: str
    area: str


def site_card(website: Website, week: Week | None, *, online: int, waiting: bool = False) -> SiteCard:
    """`week` is None where it could not be had; `waiting` is whether nothing has arrived yet."""
    visitors = None if week is None else week.totals.visitors
    return SiteCard(
        id=website.id,
        name=website.name,
        domain=website.domain,
        href=f"/sites/{website.id}",
        waiting=waiting,
        visitors="–" if visitors is None else figures.count(visitors),
        unit=Sites.visitors_one if visitors == 1 else Sites.visitors,
        online=figures.count(online),
        **sparkline([] if week is None else [day.visitors for day in week.days]),
    )


def sparkline(values: Sequence[float]) -> dict[str, str]:
    """Paths in a box of 280 by 44, drawn from zero."""
    if len(values) < 3 or not any(values):
        return {"line": "", "tail": "", "area": ""}
    largest, step = max(values), WIDTH / (len(values) - 1)
    places = [
        f"{index * step:.1f} {HEIGHT - MARGIN - value / largest * (HEIGHT - 2 * MARGIN):.1f}"
        for index, value in enumerate(values)
    ]
    finished = " L".join(places[:-1])
    return {
        "line": f"M{finished}",
        "tail": f"M{places[-2]} L{places[-1]}",
        "area": f"M{finished} V{HEIGHT:.1f} H0Z",
    }
