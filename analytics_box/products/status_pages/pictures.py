"""The logo and the favicon of a page: download, check, rows, and changes in the caller's transaction.

An address has the page, the kind of picture, the requester and the expiry, under a signature. The requester must still
have permission when it is used.
"""

import base64
import hashlib
import hmac
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import audit
from analytics_box.base.errors import BadRequest, NotFound
from analytics_box.base.outgoing.client import Client, OutgoingRequest
from analytics_box.base.outgoing.failures import RequestFailed
from analytics_box.base.settings import Settings
from analytics_box.base.store import records
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.store.seal import Seal
from analytics_box.base.translation import _
from analytics_box.products.status_pages.access import page_in_reach
from analytics_box.products.status_pages.page import FileKind, StatusPage
from analytics_box.products.status_pages.rows import PAGES
from analytics_box.products.status_pages.subscribers import wording
from analytics_box.resource.reach import Reach, check
from analytics_box.tenants.organizations import image
from analytics_box.tenants.organizations.image import Picture

GOOD_FOR: Final = 10 * 60_000  # ms
UNKNOWN: Final = _("This upload address has expired. Request a new one")
_NAME: Final = "status page uploads"  # of the key that signs
_SIGNATURE: Final = 16  # bytes


class Upload(Struct, frozen=True, array_like=True):
    """A permitted upload: the picture, its expiry (UTC ms), and the organization and actor who requested it."""

    organization_id: str
    page_id: str
    kind: FileKind
    actor: str
    user_id: str | None
    until: int
    nonce: str = ""

    @property
    def digest(self) -> bytes:
        """The name under which its use is stored: of the content, because an address can be written in several ways."""
        return hashlib.sha256(msgspec.json.encode(self)).digest()


_DECODER: Final = msgspec.json.Decoder(Upload)


def token_of(seal: Seal, upload: Upload) -> str:
    """The end of the address. Raises SealBroken."""
    said = msgspec.json.encode(upload)
    return base64.urlsafe_b64encode(_signature(seal, said) + said).decode().rstrip("=")


def upload_of(seal: Seal, token: str, now: int) -> Upload:
    """The upload that this token permits. Raises NotFound for a forged token and for an expired one."""
    try:
        whole = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
        signature, said = whole[:_SIGNATURE], whole[_SIGNATURE:]
        if not hmac.compare_digest(signature, _signature(seal, said)):
            raise NotFound(UNKNOWN)
        found = _DECODER.decode(said)
    except ValueError as broken:  # of base64, or of JSON
        raise NotFound(UNKNOWN) from broken
    if found.until <= now:
        raise NotFound(UNKNOWN)
    return found


def _signature(seal: Seal, said: bytes) -> bytes:
    return hmac.digest(seal.derive(_NAME), said, hashlib.sha256)[:_SIGNATURE]


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


def find_row(db: Connection, page_id: str, digest: str) -> Picture | None:
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


DIGEST_LENGTH: Final = 32  # characters of the SHA-256
FIELDS: Final[dict[FileKind, str]] = {"logo": "logoUrl", "favicon": "faviconUrl"}
_SECONDS: Final = 10.0


class PagePicture(Struct, frozen=True):
    """A picture, and the URL that it was fetched from; None for one that was uploaded."""

    picture: Picture
    url: str | None = None


def url_of(page: StatusPage, kind: FileKind, settings: Settings) -> str | None:
    """The address that a picture was fetched from, or else its address on the page; None if there is no picture."""
    digest: str = getattr(page, kind)
    source: str | None = getattr(page, f"{kind}_url")
    return source or served_url(page, digest, settings) if digest else None


def served_url(page: StatusPage, digest: str, settings: Settings) -> str:
    """The address of the picture with this digest on the page."""
    return f"{wording.of(settings, page.slug, page.domain).page}/files/{digest}"


async def fetch_picture(client: Client, url: str, kind: FileKind) -> PagePicture:
    """The picture at this URL. Raises BadRequest."""
    field = FIELDS[kind]
    try:
        answer = await client.fetch(OutgoingRequest(url, seconds=_SECONDS, body_bytes=image.MOST_BYTES + 1))
    except RequestFailed as why:
        raise BadRequest.about(field, _("The image could not be downloaded: {why}").format(why=why)) from why
    if answer.status != 200:
        raise BadRequest.about(
            field, _("The image could not be downloaded: status {status}").format(status=answer.status)
        )
    if not answer.complete or len(answer.body) > image.MOST_BYTES:
        raise BadRequest.about(field, image.TOO_LARGE)
    return PagePicture(check_picture(answer.body, field), url)


def check_picture(content: bytes, field: str) -> Picture:
    """Bytes as a picture that is safe to serve; a refusal is about this field. Raises BadRequest."""
    try:
        return image.picture(content)
    except BadRequest as wrong:
        raise BadRequest.about(field, wrong.message) from wrong


def store_picture(db: Connection, page: StatusPage, kind: FileKind, given: PagePicture | None, now: int) -> StatusPage:
    """Store another picture, or none; the page as it then is to be stored."""
    fields: dict[str, Any] = {kind: "", f"{kind}_url": None}
    if given is None:
        delete(db, page.id, kind)
    else:
        digest = hashlib.sha256(given.picture.content).hexdigest()[:DIGEST_LENGTH]
        insert_picture(db, page.id, kind, digest=digest, picture=given.picture, now=now)
        fields = {kind: digest, f"{kind}_url": given.url}
    return replace(page, **fields)


async def find(box_db: Db, page_id: str, digest: str) -> tuple[bytes, str] | None:
    """The picture of a page with this digest and its content type, for all visitors of the page."""
    found = await box_db.read(lambda db: find_row(db, page_id, digest))
    return (found.content, found.type) if found is not None else None


def upload(db: Connection, own: Reach, allowed: Upload, given: PagePicture) -> StatusPage:
    """Store the picture of an upload address, which works once. Raises Forbidden, or NotFound for a used one."""
    after = replace_picture(db, own, allowed.page_id, allowed.kind, given)
    if not use_upload(db, allowed.digest, allowed.until, own.by.now):
        raise NotFound(UNKNOWN)
    return after


def replace_picture(db: Connection, own: Reach, page_id: str, kind: FileKind, given: PagePicture | None) -> StatusPage:
    """Replace or remove the logo or favicon. Raises Forbidden or NotFound."""
    check(db, own, "member")
    before = page_in_reach(db, own, page_id)
    after = store_picture(db, before, kind, given, own.by.now)
    if after != before:
        PAGES.update(db, after)
        changes = audit.difference(before, after, (kind,))
        PAGES.record(db, own.by, own.organization_id, "updated", after, changes)
    return after
