"""Lookup of resources by the names that operators type on the command line."""

from collections.abc import Awaitable, Callable
from typing import Final, Literal, TypeVar

from msgspec import Struct

from analytics_box.base import errors
from analytics_box.base.settings import Settings
from analytics_box.base.translation import _
from analytics_box.base.urls import url_parts
from analytics_box.products.links.folders.calls import list_folders
from analytics_box.products.links.lookup import links_named
from analytics_box.products.links.messages import LinkOrganizationInput
from analytics_box.products.links.slugs import PREFIX
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.monitor import Monitor
from analytics_box.tenants.keys.ring import KeyRing
from analytics_box.tenants.tenancy.directory import OrganizationDirectory
from analytics_box.tenants.tenancy.rules import Organization
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.call import Call, Parts

Kind = Literal["organization", "website", "key", "link", "link folder", "monitor"]
_MOST_IDS: Final = 10


class FindResource(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of `find`: the name of a resource, such as its id, domain, slug or URL."""

    kind: Kind
    name: str


class ResourceLocation(Struct, frozen=True):
    """The id of a resource, and of its organization."""

    id: str
    organizationId: str


async def find(call: Call, given: FindResource) -> ResourceLocation:
    """The resource of any organization with this name. Raises NotFound, or BadRequest if the name is ambiguous."""
    find_by_name = _FINDERS[given.kind]
    return await find_by_name(call, given.name)


def organization_of(parts: Parts, name: str | None) -> Organization:
    """The organization with this id or slug; for None the only one. Raises NotFound or BadRequest."""
    known = parts[OrganizationDirectory].all()
    if name is None:
        if len(known) == 1:
            return known[0]
        names = ", ".join(sorted(organization.slug for organization in known))
        raise errors.BadRequest(
            _("Name the organization: {names}").format(names=names) if known else _("Set up the server first")
        )
    for organization in known:
        if name in {organization.id, organization.slug}:
            return organization
    raise errors.NotFound(_("There is no organization {name}").format(name=name))


def website_of(parts: Parts, name: str) -> Website:
    """The website with this id or domain. Raises NotFound, or BadRequest for a domain of several websites."""
    directory = parts[Directory]
    if (website := directory.find(name)) is not None:
        return website
    return _only([one for one in directory.all() if one.domain == name.strip().lower()], "website", name)


async def _organization(call: Call, name: str) -> ResourceLocation:
    organization = organization_of(call.parts, name)
    return ResourceLocation(organization.id, organization.id)


async def _website(call: Call, name: str) -> ResourceLocation:
    website = website_of(call.parts, name)
    return ResourceLocation(website.id, website.organization_id)


async def _key(call: Call, name: str) -> ResourceLocation:
    for key in call.parts[KeyRing].all():
        if key.id == name:
            return ResourceLocation(key.id, key.organization_id)
    raise errors.NotFound(_("There is no API key with this id"))


async def _link(call: Call, name: str) -> ResourceLocation:
    domain, slug = _place(name, call.parts.settings)
    known = {each.id for each in call.parts[OrganizationDirectory].all()}
    rows = await call.read(lambda db: links_named(db, name, domain, slug))
    return _only([ResourceLocation(*row) for row in rows if row[1] in known], "link", name)


def _place(name: str, settings: Settings) -> tuple[str | None, str]:
    """The domain and the slug of a short URL; a bare slug may be on any domain."""
    if "/" not in name:
        return None, name
    parsed = url_parts(name if "://" in name else f"//{name}")
    host, path = (parsed.hostname or "").lower(), parsed.path
    own = host in {url_parts(settings.public_url).hostname, ""}
    return ("" if own else host), path.removeprefix(PREFIX if own else "/").strip("/")


async def _folder(call: Call, name: str) -> ResourceLocation:
    for one in await list_folders(call, LinkOrganizationInput()):
        if name in {one.id, one.slug} or name.lower() == one.name.lower():
            return ResourceLocation(one.id, call.organization())
    raise errors.NotFound(_("There is no folder {name}").format(name=name))


async def _monitor(call: Call, name: str) -> ResourceLocation:
    known = {each.id for each in call.parts[OrganizationDirectory].all()}
    own = [one for one in call.parts[Monitors].all() if one.organization_id in known]
    matches = [one for one in own if one.id == name] or [
        one for one in own if name in {one.url, one.url.rstrip("/"), one.name}
    ]
    monitor = _only(matches, "monitor", name)
    return ResourceLocation(monitor.id, monitor.organization_id)


_FINDERS: Final[dict[Kind, Callable[[Call, str], Awaitable[ResourceLocation]]]] = {
    "organization": _organization,
    "website": _website,
    "key": _key,
    "link": _link,
    "link folder": _folder,
    "monitor": _monitor,
}
_NAMES: Final = {"website": "its id or domain", "link": "its id, slug or short URL", "monitor": "its id, URL or name"}


_Match = TypeVar("_Match", Website, ResourceLocation, Monitor)


def _only(matches: list[_Match], kind: str, name: str) -> _Match:
    """The only match. Raises NotFound, or BadRequest if there are several."""
    if not matches:
        raise errors.NotFound(
            _("There is no {kind} {name}. Enter {names}").format(kind=kind, name=name, names=_NAMES[kind])
        )
    if len(matches) > 1:
        ids = ", ".join(one.id for one in matches[:_MOST_IDS])
        raise errors.BadRequest(
            _("Several {kind}s match {name}. Enter one of their ids: {ids}").format(kind=kind, name=name, ids=ids)
        )
    return matches[0]
