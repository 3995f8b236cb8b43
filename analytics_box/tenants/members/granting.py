"""Choosing the resources that a member or an invitation can access: what there is, as check boxes of a form."""

from collections.abc import Collection, Mapping
from typing import Final

import msgspec
from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.errors import BadRequest
from analytics_box.base.outgoing.masking import mask_query
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.resource.reach import GRANTED, OWNERS

# The names of check boxes are this and an id.
PREFIX: Final = "resource."
ACCESS_ALL, ACCESS_SELECTED = "all", "selected"
# This many of a kind are offered, besides those that are selected already.
MOST_OFFERED: Final = 200

_LABELS: Final[Mapping[str, str]] = {
    "website_id": _("Websites"),
    "link_id": _("Links"),
    "monitor_id": _("Monitors"),
    "page_id": _("Status pages"),
    "flag_id": _("Flags"),
}
# The name of each resource with a detail that distinguishes it from others of that name, and which ones are offered.
_NAMED: Final[Mapping[str, tuple[str, str]]] = {
    "website_id": ("name, domain", "deleted_at is null"),
    "link_id": ("name, ltrim(domain || '/' || slug, '/')", "true"),
    "monitor_id": ("coalesce(name, url), ''", "true"),
    "page_id": ("name, slug", "true"),
    "flag_id": ("key, coalesce(environment, '')", "deleted_at is null"),
}


class ResourceChoice(Struct, frozen=True):
    """A resource to select."""

    field: str
    name: str
    detail: str
    on: bool


class ResourceGroup(Struct, frozen=True):
    """The resources of one kind to select, by name. If there are too many, the newest are offered."""

    id: str
    label: str
    choices: tuple[ResourceChoice, ...]
    cut: bool

    @property
    def on(self) -> int:
        """The number of selected ones."""
        return sum(choice.on for choice in self.choices)


def resource_groups(db: Connection, organization_id: str, selected: Collection[str]) -> list[ResourceGroup]:
    """All resources of an organization that members can be restricted to, without kinds of which there are none."""
    found = [_group(db, name, organization_id, selected) for name in GRANTED]
    return [group for group in found if group.choices]


def selected_ids(form: Mapping[str, str]) -> frozenset[str]:
    """The ids of the resources whose boxes are checked."""
    return frozenset(name.removeprefix(PREFIX) for name in form if name.startswith(PREFIX))


def read_selected(form: Mapping[str, str]) -> frozenset[str] | None:
    """The ids of the resources that a form selects; None for all. Raises BadRequest if it selects none."""
    if form.get("access") != ACCESS_SELECTED:
        return None
    found = selected_ids(form)
    if not found:
        raise BadRequest.about("resources", _("Select at least one website, link, monitor, status page or flag"))
    return found


def _group(db: Connection, name: str, organization_id: str, selected: Collection[str]) -> ResourceGroup:
    table, _owners = OWNERS[name]
    named, offered = _NAMED[name]
    whose = "organization_id = :organization_id"
    if name == "flag_id":
        whose += " or website_id in (select id from websites where organization_id = :organization_id)"
    rows = db.execute(
        f"""
        -- members.resource_groups
        select id, {named}, id in (select value from json_each(:selected)) as chosen from {table}
        where ({whose}) and {offered} order by chosen desc, created_at desc, id limit :limit
        """,
        {
            "organization_id": organization_id,
            "selected": msgspec.json.encode([*selected]).decode(),
            "limit": len(selected) + MOST_OFFERED + 1,
        },
    ).fetchall()
    most = sum(bool(row[-1]) for row in rows) + MOST_OFFERED
    choices = [
        ResourceChoice(
            field=f"{PREFIX}{one}",
            name=figures.visible(mask_query(str(title))),
            detail=figures.visible(str(detail)),
            on=bool(on),
        )
        for one, title, detail, on in rows[:most]
    ]
    choices.sort(key=lambda choice: choice.name.casefold())
    return ResourceGroup(name.removesuffix("_id"), _LABELS[name], tuple(choices), len(rows) > most)
