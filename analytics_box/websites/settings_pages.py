"""The settings page of a website: name, who may send, what is kept, client id, deletion; and restoring."""

from collections.abc import Callable
from typing import Any

from litestar import Request, Response
from litestar.di import NamedDependency
from litestar.params import FromPath

from analytics_box import errors, texts
from analytics_box.clock import DAY, Clock
from analytics_box.errors import BadRequest, Conflict
from analytics_box.http.pages import Pages, form_of, go
from analytics_box.identity import Identity, Person
from analytics_box.query import ranges
from analytics_box.settings import Settings
from analytics_box.store.db import Connection, Db
from analytics_box.websites import change, settings_form
from analytics_box.websites.change import By
from analytics_box.websites.directory import Directory
from analytics_box.websites.rules import Website
from analytics_box.websites.shell import shell, snippet

Page = Response[str]
Next = Response[bytes]
AnyRequest = Request[Any, Any, Any]

SECTIONS = ("website", "tracking", "client-id")


async def show(
    request: AnyRequest,
    website_id: FromPath[str],
    identity: NamedDependency[Identity],
    pages: NamedDependency[Pages],
    websites: NamedDependency[Directory],
    settings: NamedDependency[Settings],
    clock: NamedDependency[Clock],
) -> Page:
    """GET /sites/{id}/settings; `?saved=` names the section that was just saved."""
    person, website = _who_and_what(identity, websites, website_id)
    saved = request.query_params.get("saved", "")
    return _page(pages, person, websites, website, settings, clock, saved=saved)


async def save_website(
    request: AnyRequest,
    website_id: FromPath[str],
    identity: NamedDependency[Identity],
    pages: NamedDependency[Pages],
    box_db: NamedDependency[Db],
    websites: NamedDependency[Directory],
    settings: NamedDependency[Settings],
    clock: NamedDependency[Clock],
) -> Page | Next:
    """POST /sites/{id}/settings: name, domain, publicity."""
    person, website = _who_and_what(identity, websites, website_id)
    form = await form_of(request, settings)
    by = By(identity.limit_name, clock.now())

    def write(db: Connection) -> Website:
        renamed = change.details(db, website, by, name=form.get("name", ""), domain=form.get("domain", ""))
        return change.publicity(db, renamed, by, public=bool(form.get("isPublic")))

    try:
        websites.remember(await box_db.write(write))
    except BadRequest as wrong:
        values = {"isPublic": "", **form}
        return _page(
            pages,
            person,
            websites,
            website,
            settings,
            clock,
            code=400,
            values=values,
            wrong=settings_form.wrong_fields(wrong),
        )
    except Conflict as taken:
        values = {"isPublic": "", **form}
        wrong_domain = {"domain": taken.message}
        return _page(pages, person, websites, website, settings, clock, code=409, values=values, wrong=wrong_domain)
    return go(f"/sites/{website.id}/settings?saved=website")


async def save_tracking(
    request: AnyRequest,
    website_id: FromPath[str],
    identity: NamedDependency[Identity],
    pages: NamedDependency[Pages],
    box_db: NamedDependency[Db],
    websites: NamedDependency[Directory],
    settings: NamedDependency[Settings],
    clock: NamedDependency[Clock],
) -> Page | Next:
    """POST /sites/{id}/settings/tracking: who may send, what is ignored, visitor ids, retention."""
    person, website = _who_and_what(identity, websites, website_id)
    form = await form_of(request, settings)
    by = By(identity.limit_name, clock.now())
    try:
        given = settings_form.tracking_of(form)
        websites.remember(await box_db.write(lambda db: change.settings(db, website, by, given)))
    except BadRequest as wrong:
        return _page(
            pages,
            person,
            websites,
            website,
            settings,
            clock,
            code=400,
            values=form,
            wrong=settings_form.wrong_fields(wrong),
        )
    return go(f"/sites/{website.id}/settings?saved=tracking#tracking")


async def rotate(
    website_id: FromPath[str],
    identity: NamedDependency[Identity],
    pages: NamedDependency[Pages],
    box_db: NamedDependency[Db],
    websites: NamedDependency[Directory],
    settings: NamedDependency[Settings],
    clock: NamedDependency[Clock],
) -> Page | Next:
    """POST /sites/{id}/settings/client-id: a new client id for the snippet."""
    person, website = _who_and_what(identity, websites, website_id)
    by, days = By(identity.limit_name, clock.now()), settings.client_id_grace_days
    try:
        websites.remember(await box_db.write(lambda db: change.rotate(db, website, by, grace_days=days)))
    except Conflict as full:
        wrong = {"client-id": full.message}
        return _page(pages, person, websites, website, settings, clock, code=409, wrong=wrong)
    return go(f"/sites/{website.id}/settings?saved=client-id#client-id")


async def delete(
    request: AnyRequest,
    website_id: FromPath[str],
    identity: NamedDependency[Identity],
    pages: NamedDependency[Pages],
    box_db: NamedDependency[Db],
    websites: NamedDependency[Directory],
    settings: NamedDependency[Settings],
    clock: NamedDependency[Clock],
) -> Page | Next:
    """POST /sites/{id}/settings/delete: only with the website's name typed."""
    person, website = _who_and_what(identity, websites, website_id)
    form = await form_of(request, settings)
    if " ".join(form.get("confirmation", "").split()) != website.name:
        wrong = {"confirmation": texts.WebsiteSettings.delete_wrong.format(name=website.name)}
        return _page(pages, person, websites, website, settings, clock, code=400, values=form, wrong=wrong)
    by = By(identity.limit_name, clock.now())
    await box_db.write(lambda db: change.delete(db, website, by))
    websites.forget(website.id)
    return go("/sites")


async def restore(
    website_id: FromPath[str],
    identity: NamedDependency[Identity],
    box_db: NamedDependency[Db],
    websites: NamedDependency[Directory],
    settings: NamedDependency[Settings],
    clock: NamedDependency[Clock],
) -> Next:
    """POST /sites/{id}/restore: bring a deleted website back. Raises NotFound or Conflict."""
    person = _person(identity)
    now, grace = clock.now(), settings.grace_days * DAY

    def write(db: Connection) -> Website:
        return change.restore(db, website_id, By(identity.limit_name, now), _own(person), grace=grace)

    websites.remember(await box_db.write(write))
    return go(f"/sites/{website_id}")


def _page(
    pages: Pages,
    person: Person,
    websites: Directory,
    website: Website,
    settings: Settings,
    clock: Clock,
    *,
    code: int = 200,
    values: dict[str, str] | None = None,
    wrong: dict[str, str] | None = None,
    saved: str = "",
) -> Page:
    zone = ranges.zone(person.time_zone)
    return pages.show(
        "site_settings.html",
        code=code,
        shell=shell(person, "site-settings", website=website, websites=websites.of(person.organization_id)),
        site=website,
        href=f"/sites/{website.id}/settings",
        values=settings_form.values_of(website) | (values or {}),
        errors=wrong or {},
        saved=saved if saved in SECTIONS else "",
        manages=person.role in {"admin", "owner"},
        snippet=snippet(website, f"{settings.tracker_url}/script.js"),
        old_ids=settings_form.old_ids(website, clock.now(), zone),
        grace_days=settings.grace_days,
        client_id_grace_days=settings.client_id_grace_days,
    )


def _own(person: Person) -> Callable[[Website], bool]:
    return lambda website: website.organization_id == person.organization_id


def _person(identity: Identity) -> Person:
    if identity.person is None:
        raise errors.AuthRequired("Sign in to see this page")
    return identity.person


def _who_and_what(identity: Identity, websites: Directory, website_id: str) -> tuple[Person, Website]:
    """The signed-in person and the website of their organization. Raises AuthRequired or NotFound."""
    person, website = _person(identity), websites.find(website_id)
    if website is None or website.organization_id != person.organization_id:
        raise errors.NotFound("There is no such website")
    return person, website
