"""A table whose changes are in the audit log: each is written with its entry, in the caller's transaction."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec.structs import fields as fields_of
from msgspec.structs import replace

from analytics_box.base import audit
from analytics_box.base.acting import By
from analytics_box.base.errors import Conflict, NotFound, ResourceType
from analytics_box.base.store.db import Connection
from analytics_box.resource.fields import difference
from analytics_box.resource.table import Row, Table


class AuditedTable(Table[Row]):
    """A table whose rows have an `id`. `subject` is their kind in the audit log and `resource` in answers; `about` says
    what each entry has about a row, such as its name.
    """

    def __init__(
        self,
        name: str,
        kind: type[Row],
        subject: str,
        resource: ResourceType,
        *,
        about: Callable[[Row], Mapping[str, object]],
        **options: Any,
    ) -> None:
        super().__init__(name, kind, **options)
        self.subject: Final = subject
        self._resource: Final = resource
        self._about = about
        self._is_dated = any(field.name == "updated_at" for field in fields_of(kind))

    def existing(self, db: Connection, row_id: str) -> Row:
        """The row with this id. Raises NotFound."""
        row = self.find(db, row_id)
        if row is None:
            raise NotFound.of(self._resource, row_id)
        return row

    def check_room(self, db: Connection, most: int, message: str, condition: str, *values: Any) -> None:
        """Raises Conflict, which names the limit, if `most` rows meet the condition."""
        if self.count(db, condition, *values) >= most:
            raise Conflict.full(f"{self._resource}s", most, message)

    def create(
        self, db: Connection, by: By, organization_id: str, row: Row, detail: Mapping[str, object] | None = None
    ) -> Row:
        """Store a new row; the row with its key. Raises Conflict."""
        row = self.insert(db, row)
        self.record(db, by, organization_id, "created", row, detail)
        return row

    def change(
        self,
        db: Connection,
        by: By,
        organization_id: str,
        before: Row,
        after: Row,
        changes: Callable[[Row, Row], audit.Detail] = difference,
    ) -> Row:
        """Store a row if it changed, with a later time than that of the change before. Raises Conflict."""
        if after == before:
            return before
        detail = changes(before, after)
        if self._is_dated:
            after = replace(after, updated_at=max(by.now, getattr(before, "updated_at", 0) + 1))
        self.update(db, after)
        self.record(db, by, organization_id, "updated", after, detail)
        return after

    def remove(
        self, db: Connection, by: By, organization_id: str, row: Row, detail: Mapping[str, object] | None = None
    ) -> None:
        """Delete a row."""
        self.delete(db, getattr(row, self._key))
        self.record(db, by, organization_id, "deleted", row, detail)

    def record(
        self,
        db: Connection,
        by: By,
        organization_id: str,
        action: audit.Action,
        row: Row,
        detail: Mapping[str, object] | None = None,
    ) -> None:
        """Write an audit entry about a row."""
        about = {**self._about(row), **(detail or {})}
        audit.record(db, by, organization_id, action, self.subject, getattr(row, self._key), about)
