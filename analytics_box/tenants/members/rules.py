"""Invitations and their lifetime. Pure."""

from typing import Final, Literal

from msgspec import Struct

from analytics_box.base.clock import DAY
from analytics_box.tenants.tenancy.rules import InvitedRole

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
