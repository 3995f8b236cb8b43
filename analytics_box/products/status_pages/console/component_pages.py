"""The components of a status page under /status-pages/{id}/components, and its groups."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Final

from litestar.params import FromPath
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.errors import BadRequest, Conflict, NotFound
from analytics_box.base.translation import _
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.status_pages.console.choosing import STATE_LABELS, state_of
from analytics_box.products.status_pages.console.frame import ConsolePage, frame, open_page, rejection_of
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
from analytics_box.web.page.edits import check_version
from analytics_box.web.page.questions import ConfirmationTexts, ask
from analytics_box.web.page.visit import Again, Answer, Next, Page, Visitor

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
_FIELDS: Final = {"uptimeScheduleId": "monitor"}
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
    given = {"statusPageId": page_id}
    try:
        visit.saves()
        match kind:
            case "group":
                found: dict[str, Any] = given | {"name": form.get("group", "")}
                await procedures.add_group(visit.call, message_of(found, AddComponentGroup))
            case "manual":
                found = given | {"name": form.get("manual", "")}
                await procedures.add_component(visit.call, message_of(found, AddComponent))
            case _:
                found = given | {"uptimeScheduleId": form.get("monitor", ""), "hideUrl": True}
                await procedures.add_component(visit.call, message_of(found, AddComponent))
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


async def edit_form(visit: Visitor, page_id: FromPath[str], component_id: FromPath[str]) -> Page:
    """GET /status-pages/{id}/components/{component}. Raises NotFound."""
    page = await open_page(visit, page_id)
    return _component_page(page, _component(page, component_id), Again())


async def save(visit: Visitor, page_id: FromPath[str], component_id: FromPath[str]) -> Answer:
    """POST /status-pages/{id}/components/{component}. Raises NotFound."""
    page, form = await open_page(visit, page_id), await visit.form()
    component = _component(page, component_id)
    boxes = {"onlyShowIfDegraded": "onlyShowIfDegraded" in form}
    boxes |= {hides: shows not in form for shows, hides in _shown_boxes(component).items()}
    found = {"componentId": component_id} | forms.read(form, Component, page.whole.page.zone, component, {}) | boxes
    return await _save_change(
        page,
        component,
        lambda: procedures.update_component(visit.call, message_of(found, UpdateComponent)),
        lambda again: _component_page(page, component, again),
        form,
    )


async def remove_form(visit: Visitor, page_id: FromPath[str], component_id: FromPath[str]) -> Page:
    """GET /status-pages/{id}/components/{component}/remove: are you sure? Raises NotFound."""
    page = await open_page(visit, page_id)
    component, here = _component(page, component_id), f"{page.href}/components/{component_id}"
    name = _name(page, component)
    question = _REMOVE_COMPONENT
    return ask(visit, frame(visit.person), question, name, action=f"{here}/remove", back=here)


async def remove(visit: Visitor, page_id: FromPath[str], component_id: FromPath[str]) -> Next:
    """POST /status-pages/{id}/components/{component}/remove. Raises NotFound."""
    page = await open_page(visit, page_id)
    await procedures.remove_component(visit.call, ComponentId(_component(page, component_id).id))
    return visit.go(f"{page.href}/components?done=removed")


async def group_form(visit: Visitor, page_id: FromPath[str], group_id: FromPath[str]) -> Page:
    """GET /status-pages/{id}/groups/{group}. Raises NotFound."""
    page = await open_page(visit, page_id)
    return _group_page(page, _group(page, group_id), Again())


async def save_group(visit: Visitor, page_id: FromPath[str], group_id: FromPath[str]) -> Answer:
    """POST /status-pages/{id}/groups/{group}. Raises NotFound."""
    page, form = await open_page(visit, page_id), await visit.form()
    group = _group(page, group_id)
    found = {"groupId": group_id} | forms.read(form, ComponentGroup, page.whole.page.zone, group, {})
    return await _save_change(
        page,
        group,
        lambda: procedures.update_group(visit.call, message_of(found, UpdateComponentGroup)),
        lambda again: _group_page(page, group, again),
        form,
    )


async def remove_group_form(visit: Visitor, page_id: FromPath[str], group_id: FromPath[str]) -> Page:
    """GET /status-pages/{id}/groups/{group}/remove: are you sure? Raises NotFound."""
    page = await open_page(visit, page_id)
    group, here = _group(page, group_id), f"{page.href}/groups/{group_id}"
    question = _REMOVE_GROUP
    return ask(visit, frame(visit.person), question, group.name, action=f"{here}/remove", back=here)


async def remove_group(visit: Visitor, page_id: FromPath[str], group_id: FromPath[str]) -> Next:
    """POST /status-pages/{id}/groups/{group}/remove. Raises NotFound."""
    page = await open_page(visit, page_id)
    await procedures.remove_group(visit.call, ComponentGroupId(_group(page, group_id).id))
    return visit.go(f"{page.href}/components?done=removed")


async def _save_change(
    page: ConsolePage,
    edited: Component | ComponentGroup,
    change: Callable[[], Awaitable[object]],
    show: Callable[[Again], Page],
    form: dict[str, str],
) -> Answer:
    try:
        page.visit.saves()
        # Components and groups are moved on another page.
        check_version(form, replace(edited, position=0))
        await change()
    except (BadRequest, Conflict) as wrong:
        return show(rejection_of(wrong, form, _FIELDS))
    return page.visit.go(f"{page.href}/components?done=saved")


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


def _component_page(page: ConsolePage, one: Component, again: Again) -> Page:
    values = forms.fill(one, page.whole.page.zone)
    values |= {shows: "" if values[hides] else "on" for shows, hides in _shown_boxes(one).items()}
    return page.show(
        "status_component.html",
        "components",
        again=again,
        edited=replace(one, position=0),
        values=values if again.code == 200 else {},
        title=_("Edit {name}").format(name=_name(page, one)),
        back=f"{page.href}/components",
        remove=f"{page.href}/components/{one.id}/remove",
        is_group=False,
        manual=one.monitor_id is None,
        groups=[("", _("No group")), *((each.id, figures.visible(each.name)) for each in page.whole.groups)],
        statuses=[each for each in STATE_LABELS.items() if each[0] != "unknown"],
    )


def _group_page(page: ConsolePage, group: ComponentGroup, again: Again) -> Page:
    return page.show(
        "status_component.html",
        "components",
        again=again,
        edited=replace(group, position=0),
        values=forms.fill(group, page.whole.page.zone),
        title=_("Edit the group {name}").format(name=figures.visible(group.name)),
        back=f"{page.href}/components",
        remove=f"{page.href}/groups/{group.id}/remove",
        is_group=True,
        manual=False,
        groups=[],
        statuses=[],
    )


def _shown_boxes(component: Component) -> dict[str, str]:
    """The check boxes of what visitors see, and the fields that hide it. A component without a monitor has no host and
    no response times."""
    return {
        shows: hides for shows, hides in _SHOWN.items() if component.monitor_id is not None or shows == "showUptime"
    }


def _component(page: ConsolePage, component_id: str) -> Component:
    for one in page.whole.components:
        if one.id == component_id:
            return one
    raise NotFound(UNKNOWN)


def _group(page: ConsolePage, group_id: str) -> ComponentGroup:
    for one in page.whole.groups:
        if one.id == group_id:
            return one
    raise NotFound(UNKNOWN)


def _monitor_name(page: ConsolePage, one: Component) -> str:
    found = monitor_of(page.visit.parts[Monitors].find, page.whole.organization_id, one)
    return found.called if found is not None else ""


def _name(page: ConsolePage, one: Component) -> str:
    """The name of a component in the dashboard, with a fallback if its monitor is deleted."""
    return figures.visible(one.name or _monitor_name(page, one) or _("Hidden: its monitor was deleted"))
