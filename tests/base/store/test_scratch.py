"""A copy of some tables, in which a write can be tried."""

import apsw
import pytest

from analytics_box.base.store.db import ConstraintError
from analytics_box.base.store.files import copy, scratch


@pytest.fixture
def source() -> apsw.Connection:
    """Tables with all that a table may have around it."""
    db = apsw.Connection(":memory:")
    db.execute("create table owners (id integer primary key, name text not null) strict")
    db.execute(
        """
        create table things (
          id    integer primary key autoincrement,
          owner integer not null references owners (id),
          name  text    not null check (length(name) < 5)
        ) strict
        """
    )
    db.execute("create unique index things_by_name on things (owner, name)")
    db.execute("create trigger things_stay before delete on things begin select raise(abort, 'no'); end")
    db.execute("insert into owners values (1, 'a'), (2, 'b')")
    db.execute("insert into things values (7, 1, 'x'), (8, 1, 'y'), (9, 2, 'x')")
    return db


def test_scratch_has_the_requested_rows_and_the_same_constraints(source: apsw.Connection) -> None:
    made = scratch(source, ["things"])
    copy(source, made, "things", "owner = ?", (1,))
    copy(source, made, "things", "name = 'x'", ())  # one of them is there already
    assert made.execute("select id, owner, name from things order by id").fetchall() == [
        (7, 1, "x"),
        (8, 1, "y"),
        (9, 2, "x"),
    ]
    made.execute("insert into things (owner, name) values (3, 'x')")  # an owner that nobody copied
    assert made.last_insert_rowid() == 10
    for name in ("x", "longer"):
        with pytest.raises(ConstraintError):
            made.execute("insert into things (owner, name) values (1, ?)", (name,))


def test_changes_in_scratch_stay_there(source: apsw.Connection) -> None:
    made = scratch(source, ["things", "owners"])
    copy(source, made, "things", "true", ())
    made.execute("delete from things")  # triggers are not copied
    assert made.execute("select count(*) from owners").fetchall() == [(0,)]
    assert source.execute("select count(*) from things").fetchall() == [(3,)]
