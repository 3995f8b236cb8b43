"""The logo and the favicon of a page: download, check and storage."""

import hashlib
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.errors import BadRequest
from analytics_box.base.outgoing.client import Client, OutgoingRequest
from analytics_box.base.outgoing.failures import RequestFailed
from analytics_box.base.settings import Settings
from analytics_box.base.store.db import Connection, Db
from analytics_box.products.status_pages.files import rows
from analytics_box.products.status_pages.page import FileKind, StatusPage
from analytics_box.products.status_pages.subscribers import wording
from analytics_box.tenants.organizations import image
from analytics_box.tenants.organizations.image import Picture

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
        raise BadRequest.about(field, f"The image could not be downloaded: {why}") from why
    if answer.status != 200:
        raise BadRequest.about(field, f"The image could not be downloaded: status {answer.status}")
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
        rows.delete(db, page.id, kind)
    else:
        digest = hashlib.sha256(given.picture.content).hexdigest()[:DIGEST_LENGTH]
        rows.insert_picture(db, page.id, kind, digest=digest, picture=given.picture, now=now)
        fields = {kind: digest, f"{kind}_url": given.url}
    return replace(page, **fields)


async def find(box_db: Db, page_id: str, digest: str) -> tuple[bytes, str] | None:
    """The picture of a page with this digest and its content type, for all visitors of the page."""
    found = await box_db.read(lambda db: rows.find(db, page_id, digest))
    return (found.content, found.type) if found is not None else None
