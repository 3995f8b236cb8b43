"""The profiles of a website: a list to search, one of them, their data as a file, and their removal.

Members see profiles and export them, admins remove them; viewers do not get here (wire 4.5).
"""

from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlencode

import msgspec
from litestar.params import FromPath
from litestar.response import Stream
from msgspec import Struct

from analytics_box.base import errors, figures
from analytics_box.base.clock import iso
from analytics_box.base.identity import SignedInPerson as Reader
from analytics_box.base.translation import _
from analytics_box.ingest.profile_rules import Value
from analytics_box.products.people import calls
from analytics_box.products.people.payments import payments_of
from analytics_box.products.people.reading import ProfilePerson, Profiles
from analytics_box.products.people.rules import holder_of
from analytics_box.products.people.traces import TraceSubject
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.rules import Website
from analytics_box.tenants.websites.shell import site_shell
from analytics_box.web.page.dates import moment
from analytics_box.web.page.visit import Again, Answer, Page, PageRequest, Visitor


class PersonLine(Struct, frozen=True):
    """A person in the list. `email` is empty if it is the id or unknown."""

    name: str
    profile_id: str
    email: str
    when: str
    href: str


class PersonView(Struct, frozen=True):
    """A person on their own page. `traits` are names and values in words."""

    name: str
    profile_id: str
    email: str
    first: str
    last: str
    traits: tuple[tuple[str, str], ...]
    readable: bool
    query: str


def line(person: ProfilePerson, reader: Reader, home: str) -> PersonLine:
    """A row of the list."""
    name = person.display_name or person.profile_id
    return PersonLine(
        name=name,
        profile_id=person.profile_id if name != person.profile_id else "",
        email=person.email if person.email not in {name, person.profile_id} else "",
        when=moment(person.updated_at, reader),
        href=f"{home}/profile?{query_of('profile', person.profile_id)}",
    )


def person_view(person: ProfilePerson, reader: Reader) -> PersonView:
    """A whole person."""
    return PersonView(
        name=person.display_name or person.profile_id,
        profile_id=person.profile_id,
        email=person.email,
        first=moment(person.created_at, reader),
        last=moment(person.updated_at, reader),
        traits=tuple((name, _text(value)) for name, value in sorted(person.traits.items())),
        readable=person.readable,
        query=query_of("profile", person.profile_id),
    )


def query_of(name: str, value: str) -> str:
    """A parameter for an address."""
    return urlencode({name: value})


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return str(value)


async def pieces(
    profiles: Profiles, website: Website, person: ProfilePerson | None, subject: TraceSubject, *, now: int
) -> AsyncIterator[bytes]:
    """The file's bytes, piece by piece: who it is, then a list of rows for each table that has some."""
    head: dict[str, Any] = {
        "exportedAt": iso(now),
        "website": {"id": website.id, "domain": website.domain},
        "profile": calls.profile_answer(person) if person is not None else None,
        "visitors": calls.visits(subject),
    }
    yield msgspec.json.encode(head)[:-1]
    table = ""
    async for place, rows in profiles.traces(subject):
        if not rows:
            continue
        between = b"," if place.table == table else (b"]" if table else b"") + f',"{place.table}":['.encode()
        table = place.table
        yield between + b",".join(msgspec.json.encode(row) for row in rows)
    yield b"]}\n" if table else b"}\n"


PER_PAGE = 50
_FURTHEST = 1_000  # pages


async def show(visit: Visitor, website_id: FromPath[str]) -> Page:
    """GET /sites/{id}/visitors; `?search=` finds a visitor. Raises NotFound."""
    return await _list(visit, own(visit.call, website_id), Again())


async def person(visit: Visitor, website_id: FromPath[str]) -> Page:
    """GET /sites/{id}/visitors/profile?profile=…. Raises NotFound."""
    website = own(visit.call, website_id)
    found = await _person_in_address(visit, website)
    subject = await visit.parts[Profiles].of_person(holder_of(website), found)
    count = len({stay.visitor for stay in subject.stays})
    return _page(
        visit,
        website,
        "person.html",
        person=person_view(found, visit.person),
        visitors=figures.count(count) if count != 1 else "1",
        any_visitors=count > 0,
        one_visitor=count == 1,
        payments=await payments_of(visit, website, found.profile_id),
        may_delete=visit.person.may("admin"),
    )


async def export(visit: Visitor, website_id: FromPath[str]) -> Stream:
    """GET /sites/{id}/visitors/export?profile=… or ?device=…: everything as a JSON file. Raises NotFound, and
    InClickHouse or Unavailable where a part of it cannot be had now."""
    website = own(visit.call, website_id)
    profiles, device = visit.parts[Profiles], visit.asked("device").strip()
    found, subject = await calls.person_or_device(
        profiles, holder_of(website), None if device else visit.asked("profile"), device
    )
    actor, now = visit.call.actor, visit.call.now
    await profiles.erasures.beyond.require(subject.site)
    await visit.call.write(lambda db: calls.record_export(db, holder_of(website), actor=actor, now=now))
    return Stream(
        pieces(profiles, website, found, subject, now=now),
        media_type="application/json",
        headers={"content-disposition": 'attachment; filename="person.json"', "cache-control": "no-store"},
    )


async def confirm(visit: Visitor, website_id: FromPath[str]) -> Page:
    """GET /sites/{id}/visitors/delete?profile=… or ?device=…: the question before. Raises NotFound."""
    website = own(visit.call, website_id)
    device = visit.asked("device").strip()
    if "device" in visit.request.query_params and not device:
        return await _list(visit, website, Again(400, wrong={"device": _("Enter the id.")}))
    if device:
        name, profile_id = device, ""
    else:
        found = await _person_in_address(visit, website)
        name, profile_id = found.display_name or found.profile_id, found.profile_id
    words = (
        (
            _("Delete the data of {who}?"),
            _(
                "This deletes all events, web vitals and errors of {site} with this ID: those of today and "
                "yesterday, or all of them if IDs are not anonymized. This cannot be undone."
            ),
        )
        if device
        else (
            _("Remove {who}?"),
            _(
                "This deletes the visitor's profile and all events, web vitals and errors of their visits from "
                "{site}. Figures of past days will decrease. This cannot be undone."
            ),
        )
    )
    back = f"{_home(website)}/profile?{query_of('profile', profile_id)}" if profile_id else _home(website)
    return _page(
        visit,
        website,
        "person_delete.html",
        title=words[0].format(who=name),
        text=words[1].format(site=website.name),
        profile_id=profile_id,
        device=device,
        back=back,
    )


async def delete(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """POST /sites/{id}/visitors/delete: remove a visitor permanently. Raises NotFound."""
    website = own(visit.call, website_id)
    form = await visit.form()
    profile_id, device = form.get("profile", ""), form.get("device", "").strip()
    erasures = visit.parts[Profiles].erasures
    if profile_id:
        done = await erasures.person(holder_of(website), profile_id, visit.call.actor)
    elif device:
        done = await erasures.device(holder_of(website), device, visit.call.actor)
    else:
        done = None
    if done is None:
        raise errors.NotFound.of("profile", profile_id, calls.UNKNOWN)
    waits = "" if done.complete else "&waits=1"
    return visit.go(f"{_home(website)}?removed={done.id}&rows={done.removed}{waits}")


async def _list(visit: PageRequest, website: Website, again: Again) -> Page:
    search = visit.asked("search").strip()[:255]
    asked = visit.asked("page")
    number = min(int(asked), _FURTHEST) if asked.isascii() and asked.isdigit() and len(asked) < 9 else 0
    found = await visit.parts[Profiles].listed(holder_of(website), search, limit=PER_PAGE + 1, offset=number * PER_PAGE)
    home = _home(website)
    kept = f"{query_of('search', search)}&" if search else ""
    return _page(
        visit,
        website,
        "people.html",
        code=again.code,
        errors=again.wrong,
        search=search,
        people=[line(one, visit.person, home) for one in found[:PER_PAGE]],
        later=f"{home}?{kept}page={number - 1}" if number else "",
        earlier=f"{home}?{kept}page={number + 1}" if len(found) > PER_PAGE else "",
        done=_done_text(visit),
        may_delete=visit.person.may("admin"),
    )


def _done_text(visit: PageRequest) -> str:
    """The result of a removal, in words."""
    removed, count = visit.asked("removed"), visit.asked("rows")
    if not (removed.isalnum() and len(removed) <= 64 and count.isascii() and count.isdigit() and len(count) < 12):
        return ""
    text = (
        _(
            "Removed from this server ({count} rows). ClickHouse or another machine is unavailable and still has "
            "earlier events. They will be removed once it is back; the audit log then lists the removal as {id}."
        )
        if visit.asked("waits")
        else _("Visitor removed ({count} rows). The audit log lists the removal as {id}.")
    )
    return text.format(id=removed, count=figures.count(int(count)))


def _page(visit: PageRequest, website: Website, template: str, *, code: int = 200, **context: Any) -> Page:
    return visit.pages.show(
        template,
        code=code,
        shell=site_shell(visit, "people", website),
        site=website,
        home=_home(website),
        **context,
    )


def _home(website: Website) -> str:
    return f"/sites/{website.id}/visitors"


async def _person_in_address(visit: PageRequest, website: Website) -> ProfilePerson:
    """The person in the address. Raises NotFound."""
    profile_id = visit.asked("profile")
    found = await visit.parts[Profiles].find(holder_of(website), profile_id)
    if found is None:
        raise errors.NotFound.of("profile", profile_id, calls.UNKNOWN)
    return found
