"""Incident templates in box.db. Every function takes a connection inside the caller's transaction."""

from typing import Final

import msgspec
from msgspec import Struct

from analytics_box.base.store import records
from analytics_box.base.store.db import Connection
from analytics_box.products.status_pages.incident import Severity


class IncidentTemplate(Struct, frozen=True, kw_only=True):
    """A template for new incidents."""

    id: str
    page_id: str
    name: str
    title: str
    severity: Severity
    message: str
    created_at: int


_COLUMNS: Final = ", ".join(IncidentTemplate.__struct_fields__)


def of_page(db: Connection, page_id: str) -> list[IncidentTemplate]:
    """The templates of a page by their names."""
    return records.all_of(
        db,
        IncidentTemplate,
        f"-- templates.of_page\nselect {_COLUMNS} from incident_templates where page_id = ? order by name, id",
        (page_id,),
    )


def find(db: Connection, template_id: str) -> IncidentTemplate | None:
    return records.one_of(
        db,
        IncidentTemplate,
        f"-- templates.find\nselect {_COLUMNS} from incident_templates where id = ?",
        (template_id,),
    )


def store_template(db: Connection, template: IncidentTemplate) -> None:
    """Store a template; one with this id is replaced."""
    placed = ", ".join(f":{name}" for name in IncidentTemplate.__struct_fields__)
    db.execute(
        f"-- templates.put\ninsert or replace into incident_templates ({_COLUMNS}) values ({placed})",
        msgspec.structs.asdict(template),
    )


def delete(db: Connection, template_id: str) -> None:
    db.execute("-- templates.delete\ndelete from incident_templates where id = ?", (template_id,))
