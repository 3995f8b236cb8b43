"""Identified visitors in exports: their profile IDs, traits and devices, and loading them into another server.

Loading repeats what was once said of a person. So loading a file again changes nothing.
"""

from datetime import datetime
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from analytics_box.base import audit, ids
from analytics_box.base.acting import By
from analytics_box.base.errors import BadRequest, Conflict
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.ingest import profile_rules
from analytics_box.ingest.cluster.primary import Machines
from analytics_box.ingest.intake import Intake
from analytics_box.ingest.profile_rules import LONGEST_ID, Given
from analytics_box.ingest.profiles import VisitorIdentification
from analytics_box.products.exports.calls import ExportRows, readable
from analytics_box.products.exports.loading import LoadState
from analytics_box.products.people.reading import ProfilePerson, Profiles
from analytics_box.query.catalog.values import id_number, id_text
from analytics_box.query.exported import moment_text
from analytics_box.tenants.tenancy.messages import Text
from analytics_box.tenants.websites.reach import own
from analytics_box.web.call import Call

# Profiles of one answer, or of one transaction.
MOST_PROFILES: Final = 200
# Devices of a profile, latest first: a line of a file stays bounded.
_MOST_DEVICES: Final = 5_000


class ReadPeople(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of exports.getPeople. `after` is `next` of the previous answer."""

    websiteId: Text
    after: Annotated[str, Meta(pattern="^[0-9]{1,18}$")] | None = None


class LoadPeople(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of `load people`: rows of exports.getPeople."""

    websiteId: Text
    content: str


class DeviceRow(Struct, frozen=True):
    """A visitor that belonged to a profile from a time on."""

    visitor: str
    time: datetime


class ProfileRow(Struct, frozen=True):
    """A profile in a file."""

    profile: Annotated[str, Meta(min_length=1, max_length=LONGEST_ID)]
    createdAt: datetime
    updatedAt: datetime
    traits: Given
    visitors: Annotated[tuple[DeviceRow, ...], Meta(max_length=_MOST_DEVICES)] = ()


_ROW: Final = msgspec.json.Decoder(ProfileRow)


async def read(call: Call, given: ReadPeople) -> ExportRows:
    """exports.getPeople: get the identified visitors of a website with their traits. Raises NotFound or Forbidden."""
    website, profiles = readable(call, given.websiteId, people=True), call.parts[Profiles]
    if given.after is None:
        detail = {"website": website.id}
        by = By(call.actor, call.now)
        await call.write(
            lambda db: audit.record(db, by, website.organization_id, "created", "person_export", ids.new_id(), detail)
        )
    people = await profiles.after(website.site, int(given.after or 0), limit=MOST_PROFILES)
    devices = await profiles.events.read(lambda db: [_devices(db, website.site, one.number) for one in people])
    lines = [_line(person, own) for person, own in zip(people, devices, strict=True)]
    following = str(people[-1].number) if len(people) == MOST_PROFILES else None
    return ExportRows(b"".join(lines).decode(), following)


def _devices(db: Connection, site: int, profile: int) -> list[dict[str, Any]]:
    found = db.execute(
        """
        -- people.devices
        select visitor, time from visitor_profiles where site = ? and profile = ? order by time desc, visitor limit ?
        """,
        (site, profile, _MOST_DEVICES),
    ).fetchall()
    return [{"visitor": id_text(int(str(row[0]))), "time": moment_text(int(str(row[1])))} for row in reversed(found)]


def _line(person: ProfilePerson, devices: list[dict[str, Any]]) -> bytes:
    row = {
        "profile": person.profile_id,
        "createdAt": moment_text(person.created_at),
        "updatedAt": moment_text(person.updated_at),
        "traits": person.traits,
        "visitors": devices,
    }
    return msgspec.json.encode(row) + b"\n"


async def load(call: Call, given: LoadPeople) -> LoadState:
    """load people: identify visitors as rows of a file say. Raises BadRequest, NotFound or Conflict."""
    website, intake = own(call, given.websiteId), call.parts[Intake]
    if call.parts[Machines].are_wanted:
        raise Conflict(_("Servers with ingest machines cannot load visitors"))
    rows = [_read_row(line) for line in given.content.split("\n") if line.strip()]
    if len(rows) > MOST_PROFILES:
        raise BadRequest(_("Load up to {most:,} rows at a time").format(most=MOST_PROFILES))

    said = [one for row in rows for one in _identifications(website.site, row)]

    def write(db: Connection) -> int:
        for one in said:
            intake.identified(db, one)
        return len(rows)

    return LoadState(await intake.events.write(write, adds=True))


def _read_row(line: str) -> ProfileRow:
    try:
        row = _ROW.decode(line)
        profile_rules.check(row.traits)
    except (msgspec.MsgspecError, RecursionError) as wrong:
        raise BadRequest(_("This is not a row of an export: {line}").format(line=line[:80])) from wrong
    return row


def _identifications(site: int, row: ProfileRow) -> list[VisitorIdentification]:
    """The identifications that led to a profile, in the order of time."""
    created, updated = (_instant(moment) for moment in (row.createdAt, row.updatedAt))
    found = [VisitorIdentification(site, row.profile, frozenset(), {}, created)]
    for device in row.visitors:
        visitors = frozenset({id_number(device.visitor) or 0}) - {0}
        found.append(VisitorIdentification(site, row.profile, visitors, {}, _instant(device.time)))
    return [*found, VisitorIdentification(site, row.profile, frozenset(), row.traits, updated)]


def _instant(moment: datetime) -> int:
    """A time in UTC ms. Raises BadRequest for one without a zone."""
    if moment.tzinfo is None:
        raise BadRequest(_("Times of an export have a time zone"))
    return round(moment.timestamp() * 1000)
