"""A table as one declaration: every field comes back as it was stored."""

from typing import Final

import apsw
import pytest
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.errors import Conflict
from analytics_box.base.store.db import ConstraintError
from analytics_box.resource.table import ChildList, Table


class Wheel(Struct, frozen=True):
    size: int = 0


class Wagon(Struct, frozen=True, kw_only=True):
    """A row with a field of each kind."""

    number: int = 0
    id: str
    name: str = ""
    note: str | None = None
    is_open: bool = False
    wheels: tuple[Wheel, ...] = ()
    spare: Wheel | None = None
    tags: tuple[str, ...] = ()
    guards: tuple[str, ...] = ()
    created_at: int = 0


WAGONS: Final = Table(
    "wagons",
    Wagon,
    key="number",
    generated=True,
    columns={"note": "remark"},
    lists={
        "tags": ChildList("marks", "wagon", "text", {"is_guard": 0}),
        "guards": ChildList("marks", "wagon", "text", {"is_guard": 1}),
    },
    conflicts={"wagons.name": ("name", "Another wagon has this name")},
)
FULL: Final = Wagon(
    id="a",
    name="first",
    note="wet",
    is_open=True,
    wheels=(Wheel(1), Wheel(2)),
    spare=Wheel(3),
    tags=("x", "y"),
    guards=("x2",),
    created_at=5,
)


@pytest.fixture
def db() -> apsw.Connection:
    made = apsw.Connection(":memory:")
    made.execute(
        """
        create table wagons (number integer primary key autoincrement, id text unique, name text unique, remark text,
          is_open integer, wheels text, spare text, created_at integer) strict;
        create table marks (wagon integer, text text, is_guard integer, primary key (wagon, text)) strict;
        """
    )
    return made


def test_inserted_row_is_found_with_every_field(db: apsw.Connection) -> None:
    stored = WAGONS.insert(db, FULL)
    assert stored == replace(FULL, number=1)
    assert WAGONS.find(db, "a") == stored


def test_row_with_defaults_is_found_as_it_was(db: apsw.Connection) -> None:
    assert WAGONS.insert(db, Wagon(id="b")) == WAGONS.find(db, "b")


def test_updated_row_has_every_new_value_but_keeps_the_time_of_its_creation(db: apsw.Connection) -> None:
    stored = WAGONS.insert(db, Wagon(id="a", tags=("old",), created_at=1))
    other = WAGONS.insert(db, Wagon(id="b", name="other", tags=("kept",)))
    WAGONS.update(db, replace(FULL, number=stored.number))
    assert WAGONS.find(db, "a") == replace(FULL, number=stored.number, created_at=1)
    assert WAGONS.find(db, "b") == other


def test_broken_constraint_names_the_field_if_it_is_declared(db: apsw.Connection) -> None:
    WAGONS.insert(db, Wagon(id="a", name="first"))
    with pytest.raises(Conflict) as refused:
        WAGONS.insert(db, Wagon(id="b", name="first"))
    assert [detail.field for detail in refused.value.details] == ["name"]
    with pytest.raises(ConstraintError):
        WAGONS.insert(db, Wagon(id="a", name="second"))


def test_deleted_row_is_gone_and_others_are_counted(db: apsw.Connection) -> None:
    first, second = WAGONS.insert(db, Wagon(id="a", name="a")), WAGONS.insert(db, Wagon(id="b", name="b"))
    WAGONS.delete(db, first.number)
    assert (WAGONS.count(db), WAGONS.find(db, "a")) == (1, None)
    assert WAGONS.keys(db, "name = :name", "b") == [second.number]
    assert WAGONS.all(db, "name = :name order by id", name="b") == [second]


def test_field_with_sql_of_its_own_is_read_and_written_by_it(db: apsw.Connection) -> None:
    sql = {"name": ("upper(name)", "iif(:is_open, :name, 'closed ' || :name)")}
    wagons = Table(
        "wagons", Wagon, key="number", generated=True, columns={"note": "remark"}, lists=WAGONS.lists, sql=sql
    )
    stored = wagons.insert(db, Wagon(id="a", name="first", is_open=True))
    assert db.execute("select name from wagons").fetchall() == [("first",)]
    wagons.update(db, replace(stored, is_open=False))
    found = wagons.find(db, "a")
    assert found is not None
    assert found.name == "CLOSED FIRST"
    assert {"name", "remark"} <= {*wagons.stored_columns}
