"""Words to begin incidents with, in box.db. Every function takes a connection inside the caller's transaction."""

from typing import Final

import msgspec
from msgspec import Struct

from analytics_box.base.store import records
from analytics_box.base.store.db import Connection
from analytics_box.products.status_pages.incident import Severity


class Template(Struct, frozen=True, kw_only=True):
    """Words to begin an incident with."""

    id: str
    page_id: str
    name: str
    title: str
    severity: Severity
    message: str
    created_at: int


_COLUMNS: Final = ", ".join(Template.__struct_fields__)


def of_page(db: Connection, page_id: str) -> list[Template]:
    """The templates of a page by their names."""
    return records.all_of(
        db,
        Template,
        f"-- templates.of_page\nselect {_COLUMNS} from incident_templates where page_id = ? order by name, id",
        (page_id,),
    )


def find(db: Connection, template_id: str) -> Template | None:
    return records.one_of(
        db, Template, f"-- templates.find\nselect {_COLUMNS} from incident_templates where id = ?", (template_id,)
    )


def put(db: Connection, template: Template) -> None:
    """Store a template; one with this id is replaced."""
    placed = ", ".join(f":{name}" for name in Template.__struct_fields__)
    db.execute(
        f"-- templates.put\ninsert or replace into incident_templates ({_COLUMNS}) values ({placed})",
        msgspec.structs.asdict(template),
    )


def delete(db: Connection, template_id: str) -> None:
    db.execute("-- templates.delete\ndelete from incident_templates where id = ?", (template_id,))
