"""Profiles over RPC. Members and keys with read:data on the website read; admins and keys with manage:websites delete.

Viewers, and visitors of public dashboards, see figures only: never profiles (wire 4.5, security).
Without a websiteId it is about the people of events that name no website.
"""

from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta, Struct

from analytics_box.base import audit, errors, ids
from analytics_box.base.acting import By
from analytics_box.base.errors import ErrorDetail
from analytics_box.base.facts.tables import PERSONAL
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.ingest.profile_rules import LONGEST_ID, Value
from analytics_box.products.people.reading import ProfilePerson, Profiles, WalkPlace
from analytics_box.products.people.rules import FIRST, LAST, Holder, holder_of
from analytics_box.products.people.traces import TraceSubject
from analytics_box.resource.reach import refuse_restricted
from analytics_box.tenants.tenancy.directory import OrganizationDirectory
from analytics_box.tenants.tenancy.messages import date
from analytics_box.tenants.websites.reach import own
from analytics_box.web.call import Call

UNKNOWN = "There is no visitor with this id"
MOST_PEOPLE = 100
# One answer of an export ends after this number of rows, or of looked-at pieces of a table.
ITEMS = 1_000
PIECES = 20

Text = Annotated[str, Meta(max_length=255)]
ProfileId = Annotated[str, Meta(min_length=1, max_length=LONGEST_ID)]


class ListProfiles(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of profiles.list. `search` is the beginning of a profile id, or a whole e-mail address."""

    websiteId: Text | None = None
    search: Text | None = None
    limit: Annotated[int, Meta(ge=1, le=MOST_PEOPLE)] = 25
    offset: Annotated[int, Meta(ge=0, le=100_000)] = 0


class GetProfile(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of profiles.getById."""

    profileId: ProfileId
    websiteId: Text | None = None


class Somebody(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of profiles.delete: a person by profileId, or a device by the anonymousId that it sends."""

    websiteId: Text | None = None
    profileId: ProfileId | None = None
    anonymousId: Annotated[str, Meta(min_length=1, max_length=256)] | None = None


class Exporting(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of profiles.export: whose data, and the nextCursor of the answer before."""

    websiteId: Text | None = None
    profileId: ProfileId | None = None
    anonymousId: Annotated[str, Meta(min_length=1, max_length=256)] | None = None
    cursor: Annotated[str, Meta(max_length=64)] | None = None


class PersonShown(Struct, frozen=True):
    """A person. `email` is in lower case; `readable` is false where the key of the traits is missing."""

    profileId: str
    displayName: str
    email: str
    traits: dict[str, Value]
    createdAt: datetime
    updatedAt: datetime
    readable: bool


class ProfileList(Struct, frozen=True):
    """Output of profiles.list. With `more` there are others behind this offset and limit."""

    profiles: list[PersonShown]
    more: bool


class PersonVisit(Struct, frozen=True):
    """A visitor's id that was this person: since when and until when; null is for ever."""

    visitorId: str
    since: datetime | None
    until: datetime | None


class PersonDetail(Struct, frozen=True):
    """Output of profiles.getById."""

    profile: PersonShown
    visitors: list[PersonVisit]


class ProfileExportAnswer(Struct, frozen=True):
    """Output of profiles.export: a part of what is stored about a person, by table.

    Ask on with nextCursor until it is null. `profile` and `visitors` are in every answer; a device has no profile.
    """

    profile: PersonShown | None
    visitors: list[PersonVisit]
    items: dict[str, list[dict[str, Any]]]
    nextCursor: str | None


class ProfileDeleteAnswer(Struct, frozen=True):
    """Output of profiles.delete. The audit log knows the deletion by its id once it is `complete`: it is not as long as
    ClickHouse, which is away, has a part that is only there, or another machine has not removed its part."""

    deletionId: str
    rowsRemoved: int
    success: bool = True
    complete: bool = True


async def list_profiles(call: Call, given: ListProfiles) -> ProfileList:
    """profiles.list: list a website's identified visitors, latest first. Raises NotFound."""
    holder = _holder(call, given.websiteId)
    search = (given.search or "").strip()
    found = await call.parts[Profiles].listed(holder, search, limit=given.limit + 1, offset=given.offset)
    return ProfileList(
        profiles=[profile_answer(person) for person in found[: given.limit]], more=len(found) > given.limit
    )


async def get_by_id(call: Call, given: GetProfile) -> PersonDetail:
    """profiles.getById: get an identified visitor with their devices. Raises NotFound."""
    holder = _holder(call, given.websiteId)
    person = await _find_person(call, holder, given.profileId)
    subject = await call.parts[Profiles].of_person(holder, person)
    return PersonDetail(profile=profile_answer(person), visitors=visits(subject))


async def export(call: Call, given: Exporting) -> ProfileExportAnswer:
    """profiles.export: export everything stored about a visitor or device, in parts. Raises BadRequest or NotFound."""
    holder = _holder(call, given.websiteId)
    place = _place(given.cursor)
    _one_of(given.profileId, given.anonymousId)
    person, subject = await person_or_device(call.parts[Profiles], holder, given.profileId, given.anonymousId or "")
    if given.cursor is None:
        await call.write(lambda db: record_export(db, holder, actor=call.actor, now=call.now))
    items: dict[str, list[dict[str, Any]]] = {}
    looked = count = 0
    end: WalkPlace | None = None
    for table in PERSONAL[PERSONAL.index(place.table) :]:
        start = place if table == place.table else WalkPlace(table, 0)
        async for reached, found in call.parts[Profiles].traces_from(subject, start):
            looked, count = looked + 1, count + len(found)
            if found:
                items.setdefault(table, []).extend(found)
            if count >= ITEMS or looked >= PIECES:
                end = reached
                break
        if end is not None:
            break
    return ProfileExportAnswer(
        profile=profile_answer(person) if person is not None else None,
        visitors=visits(subject),
        items=items,
        nextCursor=f"{end.table}.{end.after}" if end is not None else None,
    )


async def delete(call: Call, given: Somebody) -> ProfileDeleteAnswer:
    """profiles.delete: delete a visitor or device permanently, with all their events. Raises BadRequest or NotFound."""
    holder = _holder(call, given.websiteId)
    _one_of(given.profileId, given.anonymousId)
    erasures = call.parts[Profiles].erasures
    if given.profileId is not None:
        done = await erasures.person(holder, given.profileId, call.actor)
        if done is None:
            raise errors.NotFound.of("profile", given.profileId, UNKNOWN)
    else:
        done = await erasures.device(holder, given.anonymousId or "", call.actor)
    return ProfileDeleteAnswer(done.id, done.removed, complete=done.complete)


def record_export(db: Connection, holder: Holder, *, actor: str, now: int) -> None:
    """Record that a person's data was exported, and by which user; not whose."""
    audit.record(
        db,
        By(actor, now),
        holder.organization_id,
        "created",
        "person_export",
        ids.new_id(),
        {"website": holder.website_id} if holder.website_id else {},
    )


def profile_answer(person: ProfilePerson) -> PersonShown:
    """A person on the wire."""
    return PersonShown(
        profileId=person.profile_id,
        displayName=person.display_name,
        email=person.email,
        traits=person.traits,
        createdAt=date(person.created_at),
        updatedAt=date(person.updated_at),
        readable=person.readable,
    )


def visits(subject: TraceSubject) -> list[PersonVisit]:
    """The visitor ids of a person, on the wire."""
    return [
        PersonVisit(
            str(stay.visitor),
            since=None if stay.since == FIRST else date(stay.since),
            until=None if stay.until == LAST else date(stay.until),
        )
        for stay in subject.stays
    ]


def _holder(call: Call, website_id: str | None) -> Holder:
    """The website that a call names; without one the organization, whose servers' events may name none.

    Raises NotFound, or Forbidden for keys of single websites that name none.
    """
    if website_id is not None:
        return holder_of(own(call, website_id))
    organization_id = call.organization()
    refuse_restricted(call)
    return Holder(call.parts[OrganizationDirectory].site_of(organization_id), organization_id)


async def _find_person(call: Call, holder: Holder, profile_id: str) -> ProfilePerson:
    person = await call.parts[Profiles].find(holder, profile_id)
    if person is None:
        raise errors.NotFound.of("profile", profile_id, UNKNOWN)
    return person


async def person_or_device(
    profiles: Profiles, holder: Holder, profile_id: str | None, anonymous_id: str
) -> tuple[ProfilePerson | None, TraceSubject]:
    """The person or device, and their traces. Raises NotFound and Unavailable."""
    if profile_id is None:
        return None, profiles.of_device(holder, anonymous_id)
    found = await profiles.everything_of(holder, profile_id)
    if found is None:
        raise errors.NotFound.of("profile", profile_id, UNKNOWN)
    return found


def _one_of(profile_id: str | None, anonymous_id: str | None) -> None:
    if (profile_id is None) == (anonymous_id is None):
        wrong = ErrorDetail("profileId", _("Send either profileId or anonymousId"))
        raise errors.BadRequest(wrong.message, details=(wrong,))


def _place(cursor: str | None) -> WalkPlace:
    """The position where an export continues. Raises BadRequest."""
    if cursor is None:
        return WalkPlace(PERSONAL[0], 0)
    table, _dot, after = cursor.partition(".")
    if table not in PERSONAL or not (after.isascii() and after.isdigit() and len(after) < 19):
        wrong = ErrorDetail("cursor", _("Send the nextCursor of the previous response"))
        raise errors.BadRequest(wrong.message, details=(wrong,))
    return WalkPlace(table, int(after))
