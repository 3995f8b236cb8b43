"""Notices to the administrators of the box on every page, because they have to act."""

from msgspec import Struct

from analytics_box.base.backup.backups import Backups, BackupStanding
from analytics_box.base.clock import DAY
from analytics_box.base.translation import _
from analytics_box.web.call import Parts


class AdminNotice(Struct, frozen=True):
    """A sentence, and where to do something about it."""

    text: str
    href: str


def notices(parts: Parts) -> list[AdminNotice]:
    """All that there is to be said now."""
    text = backup_notice(parts[Backups].standing(), parts.clock.now())
    return [AdminNotice(text, "/settings/box#backups-title")] if text else []


def backup_notice(standing: BackupStanding, now: int) -> str:
    """The problem with the backups; empty if there is none."""
    if standing.failed:
        return _("The last backup to {place} failed: {error}").format(
            place=standing.failed.place, error=standing.failed.error
        )
    if not standing.overdue:
        return ""
    if standing.last is None:
        return _("This box has never been backed up.")
    return _("The last backup is {days} days old.").format(days=(now - standing.last.moment) // DAY)
