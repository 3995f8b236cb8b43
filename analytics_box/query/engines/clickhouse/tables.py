"""The tables in ClickHouse: the replicated ones of events.db again, and one that says whose rows they have.

Rows lie in the order of what is asked: by site, kind and time, in a partition for each month. Each has the number of
the shipment that brought it, so that what a later one brings again can be told from what it replaces.
"""

import hashlib
from typing import NamedTuple

import msgspec
from msgspec import Struct

from analytics_box.base.facts.tables import FACT_NAMES, TABLES
from analytics_box.base.facts.tables import FactTable as Declared

VERSION = 1  # of what is made of the rows; tables of another one are rebuilt
PROPERTIES = ("property_keys", "property_kinds", "property_values")

_TYPES = {"string": "UInt32", "integer": "Int64", "real": "Float64", "text": "String"}
# The columns by which rows lie, where a table has them; tables without a time are small and are one partition.
_ORDER = ("site", "link", "monitor", "kind", "time", "start")
_TIMES = ("time", "start")
# Answers that were lost may be asked for again for a week; what is acknowledged is on the server's disk.
_ALONE = "non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1"
_REPLICATED = "replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800"


class ClickHouseColumn(NamedTuple):
    name: str
    type: str


class ClickHouseTable(Struct, frozen=True):
    """A table and its columns, the first of them its id, without the number of the shipment."""

    name: str
    columns: tuple[ClickHouseColumn, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """The columns that hold numbers of texts."""
        return tuple(column.name for column in self.columns if column.type == _TYPES["string"])

    @property
    def names(self) -> tuple[str, ...]:
        """Its columns by name."""
        return tuple(column.name for column in self.columns)

    @property
    def plain(self) -> tuple[str, ...]:
        """The columns with exactly the same values as in events.db."""
        return tuple(name for name, of_type in self.columns if not of_type.startswith(("Array", "Float")))


def _columns(table: Declared) -> tuple[ClickHouseColumn, ...]:
    columns = [ClickHouseColumn("id", "Int64")]
    for column in table.columns:
        of_type = _TYPES[column.kind]
        columns.append(ClickHouseColumn(column.name, f"Nullable({of_type})" if column.null else of_type))
    if table.name == "events":
        keys, kinds, values = PROPERTIES
        short = "Array(LowCardinality(String))"
        columns += [
            ClickHouseColumn(keys, short),
            ClickHouseColumn(kinds, short),
            ClickHouseColumn(values, "Array(String)"),
        ]
    return tuple(columns)


SHIPPED = tuple(ClickHouseTable(table.name, _columns(table)) for table in TABLES if table.replicated)
# Whose rows these are, as a table of one row.
OWNER = ClickHouseTable(
    "analytics_box",
    (ClickHouseColumn("id", "Int64"), *(ClickHouseColumn(name, "String") for name in ("box", "epoch", "shape"))),
)
# Texts come before the rows that have their numbers.
BY_NAME = {table.name: table for table in sorted(SHIPPED, key=lambda table: table.name in FACT_NAMES)}


def shape(cluster: str, *, several: bool = False) -> str:
    """A digest of all that the tables are, which `several` machines may share."""
    made: list[object] = [VERSION, SHIPPED, _ORDER, cluster]
    return hashlib.sha256(msgspec.json.encode([*made, several] if several else made)).hexdigest()


def create_statements(table: ClickHouseTable, cluster: str, *, several: bool = False) -> list[str]:
    """The statements that make a table. For `several` machines, numbers of texts are wide."""
    made = _wide(table) if several else table.columns
    columns = ", ".join(f"{name} {of_type}" for name, of_type in (*made, ClickHouseColumn("shipment", "UInt64")))
    indices = "index by_id id type minmax granularity 1, index by_shipment shipment type minmax granularity 1"
    order = ", ".join((*(name for name in _ORDER if name in table.names), "id"))
    times = [name for name in _TIMES if name in table.names]
    partition = f" partition by toYYYYMM(fromUnixTimestamp64Milli({times[0]}, 'UTC'))" if times else ""
    engine, kept = ("ReplicatedMergeTree", _REPLICATED) if cluster else ("MergeTree", _ALONE)
    statements = [
        f"create table if not exists {own(table.name, cluster)}{on(cluster)} ({columns}, {indices}) engine = {engine}"
        f"{partition} order by ({order}) settings {kept}"
    ]
    if cluster:
        local = own(table.name, cluster)
        statements.append(
            f"create table if not exists {table.name}{on(cluster)} as {local}"
            f" engine = Distributed({quote_text(cluster)}, currentDatabase(), {local}, intHash64(id))"
        )
    return statements


def _wide(table: ClickHouseTable) -> tuple[ClickHouseColumn, ...]:
    if table.name == "strings":
        return (*table.columns, ClickHouseColumn("row", "Int64"))
    return tuple(
        ClickHouseColumn(name, "UInt64" if name in table.texts else of_type) for name, of_type in table.columns
    )


def drop_statements(name: str, cluster: str) -> list[str]:
    """The statements that remove a table."""
    tables = (name, own(name, cluster)) if cluster else (name,)
    return [f"drop table if exists {table}{on(cluster)} sync" for table in tables]


def own(name: str, cluster: str) -> str:
    """The table that has rows itself: of a cluster, the one that each of its machines has."""
    return f"{name}_local" if cluster else name


def on(cluster: str) -> str:
    """The clause that runs a statement on the whole cluster; empty without a cluster."""
    return f" on cluster {quote_text(cluster)}" if cluster else ""


def quote_text(name: str) -> str:
    """A text in SQL."""
    return "'" + name.replace("\\", "\\\\").replace("'", "\\'") + "'"
