"""Pictures of status pages in box.db. Every function takes a connection inside the caller's transaction."""

from analytics_box.base.store import records
from analytics_box.base.store.db import Connection
from analytics_box.products.status_pages.page import FileKind
from analytics_box.tenants.organizations.image import Picture


def insert_picture(db: Connection, page_id: str, kind: FileKind, *, digest: str, picture: Picture, now: int) -> None:
    """Store a picture instead of the one before."""
    db.execute(
        """
        -- status_pages.files.put
        insert into status_page_files (page_id, kind, digest, type, image, created_at)
        values (?, ?, ?, ?, ?, ?)
        on conflict (page_id, kind) do update
        set digest = excluded.digest, type = excluded.type, image = excluded.image, created_at = excluded.created_at
        """,
        (page_id, kind, digest, picture.type, picture.content, now),
    )


def use_upload(db: Connection, digest: bytes, expires_at: int, now: int) -> bool:
    """Mark an upload address as used until it expires; return whether it was not used before."""
    db.execute("-- status_pages.files.use_upload\ndelete from status_page_uploads where expires_at <= ?", (now,))
    return bool(
        db.execute(
            """
            -- status_pages.files.use_upload
            insert into status_page_uploads (digest, expires_at) values (?, ?)
            on conflict (digest) do nothing returning digest
            """,
            (digest, expires_at),
        ).fetchall()
    )


def delete(db: Connection, page_id: str, kind: FileKind) -> None:
    db.execute(
        "-- status_pages.files.delete\ndelete from status_page_files where page_id = ? and kind = ?", (page_id, kind)
    )


def find(db: Connection, page_id: str, digest: str) -> Picture | None:
    """The logo or the favicon of a page, if one of them still is that with this digest."""
    return records.one_of(
        db,
        Picture,
        """
        -- status_pages.files.find
        select type, image from status_page_files where page_id = ? and digest = ? order by kind limit 1
        """,
        (page_id, digest),
    )
