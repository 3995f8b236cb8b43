"""Recent messages: the outbox as people see it, and retries."""

from typing import Final, Literal

import msgspec
from msgspec import Struct

from analytics_box.base import errors
from analytics_box.base.notify import receivers, rows
from analytics_box.base.notify.change import existing
from analytics_box.base.notify.message import Message
from analytics_box.base.notify.receivers import CHANNELS
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _

Status = Literal["waiting", "sent", "failed"]
UNKNOWN: Final = "There is no delivery with this id. Deliveries are deleted after 30 days"


class DeliveryLogEntry(Struct, frozen=True):
    """A message and what became of it. Times are UTC ms; `number` orders entries, the newest has the highest.

    `error` is that of the latest attempt, empty if there was none. `due_at` is when it is tried next.
    """

    number: int
    id: str
    channel_id: str
    channel: str
    kind: str
    type: str
    title: str
    status: Status
    attempts: int
    error: str
    created_at: int
    due_at: int | None
    ended_at: int | None


def entries(
    db: Connection, organization_id: str, *, channel_id: str | None, before: int | None, most: int
) -> list[DeliveryLogEntry]:
    """The newest first, of all channels or of one; those older than `before`, a number. Raises NotFound."""
    if channel_id is not None:
        existing(db, channel_id, organization_id)
    found = rows.list_deliveries(db, organization_id, channel_id=channel_id, before=before, most=most)
    return [_entry(each) for each in found]


def retry(db: Connection, organization_id: str, delivery_id: str, *, now: int) -> DeliveryLogEntry:
    """Have it tried now: one that was given up with all its attempts. After the commit call `Deliveries.soon`.

    Raises NotFound, and Conflict for one that has arrived or whose channel is switched off.
    """
    found = rows.find_sent(db, delivery_id, organization_id)
    if found is None:
        raise errors.NotFound.of("delivery", delivery_id, UNKNOWN)
    if not existing(db, found.channel_id, organization_id).enabled:
        raise errors.Conflict(_("The channel is disabled. Enable it first"))
    match _status(found):
        case "sent":
            raise errors.Conflict(_("This message was already delivered"))
        case "failed":
            rows.begin_again(db, found.number, now=now)
        case "waiting":
            pass
    receivers.forget(db, CHANNELS, found.channel_id)
    again = rows.find_sent(db, delivery_id, organization_id)
    return _entry(again or found)


def _entry(row: rows.DeliveryLogRow) -> DeliveryLogEntry:
    message = msgspec.json.decode(row.message, type=Message)
    return DeliveryLogEntry(
        number=row.number,
        id=row.id,
        channel_id=row.channel_id,
        channel=row.channel,
        kind=row.kind,
        type=message.type,
        title=message.title,
        status=_status(row),
        attempts=row.attempts,
        error=row.error or "",
        created_at=row.created_at,
        due_at=row.due_at,
        ended_at=row.ended_at,
    )


def _status(row: rows.DeliveryLogRow) -> Status:
    if row.due_at is not None:
        return "waiting"
    return "failed" if row.error else "sent"
