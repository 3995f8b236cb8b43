"""Websites in box.db. Every function takes a connection inside the caller's transaction."""

import msgspec
from msgspec import Struct

from analytics_box.base.errors import Conflict
from analytics_box.base.store import records
from analytics_box.base.store.db import Connection, ConstraintError
from analytics_box.tenants.websites.rules import ClientId, Website
from analytics_box.tenants.websites.tracking import Tracking

TAKEN = "A website with this domain exists already"

_COLUMNS = """id, organization_id, site, name, domain, is_public, status, created_at, updated_at, deleted_at, settings,
  public_values,
  (select json_group_array(json_array(id, created_at, ends_at, seen_at))
   from (select id, created_at, ends_at, seen_at from client_ids where website_id = websites.id
         order by created_at desc, ends_at is not null)) as client_ids"""


class _WebsiteRow(Struct, frozen=True):
    """A row as it comes: settings and client ids are JSON."""

    id: str
    organization_id: str
    site: int
    name: str
    domain: str
    is_public: bool
    status: str
    created_at: int
    updated_at: int
    deleted_at: int | None
    settings: str
    public_values: bool
    client_ids: str


def insert(db: Connection, website: Website) -> None:
    """Raises Conflict when the organization already measures that domain."""
    try:
        db.execute(
            """
            -- websites.insert
            insert into websites (id, organization_id, site, name, domain, status, is_public, settings, created_at,
                                  updated_at)
            values (:id, :organization_id, :site, :name, :domain, :status, :is_public, :settings, :created_at,
                    :created_at)
            """,
            {
                "id": website.id,
                "organization_id": website.organization_id,
                "site": website.site,
                "name": website.name,
                "domain": website.domain,
                "status": website.status,
                "is_public": int(website.is_public),
                "settings": msgspec.json.encode(website.tracking).decode(),
                "created_at": website.created_at,
            },
        )
    except ConstraintError as broken:
        raise Conflict.about("domain", TAKEN) from broken
    insert_client_id(db, website.id, ClientId(website.id, website.created_at))


def everything(db: Connection) -> list[Website]:
    """All websites that are not deleted, oldest first."""
    return _websites(db, "deleted_at is null")


def find(db: Connection, website_id: str) -> Website | None:
    """The website with this id, deleted or not."""
    return next(iter(_websites(db, "id = ?", website_id)), None)


def deleted_websites(db: Connection, organization_id: str) -> list[Website]:
    """The deleted websites of an organization whose events are still there."""
    return _websites(db, "organization_id = ? and deleted_at is not null", organization_id)


def deleted_before(db: Connection, instant: int) -> list[Website]:
    """The websites that were deleted at this instant or earlier."""
    return _websites(db, "deleted_at <= ?", instant)


def _websites(db: Connection, condition: str, *values: str | int) -> list[Website]:
    found = records.all_of(
        db,
        _WebsiteRow,
        f"""
        -- websites.everything, find, deleted, deleted_before
        select {_COLUMNS}
        from websites
        where {condition}
        order by created_at, id
        """,
        values,
    )
    return [_website(row) for row in found]


def _website(row: _WebsiteRow) -> Website:
    return Website(
        id=row.id,
        organization_id=row.organization_id,
        site=row.site,
        name=row.name,
        domain=row.domain,
        is_public=row.is_public,
        status=row.status,
        created_at=row.created_at,
        updated_at=row.updated_at,
        deleted_at=row.deleted_at,
        tracking=msgspec.json.decode(row.settings, type=Tracking),
        client_ids=tuple(ClientId(*each) for each in msgspec.json.decode(row.client_ids)),
        public_values=row.public_values,
    )


def update(db: Connection, website: Website) -> None:
    """Store all that may change of a website. Raises Conflict when its organization already measures the domain."""
    try:
        db.execute(
            """
            -- websites.update
            update websites
            set name = :name, domain = :domain, is_public = :is_public, public_values = :public_values,
                settings = :settings, organization_id = :organization_id, updated_at = :updated_at,
                deleted_at = :deleted_at
            where id = :id
            """,
            {
                "id": website.id,
                "name": website.name,
                "domain": website.domain,
                "is_public": int(website.is_public),
                "public_values": int(website.public_values),
                "settings": msgspec.json.encode(website.tracking).decode(),
                "organization_id": website.organization_id,
                "updated_at": website.updated_at,
                "deleted_at": website.deleted_at,
            },
        )
    except ConstraintError as broken:
        raise Conflict.about("domain", TAKEN) from broken


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
