"""Inviting, revoking and accepting: each verb writes its rows and audit entries in the caller's transaction."""

from collections.abc import Collection
from typing import Final, Literal

from msgspec import Struct

from analytics_box.base import audit, errors, ids
from analytics_box.base.acting import COMMAND_LINE, By
from analytics_box.base.clock import DAY
from analytics_box.base.errors import Conflict
from analytics_box.base.store import records
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.tenants.accounts import rules as account_rules
from analytics_box.tenants.accounts import users
from analytics_box.tenants.tenancy import members
from analytics_box.tenants.tenancy.rules import InvitedRole, check_resources, read_resources, stored_resources

LIFE: Final = 7 * DAY
# Expired invitations are kept this long, so that the inviter sees that they were not accepted.
KEPT: Final = 30 * DAY
MOST_PENDING: Final = 100  # per organization

Status = Literal["pending", "expired", "accepted", "revoked"]


class Invitation(Struct, frozen=True):
    """An invitation to join an organization. Its secret is stored only as a digest. Times are UTC ms.

    The link of an invitation `by_mail` was only mailed, so that a user who opens it has the mailbox. `resources` are
    the ids of what the new member can access; None for all.
    """

    id: str
    organization_id: str
    email: str
    role: InvitedRole
    invited_by: str
    created_at: int
    expires_at: int
    accepted_at: int | None = None
    revoked_at: int | None = None
    by_mail: bool = False
    resources: frozenset[str] | None = None

    def status(self, now: int) -> Status:
        """Only a pending one can be accepted."""
        if self.accepted_at is not None:
            return "accepted"
        if self.revoked_at is not None:
            return "revoked"
        return "pending" if now < self.expires_at else "expired"


_COLUMNS = """
  id, organization_id, email, role, invited_by, created_at, expires_at, accepted_at, revoked_at, by_mail, resources
"""


def insert(db: Connection, invitation: Invitation, digest: bytes) -> None:
    db.execute(
        """
        -- invitations.insert
        insert into invitations
          (id, organization_id, email, role, digest, invited_by, created_at, expires_at, by_mail, resources)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (
            invitation.id,
            invitation.organization_id,
            invitation.email,
            invitation.role,
            digest,
            invitation.invited_by,
            invitation.created_at,
            invitation.expires_at,
            int(invitation.by_mail),
            stored_resources(invitation.resources),
        ),
    )


def find(db: Connection, invitation_id: str) -> Invitation | None:
    return next(iter(_select(db, "id = ?", invitation_id)), None)


def pending_invitations(db: Connection, organization_id: str) -> list[Invitation]:
    """Neither accepted nor revoked, pending or expired; the newest first."""
    unanswered = "organization_id = ? and accepted_at is null and revoked_at is null order by created_at desc, id"
    return _select(db, unanswered, organization_id)


def _select(db: Connection, where: str, value: str | bytes) -> list[Invitation]:
    return records.all_of(
        db,
        Invitation,
        f"-- invitations.select\nselect {_COLUMNS} from invitations where {where}",
        (value,),
        decoded={"resources": read_resources},
    )


def delete_old(db: Connection, *, ended_before: int) -> None:
    """Delete invitations that ended before then, in whatever state; the audit log keeps them."""
    db.execute("-- invitations.delete_old\ndelete from invitations where expires_at <= ?", (ended_before,))


class Welcome(Struct, frozen=True):
    """A valid invitation link. `known` is whether the invited address already has an account.

    `stranded` is an account that no longer belongs to any organization, so that it cannot sign in.
    """

    invitation: Invitation
    organization: str
    time_zone: str
    known: bool
    stranded: bool


def invite(
    db: Connection,
    organization_id: str,
    by: By,
    *,
    email: str,
    role: InvitedRole,
    secret: str,
    by_mail: bool,
    resources: Collection[str] | None = None,
) -> tuple[Invitation, str]:
    """Ask a user to join; the invitation and the organization's name. `secret` is the link's, which is `by_mail` if
    only its receiver gets to see it. `resources` are the ids of what they can access; None for all.

    An older unanswered invitation of the same person ends. Raises Forbidden, BadRequest or Conflict.
    """
    members.check(db, organization_id, by, "invite")
    present = members.of_organization(db, organization_id)
    # The command line invites in the name of the organization's owner.
    inviter = next((one.user_id for one in present if one.role == "owner" and by.actor == COMMAND_LINE), by.user_id)
    if inviter is None:
        raise errors.Forbidden(_("Sign in to do this. API keys are not accepted"))
    email = account_rules.clean_email(email)
    check_resources(role, resources)
    known = None if resources is None else members.existing_resources(db, organization_id, resources)
    if any(member.email.lower() == email for member in present):
        raise Conflict(_("This user is already a member"))
    waiting = pending_invitations(db, organization_id)
    for older in waiting:
        if older.email.lower() == email:
            _revoke(db, by, older)
    if sum(older.status(by.now) == "pending" and older.email.lower() != email for older in waiting) >= MOST_PENDING:
        raise Conflict.full(
            "invitations",
            MOST_PENDING,
            _("An organization can have up to {most} pending invitations; revoke one first").format(most=MOST_PENDING),
        )
    invitation = Invitation(
        id=ids.new_id(),
        organization_id=organization_id,
        email=email,
        role=role,
        invited_by=inviter,
        created_at=by.now,
        expires_at=by.now + LIFE,
        by_mail=by_mail,
        resources=known,
    )
    insert(db, invitation, ids.digest(secret))
    detail = {"email": email, "role": role, **members.named_resources(known)}
    audit.record(db, by, organization_id, "created", "invitation", invitation.id, detail)
    return invitation, members.existing_organization(db, organization_id).name


def revoke(db: Connection, organization_id: str, by: By, invitation_id: str) -> Invitation:
    """Make a link void. Raises Forbidden, NotFound, or Conflict where it was accepted already."""
    members.check(db, organization_id, by, "invite")
    found = find(db, invitation_id)
    if found is None or found.organization_id != organization_id:
        raise errors.NotFound.of("invitation", invitation_id)
    if found.accepted_at is not None:
        raise Conflict(_("This invitation has already been accepted"))
    if found.revoked_at is None:
        _revoke(db, by, found)
    return found


def waiting(db: Connection, organization_id: str, by: By, *, include_expired: bool = False) -> list[Invitation]:
    """Invitations that wait for an answer, the newest first. Raises Forbidden."""
    members.check(db, organization_id, by, "invite")
    wanted = {"pending", "expired"} if include_expired else {"pending"}
    return [one for one in pending_invitations(db, organization_id) if one.status(by.now) in wanted]


def welcome(db: Connection, secret: str, now: int) -> Welcome | None:
    """The invitation with this link; None if it is not, or no longer, valid."""
    found = next(iter(_select(db, "digest = ?", ids.digest(secret))), None)
    if found is None or found.status(now) != "pending":
        return None
    organization = members.existing_organization(db, found.organization_id)
    account = users.find(db, found.email)
    return Welcome(
        invitation=found,
        organization=organization.name,
        time_zone=organization.time_zone,
        known=account is not None,
        stranded=account is not None and not members.belongs_somewhere(db, account.id),
    )


def accept_as(db: Connection, secret: str, *, user_id: str, email: str, now: int) -> Invitation:
    """Accept an invitation as an existing user. Raises NotFound, Forbidden for another person's link, or Conflict."""
    found = welcome(db, secret, now)
    if found is None:
        raise errors.NotFound.of("invitation", None, _("This invitation is invalid or has expired"))
    if found.invitation.email.lower() != email.lower():
        raise errors.Forbidden(_("This invitation is for another email address"))
    return _join(db, found.invitation, user_id, now)


def accept_new(db: Connection, secret: str, *, password: str, time_zone: str, now: int) -> tuple[Invitation, str]:
    """Accept an invitation with a new account. Return the invitation and the new user's id.

    The account is unconfirmed if the inviter has seen the link. `password` is an Argon2 hash. Raises NotFound or
    Conflict.
    """
    found = welcome(db, secret, now)
    if found is None:
        raise errors.NotFound.of("invitation", None, _("This invitation is invalid or has expired"))
    if found.known:
        raise Conflict(_("An account with this email address exists. Sign in to accept the invitation"))
    user = users.create(
        db,
        email=found.invitation.email,
        password=password,
        time_zone=time_zone or found.time_zone,
        organization_id=found.invitation.organization_id,
        by=By(f"invitation:{found.invitation.id}", now),
        confirmed=found.invitation.by_mail,
    )
    return _join(db, found.invitation, user.id, now), user.id


def _join(db: Connection, invitation: Invitation, user_id: str, now: int) -> Invitation:
    by = By(f"user:{user_id}", now, user_id)
    members.add(db, invitation.organization_id, by, role=invitation.role, resources=invitation.resources)
    db.execute("-- invitations.set_accepted\nupdate invitations set accepted_at = ? where id = ?", (now, invitation.id))
    audit.record(db, by, invitation.organization_id, "updated", "invitation", invitation.id, {"accepted": True})
    return invitation


def _revoke(db: Connection, by: By, invitation: Invitation) -> None:
    db.execute(
        "-- invitations.set_revoked\nupdate invitations set revoked_at = ? where id = ?", (by.now, invitation.id)
    )
    audit.record(
        db, by, invitation.organization_id, "revoked", "invitation", invitation.id, {"email": invitation.email}
    )
