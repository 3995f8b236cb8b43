"""Commands for accounts and organizations: the first account, users, one-time password links, private networks."""

from typing import Annotated

from msgspec import Meta, Struct

from analytics_box.app.admin.lookup import organization_of
from analytics_box.app.setup import account
from analytics_box.base import errors
from analytics_box.base.acting import COMMAND_LINE, By
from analytics_box.base.identity import Role
from analytics_box.base.outgoing.client import Clients
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.tenants.accounts import password_reset, rules, users
from analytics_box.tenants.accounts.users import AccountListItem
from analytics_box.tenants.keys.ring import KeyRing
from analytics_box.tenants.keys.rules import StoredKey
from analytics_box.tenants.organizations import change
from analytics_box.tenants.tenancy import members
from analytics_box.tenants.tenancy.directory import OrganizationDirectory
from analytics_box.tenants.tenancy.rules import Organization
from analytics_box.tenants.websites.shell import snippet
from analytics_box.web.call import Call, Parts

_Text = Annotated[str, Meta(min_length=1, max_length=255)]


class SetupResult(Struct, frozen=True, omit_defaults=True):
    """The first account, and the snippet for the website's pages.

    `apiKey` is empty unless requested, and shown only this once.
    """

    organizationId: str
    organization: str
    userId: str
    websiteId: str
    website: str
    snippet: str
    apiKey: str = ""


async def set_up(call: Call, given: account.FirstAccount) -> SetupResult:
    """setup: the first account. Raises BadRequest, or Conflict on a box that has one."""

    def write(db: Connection) -> tuple[account.CreatedAccount, tuple[StoredKey, str] | None]:
        made = account.first_account(db, given, by=call.by)
        return made, account.first_key(db, made, by=call.by) if given.key else None

    made, key = await call.write(write)
    made.remember(call.parts)
    if key is not None:
        call.parts[KeyRing].remember(key[0])
    return SetupResult(
        organizationId=made.organization.id,
        organization=made.organization.name,
        userId=made.user.id,
        websiteId=made.website.id,
        website=made.website.domain,
        snippet=snippet(made.website, f"{call.parts.settings.tracker_url}/script.js").text,
        apiKey=key[1] if key is not None else "",
    )


class CreateUser(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of `user create`. The organization is optional if there is only one."""

    email: _Text
    name: str = ""
    role: Role = "member"
    organization: _Text | None = None


class CreatedUser(Struct, frozen=True):
    """A new account with the link that sets its first password, shown this once. `expiresAt` is UTC ms."""

    id: str
    email: str
    organizationId: str
    organization: str
    role: Role
    link: str
    expiresAt: int


async def user_create(call: Call, given: CreateUser) -> CreatedUser:
    """user create: an account without a password. Raises BadRequest, NotFound, or Conflict for a known address."""
    organization, base_url = organization_of(call.parts, given.organization), call.parts.settings.public_url
    life = rules.FIRST_PASSWORD_LIFE

    def write(db: Connection) -> CreatedUser:
        user = users.create(db, email=given.email, name=given.name, organization_id=organization.id, by=call.by)
        members.add(db, organization.id, By(COMMAND_LINE, call.now, user.id), role=given.role)
        return CreatedUser(
            id=user.id,
            email=user.email,
            organizationId=organization.id,
            organization=organization.name,
            role=given.role,
            link=password_reset.link_for(db, user.id, base_url=base_url, by=call.by, life=life),
            expiresAt=call.now + life,
        )

    return await call.write(write)


class ListUsers(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of `user list`. Without an organization, the users of all."""

    organization: _Text | None = None


async def user_list(call: Call, given: ListUsers) -> list[AccountListItem]:
    """user list: all users, or the members of one organization. Raises NotFound."""
    listed = await call.read(users.list_accounts)
    if given.organization is None:
        return listed
    only = organization_of(call.parts, given.organization).id
    return [one for one in listed if any(seat.organizationId == only for seat in one.memberships)]


class NamedUser(Struct, frozen=True, forbid_unknown_fields=True):
    """An account by its email address: input of `user confirm`."""

    email: _Text


async def user_confirm(call: Call, given: NamedUser) -> NamedUser:
    """user confirm: confirm that the address is the owner's. Raises NotFound."""

    def write(db: Connection) -> None:
        user = users.find(db, given.email.strip().lower())
        if user is None:
            raise errors.NotFound(_("There is no account with the address {email}").format(email=given.email))
        users.confirm(db, user.id, organization_id=users.organization_of(db, user.id), by=call.by)

    await call.write(write)
    return given


class ResetPassword(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of `user reset-password`."""

    email: _Text
    removeSecondFactor: bool = False


class PasswordLink(Struct, frozen=True):
    """A one-time link that sets a new password."""

    link: str


async def user_reset_password(call: Call, given: ResetPassword) -> PasswordLink:
    """user reset-password. Raises NotFound."""
    link = await call.write(
        lambda db: password_reset.new_link(
            db,
            given.email,
            base_url=call.parts.settings.public_url,
            by=call.by,
            remove_second_factor=given.removeSecondFactor,
        )
    )
    return PasswordLink(link)


class OrganizationNetworks(Struct, frozen=True):
    """An organization. `privateTargets` is all, none, or a list of the private networks that it can reach."""

    id: str
    slug: str
    name: str
    privateTargets: str


async def organization_list(call: Call) -> list[OrganizationNetworks]:
    """organization list: by slug."""
    by_slug = sorted(call.parts[OrganizationDirectory].all(), key=lambda one: one.slug)
    return [_networks_of(call.parts, one) for one in by_slug]


class EditOrganization(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of `organization edit`. `privateTargets` are all, none, or addresses and ranges."""

    organization: _Text
    privateTargets: str


async def organization_edit(call: Call, given: EditOrganization) -> OrganizationNetworks:
    """organization edit: set the private networks. Raises NotFound, or BadRequest for networks that are not allowed."""
    organization, allowed = organization_of(call.parts, given.organization), call.parts[Clients].fences.allowed
    stored = await call.write(
        lambda db: change.open_networks(db, organization.id, call.by, given.privateTargets, allowed)
    )
    call.parts[OrganizationDirectory].open(organization.id, stored)
    return _networks_of(call.parts, organization)


def _networks_of(parts: Parts, one: Organization) -> OrganizationNetworks:
    networks = change.shown_networks(parts[OrganizationDirectory].private_targets_of(one.id))
    return OrganizationNetworks(one.id, one.slug, one.name, networks)
