"""Versions of flags in box.db. Every function takes a connection inside the caller's transaction."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct

from analytics_box.base.store.db import Connection
from analytics_box.products.flags.flag import FlagDefinition


class Version(Struct, frozen=True, kw_only=True):
    """The state of a flag from `at` on (UTC ms), with the actor and the reason.

    `actor_name` is the email address of a member, or the name of a key, of the organization that has the flag now;
    empty for all others, such as members of an organization that had the website before.
    """

    version: int
    key: str
    environment: str | None
    definition: FlagDefinition
    action: str
    actor: str
    actor_name: str
    note: str
    at: int


_DEFINITION: Final = msgspec.json.Decoder(FlagDefinition)
_VERSIONS: Final = """
  select one.version, one.key, one.environment, one.definition, one.action, one.actor,
         coalesce(users.email, api_keys.name, '') as actor_name, one.note, one.at
  from flag_versions as one
  join flags on flags.id = one.flag_id
  left join websites on websites.id = flags.website_id
  left join members on members.organization_id = coalesce(flags.organization_id, websites.organization_id)
                   and one.actor = 'user:' || members.user_id
  left join users on users.id = members.user_id
  left join api_keys on one.actor = 'apikey:' || api_keys.id
                    and api_keys.organization_id = coalesce(flags.organization_id, websites.organization_id)
  where one.flag_id = :flag_id
"""


def latest(db: Connection, flag_id: str, *, before: int | None, limit: int) -> list[Version]:
    """The newest versions of a flag, of those older than `before`."""
    return _versions(
        db,
        f"-- flag_history.latest\n{_VERSIONS} and (:before is null or one.version < :before)"
        " order by one.version desc limit :limit",
        {"flag_id": flag_id, "before": before, "limit": limit},
    )


def find(db: Connection, flag_id: str, version: int) -> Version | None:
    found = _versions(
        db,
        f"-- flag_history.find\n{_VERSIONS} and one.version = :version",
        {"flag_id": flag_id, "version": version},
    )
    return found[0] if found else None


def in_force(
    db: Connection, flag_id: str, start: int, end: int, *, limit: int
) -> list[tuple[int, int, FlagDefinition]]:
    """The versions that a flag was in [start, end), oldest first: their numbers, times and definitions."""
    rows = db.execute(
        """
        -- flag_history.in_force
        select version, at, definition from flag_versions
        where flag_id = :flag_id and at < :end and version >= coalesce((
          select max(version) from flag_versions where flag_id = :flag_id and at <= :start
        ), 0)
        order by version limit :limit
        """,
        {"flag_id": flag_id, "start": start, "end": end, "limit": limit},
    ).fetchall()
    return [(int(str(number)), int(str(at)), _DEFINITION.decode(str(text))) for number, at, text in rows]


def _versions(db: Connection, statement: str, values: dict[str, str | int | None]) -> list[Version]:
    return [_version(row) for row in db.execute(statement, values).fetchall()]


def _version(row: Sequence[Any]) -> Version:
    named: dict[str, Any] = dict(zip(Version.__struct_fields__, row, strict=True))
    return Version(**named | {"definition": _DEFINITION.decode(named["definition"])})
