"""An import of history as a row of box.db: its file, its state, and the report on what it brings."""

from collections.abc import Callable
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import audit, ids
from analytics_box.base.acting import By
from analytics_box.base.errors import BadRequest, Conflict, NotFound
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.imports.records import Kind
from analytics_box.resource.fields import Stamp
from analytics_box.resource.table import Table
from analytics_box.tenants.websites.rules import Website

State = Literal["created", "uploaded", "checking", "checked", "running", "done", "failed", "undoing", "undone"]
# States in which the server works on an import.
BUSY: Final = ("uploaded", "checking", "running", "undoing")
# The most imports of a website, with those that were undone or failed.
MOST_IMPORTS: Final = 200


class RefusedRows(Struct, frozen=True, rename="camel"):
    """Rows that are left out: how many, and some of them."""

    reason: str
    rows: int
    examples: tuple[str, ...] = ()


class ImportDay(Struct, frozen=True, rename="camel"):
    """A day of an import, as ISO 8601. Page views are events if the source has events."""

    date: str
    pageviews: int
    visitors: int


class ImportReport(Struct, frozen=True, rename="camel"):
    """The report on an import: what it brings or has brought, and what is left out. `rows` are events, or totals."""

    rows: int = 0
    pageviews: int = 0
    visitors: int = 0
    first_date: str = ""
    last_date: str = ""
    days: tuple[ImportDay, ...] = ()
    refused: tuple[RefusedRows, ...] = ()


class HistoryImport(Struct, frozen=True, rename="camel"):
    """An import into a website. `size` is in bytes; `provider` is empty until the file was recognized. UTC ms."""

    id: str
    website_id: str
    provider: str
    version: str
    kind: Kind | Literal[""]
    file_name: str
    size: int
    digest: str
    state: State
    error: str
    report: ImportReport
    created_by: str
    created_at: Stamp
    updated_at: Stamp


IMPORTS: Final = Table("history_imports", HistoryImport)
OF_WEBSITE: Final = "website_id = ? order by created_at desc, id"


def is_any_waiting(db: Connection) -> bool:
    """Whether the server has work to do on an import."""
    return IMPORTS.count(db, f"state in ({', '.join(repr(state) for state in BUSY)})") > 0


def create(db: Connection, by: By, website: Website, provider: str, file_name: str) -> HistoryImport:
    """Create an import that waits for its file. Raises Conflict when there are too many."""
    if IMPORTS.count(db, "website_id = ?", website.id) >= MOST_IMPORTS:
        raise Conflict(_("A website can have up to {most} imports").format(most=MOST_IMPORTS))
    new = HistoryImport(
        *(ids.new_id(), website.id, provider, "", "", file_name[:255], 0, "", "created", "", ImportReport()),
        *(by.actor, by.now, by.now),
    )
    IMPORTS.insert(db, new)
    record(db, by, website, new, "created")
    return new


def change(
    db: Connection, import_id: str, now: int, allowed: tuple[State, ...], edit: Callable[[HistoryImport], HistoryImport]
) -> HistoryImport:
    """Change an import that is in one of these states. Raises NotFound, or Conflict for another state."""
    row = IMPORTS.find(db, import_id)
    if row is None:
        raise NotFound.of("import", import_id)
    if row.state not in allowed:
        raise Conflict(_("The import is {state}").format(state=row.state))
    changed = replace(edit(row), updated_at=now)
    IMPORTS.update(db, changed)
    return changed


def start(db: Connection, by: By, website: Website, import_id: str) -> HistoryImport:
    """Start a checked import. A second call changes nothing. Raises Conflict, or BadRequest if it brings nothing."""
    row = IMPORTS.find(db, import_id)
    if row is not None and row.state in {"running", "done"}:
        return row
    if row is not None and row.state == "checked" and not row.report.rows:
        raise BadRequest(_("There is nothing to import. See what was left out, and why"))
    started = change(db, import_id, by.now, ("checked",), lambda one: replace(one, state="running", error=""))
    record(db, by, website, started, "updated")
    return started


def undo(db: Connection, by: By, website: Website, import_id: str) -> HistoryImport:
    """Remove what an import brought, or cancel it. A second call changes nothing. Raises NotFound."""
    row = IMPORTS.find(db, import_id)
    if row is None:
        raise NotFound.of("import", import_id)
    if row.state in {"undoing", "undone"}:
        return row
    undone = replace(row, state="undoing", error="", updated_at=by.now)
    IMPORTS.update(db, undone)
    record(db, by, website, undone, "deleted")
    return undone


def record(db: Connection, by: By, website: Website, one: HistoryImport, action: audit.Action) -> None:
    """Add an import's change to the audit log."""
    about = {"name": one.file_name, "provider": one.provider, "state": one.state, "websiteId": website.id}
    audit.record(db, by, website.organization_id, action, "import", one.id, about)
