"""Valid destinations of links (security: redirects): http and https URLs of public hosts, written without tricks."""

import posixpath
import unicodedata
from collections.abc import Collection, Set
from typing import Final
from urllib.parse import quote, unquote

from msgspec import Struct

from analytics_box.base.errors import BadRequest
from analytics_box.base.outgoing import target as outgoing
from analytics_box.base.outgoing.addresses import Fence
from analytics_box.base.outgoing.failures import AddressRefused
from analytics_box.base.setting_values import NEVER_OPENED
from analytics_box.base.urls import url_parts
from analytics_box.products.links.short_url import PREFIX
from analytics_box.products.links.targeting.lookalikes import looks_like_another

LONGEST: Final = 2_048

_FRAGMENT = "!$&'()*+,;=:@/?-._~%"
_NEVER = NEVER_OPENED | {"http", "https"}
_PRIVATE_NAMES = (  # names that lead into a private network, or nowhere
    "localhost",
    "local",
    "internal",
    "intranet",
    "lan",
    "home",
    "corp",
    "private",
    "home.arpa",
    "invalid",
    "onion",
    "alt",
)


class TargetPolicy(Struct, frozen=True):
    """The policy for destinations: the box's own hosts, all link domains, and schemes of apps for phones."""

    fence: Fence
    own_hosts: Set[str]
    link_domains: Collection[str]
    app_schemes: tuple[str, ...] = ()

    def clean_url(self, given: str, *, field: str = "", app: bool = False) -> str:
        """The URL in its one spelling, as `clean` returns it. Raises BadRequest."""
        return clean(given, self, field=field, app=app)


def clean(given: str, policy: TargetPolicy, *, field: str, app: bool = False) -> str:
    """The URL in its one spelling, all ASCII. With `app` it may have a scheme of `app_schemes`.

    Raises BadRequest, which says what is wrong without repeating the URL.
    """
    text = given.strip(" ")
    if app and _is_of_app(text, policy.app_schemes):
        return text
    try:
        return _clean(text, policy)
    except AddressRefused as wrong:
        raise BadRequest.about(field, str(wrong)) from wrong


def host_of(url: str) -> str:
    """The host of a checked URL."""
    return url_parts(url).hostname or ""


def _clean(text: str, policy: TargetPolicy) -> str:
    if len(text) > LONGEST:
        raise AddressRefused(f"The URL is longer than {LONGEST} characters")
    if any(_is_hidden(letter) for letter in text):
        raise AddressRefused("The URL contains control or text-direction characters")
    scheme = text.partition(":")[0].strip().lower()
    if "://" not in text or scheme not in {"http", "https"}:
        raise AddressRefused("Enter a full http or https URL, such as https://example.com/path")
    address, sharp, fragment = text.partition("#")
    if looks_like_another(_written_host(address)):
        raise AddressRefused("The domain mixes scripts and looks like another domain")
    found = outgoing.target(address)
    _check_host(found, policy)
    url = found.url + (f"#{quote(fragment, safe=_FRAGMENT)}" if sharp else "")
    if len(url) > LONGEST:
        raise AddressRefused(f"The URL is longer than {LONGEST} characters once it is written in ASCII")
    return url


def _is_hidden(letter: str) -> bool:
    return unicodedata.category(letter) in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


def _written_host(address: str) -> str:
    place = address.partition("://")[2]
    for end in "/?":
        place = place.partition(end)[0]
    return place.rpartition("@")[2].partition(":")[0]


def _check_host(found: outgoing.RequestTarget, policy: TargetPolicy) -> None:
    """Raises AddressRefused for private hosts and for short links."""
    host = found.host
    address = found.address
    if address is not None:
        policy.fence.check(address, found.port)
    elif "." not in host or any(host == name or host.endswith(f".{name}") for name in _PRIVATE_NAMES):
        raise AddressRefused("This host is in a private network. Enter a public URL")
    if host in policy.link_domains:
        raise AddressRefused("This is a short-link domain. A link cannot redirect to another short link")
    if host in policy.own_hosts and _tidy(found.path).startswith(PREFIX):
        raise AddressRefused("This is a short link. A link cannot redirect to another short link")


def _tidy(path: str) -> str:
    """A path as browsers and servers understand it: decoded, without dot segments and doubled slashes."""
    return "/" + posixpath.normpath(unquote(path.partition("?")[0])).lstrip("/") + "/"


def _is_of_app(text: str, schemes: tuple[str, ...]) -> bool:
    scheme, colon, rest = text.partition(":")
    plain = text.isascii() and text.isprintable() and not set(text) & set(" \"'<>\\^`{|}")
    known = scheme.lower() in schemes and scheme.lower() not in _NEVER
    return bool(colon) and bool(rest) and plain and len(text) <= LONGEST and known
