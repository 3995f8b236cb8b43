"""Numbers of texts that are the same on every machine, for what several machines put together.

63 bits of a hash without a key: among ten million texts, two have the same number once in 200,000 times, and are then
one text in answers. Only machines of a cluster have them, in the table text_numbers beside strings.
"""

import hashlib
import json
from collections.abc import Collection

import apsw

_PIECE = 5_000


def number_of(text: str) -> int:
    """The number of a text; 0 for the empty one, and for no other."""
    if not text:
        return 0
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1 or 1


def text_number_sql(column: str) -> str:
    """The number of the text whose number in strings this column has, in SQL."""
    return f"iif({column} = 0, 0, (select number from text_numbers where text_numbers.id = {column}))"


def note(db: apsw.Connection, row: int, text: str) -> None:
    """A new text has this row in strings."""
    db.execute("-- text_numbers.note\ninsert into text_numbers (id, number) values (?, ?)", (row, number_of(text)))


def numbers_of(db: apsw.Connection, rows: Collection[int]) -> dict[int, int]:
    """The numbers of the texts with these rows in strings, by row."""
    found = db.execute(
        "-- text_numbers.numbers_of\nselect id, number from text_numbers where id in (select value from json_each(?))",
        (json.dumps(sorted(rows)),),
    )
    return {int(str(row)): int(str(number)) for row, number in found.fetchall()}


def rows_of(db: apsw.Connection, numbers: Collection[int]) -> set[int]:
    """The rows in strings of the texts with these numbers. Looks through all of them."""
    found = db.execute(
        "-- text_numbers.rows_of\nselect id from text_numbers where number in (select value from json_each(?))",
        (json.dumps(sorted(numbers)),),
    )
    return {int(str(row)) for (row,) in found.fetchall()}


def catch_up(db: apsw.Connection) -> bool:
    """Number some texts that came while nobody needed that; whether there may be more."""
    found = db.execute(
        """
        -- text_numbers.catch_up
        select id, value from strings where id > (select coalesce(max(id), -1) from text_numbers) order by id limit ?
        """,
        (_PIECE,),
    ).fetchall()
    db.executemany(
        "-- text_numbers.catch_up\ninsert into text_numbers (id, number) values (?, ?)",
        [(row, number_of(str(text))) for row, text in found],
    )
    return len(found) == _PIECE
