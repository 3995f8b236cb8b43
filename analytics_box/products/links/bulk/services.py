"""Files of other link shorteners, by their own column names: Bitly, Dub, Kutt, Shlink and YOURLS. Pure.

A service has its own words for a short link. Its reader turns a row in these words into fields of a link, slug first:
a row whose short address cannot be kept is refused, so that no printed link dies unnoticed.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct

from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _
from analytics_box.products.links.bulk.cells import slug_and_domain

Row = Mapping[str, Any]  # by names in lower case without spaces, _ and -; empty values are left out
Fields = dict[str, Any]

_LONGEST_NAME: Final = 255
_LONGEST_LABEL: Final = 64
_MOST_ADDRESSES: Final = 20  # of one link
_OF_BITLY: Final = frozenset(("bit.ly", "bitly.com", "j.mp", "bitly.is"))
_TRUE: Final = frozenset(("true", "yes", "1", "t"))
_UTM: Final = {f"utm{name}": f"utm{name.capitalize()}" for name in ("source", "medium", "campaign", "term", "content")}
# Of no meaning here: who made a link, when, and how often it was clicked.
_QUIET: Final = frozenset(
    (
        *("id", "linkid", "uuid", "userid", "user", "creator", "createdby", "createdat", "created", "updatedat"),
        *("datecreated", "timestamp", "ip", "clicks", "hits", "visits", "visitcount", "visitscount", "visitssummary"),
        *("totalclicks", "engagements", "totalengagements", "lastclicked", "leads", "conversions", "sales"),
        *(
            "saleamount",
            "archived",
            "crawlable",
            "qrcode",
            "workspaceid",
            "projectid",
            "folderid",
            "tagid",
            "publicstats",
        ),
        *(
            "clickhistory",
            "relativecreatedat",
            "relativeexpirein",
            "references",
            "clientid",
            "doindex",
            "trackconversion",
        ),
    )
)


class Service(Struct, frozen=True):
    """A link shortener. A row of its files has all names of one of `signs`; `words` are those that its reader knows."""

    name: str
    signs: tuple[frozenset[str], ...]
    words: frozenset[str]
    read: Callable[[Row], list[Fields]]

    def ignores(self, name: str, value: Any = True) -> bool:
        """Whether something with this name is lost."""
        return name not in self.words and name not in _QUIET and value is not False and not _is_nothing(value)


def service_of(given: Iterable[str]) -> Service | None:
    """The service whose file has these names; None for a file that is none of theirs, or in the words of this box."""
    names = frozenset(given)
    if "targeturl" in names or "slug" in names:
        return None
    return next((each for each in SERVICES if any(signs <= names for signs in each.signs)), None)


def fields_of(service: Service, row: Mapping[str, Any]) -> list[Fields]:
    """The fields of the links that a row is about. Raises BadRequest for one that would not be the same here."""
    links = service.read({name: value for name, value in row.items() if not _is_nothing(value)})
    if "clickhistory" in row and len(links) == 1:
        links[0]["clickHistory"] = row["clickhistory"]
    for link in links:
        if isinstance(name := link.get("name"), str):
            link["name"] = " ".join(name.split())[:_LONGEST_NAME]
    return links


def _is_nothing(value: Any) -> bool:
    return value in (None, "", [], {}) or (isinstance(value, str) and not value.strip())


def _bitly(row: Row) -> list[Fields]:
    """A link for each address: of its own, and custom ones. Those of Bitly itself cannot be moved."""
    own = row.get("link") or row.get("bitlink") or row.get("shortlink") or row.get("id")
    custom = row.get("custombitlinks") or [row.get("customlink") or row.get("custombitlink")]
    if not isinstance(custom, list) or len(custom) > _MOST_ADDRESSES:
        raise BadRequest.about(
            "custom_bitlinks", _("Enter a list of up to {most} addresses").format(most=_MOST_ADDRESSES)
        )
    slug, domain = row.get("custombackhalf") or row.get("backhalf"), row.get("customdomain") or row.get("domain")
    places = [slug_and_domain(None, None, one) for one in (*custom, own) if one]
    if slug:
        places.append(slug_and_domain(slug, domain, own))
    of_others = [place for place in places if place.get("domain") not in _OF_BITLY]
    same = {"targetUrl": row.get("longurl") or row.get("destinationurl"), "name": row.get("title")}
    tags = _tags(row.get("tags"), ",")
    unique = {(place["slug"], place.get("domain")): place for place in of_others or places[:1] or [{"slug": None}]}
    return [{**place, **same, "tags": tags} for place in unique.values()]


def _dub(row: Row) -> list[Fields]:
    if row.get("key") == "_root":
        raise BadRequest.about("slug", _("This is the destination of the bare domain. Set it under Domains"))
    _refuse_disabled(row, "disabledat")
    phones = [system for name, system in (("ios", "iOS"), ("android", "Android")) if name in row]
    has_card = is_true(row["proxy"]) if "proxy" in row else "image" in row
    card = {"ogTitle": row.get("title"), "ogDescription": row.get("description"), "ogImageUrl": row.get("image")}
    return [
        {
            **slug_and_domain(row.get("key"), row.get("domain"), row.get("shortlink")),
            "targetUrl": row.get("url") or row.get("destinationurl"),
            "name": row.get("title"),
            "tags": _tags(row.get("tags") or row.get("tagnames"), ","),
            "password": row.get("password"),
            "expiresAt": row.get("expiresat"),
            "expiredRedirectUrl": row.get("expiredurl"),
            "iosUrl": row.get("ios"),
            "androidUrl": row.get("android"),
            "externalId": row.get("externalid"),
            "rules": _countries(row.get("geo"), phones),
            "variants": _variants(row.get("testvariants")) if "testcompletedat" not in row else None,
            **{own: row.get(name) for name, own in _UTM.items()},
            **(card if has_card else {}),
        }
    ]


def _countries(geo: Any, phones: list[str]) -> list[Fields]:
    """Targets by country as rules. Phones with their own target come before them at Dub, and after them here."""
    geo = _inner(geo, "geo")
    if geo is None:
        return []
    if not isinstance(geo, dict):
        raise BadRequest.about("geo", _('Enter countries with their URLs, such as {"DE": "https://example.com/de"}'))
    codes = defaultdict[str, list[str]](list)
    for code, url in geo.items():
        codes[str(url)].append(str(code))
    others = [{"property": "system", "operator": "not_in", "values": phones}] if phones else []
    return [
        {
            "name": ", ".join(found)[:_LONGEST_LABEL],
            "targetUrl": url,
            "conditions": [{"property": "country", "operator": "in", "values": found}, *others],
        }
        for url, found in codes.items()
    ]


def _variants(given: Any) -> list[Fields] | None:
    tests = _inner(given, "testVariants")
    if tests is None:
        return None
    try:
        return [
            {"name": f"{number}", "targetUrl": test["url"], "weight": round(float(test["percentage"]))}
            for number, test in enumerate(tests, 1)
        ]
    except (TypeError, KeyError, ValueError) as wrong:
        raise BadRequest.about("testVariants", _("Each variant of a test needs a url and a percentage")) from wrong


def _kutt(row: Row) -> list[Fields]:
    _refuse_disabled(row, "banned")
    return [
        {
            **slug_and_domain(row.get("address"), row.get("domain"), row.get("link")),
            "targetUrl": row.get("target"),
            "name": row.get("description"),
            "expiresAt": row.get("expirein"),
            "protected": "password" in row
            and not _is_false(row["password"]),  # of which it only tells that there is one
        }
    ]


def _shlink(row: Row) -> list[Fields]:
    meta, devices = _object(row.get("meta")), _object(row.get("devicelongurls"))
    desktop = devices.get("desktop")
    return [
        {
            **slug_and_domain(row.get("shortcode"), row.get("domain"), row.get("shorturl")),
            "targetUrl": row.get("longurl"),
            "name": row.get("title"),
            "tags": _tags(row.get("tags"), "|"),
            "expiresAt": meta.get("validUntil") or row.get("validuntil"),
            "maxClicks": _remaining_visits(meta.get("maxVisits") or row.get("maxvisits"), row),
            "queryForwarding": "override" if is_true(row.get("forwardquery")) else None,
            "iosUrl": devices.get("ios"),
            "androidUrl": devices.get("android"),
            "rules": [
                {
                    "name": "desktop",
                    "targetUrl": desktop,
                    "conditions": [{"property": "device", "operator": "equals", "value": "desktop"}],
                }
            ]
            if desktop
            else [],
        }
    ]


def _object(given: Any) -> Row:
    return given if isinstance(given, dict) else {}


def _remaining_visits(most: Any, row: Row) -> Any:
    """The visits that are left of a limit. Raises BadRequest if none is."""
    summary = row.get("visitssummary")
    had = summary.get("total") if isinstance(summary, dict) else row.get("visitscount") or row.get("visits")
    try:
        left = int(most) - int(had or 0)
    except (TypeError, ValueError):
        return most
    if left < 1:
        raise BadRequest.about("maxClicks", _("This link has used up its visits"))
    return left


def _yourls(row: Row) -> list[Fields]:
    short = row.get("shorturl")
    slug = row.get("keyword") or (row["source"].strip(" /") if isinstance(row.get("source"), str) else None)
    return [
        {
            **slug_and_domain(slug, None, short),
            "targetUrl": row.get("url") or row.get("target"),
            "name": row.get("title"),
        }
    ]


def _refuse_disabled(row: Row, name: str) -> None:
    if name in row and not _is_false(row[name]):
        raise BadRequest(_("This link is disabled at the other service"))


def is_true(value: Any) -> bool:
    """Return whether a value of a file or a column means true."""
    return value is True or str(value).strip().lower() in _TRUE


def _is_false(value: Any) -> bool:
    return value is False or str(value).strip().lower() in {"false", "no", "0", ""}


def _inner(given: Any, name: str) -> Any:
    """A value that is JSON in a cell. Raises BadRequest."""
    if not isinstance(given, str):
        return given
    try:
        return msgspec.json.decode(given)
    except (msgspec.MsgspecError, RecursionError) as wrong:
        raise BadRequest.about(name, _("This is not valid JSON")) from wrong


def _tags(given: Any, separator: str) -> Any:
    """The names of tags: texts, objects with a name, or one text of all."""
    if isinstance(given, str):
        given = _inner(given, "tags") if given.lstrip().startswith("[") else given.split(separator)
    if not isinstance(given, list):
        return given
    names = [tag.get("name") if isinstance(tag, dict) else tag for tag in given]
    return [name.strip() if isinstance(name, str) else name for name in names if name not in (None, "")]


def _signs(*names: str) -> frozenset[str]:
    return frozenset(names)


SERVICES: Final = (
    Service(
        "YOURLS",
        (
            *(_signs("keyword", "url", more) for more in ("timestamp", "ip", "clicks")),
            _signs("shorturl", "url", "timestamp"),
            _signs("source", "target", "hits"),
        ),
        _signs("keyword", "url", "title", "shorturl", "source", "target"),
        _yourls,
    ),
    Service(
        "Shlink",
        (_signs("shortcode", "longurl"),),
        _signs(
            *("shortcode", "shorturl", "longurl", "title", "tags", "domain", "meta", "validuntil", "maxvisits"),
            *("forwardquery", "devicelongurls"),
        ),
        _shlink,
    ),
    Service(
        "Kutt",
        (_signs("address", "target"),),
        _signs("address", "target", "link", "domain", "description", "expirein", "password", "banned"),
        _kutt,
    ),
    Service(
        "Dub",
        (_signs("key", "url", "domain"), _signs("key", "url", "shortlink"), _signs("shortlink", "destinationurl")),
        _signs(
            *("key", "url", "destinationurl", "shortlink", "domain", "title", "description", "image", "proxy", "tags"),
            *("tagnames", "password", "expiresat", "expiredurl", "ios", "android", "geo", "externalid", "testvariants"),
            *("testcompletedat", "disabledat", *_UTM),
        ),
        _dub,
    ),
    Service(
        "Bitly",
        tuple(
            _signs(short, long)
            for short in ("link", "bitlink", "customlink", "custombitlink", "id", "custombackhalf")
            for long in ("longurl", "destinationurl")
        ),
        _signs(
            *("link", "bitlink", "shortlink", "id", "customlink", "custombitlink", "custombitlinks", "custombackhalf"),
            *("backhalf", "customdomain", "domain", "longurl", "destinationurl", "title", "tags"),
        ),
        _bitly,
    ),
)
