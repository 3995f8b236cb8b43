"""The changes of flags on the charts of the websites that are given them."""

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Final

from msgspec import Struct

from analytics_box.base.errors import DeadlineExceeded
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _, ngettext
from analytics_box.figures.marks import ChartNote
from analytics_box.figures.related import FlagHistories
from analytics_box.figures.view import zone_in
from analytics_box.products.flags.directory import Flags
from analytics_box.products.flags.history import reading, words
from analytics_box.products.flags.history.difference import DefinitionChange
from analytics_box.products.flags.history.rows import Version
from analytics_box.query.ranges import zone as zone_of
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.page.dates import day_text, formats_of, time_text
from analytics_box.web.page.visit import PageRequest

MOST_FLAGS: Final = 100
MOST_CHANGES: Final = 20


class FlagEdit(Struct, frozen=True):
    """A version of a flag, with its changes in words."""

    flag_id: str
    version: Version
    text: str


def changes_between(
    flags: Flags, owners: Sequence[str], start: int, end: int
) -> Callable[[Connection], list[FlagEdit]]:
    """A read of the latest versions of the flags of these websites or organizations within [start, end), oldest
    first."""
    scopes = [scope for owner in owners if (scope := flags.scope(owner)) is not None]
    groups = {group.id: group.name for scope in scopes for group in scope.groups}
    changed = [flag for scope in scopes for flag in scope.flags if flag.updated_at >= start]
    latest = sorted(changed, key=lambda flag: flag.updated_at)[-MOST_FLAGS:]
    return partial(_changes, ids=[flag.id for flag in latest], groups=groups, start=start, end=end)


def flag_histories(flags: Flags) -> FlagHistories:
    """The question of a website's pages about its flags."""

    async def find(visit: PageRequest, website: Website, start: int, end: int) -> Sequence[ChartNote]:
        owners = [website.id]
        if visit.call.identity.resources is None:
            owners.append(website.organization_id)
        try:
            found = await visit.call.read(changes_between(flags, owners, start, end))
        except DeadlineExceeded:
            return ()
        zone, formats = zone_of(zone_in(visit.asked("zone")) or visit.person.time_zone), formats_of(visit.person)
        notes = []
        for one in found:
            local = datetime.fromtimestamp(one.version.at / 1000, zone)
            when = f"{day_text(local, formats.date)}, {time_text(local, formats.time)}"
            text = _("Flag {key}: {change}").format(key=one.version.key, change=one.text)
            href = f"/flags/{one.flag_id}/history"
            notes.append(ChartNote(one.flag_id, one.version.at, None, False, text, when, "", href))
        return notes

    return FlagHistories(find)


def _text(changes: Sequence[DefinitionChange], groups: dict[str, str]) -> str:
    """The first change of a version in words, with the number of the others."""
    if not changes:
        return _("Created")
    first, others = words.line(changes[0], groups), len(changes) - 1
    if not others:
        return first
    more = ngettext("{count} more change", "{count} more changes", others).format(count=others)
    return f"{first}, {more}"


def _changes(db: Connection, *, ids: Sequence[str], groups: dict[str, str], start: int, end: int) -> list[FlagEdit]:
    found = db.execute(
        """
        -- flag_history.on_charts
        select flag_id, version from flag_versions
        where flag_id in (select value from json_each(:ids)) and at >= :start and at < :end
        order by at desc, number desc limit :most
        """,
        {"ids": json.dumps(list(ids)), "start": start, "end": end, "most": MOST_CHANGES},
    ).fetchall()
    read = [(str(one), *reading.version(db, str(one), int(str(number)))) for one, number in reversed(found)]
    return [FlagEdit(flag_id, version, _text(changes, groups)) for flag_id, version, changes in read]
