"""Descriptions of short URLs (wire 7.3), which no table of routes has."""

from typing import Any, Final

from analytics_box.app.openapi.described import RouteDescription
from analytics_box.products.links.slugs import PREFIX

Schema = dict[str, Any]

_TAG: Final = "Short URLs"
_SLUG: Final[Schema] = {
    "name": "slug",
    "in": "path",
    "required": True,
    "description": "The link's slug.",
    "schema": {"type": "string", "pattern": "^[A-Za-z0-9_-]{3,50}$"},
}
_KNOWN: Final[Schema] = {
    "name": "If-None-Match",
    "in": "header",
    "description": "The ETag of an earlier redirect.",
    "schema": {"type": "string"},
}
_WHERE: Final = (
    "The destination of the first matching rule, otherwise of the phone's system, otherwise of an A/B test variant, "
    "otherwise the link's own. `queryForwarding` can add query parameters."
)
_FOLLOWED: Final = {
    301: "As 302, if the link's `redirectStatus` is 301.",
    302: f"{_WHERE} Expired links redirect to `expiredRedirectUrl`, unknown slugs of a link domain to `notFoundUrl`, "
    "and programs that create previews to the preview page.",
    304: "The browser already has the destination (If-None-Match). Not counted as a click.",
    307: "As 302, if `redirectStatus` is 307.",
    308: "As 302, if `redirectStatus` is 308.",
}
_REFUSED: Final = (404, 405, 410)
_PAGE: Final = "text/html"

LINKS: Final[dict[tuple[str, str], RouteDescription]] = {
    ("GET", f"{PREFIX}{{slug}}"): RouteDescription(
        _TAG,
        "Open a short link",
        "Human visits are counted as clicks. Bots, previews and prefetches are redirected as well and counted "
        "separately. On a link domain, the path is `/{slug}`. A 200 is a page: the password form, a page that opens "
        "the link's app on a phone, or the preview for Office.",
        parameters=(_SLUG, _KNOWN),
        errors=_REFUSED,
        moved=_FOLLOWED,
        answer=str,
        media=_PAGE,
    ),
    ("HEAD", f"{PREFIX}{{slug}}"): RouteDescription(
        _TAG,
        "Destination of a short link",
        "Same as GET, without a body. Never counts as a click.",
        parameters=(_SLUG, _KNOWN),
        errors=_REFUSED,
        moved=_FOLLOWED,
        empty={200: "The link asks for a password, or opens an app."},
    ),
    ("POST", f"{PREFIX}{{slug}}"): RouteDescription(
        _TAG,
        "Open a short link with its password, or forward a request to its destination",
        "For links with a password, and for links whose `redirectStatus` is 307 or 308, which also accept `PUT`, "
        "`PATCH` and `DELETE`; other links answer 405. Passwords can be tried `limit_link_passwords` (10) times a "
        "minute per IP address. A click counts once the password is correct.",
        parameters=(_SLUG,),
        form={"password": "The password."},
        errors=(*_REFUSED, 403, 408, 413),
        moved={
            302: "The destination of an expired link (`expiredRedirectUrl`), or of unknown slugs (`notFoundUrl`).",
            303: f"The password is correct. {_WHERE}",
            **dict.fromkeys((307, 308), "The destination, to which the client sends the same request."),
        },
        answer=str,
        media=_PAGE,
    ),
    ("GET", f"{PREFIX}{{slug}}/preview"): RouteDescription(
        _TAG,
        "Preview of a short link",
        "For bots, the values of `ogTitle` and the other preview fields; for visitors, a button that continues to the "
        "destination. No password is required: the preview of a protected link shows only a placeholder title.",
        parameters=(_SLUG,),
        errors=_REFUSED,
        moved={302: "The destination of an expired link, or of unknown slugs."},
        answer=str,
        media=_PAGE,
    ),
}
