"""The components of a status page under /status-pages/{id}/components, and its groups."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from litestar.params import FromPath
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.errors import BadRequest, Conflict, NotFound
from analytics_box.base.translation import _
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.status_pages.console.choosing import STATE_LABELS, state_of
from analytics_box.products.status_pages.console.frame import (
    ConsolePage,
    open_page,
    opened_with,
    page_deletion,
)
from analytics_box.products.status_pages.console.list_pages import MOST_MONITORS
from analytics_box.products.status_pages.editing import component_calls as procedures
from analytics_box.products.status_pages.editing.messages import (
    AddComponent,
    AddComponentGroup,
    ComponentGroupId,
    ComponentId,
    ReorderComponents,
    UpdateComponent,
    UpdateComponentGroup,
)
from analytics_box.products.status_pages.page import Component, ComponentGroup, Whole
from analytics_box.products.status_pages.seen import monitor_of
from analytics_box.resource import forms
from analytics_box.tenants.tenancy.messages import message_of
from analytics_box.web.page.questions import ConfirmationTexts
from analytics_box.web.page.resource_form import Form, FormPages
from analytics_box.web.page.visit import Again, Answer, Next, Page, PageRequest, Visitor

_REMOVE_COMPONENT = ConfirmationTexts(
    _("Remove {name} from the page?"),
    _("The component and its uptime history are removed from this page. Its monitor and past incidents stay."),
    _("Remove {name}"),
)
_REMOVE_GROUP = ConfirmationTexts(
    _("Remove the group {name}?"), _("Its components stay on the page."), _("Remove {name}")
)


class PageItem(Struct, frozen=True):
    """A top-level item of a page: a component, or a group with its components."""

    id: str
    group: ComponentGroup | None
    components: tuple[Component, ...]


def entries(whole: Whole) -> list[PageItem]:
    """The top-level items of a page, in its order."""
    known = {group.id for group in whole.groups}
    found = [
        (group.position, PageItem(group.id, group, tuple(one for one in whole.components if one.group_id == group.id)))
        for group in whole.groups
    ]
    found += [(one.position, PageItem(one.id, None, (one,))) for one in whole.components if one.group_id not in known]
    return [entry for _rest, entry in sorted(found, key=lambda pair: (pair[0], pair[1].id))]


def reordered_ids(whole: Whole, wanted: str, step: int) -> list[str]:
    """The ids of everything in its order after one component or group went one place up (-1) or down (1).

    A component in a group moves within it.
    """
    own = entries(whole)
    top = [entry.id for entry in own]
    inner = {entry.id: [one.id for one in entry.components] for entry in own if entry.group is not None}
    for siblings in (top, *inner.values()):
        _swap(siblings, wanted, step)
    return list(_flat(top, inner))


def _flat(top: Sequence[str], inner: dict[str, list[str]]) -> Iterable[str]:
    for one in top:
        yield one
        yield from inner.get(one, ())


def _swap(siblings: list[str], wanted: str, step: int) -> None:
    if wanted not in siblings:
        return
    here = siblings.index(wanted)
    there = here + step
    if 0 <= there < len(siblings):
        siblings[here], siblings[there] = siblings[there], siblings[here]


UNKNOWN: Final = _("This component does not exist")
_SHOWN: Final = {"showUrl": "hideUrl", "showUptime": "hideUptimePercentage", "showLatency": "hideLatency"}
_ADDED: Final = {"monitor": "monitor", "manual": "manual", "group": "group"}


class ComponentRow(Struct, frozen=True, kw_only=True):
    """A component or a group in the list. `is_inner` is true for components in a group."""

    id: str
    name: str
    href: str
    is_group: bool = False
    is_inner: bool = False
    is_first: bool
    is_last: bool
    mark: str = ""
    label: str = ""
    notes: tuple[str, ...] = ()


async def components(visit: Visitor, page_id: FromPath[str]) -> Page:
    """GET /status-pages/{id}/components. Raises NotFound."""
    return _page(await open_page(visit, page_id))


async def add(visit: Visitor, page_id: FromPath[str]) -> Answer:
    """POST /status-pages/{id}/components: a monitor, a component without one, or a group. Raises NotFound."""
    page, form = await open_page(visit, page_id), await visit.form()
    kind = _ADDED.get(form.get("add", ""), "monitor")
    given: dict[str, Any] = {"statusPageId": page_id}
    try:
        visit.saves()
        match kind:
            case "group":
                given |= {"name": form.get("group", "")}
                await procedures.add_group(visit.call, message_of(given, AddComponentGroup))
            case "manual":
                given |= {"name": form.get("manual", "")}
                await procedures.add_component(visit.call, message_of(given, AddComponent))
            case _:
                given |= {"uptimeScheduleId": form.get("monitor", ""), "hideUrl": True}
                await procedures.add_component(visit.call, message_of(given, AddComponent))
    except (BadRequest, Conflict) as wrong:
        return _page(page, Again(wrong.status, form, {kind: wrong.message}))
    return visit.go(f"{page.href}/components?done=added")


async def order(visit: Visitor, page_id: FromPath[str]) -> Next:
    """POST /status-pages/{id}/order: move a component or group up or down. Raises NotFound or BadRequest."""
    page, form = await open_page(visit, page_id), await visit.form()
    wanted, step = (form["up"], -1) if form.get("up") else (form.get("down", ""), 1)
    new_order = tuple(reordered_ids(page.whole, wanted, step))
    if new_order:
        await procedures.reorder(visit.call, ReorderComponents(page_id, new_order))
    return visit.go(f"{page.href}/components")


def _page(page: ConsolePage, again: Again | None = None) -> Page:
    shown = {one.monitor_id for one in page.whole.components}
    reaches = page.visit.call.identity.reaches
    known = page.visit.parts[Monitors].of(page.whole.page.organization_id)
    own = [one for one in known if reaches(one.id, one.website_id)]
    left = sorted(
        ((one.id, figures.visible(one.called)) for one in own if one.id not in shown),
        key=lambda one: one[1].casefold(),
    )
    return page.show(
        "status_components.html", "components", again=again, lines=_lines(page), monitors=left[:MOST_MONITORS]
    )


def _lines(page: ConsolePage) -> list[ComponentRow]:
    own, lines = entries(page.whole), []
    for number, entry in enumerate(own):
        is_first, is_last = number == 0, number == len(own) - 1
        if entry.group is None:
            lines.append(_line(page, entry.components[0], is_first=is_first, is_last=is_last))
            continue
        href = f"{page.href}/groups/{entry.id}"
        name = figures.visible(entry.group.name)
        lines.append(ComponentRow(id=entry.id, name=name, href=href, is_group=True, is_first=is_first, is_last=is_last))
        last = len(entry.components) - 1
        lines += [
            _line(page, one, is_inner=True, is_first=place == 0, is_last=place == last)
            for place, one in enumerate(entry.components)
        ]
    return lines


def _line(page: ConsolePage, one: Component, *, is_first: bool, is_last: bool, is_inner: bool = False) -> ComponentRow:
    seen = next((each for each in page.seen.components if each.id == one.id), None)
    mark, label = state_of(seen) if seen is not None else ("", "")
    notes = []
    if one.monitor_id is None:
        notes.append(_("Set manually"))
    elif seen is None:
        notes.append(_("Hidden: its monitor was deleted"))
    elif one.name:
        notes.append(_("Monitor") + ": " + figures.visible(_monitor_name(page, one)))
    return ComponentRow(
        id=one.id,
        name=_name(page, one),
        href=f"{page.href}/components/{one.id}",
        is_inner=is_inner,
        is_first=is_first,
        is_last=is_last,
        mark=mark,
        label=label,
        notes=tuple(notes),
    )


async def _find_component(page: ConsolePage) -> Component:
    wanted = page.visit.path("component_id")
    for one in page.whole.components:
        if one.id == wanted:
            return replace(one, position=0)  # Components are moved on another page.
    raise NotFound(UNKNOWN)


def _fill_component(_visit: PageRequest, page: ConsolePage, one: Component) -> Form:
    values = forms.fill(one, page.whole.page.zone)
    return values | {shows: "" if values[hides] else "on" for shows, hides in _shown_boxes(one).items()}


async def _show_component(_visit: PageRequest, page: ConsolePage, one: Component, again: Again) -> Page:
    return page.show(
        "status_component.html",
        "components",
        again=again,
        edited=one,
        title=_("Edit {name}").format(name=_name(page, one)),
        back=f"{page.href}/components",
        remove=f"{page.href}/components/{one.id}/remove",
        is_group=False,
        manual=one.monitor_id is None,
        groups=[("", _("No group")), *((each.id, figures.visible(each.name)) for each in page.whole.groups)],
        statuses=[each for each in STATE_LABELS.items() if each[0] != "unknown"],
    )


async def _save_component(visit: PageRequest, page: ConsolePage, one: Component, form: Form) -> str:
    boxes = {"onlyShowIfDegraded": "onlyShowIfDegraded" in form}
    boxes |= {hides: shows not in form for shows, hides in _shown_boxes(one).items()}
    found = {"componentId": one.id} | forms.read(form, Component, page.whole.page.zone, one, {}) | boxes
    await procedures.update_component(visit.call, message_of(found, UpdateComponent))
    return f"{page.href}/components?done=saved"


def _shown_boxes(component: Component) -> dict[str, str]:
    """The check boxes of what visitors see, and the fields that hide it. A component without a monitor has no host and
    no response times."""
    return {
        shows: hides for shows, hides in _SHOWN.items() if component.monitor_id is not None or shows == "showUptime"
    }


COMPONENT: Final = FormPages(
    find=opened_with(_find_component),
    fill=_fill_component,
    show=_show_component,
    save=_save_component,
    names={"uptimeScheduleId": "monitor"},
    deletion=page_deletion(
        _find_component,
        _REMOVE_COMPONENT,
        about=lambda page, one: (_name(page, one), f"{page.href}/components/{one.id}"),
        delete=lambda visit, _page, one: procedures.remove_component(visit.call, ComponentId(one.id)),
        after=lambda page, _form: f"{page.href}/components?done=removed",
    ),
)


async def _find_group(page: ConsolePage) -> ComponentGroup:
    wanted = page.visit.path("group_id")
    for one in page.whole.groups:
        if one.id == wanted:
            return replace(one, position=0)
    raise NotFound(UNKNOWN)


async def _show_group(_visit: PageRequest, page: ConsolePage, group: ComponentGroup, again: Again) -> Page:
    return page.show(
        "status_component.html",
        "components",
        again=again,
        edited=group,
        title=_("Edit the group {name}").format(name=figures.visible(group.name)),
        back=f"{page.href}/components",
        remove=f"{page.href}/groups/{group.id}/remove",
        is_group=True,
        manual=False,
        groups=[],
        statuses=[],
    )


async def _save_group(visit: PageRequest, page: ConsolePage, group: ComponentGroup, form: Form) -> str:
    found = {"groupId": group.id} | forms.read(form, ComponentGroup, page.whole.page.zone, group, {})
    await procedures.update_group(visit.call, message_of(found, UpdateComponentGroup))
    return f"{page.href}/components?done=saved"


GROUP: Final = FormPages(
    find=opened_with(_find_group),
    fill=lambda _visit, page, group: forms.fill(group, page.whole.page.zone),
    show=_show_group,
    save=_save_group,
    deletion=page_deletion(
        _find_group,
        _REMOVE_GROUP,
        about=lambda page, group: (group.name, f"{page.href}/groups/{group.id}"),
        delete=lambda visit, _page, group: procedures.remove_group(visit.call, ComponentGroupId(group.id)),
        after=lambda page, _form: f"{page.href}/components?done=removed",
    ),
)


def _monitor_name(page: ConsolePage, one: Component) -> str:
    found = monitor_of(page.visit.parts[Monitors].find, page.whole.organization_id, one)
    return found.called if found is not None else ""


def _name(page: ConsolePage, one: Component) -> str:
    """The name of a component in the dashboard, with a fallback if its monitor is deleted."""
    return figures.visible(one.name or _monitor_name(page, one) or _("Hidden: its monitor was deleted"))
