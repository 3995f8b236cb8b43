"""The logo and the favicon of a page: where they come from, and how they are kept."""

import hashlib
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.errors import BadRequest
from analytics_box.base.outgoing.client import Ask, Client
from analytics_box.base.outgoing.failures import Failed
from analytics_box.base.settings import Settings
from analytics_box.base.store.db import Connection, Db
from analytics_box.products.status_pages.files import rows
from analytics_box.products.status_pages.page import FileKind, Page
from analytics_box.products.status_pages.subscribers import places
from analytics_box.tenants.organizations import image
from analytics_box.tenants.organizations.image import Picture

DIGEST_LENGTH: Final = 32  # characters of the SHA-256
FIELDS: Final[dict[FileKind, str]] = {"logo": "logoUrl", "favicon": "faviconUrl"}
_SECONDS: Final = 10.0


class Fetched(Struct, frozen=True):
    """A picture, and the URL that it was fetched from; None for one that was uploaded."""

    picture: Picture
    url: str | None = None


def url_of(page: Page, kind: FileKind, settings: Settings) -> str | None:
    """Where a picture was fetched from, or else where it is served; None where there is none."""
    digest: str = getattr(page, kind)
    source: str | None = getattr(page, f"{kind}_url")
    return source or served(page, digest, settings) if digest else None


def served(page: Page, digest: str, settings: Settings) -> str:
    """Where the picture with this digest is served."""
    return f"{places.of(settings, page.slug, page.domain).page}/files/{digest}"


async def fetched(client: Client, url: str, kind: FileKind) -> Fetched:
    """The picture at this URL. Raises BadRequest."""
    field = FIELDS[kind]
    try:
        answer = await client.fetch(Ask(url, seconds=_SECONDS, body_bytes=image.MOST_BYTES + 1))
    except Failed as why:
        raise BadRequest.about(field, f"The picture could not be fetched: {why}") from why
    if answer.status != 200:
        raise BadRequest.about(field, f"The picture could not be fetched: the answer was {answer.status}")
    if not answer.complete or len(answer.body) > image.MOST_BYTES:
        raise BadRequest.about(field, image.TOO_LARGE)
    return Fetched(checked(answer.body, field), url)


def checked(content: bytes, field: str) -> Picture:
    """Bytes as a picture that is safe to serve; a refusal is about this field. Raises BadRequest."""
    try:
        return image.picture(content)
    except BadRequest as wrong:
        raise BadRequest.about(field, wrong.message) from wrong


def put(db: Connection, page: Page, kind: FileKind, given: Fetched | None, now: int) -> Page:
    """Store another picture, or none; the page as it then is to be stored."""
    fields: dict[str, Any] = {kind: "", f"{kind}_url": None}
    if given is None:
        rows.delete(db, page.id, kind)
    else:
        digest = hashlib.sha256(given.picture.content).hexdigest()[:DIGEST_LENGTH]
        rows.put(db, page.id, kind, digest=digest, picture=given.picture, now=now)
        fields = {kind: digest, f"{kind}_url": given.url}
    return replace(page, **fields)


async def find(box_db: Db, page_id: str, digest: str) -> tuple[bytes, str] | None:
    """The picture of a page with this digest and its content type, for everybody who may see the page."""
    found = await box_db.read(lambda db: rows.find(db, page_id, digest))
    return (found.content, found.type) if found is not None else None
