"""Input of link procedures (wire 7.1 and 7.2)."""

from msgspec import Struct

from analytics_box.products.links.link import ShortLink
from analytics_box.products.links.messages import Id
from analytics_box.resource.fields import input_of


@input_of(ShortLink, needed=("name", "target_url"))
class NewLink(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """Input of links.create. `domain` is empty for the box's own host."""

    organization_id: Id | None = None


@input_of(ShortLink)
class ChangedLink(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """Input of links.update. What is not given stays; null empties a field."""

    id: Id
    organization_id: Id | None = None


class UpsertedLink(NewLink, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Input of links.upsert: the link with this externalId."""

    external_id: Id
