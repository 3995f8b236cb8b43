"""What is now on a status page: /status-pages/{id}. Where somebody looks first when something is wrong."""

from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base.texts import figures
from analytics_box.products.monitors.monitor import HOME as MONITORS
from analytics_box.products.status_pages.console.choosing import in_trouble, state_of
from analytics_box.products.status_pages.console.frame import Opened, opened
from analytics_box.products.status_pages.console.shown import Line, line
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


class Now(Struct, frozen=True):
    """What is now. `trouble` are components that are not well and that no open incident is about."""

    trouble: tuple[ComponentLine, ...]
    drafts: tuple[Line, ...]
    incidents: tuple[Line, ...]
    maintenances: tuple[Line, ...]
    components: tuple[ComponentLine, ...]


async def page_now(visit: Visitor, page_id: FromPath[str]) -> Page:
    """GET /status-pages/{id}. Raises NotFound."""
    page = await opened(visit, page_id)
    return page.show("status_page.html", "now", now=_now(page))


def _now(page: Opened) -> Now:
    found = [one for one in page.whole.incidents if one.is_open]
    incidents = [one for one in found if one.kind == "incident"]
    planned = sorted((one for one in found if one.kind == "maintenance"), key=lambda one: one.scheduled_for or 0)
    return Now(
        trouble=tuple(_component(page, one) for one in in_trouble(page.seen, page.whole.incidents)),
        drafts=_lines(page, [one for one in incidents if one.is_draft]),
        incidents=_lines(page, [one for one in incidents if not one.is_draft]),
        maintenances=_lines(page, planned),
        components=tuple(_component(page, one) for one in page.seen.components),
    )


def _lines(page: Opened, some: list[Incident]) -> tuple[Line, ...]:
    return tuple(line(page.href, one, page.visit.person, page.visit.call.now) for one in some)


def _component(page: Opened, one: ComponentSeen) -> ComponentLine:
    group = next((each.name for each in page.seen.groups if each.id == one.group_id), "")
    monitor = next((each.monitor_id for each in page.whole.components if each.id == one.id), None)
    href = f"{MONITORS}/{monitor}" if monitor is not None else ""
    return ComponentLine(figures.visible(one.name), *state_of(one), group=figures.visible(group), href=href)
