"""Invitations in box.db. Every function takes a connection inside the caller's transaction."""

from analytics_box.base.store import records
from analytics_box.base.store.db import Connection
from analytics_box.tenants.members.rules import Invitation

_COLUMNS = "id, organization_id, email, role, invited_by, created_at, expires_at, accepted_at, revoked_at, by_mail"


def insert(db: Connection, invitation: Invitation, digest: bytes) -> None:
    db.execute(
        """
        -- invitations.insert
        insert into invitations (id, organization_id, email, role, digest, invited_by, created_at, expires_at, by_mail)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?)
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
        ),
    )


def find(db: Connection, invitation_id: str) -> Invitation | None:
    return records.one_of(
        db, Invitation, f"-- invitations.find\nselect {_COLUMNS} from invitations where id = ?", (invitation_id,)
    )


def by_digest(db: Connection, digest: bytes) -> Invitation | None:
    """The invitation whose link has this digest, whatever its state."""
    return records.one_of(
        db, Invitation, f"-- invitations.by_digest\nselect {_COLUMNS} from invitations where digest = ?", (digest,)
    )


def pending_invitations(db: Connection, organization_id: str) -> list[Invitation]:
    """Neither accepted nor revoked, pending or expired; the newest first."""
    return records.all_of(
        db,
        Invitation,
        f"""
        -- invitations.unanswered
        select {_COLUMNS} from invitations
        where organization_id = ? and accepted_at is null and revoked_at is null
        order by created_at desc, id
        """,
        (organization_id,),
    )


def delete_old(db: Connection, *, ended_before: int) -> None:
    """Delete invitations that ended before then, in whatever state; the audit log keeps them."""
    db.execute("-- invitations.delete_old\ndelete from invitations where expires_at <= ?", (ended_before,))


def set_accepted(db: Connection, invitation_id: str, now: int) -> None:
    db.execute("-- invitations.set_accepted\nupdate invitations set accepted_at = ? where id = ?", (now, invitation_id))


def set_revoked(db: Connection, invitation_id: str, now: int) -> None:
    db.execute("-- invitations.set_revoked\nupdate invitations set revoked_at = ? where id = ?", (now, invitation_id))
