"""The tables of channels: they take every kind, and a box of before keeps its channels with all that waits."""

from contextlib import closing
from pathlib import Path

import apsw
import pytest

from analytics_box.base.notify.kinds.table import KINDS
from analytics_box.base.store import schema
from analytics_box.base.store.migrations import migrate
from tests.upgrade.fixtures import load, stop_at

CHANNEL = """
insert into channels
  (id, organization_id, kind, name, enabled, shown, sealed, created_at, updated_at, last_at, last_error)
values (?, ?, ?, 'N', 1, 's', zeroblob(50), 1, 2, 3, '')
"""
DELIVERY = "insert into deliveries values (?, ?, ?, ?, '{}', 1, 1, ?, ?, ?)"


def test_a_channel_of_before_keeps_its_deliveries_and_every_kind_has_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load("early-1", tmp_path)
    with monkeypatch.context() as before:
        before.setattr(schema, "BOX", stop_at(schema.BOX, "0017_sizes"))
        migrate(tmp_path)
    with closing(apsw.Connection(str(tmp_path / schema.BOX_FILE))) as db:
        organization = db.execute("select id from organizations limit 1").get
        db.execute(CHANNEL, ("telegram1", organization, "telegram"))
        db.execute(DELIVERY, (7, "msg_00001", "telegram1", "t1", 5, None, "no"))
        db.execute(DELIVERY, (9, "msg_00002", "telegram1", "t2", None, 6, ""))
        kept = [db.execute(f"select * from {table} order by 1").fetchall() for table in ("channels", "deliveries")]
    migrate(tmp_path)
    with closing(apsw.Connection(str(tmp_path / schema.BOX_FILE))) as db:
        db.execute("pragma foreign_keys = on")
        for table, rows in zip(("channels", "deliveries"), kept, strict=True):
            after = db.execute(f"select * from {table} order by 1").fetchall()
            assert [now[: len(then)] for now, then in zip(after, rows, strict=True)] == rows
        for kind in KINDS:
            db.execute(CHANNEL, (f"of-{kind:>8}", organization, kind))
        with pytest.raises(apsw.ConstraintError, match="CHECK"):
            db.execute(CHANNEL, ("of-pigeon", organization, "pigeon"))
        db.execute("delete from channels where id = 'telegram1'")
        assert db.execute("select count(*) from deliveries").fetchone() == (0,)
