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
from analytics_box.base.translation import _
from analytics_box.base.urls import url_parts
from analytics_box.products.links.slugs import PREFIX

# Scripts that are written together in one word.
_TOGETHER: Final = (
    {"LATIN", "CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA"},
    {"LATIN", "CJK", "HANGUL"},
    {"LATIN", "CJK", "BOPOMOFO"},
)
# Letters with a Latin twin, by script.
_TWINS: Final = {
    "CYRILLIC": frozenset("асԁеһіјӏорԛѕԝхуҽпгѵѡ"),
    "GREEK": frozenset("αικνορτυχγωηβ"),
    "ARMENIAN": frozenset("գզհոսւօցյո"),
}
_INVISIBLE: Final = frozenset("\u0300\u0301\u0307\u0308\u0323\u0327\u0335\u0337\u0338")  # marks that are overlooked


def looks_like_another(host: str) -> bool:
    """Whether a host, as written or in punycode, has a label that is taken for another one."""
    labels = [_in_unicode(label) for label in host.rstrip(".").split(".")]
    return any(_deceives(label, labels[-1]) for label in labels)


def _deceives(label: str, top: str) -> bool:
    """A label below a top-level domain of its own script (москва.рф) is what it seems to be."""
    if label.isascii():
        return False
    plain = unicodedata.normalize("NFKC", label).lower()
    if any(letter in _INVISIBLE for letter in plain):
        return True  # no single letter stands for it: a mark on a letter that never has it
    scripts = {unicodedata.name(letter, "UNKNOWN").split(" ", 1)[0] for letter in plain if letter.isalpha()}
    if len(scripts) > 1 and not any(scripts <= group for group in _TOGETHER):
        return True
    if len(scripts) != 1 or not top.isascii():
        return False
    twins = _TWINS.get(next(iter(scripts)))
    return twins is not None and all(letter in twins for letter in plain if letter.isalpha())


def _in_unicode(label: str) -> str:
    if not label.lower().startswith("xn--"):
        return label
    try:
        return label[4:].encode("ascii").decode("punycode")
    except UnicodeError:
        return label


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
        raise AddressRefused(_("The URL is longer than {longest} characters").format(longest=LONGEST))
    if any(unicodedata.category(letter) in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"} for letter in text):
        raise AddressRefused(_("The URL contains control or text-direction characters"))
    scheme = text.partition(":")[0].strip().lower()
    if "://" not in text or scheme not in {"http", "https"}:
        raise AddressRefused(_("Enter a full http or https URL, such as https://example.com/path"))
    address, sharp, fragment = text.partition("#")
    if looks_like_another(_written_host(address)):
        raise AddressRefused(_("The domain mixes scripts and looks like another domain"))
    found = outgoing.target(address)
    _check_host(found, policy)
    url = found.url + (f"#{quote(fragment, safe=_FRAGMENT)}" if sharp else "")
    if len(url) > LONGEST:
        raise AddressRefused(
            _("The URL is longer than {longest} characters once it is written in ASCII").format(longest=LONGEST)
        )
    return url


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
        raise AddressRefused(_("This host is in a private network. Enter a public URL"))
    if host in policy.link_domains:
        raise AddressRefused(_("This is a short-link domain. A link cannot redirect to another short link"))
    if host in policy.own_hosts and _tidy(found.path).startswith(PREFIX):
        raise AddressRefused(_("This is a short link. A link cannot redirect to another short link"))


def _tidy(path: str) -> str:
    """A path as browsers and servers understand it: decoded, without dot segments and doubled slashes."""
    return "/" + posixpath.normpath(unquote(path.partition("?")[0])).lstrip("/") + "/"


def _is_of_app(text: str, schemes: tuple[str, ...]) -> bool:
    scheme, colon, rest = text.partition(":")
    plain = text.isascii() and text.isprintable() and not set(text) & set(" \"'<>\\^`{|}")
    known = scheme.lower() in schemes and scheme.lower() not in _NEVER
    return bool(colon) and bool(rest) and plain and len(text) <= LONGEST and known
