"""A copy of what an import looks at, on which it can be tried: what would become of its rows, and nobody waits.

The rows are stored in the copy by the functions that store them in box.db, so both give the same answers.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Final

from analytics_box.base.acting import By
from analytics_box.base.store.db import Connection
from analytics_box.base.store.scratch import copy, scratch
from analytics_box.resource.fields import Values
from analytics_box.resource.reach import Reach, check

_TABLES: Final = ("links", "link_tags", "link_folders", "link_domains", "audit")


def copy_database(db: Connection, organization_id: str, by: By, rows: Sequence[Values]) -> Connection:
    """A private database with what storing these rows would look at. Raises Forbidden.

    That is the organization's folders and domains, its links with the external ids of the rows, and all links with a
    slug of these or of the rows on any domain where they might come to stand.
    """
    check(db, Reach(organization_id, by), "member")
    made = scratch(db, _TABLES)
    for table in ("link_folders", "link_domains"):
        copy(db, made, table, "organization_id = ?", (organization_id,))
    external_ids = _texts(row.get("external_id") for row in rows)
    copy(
        db,
        made,
        "links",
        "organization_id = ? and external_id in (select value from json_each(?))",
        (organization_id, external_ids),
    )
    found = made.execute("-- links.dry_run\nselect domain, slug from links").fetchall()
    own = made.execute("-- links.dry_run\nselect domain from link_domains").fetchall()
    domains = _texts(("", *(domain for domain, _ in found), *(domain for (domain,) in own)))
    slugs = _texts((*(slug for _, slug in found), *(row.get("slug") for row in rows)))
    copy(
        db,
        made,
        "links",
        "domain in (select value from json_each(?)) and slug in (select value from json_each(?))",
        (domains, slugs),
    )
    numbers = made.execute("-- links.dry_run\nselect number from links").fetchall()
    copy(
        db,
        made,
        "link_tags",
        "link in (select value from json_each(?))",
        (json.dumps([number for (number,) in numbers]),),
    )
    return made


def trying(by: By) -> By:
    """The actor in the copy, which has no members: their role was checked when it was made."""
    return By(by.actor, by.now)


def _texts(values: Iterable[object]) -> str:
    """The texts among the values, as a JSON list without duplicates."""
    return json.dumps(sorted({value for value in values if isinstance(value, str)}))
