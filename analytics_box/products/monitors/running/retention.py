"""Retention of checks: old ones are put together, by hour and then by day, and those of monitors that are gone go.

Spans are the truth for uptime and few: they are kept as long as checks are. All of it is done in small writes, and
goes on where it was broken off.

It happens once, after an upgrade, in small writes, and goes on where it was broken off.
"""

import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Final

from analytics_box.base.clock import DAY, HOUR, utc_day
from analytics_box.base.outgoing.masking import mask_query, masked_text
from analytics_box.base.settings import Settings
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.store.strings import Strings
from analytics_box.products.monitors.erasing import Erasing
from analytics_box.products.monitors.lookup import without_monitor
from analytics_box.products.monitors.running import rollup_rows

log = logging.getLogger(__name__)

BY_DAY: Final = 90  # days after which checks are together by UTC day
AT_ONCE: Final = 2_000  # rows that one write puts together or removes
_SCAN_SECONDS: Final = 60.0  # for a look at which monitors there are
_TOLD_DAYS: Final = 400  # for which transitions are kept


async def retain(events: Db, settings: Settings, now: int) -> None:
    """Put checks together that are older than `monitor_checks_days` whole UTC days, and remove what is older than
    `monitor_history_days`; 0 is never."""
    today, days = utc_day(now), settings.monitor_checks_days
    if settings.monitor_history_days:
        removed = await erase_older(events, (today - settings.monitor_history_days) * DAY)
        if removed:
            log.info("Removed %d checks and spans, older than %d days", removed, settings.monitor_history_days)
    if days:
        await put_together(events, HOUR, today - days)
        await put_together(events, DAY, today - max(days, BY_DAY))
    while await events.write(partial(rollup_rows.forget_told, before=(today - _TOLD_DAYS) * DAY, limit=AT_ONCE)):
        pass


async def put_together(events: Db, bucket: int, until: int) -> None:
    """Combine the checks from before this UTC day into hours or days."""
    numbers = await events.read(rollup_rows.numbers_with_checks, seconds=_SCAN_SECONDS, long=True)
    if not numbers:
        return
    first = (await events.read(rollup_rows.days_done))[bucket == DAY]
    if not first:
        oldest = await events.read(partial(rollup_rows.oldest, numbers=numbers), seconds=_SCAN_SECONDS, long=True)
        first = utc_day(oldest) if oldest is not None else until
    for day in range(first, until):
        left = numbers
        while left:
            done = await events.write(
                partial(
                    rollup_rows.put_together,
                    numbers=left[:AT_ONCE],
                    start=day * DAY,
                    end=(day + 1) * DAY,
                    bucket=bucket,
                    most=AT_ONCE,
                )
            )
            left = left[done:]
        hours, days = (None, day + 1) if bucket == DAY else (day + 1, None)
        await events.write(partial(rollup_rows.note_days, hours=hours, days=days))


async def erase_older(events: Db, before: int) -> int:
    """Remove the checks and the spans from before this instant (UTC ms); how many there were."""
    removed = 0
    for number in await events.read(rollup_rows.stored_numbers, seconds=_SCAN_SECONDS, long=True):
        while gone := await events.write(
            partial(rollup_rows.remove_older, number=number, before=before, limit=AT_ONCE)
        ):
            removed += gone
    return removed


async def sweep(events: Db, box_db: Db, erasing: Erasing) -> None:
    """Remove what is left of monitors that are gone: a crash came in between, or a check that was under way."""
    numbers = await events.read(rollup_rows.stored_numbers, seconds=_SCAN_SECONDS, long=True)
    gone = await box_db.read(partial(without_monitor, numbers=numbers))
    if gone:
        await erasing.erase(gone)
        log.info("Removed the remaining data of %d deleted monitors", len(gone))


_AT_ONCE: Final = 2_000  # Rows of one write.
_SECONDS: Final = 60.0  # The deadline to read the checks of one monitor.
_MASKED: Final[Mapping[str, Callable[[str], str]]] = {"url": mask_query, "error": masked_text}  # By column.


async def mask(events: Db, strings: Strings, sweep: Callable[[], Awaitable[object]]) -> int:
    """Mask URLs in all checks unless that is done already. Return the number of changed rows.

    `sweep` removes texts that no row has any longer.
    """
    if await events.read(_is_done):
        return 0
    changed = 0
    for number in await events.read(rollup_rows.numbers_with_checks, seconds=_SECONDS, long=True):
        for column, ids, text in await events.read(partial(_plain, number=number), seconds=_SECONDS, long=True):
            for first in range(0, len(ids), _AT_ONCE):
                some = ids[first : first + _AT_ONCE]
                await events.write(partial(_replace, strings=strings, column=column, ids=some, text=text))
            changed += len(ids)
    if changed:
        await sweep()
    done = "-- monitors.retention.mask\nupdate monitor_engine set urls_masked = 1"
    await events.write(lambda db: db.execute(done).fetchall())
    return changed


def _is_done(db: Connection) -> bool:
    found = db.execute("-- monitors.retention.is_done\nselect urls_masked from monitor_engine").fetchall()
    return not found or found[0][0] == 1  # Without a row, no monitor was ever checked.


def _plain(db: Connection, *, number: int) -> list[tuple[str, list[int], str]]:
    """The rows of a monitor with a text that has to be masked: by column, with the masked text."""
    wanted = []
    for column, mask in _MASKED.items():
        found = db.execute(
            f"""
            -- monitors.retention.plain
            select id, value from strings where id in (select distinct {column} from checks where monitor = ?)
            """,
            (number,),
        ).fetchall()
        for text_id, text in found:
            if (shown := mask(str(text))) != text:
                rows = db.execute(
                    f"-- monitors.retention.plain\nselect id from checks where monitor = ? and {column} = ?",
                    (number, text_id),
                ).fetchall()
                wanted.append((column, [int(str(row)) for (row,) in rows], shown))
    return wanted


def _replace(db: Connection, *, strings: Strings, column: str, ids: list[int], text: str) -> None:
    db.execute(
        f"-- monitors.retention.replace\nupdate checks set {column} = ? where id in (select value from json_each(?))",
        (strings.number(db, text), json.dumps(ids)),
    )
