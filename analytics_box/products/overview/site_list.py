"""The list of websites: one card each, with its last seven days beside the seven before. Pure."""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from analytics_box.base.texts import Sites, figures
from analytics_box.products.overview.listing import WebsiteFigures
from analytics_box.products.overview.week import WebsiteDay
from analytics_box.tenants.websites.rules import Website

WIDTH, HEIGHT, MARGIN = 280.0, 44.0, 3.0
TIMES = 10  # from which on a change is said as how many times


class WeekChange(Struct, frozen=True):
    """This week against the week before, in words; `amount` is empty where both are the same."""

    direction: Literal["up", "down", "same"]
    amount: str


class SiteCard(Struct, frozen=True):
    """A website as its card shows it. `line`, `tail` and `area` are SVG paths of its visitors per day, empty if none:
    the finished days, the last step to the unfinished today, and the surface below.

    `change` is None where there is nothing to compare with; `young` says that its first event is younger than that.
    """

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
    change: WeekChange | None = None
    young: bool = False


def site_card(website: Website, days: Sequence[WebsiteDay] | None, known: WebsiteFigures) -> SiteCard:
    """`days` is None where they could not be had."""
    weeks = known.weeks
    visitors = None if weeks is None or website.site not in weeks.now else weeks.now[website.site].visitors
    begun = known.beginnings.get(website.site)
    return SiteCard(
        id=website.id,
        name=website.name,
        domain=website.domain,
        href=f"/sites/{website.id}",
        waiting=begun is None,
        visitors="–" if visitors is None else figures.count(visitors),
        unit=Sites.visitors_one if visitors == 1 else Sites.visitors,
        online=figures.count(known.online.get(website.site, 0)),
        change=change(known.change(website.site)),
        young=weeks is not None and begun is not None and begun > weeks.since,
        **sparkline([day.visitors for day in days or ()]),
    )


def change(share: float | None) -> WeekChange | None:
    """A share of the week before, such as 0.12, in words: in percent, or as how many times where that says more."""
    if share is None:
        return None
    if not share:
        return WeekChange("same", "")
    much = f"×{figures.count(share + 1)}" if share + 1 >= TIMES else figures.percent(abs(share) * 100)
    return WeekChange("up" if share > 0 else "down", much)


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
