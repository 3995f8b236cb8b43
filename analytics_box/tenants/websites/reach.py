"""The websites that a caller can reach, and changes to them: shared by procedures and pages."""

from collections.abc import Callable
from typing import Protocol, TypeVar

from analytics_box.base import errors
from analytics_box.base.acting import By
from analytics_box.base.clock import DAY
from analytics_box.base.errors import ResourceType
from analytics_box.base.store.db import Connection
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.rows import WEBSITES
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.call import Call


class WebsiteRow(Protocol):
    """A row that belongs to a website."""

    @property
    def website_id(self) -> str:
        """The website."""


Row = TypeVar("Row", bound=WebsiteRow)


def is_own(call: Call, website: Website) -> bool:
    """Whether a website is one of the caller's organization, and in reach of the key that asks."""
    key, person = call.identity.key, call.identity.person
    if key is not None:
        return key.organization_id == website.organization_id and key.reaches(website.id)
    acting = person or call.identity.operator
    own = acting is not None and acting.organization_id == website.organization_id
    return own and call.identity.reaches(website.id)


def own(call: Call, website_id: str) -> Website:
    """The caller's website with this id. Raises NotFound for an unknown one and for another organization's."""
    website = call.parts[Directory].find(website_id)
    if website is None or not is_own(call, website):
        raise errors.NotFound.of("website", website_id)
    return website


async def own_row(
    call: Call,
    find: Callable[[Connection, str], Row | None],
    kind: ResourceType,
    row_id: str,
    website_id: str | None = None,
) -> tuple[Website, Row]:
    """A row of one of the caller's websites, with the website. Raises NotFound for it, or for the website that it must
    belong to."""
    if website_id is not None:
        own(call, website_id)
    row = await call.read(lambda db: find(db, row_id))
    website = None if row is None else call.parts[Directory].find(row.website_id)
    if row is None or website is None or not is_own(call, website) or website_id not in {None, website.id}:
        raise errors.NotFound.of(kind, row_id)
    return website, row


def all_own(call: Call, organization_id: str | None = None) -> list[Website]:
    """The caller's websites, oldest first. Raises Forbidden for another organization than the caller's."""
    return [site for site in call.parts[Directory].of(call.organization(organization_id)) if is_own(call, site)]


async def restorable(call: Call, organization_id: str | None = None) -> list[Website]:
    """The caller's deleted websites whose grace is not over. Raises Forbidden for another organization."""
    organization_id, grace = call.organization(organization_id), call.parts.settings.grace_days * DAY
    deleted = "organization_id = ? and deleted_at is not null order by created_at, id"
    gone = await call.read(lambda db: WEBSITES.all(db, deleted, organization_id))
    return [each for each in gone if is_own(call, each) and call.now < (each.deleted_at or 0) + grace]


async def change(call: Call, website_id: str, work: Callable[[Connection, Website, By], Website]) -> Website:
    """Have a verb of change.py change one of the caller's websites; events meet it changed from then on.

    Raises NotFound and what the verb raises.
    """
    website = own(call, website_id)
    changed = await call.write(lambda db: work(db, website, call.by))
    call.parts[Directory].remember(changed)
    return changed
