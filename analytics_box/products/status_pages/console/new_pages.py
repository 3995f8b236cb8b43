"""A new status page: /status-pages/new."""

from analytics_box.base import figures
from analytics_box.base.errors import BadRequest, Conflict
from analytics_box.base.names import SPELLING
from analytics_box.base.translation import _
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.status_pages.console.frame import HOME, frame, rejection_of
from analytics_box.products.status_pages.editing import calls as procedures
from analytics_box.products.status_pages.editing.messages import CreateStatusPage
from analytics_box.tenants.tenancy.messages import message_of
from analytics_box.web.page.visit import Again, Answer, Page, PageRequest, Visitor

MOST_MONITORS = 500  # Monitors in a list of check boxes.
_PREFIX = "monitor."


async def new_form(visit: Visitor) -> Page:
    """GET /status-pages/new."""
    return _page(visit, Again(), set())


async def add(visit: Visitor) -> Answer:
    """POST /status-pages/new: create a draft."""
    form = await visit.form()
    chosen = [name.removeprefix(_PREFIX) for name in form if name.startswith(_PREFIX)]
    found = {
        "name": form.get("name", ""),
        "slug": form.get("slug", "").strip(),
        "uptimeScheduleIds": chosen,
        "timeZone": visit.person.time_zone,
        "isPublished": False,
        "organizationId": visit.person.organization_id,
    }
    try:
        visit.saves()
        made = await procedures.create(
            visit.call, message_of(found, CreateStatusPage, _("This value is not valid: {message}"))
        )
    except (BadRequest, Conflict) as wrong:
        return _page(visit, rejection_of(wrong, form), set(chosen))
    return visit.go(f"{HOME}/{made.id}?done=created")


def _page(visit: PageRequest, again: Again, chosen: set[str]) -> Page:
    own = visit.parts[Monitors].of(visit.person.organization_id)
    named = sorted(
        ((one.id, figures.visible(one.called), one.is_paused) for one in own), key=lambda one: one[1].casefold()
    )
    return visit.pages.show(
        "status_page_new.html",
        code=again.code,
        shell=frame(visit.person),
        values=again.values,
        errors=again.wrong,
        general=again.general,
        monitors=[(one, name, one in chosen, is_paused) for one, name, is_paused in named[:MOST_MONITORS]],
        address=f"{visit.parts.settings.public_url}/status/…",
        spelling=SPELLING,
    )
