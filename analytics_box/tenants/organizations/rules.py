"""Valid names of organizations, and what roles allow on their websites (wire 10.4). Pure."""

import json
import re
from typing import Any, Final, Literal
from zoneinfo import ZoneInfo

from msgspec import Struct

from analytics_box.base.errors import BadRequest
from analytics_box.base.identity import Role
from analytics_box.base.translation import _

WebsiteAction = Literal[
    "create", "read", "update", "delete", "configure", "view_analytics", "manage_tracking", "transfer"
]
Plan = Literal["free", "hobby"]

MOST_LOGO_BODY: Final = 720_000  # bytes of a request: the largest picture in base64, and what is around it

# What a role allows on the organization's websites (wire 10.4).
_VIEWERS: Final[tuple[WebsiteAction, ...]] = ("read", "view_analytics")
_MEMBERS: Final[tuple[WebsiteAction, ...]] = (*_VIEWERS, "configure", "manage_tracking")
_ALL: Final[tuple[WebsiteAction, ...]] = (*_MEMBERS, "create", "update", "delete", "transfer")
ON_WEBSITES: Final[dict[Role, tuple[WebsiteAction, ...]]] = {
    "owner": _ALL,
    "admin": _ALL,
    "member": _MEMBERS,
    "viewer": _VIEWERS,
}
MOST_METADATA: Final = 4_096  # bytes as JSON

_SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,48}[a-z0-9])?\Z")


class DeletedOrganization(Struct, frozen=True):
    """A deleted organization that is not purged yet. Times are UTC ms."""

    id: str
    name: str
    slug: str
    plan: str
    site: int
    created_at: int
    deleted_at: int


def check_name_typed(typed: str, name: str) -> None:
    """Whether the name was typed, as the last question before what cannot be undone. Raises BadRequest."""
    if " ".join(typed.split()) != name:
        raise BadRequest.about("confirmation", _("Enter the organization name: {name}").format(name=name))


def metadata_of(given: dict[str, Any]) -> str:
    """Metadata that programs keep with an organization, as JSON text. Raises BadRequest for more than 4,096 bytes."""
    text = json.dumps(given, ensure_ascii=False, separators=(",", ":"))
    if len(text.encode(errors="surrogatepass")) > MOST_METADATA:
        raise BadRequest.about(
            "metadata", _("Metadata can have up to {most:,} bytes as JSON").format(most=MOST_METADATA)
        )
    return text


def clean_slug(slug: str) -> str:
    """1 to 50 of a–z, 0–9 and hyphens within. Raises BadRequest."""
    slug = slug.strip().lower()
    if not _SLUG.match(slug):
        raise BadRequest.about("slug", _("Use 1 to 50 letters a–z, digits and hyphens"))
    return slug


def known_zone(name: str) -> str:
    """A zone of the IANA database, or nothing where the organization names none. Raises BadRequest."""
    if not name:
        return ""
    try:
        return ZoneInfo(name).key
    except (ValueError, OSError, LookupError):
        raise BadRequest.about("timeZone", _("Enter an IANA time zone, such as Europe/Berlin")) from None
