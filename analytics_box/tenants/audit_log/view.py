"""An entry of the audit log in plain words."""

import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from analytics_box.base.identity import SignedInPerson
from analytics_box.base.texts import AuditLog
from analytics_box.tenants.audit_log.rows import AuditEntry
from analytics_box.web.page.dates import moment

_LONGEST = 300  # characters of one value
_NAMES = ("name", "domain", "email", "slug", "title", "key")


class AuditChange(Struct, frozen=True):
    """A detail of an entry. Without `before` it is just a value."""

    field: str
    before: str | None
    after: str


class AuditLine(Struct, frozen=True):
    """A row of the page."""

    when: str
    who: str
    what: str
    changes: tuple[AuditChange, ...]
    subject_id: str


def line(entry: AuditEntry, person: SignedInPerson) -> AuditLine:
    """A row for the page: the actor, the action, its object, the time and the changes."""
    details = entry.details
    own = entry.actor == f"user:{entry.subject_id}"  # what people do to themselves needs no name
    named = next((str(details[key]) for key in _NAMES if isinstance(details.get(key), str)), "")
    name = named or ("" if own else entry.subject_name)
    subject = subject_text(entry.subject)
    return AuditLine(
        when=moment(entry.time, person),
        who=who(entry.actor, entry.actor_name),
        what=f"{AuditLog.actions[entry.action]} {subject}" + (f" “{_cut(name)}”" if name else ""),
        changes=tuple(_change(field, value, person) for field, value in details.items() if value != name or not name),
        subject_id=entry.subject_id,
    )


def who(actor: str, name: str) -> str:
    """The name of an actor for people."""
    if actor.startswith("apikey:"):
        return AuditLog.by_key.format(name=name or actor.removeprefix("apikey:"))
    if actor.startswith("user:"):
        return name or AuditLog.by_nobody
    if actor.startswith("invitation:"):
        return AuditLog.by_invitation
    return AuditLog.others.get(actor, actor)


def subject_text(subject: str) -> str:
    """A kind of thing in words."""
    return AuditLog.subjects.get(subject, subject.replace("_", " "))


def _change(field: str, value: Any, person: SignedInPerson) -> AuditChange:
    def text(value: Any) -> str:
        return moment(value, person) if isinstance(value, int) and field.endswith("_at") else _text(value)

    words = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", field).lower()
    if isinstance(value, Mapping) and set(value) == {"before", "after"}:
        return AuditChange(words, text(value["before"]), text(value["after"]))
    return AuditChange(words, None, text(value))


def _text(value: Any) -> str:
    """A value as people write it."""
    if value is None or value in ("", [], {}):
        return AuditLog.nothing
    if isinstance(value, bool):
        return AuditLog.yes if value else AuditLog.no
    if isinstance(value, list):
        return _cut(", ".join(_text(item) for item in value))
    if isinstance(value, Mapping):
        return _cut(", ".join(f"{name}: {_text(item)}" for name, item in value.items()))
    return _cut(str(value))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
