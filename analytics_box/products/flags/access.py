"""Access to flags: people by their role, keys by their scope. A restricted key reaches only the flags
of its websites."""

from typing import Final

from msgspec import Struct

from analytics_box.base import errors
from analytics_box.base.acting import By
from analytics_box.base.store.db import Connection
from analytics_box.products.flags import rows
from analytics_box.products.flags.directory import Flags
from analytics_box.products.flags.flag import Flag, TargetGroup
from analytics_box.products.flags.scope import FlagScope
from analytics_box.resource.reach import check
from analytics_box.tenants.websites.directory import Directory
from analytics_box.web.call import Call

UNKNOWN_OWNER: Final = "There is no website or organization with this id"


class FlagReach(Struct, frozen=True):
    """The scope of a caller's action: the flags of a website, or those of an organization if `website_id` is None."""

    organization_id: str
    website_id: str | None
    by: By

    @property
    def scope(self) -> str:
        """The id of the website, else of the organization."""
        return self.website_id or self.organization_id

    def covers(self, one: Flag | TargetGroup) -> bool:
        """Whether a flag or a group is one of these."""
        return one.scope == self.scope and one.organization_id == self.organization_id


def reach(call: Call, website_id: str | None = None, organization_id: str | None = None) -> FlagReach:
    """The scope of a caller: the flags of this website, else of this organization, else of their own organization.

    Raises NotFound for a website that is not theirs, Forbidden for such an organization and for a restricted key that
    names no website, or AuthRequired.
    """
    if website_id is None:
        return _of_organization(call, organization_id)
    website = call.parts[Directory].find(website_id)
    own = website is not None and organization_id in {None, website.organization_id}
    if website is None or not own or not _has_website(call, website_id, website.organization_id):
        raise errors.NotFound.of("website", website_id)
    return FlagReach(website.organization_id, website_id, call.by)


def find_flag(call: Call, flag_id: str) -> tuple[FlagReach, Flag]:
    """A flag in reach of a caller. Raises NotFound or AuthRequired."""
    found = call.parts[Flags].find(flag_id)
    if found is None:
        raise errors.NotFound.of("flag", flag_id)
    return _reach_of(call, found), found


def find_target_group(call: Call, group_id: str) -> tuple[FlagReach, TargetGroup]:
    """A target group in reach of a caller, as `find_flag` finds a flag. Raises NotFound or AuthRequired."""
    found = call.parts[Flags].group(group_id)
    if found is None:
        raise errors.NotFound.of("targetGroup", group_id)
    return _reach_of(call, found), found


def existing(db: Connection, own: FlagReach, flag_id: str) -> Flag:
    """The living flag as it is stored. Raises NotFound if it is unknown or out of reach."""
    found = rows.find(db, flag_id)
    if found is None or found.deleted_at is not None or not own.covers(found):
        raise errors.NotFound.of("flag", flag_id)
    return found


def existing_group(db: Connection, own: FlagReach, group_id: str) -> TargetGroup:
    """The target group as it is stored. Raises NotFound if it is unknown or out of reach."""
    found = rows.find_group(db, group_id)
    if found is None or not own.covers(found):
        raise errors.NotFound.of("targetGroup", group_id)
    return found


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


def _reach_of(call: Call, found: Flag | TargetGroup) -> FlagReach:
    try:
        return reach(call, found.website_id, found.organization_id)
    except (errors.Forbidden, errors.NotFound) as refused:
        raise errors.NotFound.of("flag" if isinstance(found, Flag) else "targetGroup", found.id) from refused


def _of_organization(call: Call, organization_id: str | None) -> FlagReach:
    own, key = call.organization(organization_id), call.identity.key
    if key is not None and key.websites is not None:
        raise errors.Forbidden("This key is limited to some websites. Send websiteId")
    return FlagReach(own, None, call.by)


def _has_website(call: Call, website_id: str, organization_id: str) -> bool:
    """Return whether the caller can reach a website. Raises AuthRequired without a caller."""
    key = call.identity.key
    if key is not None:
        return key.organization_id == organization_id and key.reaches(website_id)
    return call.organization() == organization_id
