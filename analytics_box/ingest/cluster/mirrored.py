"""The rows of box.db that ingest machines have as well: one literal table."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from analytics_box.base.store.db import Connection


class MirroredTable(NamedTuple):
    """A table and those of its columns that travel. Without `whole`, rows are only ever added."""

    name: str
    columns: tuple[str, ...]
    whole: bool = True


# In an order that references allow.
TABLES = (
    MirroredTable("sites", ("number", "created_at"), whole=False),
    MirroredTable("organizations", ("id", "name", "slug", "plan", "site", "created_at", "deleted_at", "purged_at")),
    MirroredTable(
        "websites",
        (
            *("id", "organization_id", "site", "name", "domain", "status", "is_public", "created_at", "updated_at"),
            *("deleted_at", "settings", "public_values"),
        ),
    ),
    MirroredTable("client_ids", ("id", "website_id", "created_at", "ends_at")),
    MirroredTable(
        "api_keys",
        (
            *("digest", "id", "organization_id", "name", "start", "type", "description", "scopes", "resources"),
            *("tags", "ratelimit", "enabled", "created_at", "updated_at", "expires_at", "revoked_at"),
        ),
    ),
    MirroredTable("people_rules", ("website_id", "reason", "agent", "created_at", "created_by")),
    MirroredTable("bot_options", ("website_id", "data_centres")),
)


def rows(db: Connection) -> dict[str, list[list[Any]]]:
    """All that is mirrored, by table."""
    found = {}
    for table in TABLES:
        shown = ", ".join(table.columns)
        selected = db.execute(f"-- mirrored.rows\nselect {shown} from {table.name} order by {table.columns[0]}")
        found[table.name] = [list(row) for row in selected.fetchall()]
    return found


def replace(db: Connection, given: Mapping[str, Sequence[Sequence[Any]]]) -> None:
    """Have these rows and no others."""
    for table in reversed(TABLES):
        if table.whole:
            db.execute(f"-- mirrored.replace\ndelete from {table.name}")
    for table in TABLES:
        shown, places = ", ".join(table.columns), ", ".join("?" * len(table.columns))
        verb = "insert" if table.whole else "insert or ignore"
        db.executemany(
            f"-- mirrored.replace\n{verb} into {table.name} ({shown}) values ({places})", given.get(table.name, ())
        )


def gone_sites(db: Connection) -> list[int]:
    """The sites of which neither a website nor an organization is left."""
    found = db.execute(
        """
        -- mirrored.gone_sites
        select number from sites
        where number not in (select site from websites)
          and number not in (select site from organizations where purged_at is null)
        """
    )
    return [int(str(number)) for (number,) in found.fetchall()]
