"""The preview of the link form: where a visitor would be redirected. Nothing is saved or counted."""

import base64
from collections.abc import Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.clock import Clock
from analytics_box.base.settings import Settings
from analytics_box.base.translation import _
from analytics_box.products.links import qr_routes, slugs
from analytics_box.products.links.link import ShortLink
from analytics_box.products.links.redirects.live import live, redirected_to
from analytics_box.products.links.slugs import short_url
from analytics_box.products.links.targeting.rules import APPS, TargetChoice, TargetVisit, forward_query
from analytics_box.web.recognition import countries

_BECAUSE = {
    "rule": _("Rule: {name}"),
    "iosUrl": _("iPhone and iPad destination"),
    "androidUrl": _("Android destination"),
    "app": _("Opens in {name}"),
    "": _("Default destination"),
}


VISITOR: Final = ("country", "device", "system", "language", "query")  # fields, each with "as." before it
_LONGEST = 255


class PreviewShare(Struct, frozen=True):
    """A variant's share of visitors and its destination."""

    name: str
    share: str
    url: str


class Preview(Struct, frozen=True):
    """The content of the preview. `wrong` holds the errors of the form; `qr` is a picture as a data URL."""

    visitor: Mapping[str, str]
    url: str = ""
    because: str = ""
    parts: tuple[PreviewShare, ...] = ()
    over: bool = False
    asks: bool = False
    short: str = ""
    qr: str = ""
    wrong: tuple[str, ...] = ()


def visitor_of(form: Mapping[str, str]) -> dict[str, str]:
    """The visitor of the preview, by field."""
    return {name: form.get(f"as.{name}", "").strip()[:_LONGEST] for name in VISITOR}


def preview_of(link: ShortLink, visitor: Mapping[str, str], settings: Settings, clock: Clock) -> Preview:
    """The preview of a link for a visitor."""
    found = replace(_short(link, settings), visitor=visitor, asks=link.password is not None)
    if not link.target_url:
        return found
    query = visitor["query"].removeprefix("?")
    choice = redirected_to(link, _visit(visitor), query)
    return replace(
        found,
        url=choice.url,
        because=_because(choice),
        parts=_parts(link, query) if choice.variant else (),
        over=link.expires_at is not None and link.expires_at <= clock.now(),
    )


def _short(link: ShortLink, settings: Settings) -> Preview:
    """The short URL and its QR code, if the slug is valid."""
    if not slugs.is_slug(link.slug):
        return Preview({})
    short = short_url(link.domain, link.slug, settings)
    picture = base64.b64encode(qr_routes.qr_picture(short, "svg", scale=4)).decode()
    return Preview({}, short=short, qr=f"data:image/svg+xml;base64,{picture}")


def _visit(visitor: Mapping[str, str]) -> TargetVisit:
    code, name = countries.find(visitor["country"])
    return TargetVisit(
        person="",
        country=name,
        country_code=code,
        device=visitor["device"] or _device_of(visitor["system"]),
        system=visitor["system"],
        language=visitor["language"],
    )


def _device_of(system: str) -> str:
    """The usual device of a system, unless one is given."""
    if not system:
        return ""
    return "mobile" if system in {"iOS", "Android"} else "desktop"


def _because(choice: TargetChoice) -> str:
    words = _BECAUSE
    if choice.rule:
        return words.get(choice.rule) or words["rule"].format(name=figures.visible(choice.rule))
    if choice.app:
        app = APPS.get(choice.app)
        return words["app"].format(name=app.name if app is not None else choice.app)
    return words[""]


def _parts(link: ShortLink, query: str) -> tuple[PreviewShare, ...]:
    """All variants, because a visitor gets a random one."""
    found = live(link, 0)
    total = sum(variant.weight for variant in found.variants)
    return tuple(
        PreviewShare(
            figures.visible(variant.name),
            figures.percent(100 * variant.weight / total),
            forward_query(variant.targetUrl, query, found.query_forwarding),
        )
        for variant in found.variants
    )
