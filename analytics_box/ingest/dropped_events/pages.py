"""The page of a website that says what was not counted, and why; everyone who may see the website may see it."""

from urllib.parse import urlencode

from litestar.params import FromPath

from analytics_box.base import figures
from analytics_box.ingest.dropped import DroppedTraffic
from analytics_box.ingest.dropped_events import calls
from analytics_box.ingest.refusals import Refusals
from analytics_box.tenants.websites import change
from analytics_box.tenants.websites.reach import change as change_own
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.settings_area import settings_page
from analytics_box.tenants.websites.tracking import clean_origin
from analytics_box.web.page.visit import Next, Page, Visitor

RANGES = (7, 30, 90)  # UTC days
_USUAL = "30"


async def show(visit: Visitor, website_id: FromPath[str]) -> Page:
    """GET /sites/{id}/not-counted; `?days=` is 7, 30 or 90. Raises NotFound."""
    website, person = own(visit.call, website_id), visit.person
    asked = visit.asked("days") or _USUAL
    allowed = visit.asked("allowed")
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
        total=figures.count(calls.not_counted(found)),
        reasons=calls.totals(found),
        days=calls.days(found, person.date_format),
        may_configure=person.may("member"),
        origins=visit.parts[Refusals].of(website.site),
        allowed=allowed if allowed in website.tracking.allowedOrigins else "",
    )


async def allow_origin(visit: Visitor, website_id: FromPath[str]) -> Next:
    """POST /sites/{id}/origins: let pages of an origin send that was refused. Raises NotFound and BadRequest."""
    form = await visit.form()
    given = form.get("origin", "")
    website = await change_own(
        visit.call, website_id, lambda db, website, by: change.allow_origin(db, website, by, given)
    )
    origin = clean_origin(given.strip())
    visit.parts[Refusals].forget(website.site, origin)
    home = f"/sites/{website.id}"
    back = home if form.get("back") == home else f"{home}/not-counted"
    return visit.go(f"{back}?{urlencode({'allowed': origin})}")
