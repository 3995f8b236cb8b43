"""Tables of other programs' databases: SQLite files and SQL dumps, read row by row. Nothing in them is trusted.

A SQLite file is opened without locks, read-only, and without its triggers, views, virtual tables and functions. A dump
is never run: only rows of the wanted tables are read from `insert` and `copy` statements.
"""

import contextlib
import re
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, Final
from urllib.parse import quote

import apsw

from analytics_box.base.errors import BadRequest
from analytics_box.base.store.records import quote_name
from analytics_box.base.translation import _

Value = str | int | float | bytes | None
Row = dict[str, Value]
# The wanted columns of each wanted table; none means all of them.
Wanted = Mapping[str, tuple[str, ...]]

SQLITE: Final = b"SQLite format 3\0"
_LONGEST: Final = 4_000_000  # Bytes of a value.
_MOST_COLUMNS: Final = 500
_MARGIN: Final = 64  # A short match that ends in the last characters in memory may be cut.
_DEFINITION: Final = 200_000  # Characters of the definition of a table.
_LOOKS: Final = 10_000  # Steps of SQLite between two looks at the clock.
_CHUNK: Final = 1 << 20
_STEP: Final = 1_000  # Rows between two calls of `keep_going`.


def is_database(start: bytes) -> bool:
    """Whether a file that begins like this is a SQLite file or a SQL dump."""
    if start.startswith(SQLITE):
        return True
    head = start[:65_536].decode(errors="replace")
    return _DUMP.search(head) is not None


def read_tables(path: Path, wanted: Wanted, keep_going: Callable[[], object] = bool) -> Iterator[tuple[str, Row]]:
    """The rows of the wanted tables that exist, with the name of their table.

    Rows of a SQLite file come in the order of `wanted`, those of a dump in the order of the dump. Raises BadRequest,
    and whatever `keep_going` raises, by which readers of uploads have a time limit.
    """
    with path.open("rb") as file:
        start = file.read(len(SQLITE))
    if start == SQLITE:
        return _of_sqlite(path, wanted, keep_going)
    return _of_dump(path, wanted, keep_going)


def _of_sqlite(path: Path, wanted: Wanted, keep_going: Callable[[], object]) -> Iterator[tuple[str, Row]]:
    try:
        db = _open(path, keep_going)
        with contextlib.closing(db):
            if [row[0] for row in db.execute("pragma quick_check(1)")] != ["ok"]:
                raise BadRequest(_("The database is damaged"))
            for table, names in wanted.items():
                columns = _columns(db, table, names)
                if columns:
                    *listed, place = map(quote_name, (*columns, table))
                    for row in db.execute(f"-- foreign.rows\nselect {', '.join(listed)} from {place}"):
                        yield table, dict(zip(columns, row, strict=True))
    except apsw.InterruptError:
        keep_going()  # This raises the reason.
        raise
    except apsw.Error as broken:
        said = _("This is not a complete SQLite database ({broken}). Copy it again while its program is stopped")
        raise BadRequest(said.format(broken=broken)) from broken


def _open(path: Path, keep_going: Callable[[], object]) -> apsw.Connection:
    # `immutable` leaves the file and its folder as they are: no lock, no log, no shared memory.
    address = f"file:{quote(str(path.absolute()))}?immutable=1"
    db = apsw.Connection(address, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    for option, on in (
        (apsw.SQLITE_DBCONFIG_DEFENSIVE, 1),
        (apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
        (apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
        (apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0),
    ):
        db.config(option, on)
    for limit, most in (
        (apsw.SQLITE_LIMIT_LENGTH, _LONGEST),
        (apsw.SQLITE_LIMIT_SQL_LENGTH, 100_000),
        (apsw.SQLITE_LIMIT_EXPR_DEPTH, 50),
        (apsw.SQLITE_LIMIT_ATTACHED, 0),
        (apsw.SQLITE_LIMIT_COLUMN, _MOST_COLUMNS),
    ):
        db.limit(limit, most)
    for pragma, value in (("cell_size_check", 1), ("mmap_size", 0), ("temp_store", "file"), ("cache_size", -4_000)):
        db.pragma(pragma, value)

    def is_over() -> bool:
        try:
            keep_going()
        except Exception:
            return True
        return False

    db.set_progress_handler(is_over, _LOOKS)
    return db


def _columns(db: apsw.Connection, table: str, names: tuple[str, ...]) -> list[str]:
    """The wanted columns that a table has; none if it is no plain table. Generated columns would run expressions."""
    kind = db.execute(
        """
        -- foreign.columns
        select sql from sqlite_schema where type = 'table' and name = ? and rootpage > 0
        """,
        (table,),
    ).fetchall()
    if not kind:
        return []
    found = db.execute("-- foreign.columns\nselect name from pragma_table_xinfo(?) where hidden = 0", (table,))
    return [str(name) for (name,) in found.fetchall() if not names or name in names]


_NAME: Final = (
    r'(?:[\w$]+\.|"[^"]{1,64}"\.|`[^`]{1,64}`\.)?(?:`([^`]{1,64})`|"([^"]{1,64})"|\[([^\]]{1,64})\]|([\w$]{1,64}))'
)
_DUMP: Final = re.compile(
    r"(?:^|\n)\s*(?:INSERT INTO|CREATE TABLE|COPY|-- PostgreSQL|-- MySQL|-- MariaDB|/\*M?!\d)", re.I
)
_BLANK: Final = re.compile(r"(?:\s+|--[^\n]*(?:\n|\Z)|#[^\n]*(?:\n|\Z)|/\*(?:[^*]|\*(?!/))*\*/|;)+")
_INSERT: Final = re.compile(
    rf"(?:INSERT(?:\s+IGNORE)?|REPLACE)\s+INTO\s+{_NAME}\s*(?:\(([^)]*)\)\s*)?(?:OVERRIDING\s+\w+\s+VALUE\s+)?VALUES\s*",
    re.I,
)
_CREATE: Final = re.compile(rf"CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?{_NAME}\s*\(", re.I)
_COPY: Final = re.compile(rf"COPY\s+{_NAME}\s*\(([^)]*)\)\s+FROM\s+stdin\s*;[^\n]*\n", re.I)
_COLUMN: Final = re.compile(r'\s*(?:`([^`]+)`|"([^"]+)"|\[([^\]]+)\]|(\w+))')
_NO_COLUMNS: Final = frozenset(("primary", "unique", "key", "constraint", "foreign", "check", "index", "fulltext"))
_TAIL: Final = re.compile(r"\s*([,)])\s*")
_OPEN: Final = re.compile(r"[\s,]*(?:--[^\n]*\n\s*)*\(\s*")
_PLAIN: Final = re.compile(r"[^\s,()']+")
_PREFIX: Final = re.compile(r"(?:_\w+\s*|[EeNXxBb])(?=')")
_CAST: Final = re.compile(r"::[\w ]+")
_NUMBER: Final = re.compile(r"-?\d{1,18}\Z")
_REAL: Final = re.compile(r"-?\d{1,18}\.\d{1,18}(?:[eE][-+]?\d{1,3})?\Z")
_STRING: Final = re.compile(r"'([^']*(?:''[^']*)*)'")
_STRING_WITH_ESCAPES: Final = re.compile(r"'([^'\\]*(?:(?:''|\\.)[^'\\]*)*)'", re.DOTALL)
_SKIP: Final = re.compile(r"[^;'\"`]+")
_SKIP_WITH_ESCAPES: Final = re.compile(r"[^;'\"`\\]+|\\.", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\(.)|''", re.DOTALL)
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "b": "\b", "Z": "\x1a"}
_COPIED: Final = re.compile(r"\\(.)", re.DOTALL)


class _Dump:
    """The text of a dump, of which a part is in memory: enough for the longest value."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.text = ""
        self.at = 0
        self._rest = b""
        self._is_over = False

    def more(self) -> bool:
        """Read on, and forget what was passed. Return whether there was more. Raises BadRequest for a long value."""
        if self._is_over:
            return False
        if len(self.text) - self.at > _LONGEST:
            raise BadRequest(_("The dump contains a value that is too long"))
        chunk = self._file.read(_CHUNK)
        self._is_over = not chunk
        piece = self._rest + chunk
        cut = len(piece)
        if chunk:  # The last character may be incomplete.
            for back in range(1, min(4, cut) + 1):
                lead = piece[cut - back]
                if lead >= 0xC0:
                    cut -= back if (2 if lead < 0xE0 else 3 if lead < 0xF0 else 4) > back else 0
                    break
                if lead < 0x80:
                    break
        self._rest = piece[cut:]
        self.text = self.text[self.at :] + piece[:cut].decode("utf-8", "replace")
        self.at = 0
        return not self._is_over

    def has(self, size: int) -> bool:
        """Read until this number of characters is there. Return whether any is."""
        while len(self.text) - self.at < size and self.more():
            pass
        return self.at < len(self.text)

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """The match that begins here, which is then passed; a match at the end of what is in memory may go on."""
        found = pattern.match(self.text, self.at)
        while (found.end() if found is not None else self.at) > len(self.text) - _MARGIN and self.more():
            found = pattern.match(self.text, self.at)
        if found is not None:
            self.at = found.end()
        return found

    def take_string(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """The string that begins here, however long it is; None if it has no end."""
        while (found := self.take(pattern)) is None and self.more():
            pass
        return found


def _of_dump(path: Path, wanted: Wanted, keep_going: Callable[[], object]) -> Iterator[tuple[str, Row]]:
    columns: dict[str, list[str]] = {}
    with path.open("rb") as file:
        dump = _Dump(file)
        dump.has(65_536)
        head = dump.text[:65_536]
        has_escapes = "`" in head or "MySQL" in head or "MariaDB" in head
        count, looked = 0, time.monotonic()
        while True:
            if count % _STEP == 0 or time.monotonic() - looked > 1:
                keep_going()
                looked = time.monotonic()
            count += 1
            while dump.has(1) and dump.take(_BLANK):
                pass
            if not dump.has(1_000_000):
                return
            for table, row in _statement(dump, wanted, columns, has_escapes=has_escapes):
                if (count := count + 1) % _STEP == 0:
                    keep_going()
                names = wanted[table]
                yield table, row if not names else {name: row[name] for name in names if name in row}


def _statement(
    dump: _Dump, wanted: Wanted, columns: dict[str, list[str]], *, has_escapes: bool
) -> Iterator[tuple[str, Row]]:
    """The rows of the statement that begins here; all of it is passed."""
    if (created := _CREATE.match(dump.text, dump.at)) is not None:
        table = _name_of(created)
        if table in wanted:
            string = _STRING_WITH_ESCAPES if has_escapes else _STRING
            columns[table] = _created_columns(string.sub("''", dump.text[created.end() : created.end() + _DEFINITION]))
        _pass_statement(dump, has_escapes=has_escapes)
        return
    if (copied := _COPY.match(dump.text, dump.at)) is not None:
        table, named = _name_of(copied), _column_names(copied[5])
        dump.at = copied.end()
        for line in _lines(dump):
            if table in wanted:
                values = line.split("\t")
                if len(values) != len(named):
                    raise BadRequest(_("A row of the table {table} has the wrong number of values").format(table=table))
                yield table, dict(zip(named, map(_copied_value, values), strict=True))
        return
    inserted = _INSERT.match(dump.text, dump.at)
    table = _name_of(inserted) if inserted is not None else ""
    if inserted is None or table not in wanted:
        _pass_statement(dump, has_escapes=has_escapes)
        return
    named = _column_names(inserted[5]) if inserted[5] is not None else columns.get(table, [])
    dump.at = inserted.end()
    string = _STRING_WITH_ESCAPES if has_escapes else _STRING
    while dump.has(1) and dump.take(_OPEN):
        read = _values(dump, string, has_escapes=has_escapes)
        if len(read) != len(named):
            raise BadRequest(_("A row of the table {table} has the wrong number of values").format(table=table))
        yield table, dict(zip(named, read, strict=True))
    _pass_statement(dump, has_escapes=has_escapes)


def _values(dump: _Dump, string: re.Pattern[str], *, has_escapes: bool) -> list[Value]:
    """The values of a row, after its opening bracket."""
    found: list[Value] = []
    while len(found) < _MOST_COLUMNS:
        dump.take(_PREFIX)
        if dump.text[dump.at : dump.at + 1] == "'":
            text = dump.take_string(string)
            if text is None:
                break
            found.append(_unescape(text[1], has_escapes=has_escapes))
        else:
            plain = dump.take(_PLAIN)
            if plain is None:
                break
            found.append(_plain(plain[0]))
        dump.take(_CAST)
        tail = dump.take(_TAIL)
        if tail is None:
            break
        if tail[1] == ")":
            return found
    raise BadRequest(_("The dump is incomplete, or it contains a row that cannot be read"))


def _unescape(text: str, *, has_escapes: bool) -> str:
    if not has_escapes:
        return text.replace("''", "'")
    if "\\" not in text and "'" not in text:
        return text
    return _ESCAPE.sub(lambda one: _ESCAPES.get(one[1], one[1]) if one[1] else "'", text)


def _plain(text: str) -> Value:
    if _NUMBER.match(text):
        return int(text)
    if _REAL.match(text):
        return float(text)
    return {"null": None, "true": 1, "false": 0}.get(text.lower(), text)


def _copied_value(text: str) -> Value:
    if text == "\\N":
        return None
    if "\\" in text:
        return _COPIED.sub(lambda one: _ESCAPES.get(one[1], one[1]), text)
    return text


def _lines(dump: _Dump) -> Iterator[str]:
    """The lines of a `copy` statement up to its end."""
    while (end := dump.text.find("\n", dump.at)) >= 0 or dump.more():
        if end >= 0:
            line, dump.at = dump.text[dump.at : end].removesuffix("\r"), end + 1
            if line == "\\.":
                return
            yield line
    raise BadRequest(_("The dump is incomplete, or it contains a row that cannot be read"))


def _pass_statement(dump: _Dump, *, has_escapes: bool) -> None:
    """Pass all up to the next semicolon that is not in quotes."""
    skip = _SKIP_WITH_ESCAPES if has_escapes else _SKIP
    while dump.at < len(dump.text) or dump.more():
        letter = dump.text[dump.at]
        if letter == ";":
            dump.at += 1
            return
        if letter in "'\"`":
            _pass_quote(dump, letter, has_escapes=has_escapes and letter != "`")
            continue
        found = skip.match(dump.text, dump.at)
        dump.at = found.end() if found is not None else dump.at + 1


def _pass_quote(dump: _Dump, quote_mark: str, *, has_escapes: bool) -> None:
    dump.at += 1
    while True:
        end = dump.text.find(quote_mark, dump.at)
        slash = dump.text.find("\\", dump.at, end if end >= 0 else None) if has_escapes else -1
        if slash < 0 <= end:
            dump.at = end + 1
            return
        if 0 <= slash < len(dump.text) - 1:
            dump.at = slash + 2
            continue
        dump.at = slash if slash >= 0 else len(dump.text)
        if not dump.more():
            dump.at = len(dump.text)
            return


def _name_of(found: re.Match[str]) -> str:
    return found[1] or found[2] or found[3] or found[4] or ""


def _column_names(listed: str) -> list[str]:
    found = (_COLUMN.match(one) for one in listed.split(","))
    return [_name_of(one) for one in found if one is not None]


def _created_columns(text: str) -> list[str]:
    """The names of the columns in the definition of a table, after its opening bracket."""
    found, depth, start = [], 0, 0
    for place, letter in enumerate(f"{text},"):
        depth += (letter == "(") - (letter == ")")
        if depth < 0 or (letter == "," and depth == 0):
            name = _COLUMN.match(text, start)
            if name is not None and (name[4] is None or name[4].lower() not in _NO_COLUMNS):
                found.append(_name_of(name))
            start = place + 1
        if depth < 0:
            break
    return found
