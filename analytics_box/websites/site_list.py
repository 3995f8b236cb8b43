"""The list of websites: one card each, with its last seven days. Pure."""

from collections.abc import Sequence

from msgspec import Struct

from analytics_box.texts import Sites
from analytics_box.websites import figures
from analytics_box.websites.rules import Website

WIDTH, HEIGHT, MARGIN = 280.0, 44.0, 3.0


class SiteCard(Struct, frozen=True):
    """One website as its card shows it. `line` and `area` are SVG paths of its visitors per day, empty if none."""

    id: str
    name: str
    domain: str
    href: str
    waiting: bool
    visitors: str
    unit: str
    online: str
    line: str
    area: str


def site_card(website: Website, *, per_day: Sequence[float], visitors: float, online: int, waiting: bool) -> SiteCard:
    """`per_day` is visitors by day, oldest first; `visitors` is their distinct number over the same days."""
    return SiteCard(
        id=website.id,
        name=website.name,
        domain=website.domain,
        href=f"/sites/{website.id}",
        waiting=waiting,
        visitors=figures.count(visitors),
        unit=Sites.visitors_one if visitors == 1 else Sites.visitors,
        online=figures.count(online),
        line=line(per_day),
        area=area(per_day),
    )


def line(values: Sequence[float]) -> str:
    """A sparkline from zero as the `d` of an SVG path in a box of 280 by 44."""
    if len(values) < 2:
        return ""
    largest = max(*values, 1)
    step = WIDTH / (len(values) - 1)
    heights = (HEIGHT - MARGIN - value / largest * (HEIGHT - 2 * MARGIN) for value in values)
    return "M" + " L".join(f"{index * step:.1f} {height:.1f}" for index, height in enumerate(heights))


def area(values: Sequence[float]) -> str:
    """The surface below the line."""
    drawn = line(values)
    return f"{drawn} L{WIDTH:.1f} {HEIGHT:.1f} L0 {HEIGHT:.1f}Z" if drawn else ""
