"""The fields of a link that a redirect needs, small enough for a million of them in memory. Pure."""

import struct
from collections.abc import Callable
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.urls import url_parts
from analytics_box.products.links.link import RedirectStatus, ShortLink
from analytics_box.products.links.targeting.rules import (
    Forwarding,
    TargetChoice,
    TargetRule,
    TargetVariant,
    TargetVisit,
    choose_target,
    forward_query,
    with_parameters,
)

_PLAIN, _RICH = 0, 1
_HEAD: Final = struct.Struct("<BqI")  # which form, the link's number, the number of its organization in memory


class RedirectLink(Struct, frozen=True, array_like=True, gc=False):
    """A link as a redirect sees it: campaign values are part of all its targets. Times are UTC ms.

    `key` is what its variants are assigned with.
    """

    number: int
    organization: int
    target_url: str
    redirect_status: RedirectStatus = 302
    query_forwarding: Forwarding = "none"
    expires_at: int | None = None
    expired_url: str | None = None
    max_clicks: int | None = None
    has_password: bool = False
    has_preview: bool = False
    ios_url: str | None = None
    android_url: str | None = None
    deep_link_app: str | None = None
    rules: tuple[TargetRule, ...] = ()
    variants: tuple[TargetVariant, ...] = ()
    key: str = ""

    @property
    def is_plain(self) -> bool:
        """Whether its target is all that there is to it."""
        return self == RedirectLink(self.number, self.organization, self.target_url)

    @property
    def is_simple(self) -> bool:
        """Whether everyone is redirected to the same target."""
        return not (self.rules or self.variants or self.ios_url or self.android_url or self.deep_link_app)


_ENCODE = msgspec.msgpack.Encoder().encode
_DECODE = msgspec.msgpack.Decoder(RedirectLink).decode


def live(link: ShortLink, organization: int) -> RedirectLink:
    """The fields that a redirect needs of this link."""
    more = link.utm.parameters

    def tagged(url: str) -> str:
        return with_parameters(url, more)

    return RedirectLink(
        number=link.number,
        organization=organization,
        target_url=tagged(link.target_url),
        redirect_status=link.redirect_status,
        query_forwarding=link.query_forwarding,
        expires_at=link.expires_at,
        expired_url=link.expired_url if link.expires_at is not None or link.max_clicks is not None else None,
        max_clicks=link.max_clicks,
        has_password=link.password is not None,
        has_preview=link.has_preview,
        ios_url=_on_phones(link.ios_url, tagged),
        android_url=_on_phones(link.android_url, tagged),
        deep_link_app=link.deep_link_app,
        rules=tuple(replace(rule, targetUrl=tagged(rule.targetUrl)) for rule in link.rules),
        variants=tuple(replace(one, targetUrl=tagged(one.targetUrl)) for one in link.variants),
        key=link.id if link.variants else "",
    )


def redirected_to(link: ShortLink, visit: TargetVisit, query: str = "") -> TargetChoice:
    """The target of this visit, requested with this query: what a redirect chooses, without one."""
    found = live(link, 0)
    choice = choose_target(found, visit, key=found.key)
    return replace(choice, url=forward_query(choice.url, query, found.query_forwarding))


def with_organization_number(found: RedirectLink, organization: int) -> RedirectLink:
    """A link with the number of its organization."""
    return found if found.organization == organization else replace(found, organization=organization)


def pack(found: RedirectLink) -> bytes:
    """A link as bytes; one with nothing but a target takes 13 more than that."""
    if found.is_plain:
        return _HEAD.pack(_PLAIN, found.number, found.organization) + found.target_url.encode()
    return _HEAD.pack(_RICH, found.number, found.organization) + _ENCODE(found)


def owner(packed: bytes) -> int:
    """The number of the organization in these bytes, without taking them apart."""
    return int(_HEAD.unpack_from(packed)[2])


def unpack(packed: bytes) -> RedirectLink:
    """The link in these bytes."""
    form, number, organization = _HEAD.unpack_from(packed)
    if form == _PLAIN:
        return RedirectLink(number, organization, packed[_HEAD.size :].decode())
    return _DECODE(packed[_HEAD.size :])


def _on_phones(url: str | None, tagged: Callable[[str], str]) -> str | None:
    """URLs of apps stay as they are."""
    return tagged(url) if url is not None and url_parts(url).scheme in {"http", "https"} else url
