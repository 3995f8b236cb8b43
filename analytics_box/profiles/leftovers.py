"""What removed rows referred to, strings and their combinations, and whether any other row still does."""

import json
from collections.abc import Collection, Sequence

from analytics_box.ingest.facts import COMBINATIONS, TABLES, stored
from analytics_box.profiles.traces import Trace, strings_of, texts, zeroed
from analytics_box.store.db import Connection

STRINGS = "strings"
_COLUMNS = {one.table: one.column for one in COMBINATIONS}
# The tables of what rows refer to. Strings come last, for combinations have them too.
KINDS = (*_COLUMNS, STRINGS)

# Clicks on short links are nobody's traces, but their strings are in use. These columns hold numbers of strings.
_LINK_CLICKS = "link_clicks"
_LINK_TEXTS = (
    *("variant", "rule", "referrer", "source", "country", "region", "city"),
    *("browser", "system", "device", "language", "agent"),
)


def tables(kind: str) -> tuple[str, ...]:
    """The tables whose rows refer to such."""
    return (*TABLES, _LINK_CLICKS) if kind == STRINGS else TABLES


def of(db: Connection, table: str, found: Sequence[Trace]) -> dict[str, set[int]]:
    """The numbers of all that these rows refer to, by kind. To be asked before they are removed."""
    columns = ", ".join(_COLUMNS.values())
    rows = db.execute(
        f"-- leftovers.of\nselect {columns} from {stored(table)} where id in (select value from json_each(?))",
        (json.dumps([trace.id for trace in found]),),
    ).fetchall()
    numbers = {kind: {int(str(row[place])) for row in rows} - {0} for place, kind in enumerate(_COLUMNS)}
    return numbers | {STRINGS: strings_of(table, found)}


def replaced(db: Connection, site: int, sessions: Collection[int]) -> dict[str, set[int]]:
    """The same of what rows of these sessions had once; it is forgotten with that."""
    found: dict[str, set[int]] = {kind: set() for kind in KINDS}
    rows = db.execute(
        """
        -- leftovers.replaced
        delete from replaced where site = ? and session in (select value from json_each(?)) returning kind, number
        """,
        (site, json.dumps(sorted(sessions))),
    )
    for kind, number in rows.fetchall():
        found[str(kind)].add(int(str(number)))
    for table, _, parts, *_ in COMBINATIONS:
        columns, listed = ", ".join(parts), json.dumps(sorted(found[table]))
        rows = db.execute(
            f"-- leftovers.replaced\nselect {columns} from {table} where id in (select value from json_each(?))",
            (listed,),
        )
        found[STRINGS] |= {int(str(number)) for row in rows.fetchall() for number in row} - {0}
    return found


def used(
    db: Connection, kind: str, table: str, numbers: Collection[int], after: int, until: int | None = None
) -> set[int]:
    """Which of these numbers rows with ids above `after`, up to `until`, refer to."""
    relation, names = _referring(kind, table)
    limit = "" if until is None else "and id <= :until"
    conditions = " or ".join(f"{name} in (select value from json_each(:numbers))" for name in names)
    rows = db.execute(
        f"""
        -- leftovers.used
        select distinct {", ".join(names)} from {relation} where id > :after {limit} and ({conditions})
        """,
        {"after": after, "until": until, "numbers": json.dumps(sorted(numbers))},
    ).fetchall()
    return {int(str(number)) for row in rows for number in row} & {*numbers}


def _referring(kind: str, table: str) -> tuple[str, tuple[str, ...]]:
    """Where a table has numbers of this kind, and in which columns."""
    if kind != STRINGS:
        return stored(table), (_COLUMNS[kind],)
    return table, _LINK_TEXTS if table == _LINK_CLICKS else texts(table)


def remove(db: Connection, kind: str, numbers: Collection[int]) -> None:
    """Delete these strings or combinations, and with strings the combinations that have them, which no row has any
    more either; SQLite overwrites them with zeros."""
    listed = json.dumps(sorted(numbers))
    with zeroed(db):
        db.executemany(f"-- leftovers.remove\ndelete from {kind} where id = ?", [(number,) for number in numbers])
        for table, _, parts, *_ in COMBINATIONS if kind == STRINGS else ():
            has_one = " or ".join(f"{part} in (select value from json_each(:numbers))" for part in parts)
            db.execute(f"-- leftovers.remove\ndelete from {table} where {has_one}", {"numbers": listed})
