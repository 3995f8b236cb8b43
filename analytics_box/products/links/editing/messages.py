"""Input of link procedures (wire 7.1 and 7.2)."""

from datetime import UTC, datetime

from msgspec import UNSET, UnsetType

from analytics_box.base.errors import BadRequest
from analytics_box.products.links.editing.draft import LinkDraft
from analytics_box.products.links.link import LinkFields, Name, Password
from analytics_box.products.links.messages import Id, Url

_YEARS = range(1970, 10_000)


class _Message(LinkFields, frozen=True, kw_only=True, forbid_unknown_fields=True):
    expires_at: datetime | UnsetType | None = UNSET
    password: Password | UnsetType | None = UNSET
    organization_id: Id | None = None


class NewLink(_Message, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Input of links.create. `domain` is empty for the box's own host."""

    name: Name
    target_url: Url


class ChangedLink(_Message, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Input of links.update. What is not given stays; null empties a field."""

    id: Id


class UpsertedLink(NewLink, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Input of links.upsert: the link with this externalId."""

    external_id: Id


def draft(given: NewLink | ChangedLink, *, password: str | UnsetType | None) -> LinkDraft:
    """The draft in a message; the hash of the password comes from the caller. Raises BadRequest."""
    expires_at = given.expires_at if isinstance(given.expires_at, UnsetType) else instant_of(given.expires_at)
    said = {name: getattr(given, name) for name in LinkFields.__struct_fields__}
    return LinkDraft(**said, expires_at=expires_at, password=password)


def instant_of(given: datetime | None) -> int | None:
    """A date as UTC ms; one without a zone is UTC. Raises BadRequest for a year that no calendar shows again."""
    if given is None:
        return None
    aware = given if given.tzinfo is not None else given.replace(tzinfo=UTC)
    if not _YEARS.start < aware.year < _YEARS.stop - 1:  # its zone may move it into the next
        raise BadRequest.about("expiresAt", f"The year must lie between {_YEARS.start} and {_YEARS.stop - 1}")
    return round(aware.timestamp() * 1000)
