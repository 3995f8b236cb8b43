"""The table of channels takes every kind of channel, and deliveries go with their channel."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from analytics_box.base.notify.kinds.table import KINDS
from analytics_box.base.store import schema
from analytics_box.base.store.migrations import migrate

CHANNEL = """
insert into channels (id, organization_id, kind, name, shown, sealed, created_at, updated_at)
values (?, 'organization', ?, 'N', 's', zeroblob(50), 1, 2)
"""


@pytest.fixture
def db(tmp_path: Path) -> Iterator[apsw.Connection]:
    migrate(tmp_path)
    with closing(apsw.Connection(str(tmp_path / schema.BOX_FILE))) as opened:
        opened.execute("insert into sites (number, created_at) values (1, 1)")
        opened.execute(
            "insert into organizations (id, name, slug, site, created_at) values ('organization', 'A', 'a', 1, 1)"
        )
        opened.execute("pragma foreign_keys = on")
        yield opened


@pytest.mark.parametrize("kind", KINDS)
def test_channel_of_every_kind_is_accepted(db: apsw.Connection, kind: str) -> None:
    db.execute(CHANNEL, ("channel-1", kind))
    assert db.execute("select kind from channels").get == kind


def test_channel_of_an_unknown_kind_is_refused(db: apsw.Connection) -> None:
    with pytest.raises(apsw.ConstraintError, match="CHECK"):
        db.execute(CHANNEL, ("channel-1", "pigeon"))


def test_deleted_channel_takes_its_deliveries_along(db: apsw.Connection) -> None:
    db.execute(CHANNEL, ("channel-1", "telegram"))
    db.execute(
        "insert into deliveries (id, channel_id, topic, message, created_at, due_at)"
        " values ('message-1', 'channel-1', 't', '{}', 1, 5)"
    )
    db.execute("delete from channels")
    assert db.execute("select count(*) from deliveries").get == 0
