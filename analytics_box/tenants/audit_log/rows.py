"""Reading the audit log from box.db. Every function takes a connection inside the caller's transaction."""

import json
from typing import Any

from msgspec import Struct

from analytics_box.base.audit import Action
from analytics_box.base.store import records
from analytics_box.base.store.db import Connection


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
