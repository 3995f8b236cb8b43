"""Access to flags: the caller's reach (resource/reach.py) within one scope. A restricted key reaches only the flags of
its websites.
"""

from typing import Final, Protocol, TypeVar

from analytics_box.base import errors
from analytics_box.base.errors import ResourceType
from analytics_box.base.store.db import Connection
from analytics_box.products.flags.directory import Flags
from analytics_box.products.flags.flag import Flag, FlagScope, TargetGroup
from analytics_box.products.flags.rows import FLAGS
from analytics_box.resource import reach as reaches
from analytics_box.resource.reach import OwnedRow, Reach, check, find_in_reach, in_reach
from analytics_box.tenants.websites.reach import own as own_website
from analytics_box.web.call import Call

UNKNOWN_OWNER: Final = "There is no website or organization with this id"
T = TypeVar("T", Flag, TargetGroup)


class OwnerInput(Protocol):
    """Input that can name an owner."""

    @property
    def websiteId(self) -> str | None:  # noqa: N802  # a name on the wire
        """The website."""

    @property
    def organizationId(self) -> str | None:  # noqa: N802  # a name on the wire
        """The organization."""


class FlagReach(Reach, frozen=True, kw_only=True):
    """The scope of a caller's action: the flags of a website, or those of an organization if `website_id` is None."""

    website_id: str | None

    @property
    def scope(self) -> str:
        """The id of the website, else of the organization."""
        return self.website_id or self.organization_id

    def covers(self, row: OwnedRow) -> bool:
        """Return whether a flag or a target group is in this scope, and in reach."""
        return getattr(row, "website_id", None) == self.website_id and super().covers(row)


def reach(call: Call, website_id: str | None = None, organization_id: str | None = None) -> FlagReach:
    """The scope of a caller: the flags of this website, else of this organization, else of their own organization.

    Raises NotFound for a website that is not theirs, Forbidden for such an organization and for a restricted key that
    names no website, or AuthRequired.
    """
    if website_id is None:
        own = reaches.reach(call, organization_id)
        return FlagReach(own.organization_id, own.by, website_id=None)
    website = own_website(call, website_id)
    if organization_id not in {None, website.organization_id}:
        raise errors.NotFound.of("website", website_id)
    return FlagReach(website.organization_id, call.by, website_id=website_id)


def find_flag(call: Call, flag_id: str, named: OwnerInput | None = None) -> tuple[FlagReach, Flag]:
    """A flag in reach of a caller. Raises NotFound, including for a flag of another owner than the `named` one, or
    AuthRequired.
    """
    return _find(call, call.parts[Flags].find(flag_id), "flag", flag_id, named)


def find_target_group(call: Call, group_id: str, named: OwnerInput | None = None) -> tuple[FlagReach, TargetGroup]:
    """A target group in reach of a caller, as `find_flag` finds a flag. Raises NotFound or AuthRequired."""
    return _find(call, call.parts[Flags].group(group_id), "targetGroup", group_id, named)


def existing(db: Connection, own: FlagReach, flag_id: str) -> Flag:
    """The living flag as it is stored. Raises NotFound if it is unknown or out of reach."""
    return in_reach(own, FLAGS.first(db, "id = ? and deleted_at is null", flag_id), "flag", flag_id)


async def visible_flag(call: Call, flag_id: str) -> Flag:
    """A flag that the caller may see. Raises NotFound or Forbidden."""
    own, found = find_flag(call, flag_id)
    await call.read(lambda db: check(db, own, "viewer"))
    return found


async def visible_scope(call: Call, website_id: str | None = None, organization_id: str | None = None) -> FlagScope:
    """All flags of a website or an organization, if the caller may see them. Raises NotFound or Forbidden."""
    own = reach(call, website_id, organization_id)
    await call.read(lambda db: check(db, own, "viewer"))
    found = call.parts[Flags].scope(own.scope)
    if found is None:
        raise errors.NotFound.of("website" if own.website_id else "organization", own.scope, UNKNOWN_OWNER)
    return found


def _find(call: Call, row: T | None, noun: ResourceType, row_id: str, named: OwnerInput | None) -> tuple[FlagReach, T]:
    own, found = find_in_reach(call, row, noun, row_id, restricted=True)
    if named is not None and not (
        named.websiteId in {None, found.website_id} and named.organizationId in {None, found.organization_id}
    ):
        raise errors.NotFound.of(noun, row_id)
    return FlagReach(own.organization_id, own.by, own.resources, website_id=found.website_id), found
