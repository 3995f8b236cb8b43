"""Websites in box.db. Every function takes a connection inside the caller's transaction."""

from collections.abc import Sequence
from typing import Final

import msgspec

from analytics_box.base.store.db import Connection
from analytics_box.resource.table import Table
from analytics_box.tenants.websites.rules import ClientId, Website

_CLIENT_IDS = """
(select json_group_array(json_object('id', id, 'created_at', created_at, 'ends_at', ends_at, 'seen_at', seen_at))
from (select id, created_at, ends_at, seen_at from client_ids where website_id = websites.id
      order by created_at desc, ends_at is not null))
"""
WEBSITES: Final = Table(
    "websites",
    Website,
    columns={"tracking": "settings"},
    sql={"client_ids": (_CLIENT_IDS, "")},
    conflicts={"websites.domain": ("domain", "A website with this domain already exists")},
)


def insert(db: Connection, website: Website) -> None:
    """Store a new website, whose client id is its own id. Raises Conflict if the organization has the domain."""
    WEBSITES.insert(db, website)
    insert_client_id(db, website.id, ClientId(website.id, website.created_at))


def everything(db: Connection) -> list[Website]:
    """All websites that are not deleted, oldest first."""
    return WEBSITES.all(db, "deleted_at is null order by created_at, id")


def taken_alias(db: Connection, website_id: str, aliases: Sequence[str]) -> str:
    """The first of these aliases that another website has, deleted ones included; empty if none is taken."""
    found = db.execute(
        """
        -- websites.taken_alias
        select given.value from json_each(?) given
        where exists (select 1 from websites, json_each(websites.settings, '$.aliases') known
                      where websites.id != ? and known.value = given.value)
        limit 1
        """,
        (msgspec.json.encode(aliases).decode(), website_id),
    ).fetchone()
    return str(found[0]) if found is not None else ""


def insert_client_id(db: Connection, website_id: str, client_id: ClientId) -> None:
    db.execute(
        """
        -- websites.insert_client_id
        insert into client_ids (id, website_id, created_at, ends_at, seen_at) values (?, ?, ?, ?, ?)
        """,
        (client_id.id, website_id, client_id.created_at, client_id.ends_at, client_id.seen_at),
    )


def end_client_id(db: Connection, website_id: str, ends_at: int) -> None:
    """The current client id of a website becomes an old one that is accepted until this instant."""
    db.execute(
        """
        -- websites.end_client_id
        update client_ids set ends_at = ? where website_id = ? and ends_at is null
        """,
        (ends_at, website_id),
    )


def note_use(db: Connection, used: dict[str, int]) -> list[str]:
    """Remember when old client ids were last used; the websites that they belong to."""
    touched = []
    for client_id, hour in used.items():
        touched += db.execute(
            """
            -- websites.note_use
            update client_ids set seen_at = ? where id = ? and coalesce(seen_at, 0) < ?
            returning website_id
            """,
            (hour, client_id, hour),
        ).fetchall()
    return [str(website_id) for (website_id,) in touched]
