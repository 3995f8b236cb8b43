"""Notices to the administrators of the box on every page, because they have to act."""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from analytics_box.base.backup.backups import Backups, BackupStanding
from analytics_box.base.clock import DAY
from analytics_box.base.errors import BadRequest
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.web.call import Call, Parts

NEVER: Final = "never_backed_up"
_DISMISSED_FOR: Final = 30 * DAY
_DISMISS: Final = """
-- notices.dismiss
insert into dismissed_notices (user_id, code, until) values (?, ?, ?)
on conflict (user_id, code) do update set until = excluded.until
"""


class AdminNotice(Struct, frozen=True):
    """A sentence, and where to do something about it. With a `code` it can be dismissed."""

    text: str
    href: str
    code: str = ""


class DismissedNotices:
    """Until when (UTC ms) users have dismissed notices, in memory because every page asks."""

    def __init__(self, rows: Iterable[tuple[str, str, int]]) -> None:
        self.until = {(user_id, code): until for user_id, code, until in rows}

    async def dismiss(self, call: Call, code: str) -> None:
        """Hide a notice from the user for 30 days. Raises BadRequest for an unknown one."""
        if code != NEVER or call.by.user_id is None:
            raise BadRequest(_("This notice cannot be dismissed"))
        user_id, until = call.by.user_id, call.now + _DISMISSED_FOR
        await call.write(lambda db: db.execute(_DISMISS, (user_id, code, until)).fetchall())
        self.until[user_id, code] = until


def dismissals(db: Connection) -> list[tuple[str, str, int]]:
    """All dismissed notices: user, code, and until when."""
    rows = db.execute("-- notices.dismissed\nselect user_id, code, until from dismissed_notices")
    return [(str(user_id), str(code), int(str(until))) for user_id, code, until in rows]


def notices(parts: Parts, user_id: str) -> list[AdminNotice]:
    """The notices that this administrator sees now."""
    standing, now = parts[Backups].standing(), parts.clock.now()
    text = backup_notice(standing, now)
    code = "" if standing.failed or standing.last else NEVER
    left = parts[DismissedNotices].until.get((user_id, code), 0) - now
    if not text or (code and 0 <= left <= _DISMISSED_FOR):
        return []
    return [AdminNotice(text, "/settings/box/backups", code)]


def backup_notice(standing: BackupStanding, now: int) -> str:
    """The problem with the backups; empty if there is none."""
    if standing.failed:
        return _("The last backup to {place} failed: {error}").format(
            place=standing.failed.place, error=standing.failed.error
        )
    if not standing.overdue:
        return ""
    if standing.last is None:
        return _("This server has never been backed up.")
    return _("The last backup is {days} days old.").format(days=(now - standing.last.moment) // DAY)
