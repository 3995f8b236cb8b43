"""Status pages, their groups and their components in box.db. Every function takes a connection inside the caller's
transaction."""

from collections.abc import Iterable
from itertools import groupby
from typing import Final, Protocol, TypeVar

from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.status_pages.incident_rows import incidents_of
from analytics_box.products.status_pages.page import Component, ComponentGroup, StatusPage, Whole
from analytics_box.resource.audited import AuditedTable

SLUG_TAKEN: Final = _("Another status page already has this slug")
DOMAIN_TAKEN: Final = _("Another status page already uses this domain")
ALREADY_THERE: Final = _("This monitor is already on the status page")

PAGES: Final = AuditedTable(
    "status_pages",
    StatusPage,
    "status page",
    "statusPage",
    about=lambda page: {"name": page.name},
    conflicts={"status_pages.domain": ("domain", DOMAIN_TAKEN)},
    invalid={"status_pages.slug": ("slug", SLUG_TAKEN)},  # wire 9.3
)
GROUPS: Final = AuditedTable(
    "status_page_groups",
    ComponentGroup,
    "status page group",
    "statusPageGroup",
    about=lambda group: {"name": group.name},
)
COMPONENTS: Final = AuditedTable(
    "status_page_components",
    Component,
    "status page component",
    "statusPageComponent",
    about=lambda component: {"name": component.name or None},
    invalid={"status_page_components.monitor_id": ("uptimeScheduleId", ALREADY_THERE)},
)
_IN_ORDER: Final = "order by page_id, position, created_at, id"


class PartOfPage(Protocol):
    """A part of a page."""

    @property
    def page_id(self) -> str: ...


T = TypeVar("T", bound=PartOfPage)


def everything(db: Connection) -> list[Whole]:
    """All pages of the box with what is kept of them in memory, the oldest first."""
    groups = _by_page(GROUPS.all(db, f"true {_IN_ORDER}"))
    components = _by_page(COMPONENTS.all(db, f"true {_IN_ORDER}"))
    return [
        Whole(page, groups.get(page.id, ()), components.get(page.id, ()), incidents_of(db, page.id))
        for page in PAGES.all(db, "true order by created_at, id")
    ]


def whole(db: Connection, page_id: str) -> Whole | None:
    """A page with what is kept of it in memory."""
    page = PAGES.find(db, page_id)
    if page is None:
        return None
    groups = GROUPS.all(db, f"page_id = ? {_IN_ORDER}", page_id)
    components = COMPONENTS.all(db, f"page_id = ? {_IN_ORDER}", page_id)
    return Whole(page, tuple(groups), tuple(components), incidents_of(db, page_id))


def touch(db: Connection, page_id: str, now: int) -> None:
    """Give the page another version, because something on it has changed."""
    db.execute(
        "-- status_pages.touch\nupdate status_pages set version = version + 1, updated_at = ? where id = ?",
        (now, page_id),
    )


def place(db: Connection, page_id: str, ids: Iterable[str]) -> None:
    """Put groups and components into this order."""
    ordered = [(position, each, page_id) for position, each in enumerate(ids)]
    for table in (GROUPS.name, COMPONENTS.name):
        db.executemany(
            f"-- status_pages.place\nupdate {table} set position = ? where id = ? and page_id = ?",
            ordered,
        )


def _by_page(parts: Iterable[T]) -> dict[str, tuple[T, ...]]:
    return {page_id: tuple(own) for page_id, own in groupby(parts, lambda part: part.page_id)}
