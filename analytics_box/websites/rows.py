"""Websites in box.db. Every function takes a connection inside the caller's transaction."""

import apsw

from analytics_box.errors import Conflict
from analytics_box.store import records
from analytics_box.websites.rules import Website


def new_site(db: apsw.Connection, now: int) -> int:
    """A number for a website or an organization among the facts; never given twice."""
    db.execute("-- websites.new_site\ninsert into sites (created_at) values (?)", (now,))
    return db.last_insert_rowid()


def insert(db: apsw.Connection, website: Website) -> None:
    """Raises Conflict when the organization already measures that domain."""
    try:
        db.execute(
            """
            -- websites.insert
            insert into websites (id, organization_id, site, name, domain, status, is_public, created_at, updated_at)
            values (:id, :organization_id, :site, :name, :domain, :status, :is_public, :created_at, :created_at)
            """,
            {
                "id": website.id,
                "organization_id": website.organization_id,
                "site": website.site,
                "name": website.name,
                "domain": website.domain,
                "status": website.status,
                "is_public": int(website.is_public),
                "created_at": website.created_at,
            },
        )
    except apsw.ConstraintError as broken:
        raise Conflict("A website with this domain exists already") from broken


def everything(db: apsw.Connection) -> list[Website]:
    """All websites that are not deleted, oldest first."""
    return records.all_of(
        db,
        Website,
        """
        -- websites.everything
        select id, organization_id, site, name, domain, is_public, status, created_at
        from websites
        where deleted_at is null
        order by created_at, id
        """,
    )


def update(db: apsw.Connection, website: Website, now: int) -> None:
    """Store a changed name, domain or publicity. Raises Conflict when the organization already measures the domain."""
    try:
        db.execute(
            """
            -- websites.update
            update websites set name = ?, domain = ?, is_public = ?, updated_at = ? where id = ?
            """,
            (website.name, website.domain, int(website.is_public), now, website.id),
        )
    except apsw.ConstraintError as broken:
        raise Conflict("A website with this domain exists already") from broken


def delete(db: apsw.Connection, website_id: str, now: int) -> None:
    """Mark a website as deleted; its row and its events stay until the grace period is over."""
    db.execute(
        """
        -- websites.delete
        update websites set deleted_at = ?, updated_at = ? where id = ? and deleted_at is null
        """,
        (now, now, website_id),
    )
