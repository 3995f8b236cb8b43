"""The audit log over RPC, for owners and admins who are signed in."""

from datetime import UTC, datetime
from typing import Annotated, Any

from msgspec import Meta, Struct

from analytics_box.base import errors
from analytics_box.base.audit import Action
from analytics_box.base.translation import _
from analytics_box.tenants.audit_log import rows
from analytics_box.tenants.tenancy.messages import Text, date
from analytics_box.web.call import Call


class ListAuditEntries(Struct, frozen=True, forbid_unknown_fields=True, rename={"from_": "from"}):
    """Input of audit.list. Without filters: everything, the newest first. `to` is not included.

    `cursor` is the nextCursor of the page before.
    """

    organizationId: Text | None = None
    actor: Text | None = None
    action: Action | None = None
    subject: Text | None = None
    from_: datetime | None = None
    to: datetime | None = None
    limit: Annotated[int, Meta(ge=1, le=200)] = 50
    cursor: Annotated[int, Meta(ge=1, le=2**53 - 1)] | None = None


class EntryShown(Struct, frozen=True):
    """A change: who did what to what, when, and what it was before and after."""

    id: int
    time: datetime
    actor: str
    actorName: str | None
    action: Action
    subject: str
    subjectId: str
    subjectName: str | None
    detail: dict[str, Any]


class Log(Struct, frozen=True):
    """Output of audit.list; `nextCursor` is there while there are older entries."""

    entries: list[EntryShown]
    nextCursor: int | None


async def list_entries(call: Call, given: ListAuditEntries) -> Log:
    """audit.list: list changes in the organization, newest first. Raises BadRequest and Forbidden."""
    wanted = rows.AuditSearch(
        organization_id=call.organization(given.organizationId),
        actor=given.actor,
        action=given.action,
        subject=given.subject,
        start=_instant(given.from_, "from"),
        end=_instant(given.to, "to"),
        before=given.cursor,
        limit=given.limit,
    )
    found = await call.read(lambda db: rows.entries(db, wanted))
    shown = found[: given.limit]
    return Log([_entry_answer(entry) for entry in shown], shown[-1].id if len(found) > given.limit else None)


def _entry_answer(entry: rows.AuditEntry) -> EntryShown:
    return EntryShown(
        id=entry.id,
        time=date(entry.time),
        actor=entry.actor,
        actorName=entry.actor_name or None,
        action=entry.action,
        subject=entry.subject,
        subjectId=entry.subject_id,
        subjectName=entry.subject_name or None,
        detail=entry.details,
    )


def _instant(when: datetime | None, field: str) -> int | None:
    """An instant in UTC ms; a time without a zone is UTC. Raises BadRequest."""
    if when is None:
        return None
    try:
        return round((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() * 1000)
    except OverflowError as wrong:
        raise errors.BadRequest(
            _("Input validation failed"), details=(errors.ErrorDetail(field, _("Enter a valid time")),)
        ) from wrong
