"""Ending sessions on the page /settings/security."""

from analytics_box.base import audit, errors
from analytics_box.base.acting import By
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.tenants.accounts import session_rows as sessions
from analytics_box.tenants.accounts.security_page import HOME, own_digest, session_name
from analytics_box.web.page.visit import Next, PageRequest, Visitor


async def end_session(visit: Visitor) -> Next:
    """POST /settings/security/sessions/end: end one of one's own sessions. Raises NotFound."""
    user_id, chosen = visit.person.user_id, (await visit.form()).get("session", "")

    def write(db: Connection) -> None:
        found = next((one for one in sessions.of_user(db, user_id) if session_name(one) == chosen), None)
        if found is None:
            raise errors.NotFound(_("This session does not exist"))
        sessions.delete(db, found.digest)
        _record(db, visit, ended=1)

    await visit.call.write(write)
    return visit.go(f"{HOME}?done=ended")


async def end_other_sessions(visit: Visitor) -> Next:
    """POST /settings/security/sessions/end-others."""
    user_id, own = visit.person.user_id, own_digest(visit)
    await visit.call.write(lambda db: _record(db, visit, ended=sessions.delete_of_user(db, user_id, keep=own)))
    return visit.go(f"{HOME}?done=others")


def _record(db: Connection, visit: PageRequest, *, ended: int) -> None:
    audit.record(
        db,
        By(visit.call.actor, visit.call.now),
        visit.person.organization_id,
        "revoked",
        "session",
        visit.person.user_id,
        {"ended": ended},
    )
