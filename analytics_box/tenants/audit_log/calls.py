"""The audit log over RPC, for owners and admins who are signed in."""

import json
from datetime import UTC, datetime
from typing import Annotated, Any

from msgspec import Meta, Struct

from analytics_box.base import errors
from analytics_box.base.audit import Action
from analytics_box.base.store import records
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.tenants.tenancy.messages import Text, date
from analytics_box.web.call import Call


class AuditSearch(Struct, frozen=True):
    """A search for entries. `start` and `end` are UTC ms, `end` is not included; `before` is the last id of the
    previous page.
    """

    organization_id: str
    actor: str | None = None
    action: Action | None = None
    subject: str | None = None
    start: int | None = None
    end: int | None = None
    before: int | None = None
    limit: int = 50


class AuditEntry(Struct, frozen=True):
    """A change: the time (UTC ms), actor, action, subject, and details as JSON text.

    `actor_name` is a person's e-mail address or a key's name while the box has them, else empty; `subject_name` the
    same of what was changed, also of websites and organizations.
    """

    id: int
    time: int
    actor: str
    actor_name: str
    action: Action
    subject: str
    subject_id: str
    subject_name: str
    detail: str

    @property
    def details(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.detail)
        return found


def entries(db: Connection, wanted: AuditSearch) -> list[AuditEntry]:
    """The newest entries that match, one more than asked for if there are older ones."""
    return records.all_of(
        db,
        AuditEntry,
        """
        -- auditlog.entries
        select audit.id, audit.time, audit.actor, coalesce(users.email, api_keys.name, ''), audit.action,
               audit.subject, audit.subject_id,
               coalesce(person.email, website.name, organization.name, key.name, ''), audit.detail
        from audit
        left join users on audit.actor = 'user:' || users.id
        left join api_keys on audit.actor = 'apikey:' || api_keys.id
        left join users as person on person.id = audit.subject_id
        left join websites as website
               on website.id = audit.subject_id and website.organization_id = audit.organization_id
        left join organizations as organization
               on organization.id = audit.subject_id and organization.id = audit.organization_id
        left join api_keys as key
               on key.id = audit.subject_id and key.organization_id = audit.organization_id
        where audit.organization_id = :organization_id
          and (:actor is null or audit.actor = :actor)
          and (:action is null or audit.action = :action)
          and (:subject is null or audit.subject = :subject)
          and (:start is null or audit.time >= :start)
          and (:end is null or audit.time < :end)
          and (:before is null or (audit.time, audit.id) < (select time, id from audit where id = :before))
        order by audit.time desc, audit.id desc
        limit :limit + 1
        """,
        {name: getattr(wanted, name) for name in wanted.__struct_fields__},
    )


class Actor(Struct, frozen=True):
    """A person or key that has changed something."""

    actor: str
    name: str


def actors(db: Connection, organization_id: str) -> list[Actor]:
    """All actors in an organization's log, by name."""
    return records.all_of(
        db,
        Actor,
        """
        -- auditlog.actors
        select found.actor, coalesce(users.email, api_keys.name, found.actor) as name
        from (select distinct actor from audit where organization_id = ?) as found
        left join users on found.actor = 'user:' || users.id
        left join api_keys on found.actor = 'apikey:' || api_keys.id
        order by name limit 200
        """,
        (organization_id,),
    )


def subjects(db: Connection, organization_id: str) -> list[str]:
    """Every kind of thing in an organization's log."""
    found = db.execute(
        "-- auditlog.subjects\nselect distinct subject from audit where organization_id = ? order by subject",
        (organization_id,),
    ).fetchall()
    return [str(subject) for (subject,) in found]


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
    wanted = AuditSearch(
        organization_id=call.organization(given.organizationId),
        actor=given.actor,
        action=given.action,
        subject=given.subject,
        start=_instant(given.from_, "from"),
        end=_instant(given.to, "to"),
        before=given.cursor,
        limit=given.limit,
    )
    found = await call.read(lambda db: entries(db, wanted))
    shown = found[: given.limit]
    return Log([_entry_answer(entry) for entry in shown], shown[-1].id if len(found) > given.limit else None)


def _entry_answer(entry: AuditEntry) -> EntryShown:
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
