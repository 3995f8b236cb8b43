"""Status pages, their groups and their components in box.db. Every function takes a connection inside the caller's
transaction."""

from collections.abc import Iterable
from itertools import groupby
from typing import Any, Final, Protocol, TypeVar

import msgspec
from msgspec import Struct

from analytics_box.base.errors import BadRequest, Conflict
from analytics_box.base.store import records
from analytics_box.base.store.db import Connection, ConstraintError
from analytics_box.products.status_pages.incident_rows import incidents_of
from analytics_box.products.status_pages.page import Component, ComponentGroup, StatusPage
from analytics_box.products.status_pages.whole import Whole

SLUG_TAKEN: Final = "Another status page already has this slug"
DOMAIN_TAKEN: Final = "Another status page already uses this domain"
ALREADY_THERE: Final = "This monitor is already on the status page"


class PartOfPage(Protocol):
    """A part of a page."""

    @property
    def page_id(self) -> str: ...


T = TypeVar("T", bound=PartOfPage)


def _columns(kind: type[Struct]) -> str:
    return ", ".join(kind.__struct_fields__)


def _insertion(table: str, kind: type[Struct]) -> str:
    values = ", ".join(f":{name}" for name in kind.__struct_fields__)
    return f"insert into {table} ({_columns(kind)}) values ({values})"


def _change(table: str, kind: type[Struct], *fixed: str) -> str:
    """All columns of a row but its id, `created_at` and those that are `fixed`."""
    stay = {"id", "created_at", *fixed}
    changing = ", ".join(f"{name} = :{name}" for name in kind.__struct_fields__ if name not in stay)
    return f"update {table} set {changing} where id = :id"


_PAGES: Final = f"select {_columns(StatusPage)} from status_pages"
_GROUPS: Final = f"select {_columns(ComponentGroup)} from status_page_groups"
_COMPONENTS: Final = f"select {_columns(Component)} from status_page_components"
_IN_ORDER: Final = "order by page_id, position, created_at, id"


def everything(db: Connection) -> list[Whole]:
    """All pages of the box with what is kept of them in memory, the oldest first."""
    pages = records.all_of(db, StatusPage, f"-- status_pages.everything\n{_PAGES} order by created_at, id")
    if not pages:
        return []
    groups = _by_page(records.all_of(db, ComponentGroup, f"-- status_pages.everything\n{_GROUPS} {_IN_ORDER}"))
    components = _by_page(records.all_of(db, Component, f"-- status_pages.everything\n{_COMPONENTS} {_IN_ORDER}"))
    return [
        Whole(page, groups.get(page.id, ()), components.get(page.id, ()), incidents_of(db, page.id)) for page in pages
    ]


def whole(db: Connection, page_id: str) -> Whole | None:
    """A page with what is kept of it in memory."""
    page = find(db, page_id)
    if page is None:
        return None
    of_it = (page_id,)
    groups = records.all_of(
        db, ComponentGroup, f"-- status_pages.whole\n{_GROUPS} where page_id = ? {_IN_ORDER}", of_it
    )
    components = records.all_of(
        db, Component, f"-- status_pages.whole\n{_COMPONENTS} where page_id = ? {_IN_ORDER}", of_it
    )
    return Whole(page, tuple(groups), tuple(components), incidents_of(db, page_id))


def find(db: Connection, page_id: str) -> StatusPage | None:
    return records.one_of(db, StatusPage, f"-- status_pages.find\n{_PAGES} where id = ?", (page_id,))


def insert(db: Connection, page: StatusPage) -> None:
    """Raises BadRequest for a slug that is taken, Conflict for such a domain."""
    _execute(db, f"-- status_pages.insert\n{_insertion('status_pages', StatusPage)}", page)


def update(db: Connection, page: StatusPage) -> None:
    """Store all that may change of a page but its version. Raises BadRequest or Conflict as `insert` does."""
    _execute(db, f"-- status_pages.update\n{_change('status_pages', StatusPage, 'version')}", page)


def touch(db: Connection, page_id: str, now: int) -> None:
    """Something on the page has changed."""
    db.execute(
        "-- status_pages.touch\nupdate status_pages set version = version + 1, updated_at = ? where id = ?",
        (now, page_id),
    )


def delete(db: Connection, page_id: str) -> None:
    """Delete a page with all that belongs to it."""
    db.execute("-- status_pages.delete\ndelete from status_pages where id = ?", (page_id,))


def count_of(db: Connection, organization_id: str) -> int:
    """The number of an organization's pages."""
    ((found,),) = db.execute(
        "-- status_pages.count_of\nselect count(*) from status_pages where organization_id = ?", (organization_id,)
    ).fetchall()
    return int(str(found))


def pages_with(db: Connection, monitor_id: str) -> set[str]:
    """The pages with a component of this monitor."""
    found = db.execute(
        "-- status_pages.pages_with\nselect page_id from status_page_components where monitor_id = ?", (monitor_id,)
    ).fetchall()
    return {str(page_id) for (page_id,) in found}


def component(db: Connection, component_id: str) -> Component | None:
    return records.one_of(db, Component, f"-- status_pages.component\n{_COMPONENTS} where id = ?", (component_id,))


def insert_component(db: Connection, one: Component) -> None:
    """Raises BadRequest for a monitor that is on the page already."""
    _execute(db, f"-- status_pages.insert_component\n{_insertion('status_page_components', Component)}", one)


def update_component(db: Connection, one: Component) -> None:
    """Store all that may change of a component; it stays on its page and with its monitor."""
    fixed = ("page_id", "monitor_id")
    _execute(db, f"-- status_pages.update_component\n{_change('status_page_components', Component, *fixed)}", one)


def delete_component(db: Connection, component_id: str) -> None:
    """Delete a component; incidents keep its name."""
    db.execute("-- status_pages.delete_component\ndelete from status_page_components where id = ?", (component_id,))


def group(db: Connection, group_id: str) -> ComponentGroup | None:
    return records.one_of(db, ComponentGroup, f"-- status_pages.group\n{_GROUPS} where id = ?", (group_id,))


def insert_group(db: Connection, one: ComponentGroup) -> None:
    _execute(db, f"-- status_pages.insert_group\n{_insertion('status_page_groups', ComponentGroup)}", one)


def update_group(db: Connection, one: ComponentGroup) -> None:
    _execute(db, f"-- status_pages.update_group\n{_change('status_page_groups', ComponentGroup, 'page_id')}", one)


def delete_group(db: Connection, group_id: str) -> None:
    """Delete a group; its components stay on the page without a group."""
    db.execute("-- status_pages.delete_group\ndelete from status_page_groups where id = ?", (group_id,))


def place(db: Connection, page_id: str, ids: Iterable[str]) -> None:
    """Groups and components stand in this order from now on."""
    ordered = [(position, each, page_id) for position, each in enumerate(ids)]
    for table in ("status_page_groups", "status_page_components"):
        db.executemany(
            f"-- status_pages.place\nupdate {table} set position = ? where id = ? and page_id = ?",
            ordered,
        )


def _by_page(parts: Iterable[T]) -> dict[str, tuple[T, ...]]:
    return {page_id: tuple(own) for page_id, own in groupby(parts, lambda part: part.page_id)}


def _execute(db: Connection, statement: str, row: Struct) -> None:
    values: dict[str, Any] = msgspec.structs.asdict(row)
    try:
        db.execute(statement, values)
    except ConstraintError as broken:
        if "status_pages.slug" in str(broken):
            raise BadRequest.about("slug", SLUG_TAKEN) from broken  # wire 9.3
        if "status_pages.domain" in str(broken):
            raise Conflict.about("domain", DOMAIN_TAKEN) from broken
        if "status_page_components.monitor_id" in str(broken):
            raise BadRequest.about("uptimeScheduleId", ALREADY_THERE) from broken
        raise
