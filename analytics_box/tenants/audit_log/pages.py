"""The page /settings/audit: who changed what, with filters that are part of the address."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import get_args
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from analytics_box.base import texts
from analytics_box.base.audit import Action
from analytics_box.base.identity import SignedInPerson
from analytics_box.base.store.db import Connection
from analytics_box.tenants.audit_log import rows, view
from analytics_box.tenants.audit_log.rows import Actor, AuditEntry, AuditSearch
from analytics_box.web.page.visit import Page, Visitor

HOME = "/settings/audit"
PER_PAGE = 50
_FILTERS = ("actor", "action", "subject", "from", "to")


async def audit_log(visit: Visitor) -> Page:
    """GET /settings/audit. What of the filters makes no sense is left out."""
    person, given = visit.person, {name: visit.asked(name) for name in _FILTERS}
    wanted = _audit_search(given, person, before=_number(visit.asked("before")))

    def find(db: Connection) -> tuple[list[AuditEntry], list[Actor], list[str]]:
        own = person.organization_id
        return rows.entries(db, wanted), rows.actors(db, own), rows.subjects(db, own)

    found, actors, subjects = await visit.call.read(find)
    kept = {name: value for name, value in given.items() if value}
    older = found[PER_PAGE - 1].id if len(found) > PER_PAGE else None
    return visit.settings_page(
        "audit.html",
        "audit",
        lines=[view.line(entry, person) for entry in found[:PER_PAGE]],
        given=given,
        filtered=bool(kept),
        actors=[(one.actor, view.who(one.actor, one.name)) for one in actors],
        actions=[(action, texts.AuditLog.actions[action]) for action in get_args(Action)],
        subjects=[(subject, view.subject_text(subject)) for subject in subjects],
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
