"""Changes of a table's rows are in the audit log, each in the transaction that makes it."""

import json
from typing import Any, Final

import apsw
import pytest
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.acting import By
from analytics_box.base.errors import Conflict, NotFound
from analytics_box.resource.audited import AuditedTable


class Tram(Struct, frozen=True):
    """A row that has a time of its last change."""

    id: str
    name: str
    created_at: int = 0
    updated_at: int = 0


TRAMS: Final = AuditedTable("trams", Tram, "tram", "goal", about=lambda tram: {"name": tram.name})
BY: Final = By("user:ada", now=10)
TRAM: Final = Tram("a", "first", created_at=10, updated_at=10)


@pytest.fixture
def db() -> apsw.Connection:
    connection = apsw.Connection(":memory:")
    connection.execute("create table trams (id text primary key, name text, created_at int, updated_at int)")
    connection.execute("create table audit (time, organization_id, actor, action, subject, subject_id, detail)")
    return connection


def entries(db: apsw.Connection) -> list[tuple[Any, ...]]:
    found = db.execute("select action, subject_id, detail from audit").fetchall()
    return [(action, subject_id, json.loads(str(detail))) for action, subject_id, detail in found]


def test_each_change_is_logged_with_the_name_of_its_row(db: apsw.Connection) -> None:
    TRAMS.create(db, BY, "o", TRAM, {"line": 5})
    changed = TRAMS.change(db, BY, "o", TRAM, replace(TRAM, name="second"))
    TRAMS.remove(db, BY, "o", changed)
    assert entries(db) == [
        ("created", "a", {"name": "first", "line": 5}),
        ("updated", "a", {"name": {"before": "first", "after": "second"}}),
        ("deleted", "a", {"name": "second"}),
    ]
    assert TRAMS.count(db) == 0


def test_change_is_later_than_the_one_before_although_the_clock_stood_still(db: apsw.Connection) -> None:
    TRAMS.create(db, BY, "o", TRAM)
    assert TRAMS.change(db, BY, "o", TRAM, replace(TRAM, name="second")).updated_at == 11
    assert TRAMS.existing(db, "a").updated_at == 11


def test_row_without_changes_stays_and_is_not_logged(db: apsw.Connection) -> None:
    TRAMS.create(db, BY, "o", TRAM)
    assert TRAMS.change(db, BY, "o", TRAM, replace(TRAM)) is TRAM
    assert len(entries(db)) == 1


def test_limit_is_a_conflict_that_names_it(db: apsw.Connection) -> None:
    TRAMS.create(db, BY, "o", TRAM)
    TRAMS.check_room(db, 2, "Full", "name = ?", "first")
    with pytest.raises(Conflict) as refused:
        TRAMS.check_room(db, 1, "Full", "name = ?", "first")
    assert refused.value.data() == {"feature": "goals", "limit": 1, "current": 1}


def test_unknown_row_is_not_found(db: apsw.Connection) -> None:
    with pytest.raises(NotFound, match="There is no goal with this id"):
        TRAMS.existing(db, "b")
