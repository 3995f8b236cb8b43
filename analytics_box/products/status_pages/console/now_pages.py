"""The current state of a status page: /status-pages/{id}. The first page to open when something is wrong."""

from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base import figures
from analytics_box.products.monitors.monitor import HOME as MONITORS
from analytics_box.products.status_pages.console.choosing import in_trouble, state_of
from analytics_box.products.status_pages.console.frame import ConsolePage, open_page
from analytics_box.products.status_pages.console.shown import IncidentRow, line
from analytics_box.products.status_pages.incident import Incident
from analytics_box.products.status_pages.seen import ComponentSeen
from analytics_box.web.page.visit import Page, Visitor


class ComponentLine(Struct, frozen=True):
    """A component and how it is; `href` leads to its monitor."""

    name: str
    mark: str
    label: str
    group: str = ""
    href: str = ""


class CurrentState(Struct, frozen=True):
    """The current state of a page. `trouble` are components that are not operational and that no open
    incident affects."""

    trouble: tuple[ComponentLine, ...]
    drafts: tuple[IncidentRow, ...]
    incidents: tuple[IncidentRow, ...]
    maintenances: tuple[IncidentRow, ...]
    components: tuple[ComponentLine, ...]


async def page_now(visit: Visitor, page_id: FromPath[str]) -> Page:
    """GET /status-pages/{id}. Raises NotFound."""
    page = await open_page(visit, page_id)
    return page.show("status_page.html", "now", now=_now(page))


def _now(page: ConsolePage) -> CurrentState:
    found = [one for one in page.whole.incidents if one.is_open]
    incidents = [one for one in found if one.kind == "incident"]
    planned = sorted((one for one in found if one.kind == "maintenance"), key=lambda one: one.scheduled_for or 0)
    return CurrentState(
        trouble=tuple(_component(page, one) for one in in_trouble(page.seen, page.whole.incidents)),
        drafts=_lines(page, [one for one in incidents if one.is_draft]),
        incidents=_lines(page, [one for one in incidents if not one.is_draft]),
        maintenances=_lines(page, planned),
        components=tuple(_component(page, one) for one in page.seen.components),
    )


def _lines(page: ConsolePage, some: list[Incident]) -> tuple[IncidentRow, ...]:
    return tuple(line(page.href, one, page.visit.person, page.visit.call.now) for one in some)


def _component(page: ConsolePage, one: ComponentSeen) -> ComponentLine:
    group = next((each.name for each in page.seen.groups if each.id == one.group_id), "")
    monitor = next((each.monitor_id for each in page.whole.components if each.id == one.id), None)
    href = f"{MONITORS}/{monitor}" if monitor is not None else ""
    return ComponentLine(figures.visible(one.name), *state_of(one), group=figures.visible(group), href=href)
