"""Status pages of Uptime Kuma, from its database in the form of its backup. Pure."""

from collections.abc import Mapping
from typing import Any, Final

from analytics_box.base.translation import _
from analytics_box.products.status_pages.incident import USUAL_MESSAGES, Severity
from analytics_box.products.status_pages.moving.wanted import (
    ComponentItem,
    GroupItem,
    IncidentItem,
    StatusPageItem,
    UpdateItem,
    entries,
    slug_of,
    text,
)

_SEVERITIES: Final[Mapping[str, Severity]] = {"danger": "critical", "warning": "major"}


def read_kuma_pages(given: Mapping[str, Any], monitors: Mapping[str, str]) -> list[StatusPageItem]:
    """The pages of a file. `monitors` are the ids of monitors here by those of the file.

    Raises BadRequest for lists that are too long.
    """
    names = {text(one.get("id")): text(one.get("name")) for one in entries(given.get("monitorList") or [])}
    return [_page(one, names, monitors) for one in entries(given.get("statusPageList") or [])]


def _page(given: Mapping[str, Any], names: Mapping[str, str], monitors: Mapping[str, str]) -> StatusPageItem:
    groups, components, notes = [], [], []
    used: set[str] = set()
    for number, group in enumerate(entries(given.get("groups") or [])):
        groups.append(GroupItem(ref=str(number), name=text(group.get("name"))))
        for one in entries(group.get("monitors") or []):
            ref = text(one.get("id"))
            monitor_id = monitors.get(ref)
            if monitor_id is None or monitor_id in used:
                reason = _("it is on the page twice") if monitor_id is not None else _("there is no such monitor here")
                notes.append(_("{name} is not imported: {reason}").format(name=names.get(ref) or ref, reason=reason))
                continue
            used.add(monitor_id)
            shown = bool(one.get("showsUrl"))
            item = ComponentItem(ref=ref, name="", group=str(number), monitor_id=monitor_id, shows_url=shown)
            components.append(item)
    if given.get("domains"):
        notes.append(_("The custom domain is not imported. Add it in Settings"))
    if given.get("hasPassword"):
        notes.append(_("The password is not imported"))
    theme = text(given.get("theme"))
    return StatusPageItem(
        name=text(given.get("title")) or text(given.get("slug")),
        slug=slug_of(text(given.get("slug"))),
        description=text(given.get("description")),
        theme="light" if theme == "light" else "dark" if theme == "dark" else None,
        is_indexed=given.get("isIndexed") is not False,
        groups=tuple(groups),
        components=tuple(components),
        incidents=tuple(made for one in entries(given.get("incidents") or []) if (made := _incident(one)) is not None),
        notes=tuple(notes),
    )


def _incident(given: Mapping[str, Any]) -> IncidentItem | None:
    """An incident; one that is no longer shown is resolved, and its last change is taken as its end."""
    at, changed = given.get("createdAt"), given.get("updatedAt")
    if not isinstance(at, int):
        return None
    updates = [
        UpdateItem(status="investigating", message=text(given.get("content")) or USUAL_MESSAGES["investigating"], at=at)
    ]
    if not given.get("isOpen"):
        end = max(changed, at) if isinstance(changed, int) else at
        updates.append(UpdateItem(status="resolved", message=USUAL_MESSAGES["resolved"], at=end))
    return IncidentItem(
        kind="incident",
        title=text(given.get("title")),
        updates=tuple(updates),
        severity=_SEVERITIES.get(text(given.get("style")), "minor"),
    )
