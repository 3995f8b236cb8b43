"""The source of a session (semantics 17): utm_source, else source, ref, a click id, else the referrer's host."""

import ipaddress
import re
from functools import lru_cache
from importlib import resources
from typing import NamedTuple

from analytics_box.base.urls import url_parts
from analytics_box.web.recognition.known_sources import DIRECT, PAID, Kind, known_sources, plain


class ClickId(NamedTuple):
    """The network that adds a parameter, and the medium that it implies; empty if paid and free clicks both have it."""

    source: str
    medium: str = ""


# In the order of precedence: a page may have several.
CLICK_IDS = {
    "gclid": ClickId("Google", "cpc"),
    "gbraid": ClickId("Google", "cpc"),
    "wbraid": ClickId("Google", "cpc"),
    "dclid": ClickId("Google", "display"),
    "msclkid": ClickId("Bing", "cpc"),
    "yclid": ClickId("Yandex", "cpc"),
    "ttclid": ClickId("TikTok", "paid"),
    "twclid": ClickId("Twitter", "paid"),
    "li_fat_id": ClickId("LinkedIn", "paid"),
    "rdt_cid": ClickId("Reddit", "paid"),
    "sccid": ClickId("Snapchat", "paid"),
    "tblci": ClickId("Taboola", "cpc"),
    "fbclid": ClickId("Facebook"),
    "igshid": ClickId("Instagram"),
    "igsh": ClickId("Instagram"),
    "epik": ClickId("Pinterest"),
    "ysclid": ClickId("Yandex"),
    "srsltid": ClickId("Google", "organic"),
    "mc_cid": ClickId("Mailchimp", "email"),
    "mc_eid": ClickId("Mailchimp", "email"),
    "_hsenc": ClickId("HubSpot", "email"),
    "mkt_tok": ClickId("Marketo", "email"),
    "vero_id": ClickId("Vero", "email"),
    "_kx": ClickId("Klaviyo", "email"),
}
# Other parameters of such kinds, which tell nothing of the source.
_COMPANIONS = {
    *("gclsrc", "gad_source", "gad_campaignid", "s_kwcid", "ef_id", "wickedid", "irclickid", "oly_enc_id", "gs_l"),
    *("oly_anon_id", "rb_clickid", "vero_conv", "_hsmi", "__hssc", "__hstc", "__hsfp", "hsctatracking", "_gl", "_ga"),
    *("_openstat", "fb_action_ids", "fb_action_types", "fb_source", "ga_source", "ga_medium", "ga_campaign", "dm_i"),
    *("msockid", "ml_subscriber", "ml_subscriber_hash", "bsft_clkid", "guccounter"),
}


def is_tracking(parameter: str) -> bool:
    """Whether a parameter of an address only serves to follow a click; in lower case."""
    return parameter in CLICK_IDS or parameter.startswith("utm_") or parameter in _COMPANIONS


_LONGEST_HOST = 253  # characters (RFC 1035)
_REMEMBERED = 5_000  # hosts: 3 MB at most
_SECOND_LEVELS = {"ac", "co", "com", "edu", "gob", "gov", "ne", "net", "or", "org"}  # example.co.uk
_OF_COMPANIES = {"co", "com"}
# What is in front of a host without making it another: www, its forms for phones, its search, a country.
_FORM = re.compile(r"www\d*|m|mobile|touch|search|[a-z]{2}(?:-[a-z]{2})?")
_NO_COUNTRY = {"ad", "ai", "go", "hi", "hr", "id", "im", "io", "ir", "me", "my", "pr", "qa", "tv"}  # id.vk.com signs in
_NO_COUNTRY_DOMAIN = {"ai", "io", "tv"}  # sold to everyone; google.tv and amazon.ai are no search and no shop
_NO_MEMBER = {"about", "accounts", "api", "blog", "business", "docs", "help", "login", "status", "support", "www"}
_MAIL = re.compile(r"(?:e-?|my|web)?mail\d*[a-z]?|messagerie|owa|poczta|roundcube|zimbra")
_TALK = {"groups", "messages"}
_PAID_ENDS = ("adwords", "advertising", "ads", "paid", "ppc", "cpc")
_PAID_STARTS = ("paid", "ppc", "cpc")


def source(*, utm_source: str, click_id: str, referrer_host: str, own_domain: str) -> str:
    """The name of a session's source; Direct where nothing says otherwise."""
    if utm_source:
        return name_of_tag(utm_source) or utm_source
    if click_id in CLICK_IDS:
        return CLICK_IDS[click_id].source
    if not referrer_host or is_own(referrer_host, own_domain) or is_local(referrer_host):
        return DIRECT
    return name_of_host(referrer_host)


@lru_cache(maxsize=_REMEMBERED)
def name_of_host(host: str) -> str:
    """The known name of a referrer's host, else the host without www (semantics 18).

    A known name stands for its host and for the forms and country domains of that. What else such a company has on
    subdomains (documents, sign-in, consoles) is its own source. Web mail goes by the name of its provider.
    """
    host = host.lower().rstrip(".").removeprefix("www.")
    if len(host) > _LONGEST_HOST:
        return host
    labels = host.split(".")
    return _name_of_form(labels) or _name_of_mail(labels) or host


def _name_of_form(labels: list[str]) -> str:
    """The name of what these labels are a form of; empty if that is unknown."""
    for first in range(len(labels) - 1):
        rest = labels[first:]
        name = _known_host(rest)
        if name:
            return name
        if not _FORM.fullmatch(rest[0]) or rest[0] in _NO_COUNTRY:
            # Whatever stands before a search belongs to it: image.search.example.
            return _known_host(rest[1:]) if rest[1] == "search" else ""
    return ""


def _known_host(labels: list[str]) -> str:
    """The name of exactly this host, or of the pattern that it fits; empty if there is none."""
    hosts = known_sources().hosts
    host, last = ".".join(labels), labels[-1]
    if host in hosts:
        return hosts[host]
    if last == "com" or (len(last) == 2 and last not in _NO_COUNTRY_DOMAIN):
        second = len(labels) > 2 and last != "com" and labels[-2] in _OF_COMPANIES
        pattern = ".".join(labels[: -2 if second else -1]) + ".{}"
        if pattern in hosts:
            return hosts[pattern]
    if len(labels) > 2:
        first, above = labels[0], host[len(labels[0]) :]
        if len(first) == 2 and "{}" + above in hosts:
            return hosts["{}" + above]
        if first not in _NO_MEMBER:
            return hosts.get("*" + above, "")
    return ""


def _name_of_mail(labels: list[str]) -> str:
    """The known provider of this web mail, else its host; empty if it is none."""
    at = _mail_at(labels)
    if at < 0:
        return ""
    return _known_host(["mail", *labels[at + 1 :]]) or ".".join(labels[at:])


def _mail_at(labels: list[str]) -> int:
    """The index of the label that marks this host as web mail, or -1: the one before the domain (mail.example.co.uk).

    For an app it is the last (com.example.mail), and the whole name is kept.
    """
    if len(labels) < 3:
        return -1
    if labels[-1] == "mail":
        return 0
    at = len(labels) - (4 if labels[-2] in _SECOND_LEVELS and len(labels[-1]) == 2 else 3)
    return at if at >= 0 and _MAIL.fullmatch(labels[at]) else -1


def name_of_tag(tag: str) -> str:
    """The known name behind a utm_source, which may be a name, a host or a URL; empty if there is none."""
    return _known_tag(tag)[0]


def says_paid(tag: str) -> bool:
    """Whether a utm_source is a network's name for its advertising: "google ads", "adwords" (semantics 18)."""
    return _known_tag(tag)[1]


@lru_cache(maxsize=2_000)
def _known_tag(tag: str) -> tuple[str, bool]:
    """The known name that a tag means, and whether it says that someone paid."""
    word = plain(tag)
    name = _source_name(word)
    if name:
        return name, False
    name = PAID.get(word) or _ad_network(word)
    if name:
        return name, True
    if "." not in tag:
        return "", False
    name = name_of_host(host_of(tag if "://" in tag else f"//{tag}"))
    return (name if name in known_sources().kinds or kind_of(name) != "unknown" else ""), False


def _ad_network(word: str) -> str:
    """The known name of the network whose advertising this is; empty if it is none."""
    name = ""
    if word.endswith(_PAID_ENDS):
        name = _source_name(word.removesuffix(next(end for end in _PAID_ENDS if word.endswith(end))))
    elif word.startswith(_PAID_STARTS):
        name = _source_name(word.removeprefix(next(start for start in _PAID_STARTS if word.startswith(start))))
    return "" if kind_of(name) in {"direct", "email"} else name


def _source_name(word: str) -> str:
    names = known_sources().names
    return names.get(word) or names.get(word.removesuffix("com"), "")


def kind_of(name: str) -> Kind:
    """The kind of source with this name."""
    if name == DIRECT:
        return "direct"
    kind = known_sources().kinds.get(name)
    if kind is not None or "." not in name:
        return kind or "unknown"
    labels = name.split(".")
    if _mail_at(labels) >= 0:
        return "email"
    return "social" if labels[0] in _TALK and len(labels) > 2 and _known_host(labels[1:]) else "unknown"


def domain_of(name: str) -> str:
    """The domain of a source: its own where the name is a host, empty if there is none."""
    if name == DIRECT:
        return ""
    return known_sources().domains.get(name, name if "." in name and " " not in name else "")


def is_own(host: str, domain: str) -> bool:
    """Whether the host is the site's own domain, its www form or a subdomain of it."""
    host, domain = host.lower().rstrip(".").removeprefix("www."), domain.lower().removeprefix("www.")
    return bool(domain) and (host == domain or host.endswith("." + domain))


@lru_cache(maxsize=1)
def _spammers() -> frozenset[str]:
    text = resources.files("analytics_box.web.recognition").joinpath("data/spammers.txt").read_text("utf-8")
    return frozenset(text.lower().split())


@lru_cache(maxsize=_REMEMBERED)
def is_spam(host: str) -> bool:
    """Whether this referrer only wants to be seen in statistics: the host, or one that it belongs to, is listed."""
    labels = host.lower().rstrip(".").split(".")
    return any(".".join(labels[first:]) in _spammers() for first in range(len(labels) - 1))


@lru_cache(maxsize=2_000)
def is_local(host: str) -> bool:
    """localhost, *.local and addresses that are not on the internet."""
    host = host.rstrip(".")
    if host == "localhost" or host.endswith((".localhost", ".local")):
        return True
    if ":" not in host and not host[-1:].isdigit():
        return False  # a name, and the question below is slow for those
    try:
        return not ipaddress.ip_address(host.strip("[]")).is_global
    except ValueError:
        return False


def host_of(url: str) -> str:
    """The host of a URL in lower case, without a dot at its end; empty if there is none or it is longer than names
    can be."""
    host = (url_parts(url).hostname or "").lower().removesuffix(".")
    return host if len(host) <= _LONGEST_HOST else ""
