"""The page of a website that says what was not counted, and why; everybody who may see the website may see it."""

from litestar.params import FromPath

from analytics_box.drops import view
from analytics_box.http.page.visit import Page, Visitor
from analytics_box.ingest.dropped import DroppedTraffic
from analytics_box.texts import figures
from analytics_box.websites.reach import own
from analytics_box.websites.settings_area import settings_page

RANGES = (7, 30, 90)  # UTC days
_USUAL = "30"


async def show(visit: Visitor, website_id: FromPath[str]) -> Page:
    """GET /sites/{id}/not-counted; `?days=` is 7, 30 or 90. Raises NotFound."""
    website, person = own(visit.call, website_id), visit.person
    asked = visit.asked("days") or _USUAL
    days = int(asked) if asked in {str(number) for number in RANGES} else int(_USUAL)
    found = await visit.parts[DroppedTraffic].of(website.site, days=days)
    return settings_page(
        visit,
        "not_counted.html",
        "dropped",
        website,
        href=f"/sites/{website.id}/not-counted",
        chosen=days,
        ranges=RANGES,
        total=figures.count(view.not_counted(found)),
        reasons=view.totals(found),
        days=view.days(found, person.date_format),
        may_configure=person.role != "viewer",
    )
