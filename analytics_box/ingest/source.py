"""Where a session came from (semantics 17): utm_source, else source, ref, a click id, else the referrer's host."""

import ipaddress
import json
from functools import lru_cache
from importlib import resources
from typing import Literal
from urllib.parse import urlsplit

from msgspec import Struct

from analytics_box.ingest.clicks import CLICK_IDS

Kind = Literal["direct", "search", "social", "ai", "email", "unknown"]

DIRECT = "Direct"
_LONGEST_HOST = 253  # characters (RFC 1035)

# What people write into utm_source, and hosts that the lists do not have.
ALIASES = {
    "fb": "Facebook",
    "ig": "Instagram",
    "x": "Twitter",
    "t.co": "Twitter",
    "x.com": "Twitter",
    "hn": "Hacker News",
    "hackernews": "Hacker News",
    "yt": "YouTube",
    "ddg": "DuckDuckGo",
    "yandex": "Yandex",
    "duck duck go": "DuckDuckGo",
    "openai": "ChatGPT",
    "chat gpt": "ChatGPT",
    "perplexity.ai": "Perplexity",
    "linked in": "LinkedIn",
    "insta": "Instagram",
    "tweet": "Twitter",
    "tik tok": "TikTok",
    "vk": "VK",
    "bing ads": "Bing",
    "adwords": "Google",
    "google ads": "Google",
    "googleads": "Google",
    "shopping.google.com": "Google Shopping",
    "facebook ads": "Facebook",
    "facebookads": "Facebook",
    "meta": "Facebook",
    "fb.me": "Facebook",
    "m.me": "Facebook",
    "fb.com": "Facebook",
    "ig.me": "Instagram",
    "redd.it": "Reddit",
    "pin.it": "Pinterest",
    "wa.me": "WhatsApp",
    "whatsapp.com": "WhatsApp",
    "com.whatsapp": "WhatsApp",
    "t.me": "Telegram",
    "org.telegram.messenger": "Telegram",
    "com.facebook.katana": "Facebook",
    "com.facebook.orca": "Facebook",
    "com.instagram.android": "Instagram",
    "com.twitter.android": "Twitter",
    "com.pinterest": "Pinterest",
    "com.zhiliaoapp.musically": "TikTok",
    "com.google.android.youtube": "YouTube",
    "com.slack": "Slack",
    "com.openai.chatgpt": "ChatGPT",
    "com.anthropic.claude": "Claude",
    "ai.perplexity.app.android": "Perplexity",
    "com.google.android.apps.bard": "Gemini",
    "com.microsoft.copilot": "Copilot",
    "copilot.com": "Copilot",
    "deepseek.com": "Deepseek",
    "poe.com": "Poe",
    "quora.com": "Quora",
    "app.slack.com": "Slack",
    "slack.com": "Slack",
    "teams.microsoft.com": "Microsoft Teams",
    "statics.teams.cdn.office.net": "Microsoft Teams",
    "youtu.be": "YouTube",
    "lnkd.in": "LinkedIn",
    "reddit": "Reddit",
    "out.reddit.com": "Reddit",
    "reddit.com": "Reddit",
    "com.google.android.googlequicksearchbox": "Google",
    "com.google.android.gm": "Gmail",
    "com.linkedin.android": "LinkedIn",
    "com.reddit.frontpage": "Reddit",
    "mail.google.com": "Gmail",
    "outlook.live.com": "Outlook",
    "mail.yahoo.com": "Yahoo! Mail",
    "mail.proton.me": "Proton Mail",
    "outlook.office.com": "Outlook",
    "outlook.office365.com": "Outlook",
    "outlook.com": "Outlook",
    "com.microsoft.office.outlook": "Outlook",
    "com.yahoo.mobile.client.android.mail": "Yahoo! Mail",
    "webmail.aol.com": "AOL Mail",
    "mail.aol.com": "AOL Mail",
    "mail.yandex.ru": "Yandex Mail",
    "mail.zoho.com": "Zoho Mail",
    "app.fastmail.com": "Fastmail",
    "mail.google": "Gmail",
}
_MORE_SOCIAL = {"Reddit", "WhatsApp", "Quora"}
_MORE_AI = {"Poe"}
EMAIL = {
    *("Gmail", "Outlook", "Yahoo! Mail", "Proton Mail", "AOL Mail", "Yandex Mail", "Zoho Mail", "Fastmail"),
    *("Mailchimp", "HubSpot", "Marketo", "Vero", "Klaviyo", "email", "newsletter"),
}
# Sites of shops and of films, of which the lists have none or call them something else (channel.py tells them apart).
SHOPS = {
    "Amazon": ("amazon.{}", "amzn.to", "com.amazon.mshop.android.shopping"),
    "eBay": ("ebay.{}", "com.ebay.mobile"),
    "Etsy": ("etsy.com", "com.etsy.android"),
    "Walmart": ("walmart.com", "walmart.ca"),
    "AliExpress": ("aliexpress.com", "aliexpress.ru"),
    "Alibaba": ("alibaba.com",),
    "Shopify": ("shop.app", "shopify.com"),
    "Rakuten": ("rakuten.{}",),
    "Mercado Libre": ("mercadolibre.com", "mercadolibre.{}", "mercadolivre.{}"),
    "Allegro": ("allegro.pl",),
    "Zalando": ("zalando.{}",),
    "Otto": ("otto.de",),
    "Flipkart": ("flipkart.com",),
    "Temu": ("temu.com",),
    "Shein": ("shein.com",),
    "idealo": ("idealo.{}",),
    "PriceRunner": ("pricerunner.{}",),
    "Best Buy": ("bestbuy.com",),
    "Target": ("target.com",),
    "Wayfair": ("wayfair.com",),
}
SCREENS = {
    "Dailymotion": ("dailymotion.com", "dai.ly"),
    "Twitch": ("twitch.tv",),
    "Netflix": ("netflix.com",),
    "Hulu": ("hulu.com",),
    "Disney+": ("disneyplus.com",),
    "TED": ("ted.com",),
    "Wistia": ("wistia.com", "wistia.net"),
    "Rumble": ("rumble.com",),
    "Odysee": ("odysee.com",),
    "Youku": ("youku.com",),
    "iQIYI": ("iqiyi.com",),
    "PeerTube": ("joinpeertube.org",),
}
# The hosts that stand for sources of which the lists have many, or none that people know.
DOMAINS = {
    "Google": "google.com",
    "Yahoo!": "yahoo.com",
    "Bing": "bing.com",
    "Twitter": "x.com",
    "Reddit": "reddit.com",
    "Pinterest": "pinterest.com",
    "Mastodon": "mastodon.social",
    "Gmail": "mail.google.com",
    "Outlook": "outlook.live.com",
    "Yahoo! Mail": "mail.yahoo.com",
    "Proton Mail": "mail.proton.me",
    "AOL Mail": "mail.aol.com",
    "Yandex Mail": "mail.yandex.ru",
    "Zoho Mail": "mail.zoho.com",
    "Fastmail": "fastmail.com",
    "Mailchimp": "mailchimp.com",
    "HubSpot": "hubspot.com",
    "Marketo": "marketo.com",
    "Vero": "getvero.com",
    "Klaviyo": "klaviyo.com",
    "Taboola": "taboola.com",
    "WhatsApp": "whatsapp.com",
    "Quora": "quora.com",
    "Poe": "poe.com",
    "Slack": "slack.com",
    "Microsoft Teams": "teams.microsoft.com",
    "Mercado Libre": "mercadolibre.com",
    "Shopify": "shopify.com",
}
SECOND_LEVELS = {"ac", "co", "com", "edu", "gob", "gov", "ne", "net", "or", "org"}  # google.co.uk, not google.github.io
LISTED_AS = {"reddit": "Reddit", "tumblr": "Tumblr", "Vkontakte": "VK"}  # names that we write differently


class Known(Struct, frozen=True):
    """The lists of known hosts and names, as look-up tables."""

    hosts: dict[str, str]  # host, or host with .{} for any top-level domain → name
    names: dict[str, str]  # lower-case name → name
    kinds: dict[str, Kind]  # name → kind
    domains: dict[str, str]  # name → the host that stands for it


@lru_cache(maxsize=1)
def known() -> Known:
    """The CC0 lists and our aliases."""
    lists = json.loads(resources.files("analytics_box.ingest").joinpath("data/sources.json").read_text("utf-8"))
    hosts: dict[str, str] = {}
    kinds: dict[str, Kind] = {}
    domains: dict[str, str] = {}
    kind: Kind
    for kind in ("search", "social", "ai"):
        for listed, entries in lists[kind].items():
            name = LISTED_AS.get(listed, listed)
            kinds[name] = kind
            for host in entries:
                hosts[host] = name
            plain = [host for host in entries if "{" not in host]
            if plain:
                word = name.lower().rstrip("!")
                domains[name] = min(plain, key=lambda host: (word not in host, host.count("."), len(host), host))
    more_kinds: tuple[tuple[set[str], Kind], ...] = ((EMAIL, "email"), (_MORE_SOCIAL, "social"), (_MORE_AI, "ai"))
    for named, kind in more_kinds:
        kinds |= dict.fromkeys(named, kind)
    for name, more in (SHOPS | SCREENS).items():
        kinds.setdefault(name, "unknown")
        hosts |= dict.fromkeys(more, name)
        domains.setdefault(name, next((host for host in more if "{" not in host), f"{name.lower()}.com"))
    kinds |= dict.fromkeys(("Slack", "Microsoft Teams", "Taboola"), "unknown")
    domains |= DOMAINS
    names = {name.lower(): name for name in kinds} | ALIASES
    hosts |= {key: name for key, name in ALIASES.items() if "." in key}
    return Known(hosts=hosts, names=names, kinds=kinds, domains=domains)


@lru_cache(maxsize=20_000)
def name_of_host(host: str) -> str:
    """The known name of a referrer's host, else the host without www."""
    host = host.lower().rstrip(".").removeprefix("www.")
    if len(host) > _LONGEST_HOST:
        return host
    hosts = known().hosts
    labels = host.split(".")
    for first in range(len(labels) - 1):
        rest = labels[first:]
        candidates = [".".join(rest), ".".join(rest[:-1]) + ".{}", "{}." + ".".join(rest[1:])]
        if len(rest) > 2 and len(rest[-1]) == 2 and rest[-2] in SECOND_LEVELS:
            candidates.append(".".join(rest[:-2]) + ".{}")
        for candidate in candidates:
            if candidate in hosts and candidate not in {".{}", "{}."}:
                return hosts[candidate]
    return host


def source(*, utm_source: str, click_id: str, referrer_host: str, own_domain: str) -> str:
    """The name of a session's source; Direct where nothing says otherwise."""
    if utm_source:
        return _name_of_tag(utm_source)
    if click_id in CLICK_IDS:
        return CLICK_IDS[click_id].source
    if not referrer_host or is_own(referrer_host, own_domain) or is_local(referrer_host):
        return DIRECT
    return name_of_host(referrer_host)


@lru_cache(maxsize=2_000)
def _name_of_tag(tag: str) -> str:
    """The known name behind a utm_source, which may be a name or a host (ChatGPT writes chatgpt.com), else itself."""
    name = known().names.get(tag.lower())
    if name is None and "." in tag:
        name = name_of_host(tag)
    return name if name in known().kinds else tag


def kind_of(name: str) -> Kind:
    """What kind of source this name is."""
    return "direct" if name == DIRECT else known().kinds.get(name, "unknown")


def domain_of(name: str) -> str:
    """The domain that stands for a source: its own where the name is a host, empty where there is none."""
    if name == DIRECT:
        return ""
    return known().domains.get(name, name if "." in name and " " not in name else "")


def is_own(host: str, domain: str) -> bool:
    """Whether the host is the site's own domain, its www form or a subdomain of it."""
    host, domain = host.lower().removeprefix("www."), domain.lower().removeprefix("www.")
    return bool(domain) and (host == domain or host.endswith("." + domain))


@lru_cache(maxsize=1)
def _spammers() -> frozenset[str]:
    text = resources.files("analytics_box.ingest").joinpath("data/spammers.txt").read_text("utf-8")
    return frozenset(text.lower().split())


@lru_cache(maxsize=20_000)
def is_spam(host: str) -> bool:
    """Whether this referrer only wants to be seen in statistics: the host, or one that it belongs to, is listed."""
    labels = host.lower().rstrip(".").split(".")
    return any(".".join(labels[first:]) in _spammers() for first in range(len(labels) - 1))


@lru_cache(maxsize=2_000)
def is_local(host: str) -> bool:
    """localhost, *.local and addresses that are not on the internet."""
    if host == "localhost" or host.endswith((".localhost", ".local")):
        return True
    try:
        return not ipaddress.ip_address(host.strip("[]")).is_global
    except ValueError:
        return False


def host_of(url: str) -> str:
    """The host of a URL in lower case; empty where there is none, and where it is longer than names can be."""
    try:
        host = (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""
    return host if len(host) <= _LONGEST_HOST else ""
