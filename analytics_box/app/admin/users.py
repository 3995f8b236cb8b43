"""The commands `user …`: accounts of people, and one-time links with which they set a password."""

from msgspec import Struct

from analytics_box.app.admin.asking import command_line, organization_of
from analytics_box.app.admin.given.users import ConfirmedUser, NewUser, ResetPassword, SomeUsers
from analytics_box.base import errors
from analytics_box.base.acting import COMMAND_LINE, By
from analytics_box.base.identity import Role
from analytics_box.base.store.db import Connection
from analytics_box.tenants.accounts import password_reset, rules, users
from analytics_box.tenants.accounts.users import AccountListItem
from analytics_box.tenants.tenancy import members
from analytics_box.web.call import Parts


class UserMade(Struct, frozen=True):
    """A new account with the link that sets its first password, shown this once. `expiresAt` is UTC ms."""

    id: str
    email: str
    organizationId: str
    organization: str
    role: Role
    link: str
    expiresAt: int


class Confirmation(Struct, frozen=True):
    """An account whose address an administrator has confirmed."""

    email: str


class ResetMade(Struct, frozen=True):
    """A one-time link that sets a new password."""

    link: str


async def user_create(parts: Parts, given: NewUser) -> UserMade:
    """user create: an account without a password. Raises BadRequest, NotFound, or Conflict for a known address."""
    organization, now = organization_of(parts, given.organization), parts.clock.now()

    def write(db: Connection) -> UserMade:
        user = users.create(
            db, email=given.email, name=given.name, organization_id=organization.id, by=command_line(parts)
        )
        members.add(db, organization.id, By(COMMAND_LINE, now, user.id), role=given.role)
        life = rules.FIRST_PASSWORD_LIFE
        return UserMade(
            id=user.id,
            email=user.email,
            organizationId=organization.id,
            organization=organization.name,
            role=given.role,
            link=password_reset.link_for(
                db, user.id, base_url=parts.settings.public_url, by=command_line(parts), life=life
            ),
            expiresAt=now + life,
        )

    return await parts.box_db.write(write)


async def user_list(parts: Parts, given: SomeUsers) -> list[AccountListItem]:
    """user list: everybody, or the members of one organization. Raises NotFound."""
    only = organization_of(parts, given.organization).id if given.organization is not None else None
    found = await parts.box_db.read(users.list_accounts)
    return [one for one in found if only is None or any(held.organizationId == only for held in one.memberships)]


async def user_confirm(parts: Parts, given: ConfirmedUser) -> Confirmation:
    """user confirm: confirm that the address is the owner's. Raises NotFound."""

    def write(db: Connection) -> None:
        user = users.find(db, given.email.strip().lower())
        if user is None:
            raise errors.NotFound(f"There is no account with the address {given.email}")
        users.confirm(db, user.id, organization_id=users.organization_of(db, user.id), by=command_line(parts))

    await parts.box_db.write(write)
    return Confirmation(given.email)


async def user_reset_password(parts: Parts, given: ResetPassword) -> ResetMade:
    """user reset-password. Raises NotFound."""
    link = await parts.box_db.write(
        lambda db: password_reset.new_link(
            db,
            given.email,
            base_url=parts.settings.public_url,
            by=command_line(parts),
            remove_second_factor=given.remove_second_factor,
        )
    )
    return ResetMade(link)
