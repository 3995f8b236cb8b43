"""The declaration of the tables of events.db says what the migrations make, and which columns hold strings.

A new table or column is refused here until it is declared; everything else derives from the declaration.
"""

from pathlib import Path
from typing import Any

import pytest

from analytics_box.base.facts.layout import STORED_COLUMNS, stored_table
from analytics_box.base.facts.tables import (
    ATTRIBUTES,
    BY_NAME,
    CHECKS,
    COMBINATIONS,
    FACT_NAMES,
    FACTS,
    LINK_CLICKS,
    SPANS,
    TABLES,
)
from analytics_box.base.facts.uptime import bin_of
from analytics_box.products.links.clicks.rows import LinkClick, append
from analytics_box.products.monitors.monitor import Monitor
from analytics_box.products.monitors.result import CheckPhases, CheckResult
from analytics_box.products.monitors.running import rows as check_rows
from analytics_box.products.monitors.running.rows import CheckRow
from tests.products.people.world import Said, World, event, span

NOT_OURS = {"sqlite_sequence", "sqlite_stat1", "_sqlite_migrations"}
TYPES = {"string": "INTEGER", "integer": "INTEGER", "real": "REAL", "text": "TEXT", "blob": "BLOB"}


def test_every_table_of_events_db_is_declared(world: World) -> None:
    tables = {str(row[0]) for row in world.read("select name from sqlite_master where type = 'table'")}
    assert tables - NOT_OURS == {stored_table(table.name) for table in TABLES}
    views = {str(row[0]) for row in world.read("select name from sqlite_master where type = 'view'")}
    assert views == {*FACT_NAMES}


@pytest.mark.parametrize("name", BY_NAME)
def test_every_column_is_declared_with_its_kind(world: World, name: str) -> None:
    table = BY_NAME[name]
    found = {str(row[1]): row for row in world.read(f"pragma table_info({stored_table(name)})")}
    own = STORED_COLUMNS.get(name, table.names)
    assert set(found) == {*own, *(("id",) if table.key == ("id",) else ())}
    declared = {column.name: column for column in table.columns}
    for column in own:
        _, _, type_, not_null, _, place = found[column]
        said = declared.get(column)  # what is stored in another form than it is read is a number
        assert type_ == (TYPES[said.kind] if said else "INTEGER"), column
        assert bool(not_null or place) != bool(said and said.null), column
    assert tuple(sorted(key for key, row in found.items() if row[5])) == tuple(sorted(table.key))


@pytest.mark.parametrize("name", FACT_NAMES)
def test_a_view_shows_the_declared_columns_in_their_order(world: World, name: str) -> None:
    shown = [str(row[1]) for row in world.read(f"pragma table_info({name})")]
    combined = {one.column for one in COMBINATIONS}
    assert shown[: -len(combined)] == ["id", *BY_NAME[name].names]
    assert {*shown[-len(combined) :]} == combined


def test_a_name_is_of_one_kind_in_all_that_queries_see() -> None:
    kinds: dict[str, set[str]] = {}
    for table in TABLES:
        for column in table.columns if table.replicated and table.name != "strings" else ():
            kinds.setdefault(column.name, set()).add(column.kind)
    assert {name for name, found in kinds.items() if len(found) > 1} == set()


def test_replicated_tables_record_removals_and_changes(world: World) -> None:
    triggers = {str(row[0]) for row in world.read("select name from sqlite_master where type = 'trigger'")}
    triggers.remove("text_numbers_forget")
    assert triggers == {f"{table.name}_{what}" for table in TABLES if table.replicated for what in ("delete", "update")}
    assert [table.name for table in TABLES if table.replicated][-1] == "strings"


def test_the_parts_of_a_combination_stand_together_in_the_tables(world: World) -> None:
    for table, column, parts, _, closed in COMBINATIONS:
        assert BY_NAME[table].strings == parts
        assert {*closed} == {one.name for one in BY_NAME[table].columns if one.closed}
        place = ATTRIBUTES.index(parts[0])
        assert ATTRIBUTES[place : place + len(parts)] == parts
        assert all(column in STORED_COLUMNS[name] for name in FACT_NAMES)


def test_columns_of_strings_are_those_in_which_texts_arrive(tmp_path: Path) -> None:
    """A row whose every text is new has the numbers of new strings in exactly these columns, or none."""
    world = World(tmp_path / "data")
    said = Said(visitor=1, profile="profile", path="/path", client_session="session")
    world.add(event(world.shop.site, said), *(span(table, world.shop.site, said) for table in SPANS))
    known = {int(str(row[0])) for row in world.read("select id from strings")}
    for table in FACTS:
        (row,) = world.read(f"select {', '.join(table.names)} from {table.name}")
        numbers: dict[str, Any] = dict(zip(table.names, row, strict=True))
        assert {numbers[name] for name in table.strings} <= known
        for name, text in (("profile", "profile"), ("path", "/path"), ("client_session", "session")):
            ((number,),) = world.read("select id from strings where value = ?", text)
            assert numbers[name] == number
    world.close()


def test_the_texts_of_a_click_arrive_in_its_columns_of_strings(world: World) -> None:
    assert LINK_CLICKS.names == LinkClick._fields
    values = {column.name: column.name if column.kind == "string" else 1 for column in LINK_CLICKS.columns}
    click = LinkClick(**values)  # type: ignore[arg-type]  # texts and numbers, by their kind
    world.events.write_now(lambda db: append(db, strings=world.strings, clicks=[click], orphans={}))
    for name in LINK_CLICKS.strings:
        shown = f"select value from strings join link_clicks on strings.id = link_clicks.{name}"
        assert world.read(shown) == [(name,)]


def test_check_results_arrive_in_their_columns(world: World) -> None:
    monitor = Monitor(number=7, id="monitor", organization_id="organization", kind="dns", url="url")
    measured = ("total", "ttfb", "bytes", "redirects", "http_code", "certificate_ends")
    numbers: dict[str, Any] = dict(zip(measured, range(5, 11), strict=True))
    phases: dict[str, Any] = {name: place for place, name in enumerate(CheckPhases.__struct_fields__, start=20)}
    texts: dict[str, Any] = {"error": "error", "reason": "tls", "address": "address"}
    result = CheckResult(
        at=1, outcome="fail", phases=CheckPhases(**phases), certificate_valid=False, data="{}", **numbers, **texts
    )
    check = CheckRow(monitor, result, status=2, attempt=3, streak=4)
    world.events.write_now(lambda db: check_rows.append(db, world.strings, [check]))
    for name, text in (texts | {"region": check_rows.REGION, "url": "url"}).items():
        assert world.read(f"select value from strings join checks on strings.id = {name}") == [(text,)]
    wanted = {
        **(numbers | phases),
        **{"monitor": 7, "time": 1, "status": 2, "kind": 3, "count": 1, "attempt": 3, "streak": 4, "data": "{}"},
        **{"fastest": 5, "slowest": 5, "bin": bin_of(5), "ttfb_bin": bin_of(6), "certificate_valid": 0},
    }
    assert {*wanted, *CHECKS.strings} == {*CHECKS.names}
    assert world.read(f"select {', '.join(wanted)} from checks") == [tuple(wanted.values())]
