"""A new password by a one-time link, which works until it is used or expires, and ends all sessions.

Asking for another link voids none, because anyone can ask. Setting a password voids all links of the account.

Every function runs inside the caller's transaction.
"""

from analytics_box.base import audit, ids
from analytics_box.base.acting import By
from analytics_box.base.errors import Conflict, NotFound
from analytics_box.base.notify import mail_limits
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.tenants.accounts import rows, rules, users
from analytics_box.tenants.accounts import second_factor as factor
from analytics_box.tenants.accounts.rules import User


def new_link(db: Connection, email: str, *, base_url: str, by: By, remove_second_factor: bool = False) -> str:
    """A link for this account that works for an hour. Raises NotFound for an address without an account.

    Only the command line can remove the second factor: for a user who has lost phone and recovery codes.
    """
    user = rows.user_by_email(db, email.strip().lower())
    if user is None:
        raise NotFound(_("There is no account with the address {email}").format(email=email))
    if remove_second_factor:
        factor.remove(db, factor.Owner(user.id, rows.first_organization_of(db, user.id), by))
    return link_for(db, user.id, base_url=base_url, by=by, life=rules.RESET_LIFE)


def mailed_link(db: Connection, email: str, *, base_url: str, by: By) -> str:
    """A link for a mail to this account's address, which works for an hour. The audit log has one entry an hour.

    Raises NotFound for an address without an account, and RateLimited if it got too many of these mails.
    """
    user = rows.user_by_email(db, email)
    if user is None:
        raise NotFound(_("There is no account with the address {email}").format(email=email))
    earlier = mail_limits.take(db, "password reset", user.email, by.now, account=user.id)
    return link_for(db, user.id, base_url=base_url, by=by, life=rules.RESET_LIFE, by_mail=True, audited=not earlier)


def link_for(
    db: Connection, user_id: str, *, base_url: str, by: By, life: int, by_mail: bool = False, audited: bool = True
) -> str:
    """A link for this account that works for `life` ms. With `by_mail` it is only in the mailbox."""
    token = ids.new_token()
    rows.insert(db, digest=ids.digest(token), user_id=user_id, now=by.now, expires_at=by.now + life, by_mail=by_mail)
    if audited:
        audit.record(db, by, rows.first_organization_of(db, user_id), "created", "password reset", user_id)
    return f"{base_url}/reset-password?token={token}"


def use(db: Connection, token: str, password: str, now: int) -> User:
    """Set a new password, given as its hash, and end all sessions. A mailed link also confirms the account, and removes
    the second factor of its previous user, who has not shown that the address is theirs.

    Raises Conflict if the link no longer works.
    """
    user = rows.user_of(db, ids.digest(token), now=now)
    if user is None:
        raise Conflict(_("This link is no longer valid"))
    by = By("reset link", now)
    if rows.is_by_mail(db, ids.digest(token)):
        organization_id = rows.first_organization_of(db, user.id)
        if users.confirm(db, user.id, organization_id=organization_id, by=by):
            factor.remove(db, factor.Owner(user.id, organization_id, by))
    set_password(db, user.id, password, by=by)
    rows.delete_sessions_of_user(db, user.id)
    return user


def set_password(db: Connection, user_id: str, password: str, *, by: By) -> None:
    """Store a password's hash and void the links that would set another one. Sessions are the caller's matter."""
    rows.set_password(db, user_id, password)
    rows.delete_of_user(db, user_id)
    audit.record(db, by, rows.first_organization_of(db, user_id), "updated", "password", user_id)
