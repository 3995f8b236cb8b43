"""The page /settings/audit: who changed what, with filters that are part of the address."""

import re
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any, get_args
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from msgspec import Struct

from analytics_box.base.audit import Action
from analytics_box.base.identity import SignedInPerson
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.tenants.audit_log import calls
from analytics_box.tenants.audit_log.calls import Actor, AuditEntry, AuditSearch
from analytics_box.tenants.websites.directory import Directory
from analytics_box.web.page.dates import moment
from analytics_box.web.page.visit import Page, Visitor

ACTION_LABELS = {
    "created": _("created"),
    "updated": _("changed"),
    "rotated": _("rotated"),
    "revoked": _("revoked"),
    "deleted": _("deleted"),
}
_OTHERS = {
    "command line": _("Command line"),
    "setup link": _("Setup"),
    "forgotten password": _("Password reset request"),
    "reset link": _("Password reset"),
    "demo": _("Demo"),
    "the box": _("System"),
}
_SUBJECTS = {
    "api_key": _("API key"),
    "alarm": _("alert rule"),
    "annotation": _("note"),
    "preferences": _("preferences"),
    "person": _("visitor data"),
    "person_export": _("visitor data export"),
    "monitor_export": _("monitor export with secrets"),
    "incident": _("incident"),
    "maintenance": _("maintenance"),
    "incident_template": _("incident template"),
    "subscriber": _("subscriber"),
    "subscriber_export": _("subscriber export"),
    "events": _("events"),
    "channel": _("alert channel"),
    "defaults": _("defaults"),
    "link": _("short link"),
}


_LONGEST = 300  # characters of one value
_INSTANTS = range(10**12, 10**13)  # UTC ms from 2001 to 2286; no other number of a detail is as large
_NAMES = ("name", "domain", "email", "slug", "title", "key", "text")


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


def line(entry: AuditEntry, person: SignedInPerson, websites: Mapping[str, str]) -> AuditLine:
    """A row for the page: the actor, the action, its object, the time and the changes.

    `websites` are the names of the organization's websites by id.
    """
    details = entry.details
    own = entry.actor == f"user:{entry.subject_id}"  # what people do to themselves needs no name
    named = next((str(details[key]) for key in _NAMES if isinstance(details.get(key), str)), "")
    name = named or ("" if own else entry.subject_name)
    subject = subject_text(entry.subject)
    return AuditLine(
        when=moment(entry.time, person),
        who=who(entry.actor, entry.actor_name),
        what=f"{ACTION_LABELS[entry.action]} {subject}" + (f" “{_cut(name)}”" if name else ""),
        changes=tuple(
            _change(field, value, person, websites) for field, value in details.items() if value != name or not name
        ),
        subject_id=entry.subject_id,
    )


def who(actor: str, name: str) -> str:
    """The name of an actor for people."""
    if actor.startswith("apikey:"):
        return _("API key {name}").format(name=name or actor.removeprefix("apikey:"))
    if actor.startswith("user:"):
        return name or _("Deleted user")
    if actor.startswith("invitation:"):
        return _("Invitation")
    return _OTHERS.get(actor, actor)


def subject_text(subject: str) -> str:
    """A kind of thing in words."""
    return _SUBJECTS.get(subject, subject.replace("_", " "))


def _change(field: str, value: Any, person: SignedInPerson, websites: Mapping[str, str]) -> AuditChange:
    def text(value: Any) -> str:
        if isinstance(value, int) and value in _INSTANTS:
            return moment(value, person)
        return websites.get(value, _text(value)) if isinstance(value, str) else _text(value)

    words = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", "website" if field == "websiteId" else field).lower()
    if isinstance(value, Mapping) and set(value) == {"before", "after"}:
        return AuditChange(words, text(value["before"]), text(value["after"]))
    return AuditChange(words, None, text(value))


def _text(value: Any) -> str:
    """A value as people write it."""
    if value is None or value in ("", [], {}):
        return _("none")
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, list):
        return _cut(", ".join(_text(item) for item in value))
    if isinstance(value, Mapping):
        return _cut(", ".join(f"{name}: {_text(item)}" for name, item in value.items()))
    return _cut(str(value))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


HOME = "/settings/audit"
PER_PAGE = 50
_FILTERS = ("actor", "action", "subject", "from", "to")


async def audit_log(visit: Visitor) -> Page:
    """GET /settings/audit. What of the filters makes no sense is left out."""
    person, given = visit.person, {name: visit.asked(name) for name in _FILTERS}
    wanted = _audit_search(given, person, before=_number(visit.asked("before")))

    def find(db: Connection) -> tuple[list[AuditEntry], list[Actor], list[str]]:
        own = person.organization_id
        return calls.entries(db, wanted), calls.actors(db, own), calls.subjects(db, own)

    found, actors, subjects = await visit.call.read(find)
    kept = {name: value for name, value in given.items() if value}
    websites = {website.id: website.name for website in visit.parts[Directory].of(person.organization_id)}
    older = found[PER_PAGE - 1].id if len(found) > PER_PAGE else None
    return visit.settings_page(
        "audit.html",
        "audit",
        lines=[line(entry, person, websites) for entry in found[:PER_PAGE]],
        given=given,
        filtered=bool(kept),
        actors=[(one.actor, who(one.actor, one.name)) for one in actors],
        actions=[(action, ACTION_LABELS[action]) for action in get_args(Action)],
        subjects=[(subject, subject_text(subject)) for subject in subjects],
        newest=f"{HOME}?{urlencode(kept)}" if wanted.before is not None else "",
        older=f"{HOME}?{urlencode(kept | {'before': str(older)})}" if older is not None else "",
    )


def _audit_search(given: Mapping[str, str], person: SignedInPerson, *, before: int | None) -> AuditSearch:
    """The entries that the filters ask for; days begin in the reader's zone."""
    zone = ZoneInfo(person.time_zone)
    first, last = _day(given["from"]), _day(given["to"])
    return AuditSearch(
        organization_id=person.organization_id,
        actor=given["actor"] or None,
        action=next((action for action in get_args(Action) if action == given["action"]), None),
        subject=given["subject"] or None,
        start=_midnight(first, zone),
        end=_midnight(last + timedelta(days=1), zone) if last is not None else None,
        before=before,
        limit=PER_PAGE,
    )


def _day(text: str) -> date | None:
    try:
        found = date.fromisoformat(text)
    except ValueError:
        return None
    return found if 1970 <= found.year <= 9_000 else None


def _midnight(day: date | None, zone: ZoneInfo) -> int | None:
    """The beginning of a day in this zone, in UTC ms."""
    if day is None:
        return None
    return round(datetime(day.year, day.month, day.day, tzinfo=zone).timestamp() * 1000)


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None
