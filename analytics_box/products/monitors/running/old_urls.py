"""Masking of the URLs that earlier versions stored with checks: tokens in a path stayed readable there.

It happens once, after an upgrade, in small writes, and goes on where it was broken off.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Final

from analytics_box.base.outgoing.masking import mask_query, masked_text
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.store.strings import Strings
from analytics_box.products.monitors.running import rollup_rows

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
    done = "-- monitors.old_urls.mask\nupdate monitor_engine set urls_masked = 1"
    await events.write(lambda db: db.execute(done).fetchall())
    return changed


def _is_done(db: Connection) -> bool:
    found = db.execute("-- monitors.old_urls.is_done\nselect urls_masked from monitor_engine").fetchall()
    return not found or found[0][0] == 1  # Without a row, no monitor was ever checked.


def _plain(db: Connection, *, number: int) -> list[tuple[str, list[int], str]]:
    """The rows of a monitor with a text that has to be masked: by column, with the masked text."""
    wanted = []
    for column, mask in _MASKED.items():
        found = db.execute(
            f"""
            -- monitors.old_urls.plain
            select id, value from strings where id in (select distinct {column} from checks where monitor = ?)
            """,
            (number,),
        ).fetchall()
        for text_id, text in found:
            if (shown := mask(str(text))) != text:
                rows = db.execute(
                    f"-- monitors.old_urls.plain\nselect id from checks where monitor = ? and {column} = ?",
                    (number, text_id),
                ).fetchall()
                wanted.append((column, [int(str(row)) for (row,) in rows], shown))
    return wanted


def _replace(db: Connection, *, strings: Strings, column: str, ids: list[int], text: str) -> None:
    db.execute(
        f"-- monitors.old_urls.replace\nupdate checks set {column} = ? where id in (select value from json_each(?))",
        (strings.number(db, text), json.dumps(ids)),
    )
