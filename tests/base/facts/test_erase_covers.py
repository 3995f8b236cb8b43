"""Whatever table of events.db knows of a website is emptied when the website goes."""

import re
from pathlib import Path

from analytics_box.base.facts import erase
from analytics_box.base.facts.layout import stored_table
from analytics_box.base.facts.tables import FACT_NAMES
from analytics_box.base.store import schema
from analytics_box.base.store.db import Db
from analytics_box.base.store.migrations import migrate


def test_no_table_with_a_site_is_forgotten(tmp_path: Path) -> None:
    migrate(tmp_path)
    db = Db(tmp_path / schema.EVENTS_FILE, readers=1)
    found = db.read_now(
        lambda connection: connection.execute("select name, sql from sqlite_master where type = 'table'").fetchall()
    )
    db.close()
    of_sites = {str(name) for name, sql in found if re.search(r"\bsite\s+integer", str(sql))}
    assert of_sites == {*map(stored_table, FACT_NAMES), *(table.name for table in erase.OTHERS)}
