"""What the administrators of the box are told on every page, because somebody has to do something about it."""

from msgspec import Struct

from analytics_box.base.backup.backups import Backups, Standing
from analytics_box.base.clock import DAY
from analytics_box.base.texts import BackupNotices
from analytics_box.web.call import Parts


class Notice(Struct, frozen=True):
    """A sentence, and where to do something about it."""

    text: str
    href: str


def notices(parts: Parts) -> list[Notice]:
    """All that there is to be said now."""
    text = backup_notice(parts[Backups].standing(), parts.clock.now())
    return [Notice(text, "/settings/box#backups-title")] if text else []


def backup_notice(standing: Standing, now: int) -> str:
    """What is wrong with the backups; empty where they are as they should be."""
    words = BackupNotices
    if standing.failed:
        return words.failed.format(place=standing.failed.place, error=standing.failed.error)
    if not standing.overdue:
        return ""
    if standing.last is None:
        return words.never
    return words.overdue.format(days=(now - standing.last.moment) // DAY)
