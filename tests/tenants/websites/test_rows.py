"""Websites in box.db: what a box of the first version had is there after the migration."""

from pathlib import Path

import pytest

from analytics_box.base.store import schema
from analytics_box.base.store.db import Db
from analytics_box.base.store.migrations import migrate
from analytics_box.tenants.websites import rows
from analytics_box.tenants.websites.rules import ClientId
from analytics_box.tenants.websites.tracking import Tracking


def test_websites_of_the_first_version_go_by_their_own_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr(schema, "BOX", schema.BOX[:1])
        migrate(tmp_path)
    db = Db(tmp_path / schema.BOX_FILE, readers=1)
    db.write_now(
        lambda connection: connection.execute(
            """
            insert into sites (created_at) values (5), (5);
            insert into organizations (id, name, slug, site, created_at) values ('organization', 'A', 'a', 1, 5);
            insert into websites (id, organization_id, site, name, domain, created_at, updated_at)
            values ('website1', 'organization', 2, 'W', 'example.com', 5, 6)
            """
        )
    )
    db.close()
    migrate(tmp_path)
    db = Db(tmp_path / schema.BOX_FILE, readers=1)
    (website,) = db.read_now(rows.everything)
    db.close()
    assert website.client_ids == (ClientId("website1", 5),)
    assert website.client_id == website.id
    assert website.tracking == Tracking()
    assert (website.updated_at, website.deleted_at) == (6, None)
