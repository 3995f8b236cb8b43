"""What the code does not say of itself about short URLs (wire 7.3), which no table of routes has."""

from typing import Any, Final

from analytics_box.links.short_url import PREFIX
from analytics_box.openapi.described import Described

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
    "The target: by the first rule that holds, else that of the phone's system, else a variant of the test, else the "
    "link's own. Nothing of the request can name it; `queryForwarding` adds parameters at most."
)
_FOLLOWED: Final = {
    301: "The same as 302, where the link's `redirectStatus` is 301.",
    302: f"{_WHERE} Also: where a link leads that is over (`expiredRedirectUrl`), where unknown slugs lead on a domain "
    "of short links (`notFoundUrl`), and for programs that make previews the page of the preview.",
    304: "The browser knows the target already (If-None-Match); not a click.",
    307: "The same as 302, where `redirectStatus` is 307.",
    308: "The same as 302, where `redirectStatus` is 308.",
}
_REFUSED: Final = (404, 405, 410)
_PAGE: Final = "text/html"

LINKS: Final[dict[tuple[str, str], Described]] = {
    ("GET", f"{PREFIX}{{slug}}"): Described(
        _TAG,
        "Open a short link",
        "A visit of a person is a click. Bots, previews and prefetches are redirected as well and counted apart. "
        "On a domain of short links the same is at `/{slug}`. With 200 comes a page: the form of a link with a "
        "password, on a phone one that opens the link's app, or the preview for Office, which looks links up first.",
        parameters=(_SLUG, _KNOWN),
        errors=_REFUSED,
        moved=_FOLLOWED,
        answer=str,
        media=_PAGE,
    ),
    ("HEAD", f"{PREFIX}{{slug}}"): Described(
        _TAG,
        "Target of a short link",
        "Answers like GET without a body, and is never a click.",
        parameters=(_SLUG, _KNOWN),
        errors=_REFUSED,
        moved=_FOLLOWED,
        empty={200: "The link asks for a password, or opens an app."},
    ),
    ("POST", f"{PREFIX}{{slug}}"): Described(
        _TAG,
        "Open a short link with its password, or pass a request on to its target",
        "For links with a password, and for those whose `redirectStatus` is 307 or 308, which also pass on `PUT`, "
        "`PATCH` and `DELETE`; others answer 405. Passwords: `limit_link_passwords` (10) a minute for an address. "
        "A click counts once the password is right.",
        parameters=(_SLUG,),
        form={"password": "The password."},
        errors=(*_REFUSED, 403, 408, 413),
        moved={
            302: "The target of an expired link (`expiredRedirectUrl`), or of unknown slugs (`notFoundUrl`).",
            303: f"The password is right. {_WHERE}",
            **dict.fromkeys((307, 308), "The target, to which the client sends the same request."),
        },
        answer=str,
        media=_PAGE,
    ),
    ("GET", f"{PREFIX}{{slug}}/preview"): Described(
        _TAG,
        "What a short link looks like where people share it",
        "The values of `ogTitle` and the like for bots, and for people a button that goes on to the target. It asks "
        "for no password. Of a link that has one it shows only a placeholder for its title.",
        parameters=(_SLUG,),
        errors=_REFUSED,
        moved={302: "The target of an expired link, or of unknown slugs."},
        answer=str,
        media=_PAGE,
    ),
}
