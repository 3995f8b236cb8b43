"""The number of subscribers who received each update, kept with the update, because deliveries are forgotten."""

from collections.abc import Collection
from typing import NamedTuple

import msgspec

from analytics_box.base.store.db import Connection


class UpdateReach(NamedTuple):
    """The number of subscribers that have received an update, and whether it still waits for the first one."""

    sent: int
    waits: bool


def count(db: Connection, topic: str) -> None:
    """Note that one more subscriber has received the update of this topic; a request to confirm is no update."""
    db.execute(
        """
        -- subscribers.reached.count
        update incident_updates set sent = sent + 1
        where id = (select update_id from subscriber_messages where topic = ?)
        """,
        (topic,),
    )


def of(db: Connection, updates: Collection[str]) -> dict[str, UpdateReach]:
    """The number of subscribers who received each of these updates, and whether it waits for the first one.

    Updates from before the box counted this have their deliveries of the last 30 days.
    """
    found = db.execute(
        """
        -- subscribers.reached.of
        select id,
          case when sent > 0 then sent else (
            select count(*) from subscriber_deliveries
            where topic = one.id and ended_at is not null and error = ''
          ) end,
          sent = 0 and exists (select 1 from subscriber_deliveries where topic = one.id and due_at is not null)
        from incident_updates as one
        where id in (select value from json_each(?))
        """,
        (msgspec.json.encode(list(updates)).decode(),),
    )
    return {str(one): UpdateReach(int(str(sent)), bool(waits)) for one, sent, waits in found.fetchall()}
