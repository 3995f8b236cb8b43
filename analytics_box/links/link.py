"""What a short link is. Pure."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from analytics_box.links.targeting.query_strings import Forwarding
from analytics_box.links.targeting.rules import TargetRule, Variant

RedirectStatus = Literal[301, 302, 307, 308]

MOST_TAGS, LONGEST_TAG = 20, 50


class Utm(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Campaign values that the target's address gets; they replace what it has of the same name."""

    source: Annotated[str, Meta(max_length=128)] = ""
    medium: Annotated[str, Meta(max_length=128)] = ""
    campaign: Annotated[str, Meta(max_length=128)] = ""
    term: Annotated[str, Meta(max_length=128)] = ""
    content: Annotated[str, Meta(max_length=128)] = ""

    @property
    def parameters(self) -> tuple[tuple[str, str], ...]:
        """As parameters of a query."""
        named = (
            ("utm_source", self.source),
            ("utm_medium", self.medium),
            ("utm_campaign", self.campaign),
            ("utm_term", self.term),
            ("utm_content", self.content),
        )
        return tuple((name, value) for name, value in named if value)


class Link(Struct, frozen=True):
    """A short link. Times are UTC ms. `number` is what the facts know it by; `domain` is empty on the box's own host.

    `password` is a hash. `expired_url` is also where a link leads that has had its `max_clicks`.
    """

    number: int
    id: str
    organization_id: str
    created_by: str
    domain: str
    slug: str
    name: str
    target_url: str
    target_domain: str
    created_at: int
    updated_at: int
    folder_id: str | None = None
    redirect_status: RedirectStatus = 302
    query_forwarding: Forwarding = "none"
    expires_at: int | None = None
    expired_url: str | None = None
    max_clicks: int | None = None
    password: str | None = None
    og_title: str | None = None
    og_description: str | None = None
    og_image_url: str | None = None
    og_video_url: str | None = None
    ios_url: str | None = None
    android_url: str | None = None
    deep_link_app: str | None = None
    external_id: str | None = None
    source_type: str | None = None
    source_id: str | None = None
    source_owner_id: str | None = None
    rules: tuple[TargetRule, ...] = ()
    variants: tuple[Variant, ...] = ()
    utm: Utm = Utm()
    tags: tuple[str, ...] = ()

    @property
    def has_preview(self) -> bool:
        """Whether it says itself how it is shown where people share it."""
        return any((self.og_title, self.og_description, self.og_image_url, self.og_video_url))
