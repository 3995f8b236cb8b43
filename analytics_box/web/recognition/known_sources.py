"""Sources that people know, with their hosts (semantics 18): the CC0 lists and our own table next to them.

In a host `{}` at the end is any country domain (amazon.com, amazon.de, amazon.com.br), `{}` in front any two letters
(de.linkedin.com), `*` in front any page of a member (someone.tumblr.com). Names of apps are hosts, too, because
Android writes them so into referrers.
"""

import json
import string
from functools import lru_cache
from importlib import resources
from typing import Literal

from msgspec import Struct

Kind = Literal["direct", "search", "social", "ai", "email", "unknown"]

DIRECT = "Direct"

# What the lists do not have, or know by another host. The first host stands for the source.
SEARCH = {
    "Google": ("google.com", "google.{}", "google.cat"),
    "Google Shopping": ("shopping.google.com", "shopping.google.{}"),
    "Bing": ("bing.com", "com.microsoft.bing"),
    "DuckDuckGo": ("duckduckgo.com", "html.duckduckgo.com", "lite.duckduckgo.com"),
    "Yahoo!": ("yahoo.com",),
    "Yahoo! Japan": ("yahoo.co.jp",),
    "Yandex": ("yandex.com", "ya.ru"),
}
SOCIAL = {
    "Baidu Tieba": ("tieba.baidu.com",),
    "Bluesky": ("bsky.app", "go.bsky.app", "xyz.blueskyweb.app"),
    "Discord": ("discord.com", "canary.discord.com", "ptb.discord.com", "com.discord"),
    "Facebook": (
        *("facebook.com", "l.facebook.com", "lm.facebook.com", "mbasic.facebook.com", "web.facebook.com"),
        *("fb.com", "fb.me", "fb.watch", "com.facebook.katana", "com.facebook.lite"),
    ),
    "Instagram": ("instagram.com", "l.instagram.com", "lm.instagram.com", "ig.me", "com.instagram.android"),
    "LinkedIn": ("linkedin.com", "{}.linkedin.com", "lnkd.in", "com.linkedin.android"),
    "LiveJournal": ("livejournal.com", "*.livejournal.com"),
    "Mastodon": ("mastodon.social",),
    "Messenger": ("messenger.com", "l.messenger.com", "m.me", "com.facebook.orca"),
    "Odnoklassniki": ("ok.ru",),
    "Pinterest": ("pinterest.com", "pinterest.{}", "{}.pinterest.com", "pin.it", "com.pinterest"),
    "Quora": ("quora.com", "*.quora.com"),
    "Reddit": ("reddit.com", "old.reddit.com", "new.reddit.com", "sh.reddit.com", "out.reddit.com", "redd.it"),
    "Tagged": ("tagged.com",),
    "Telegram": ("telegram.org", "web.telegram.org", "t.me", "telegram.me"),
    "Threads": ("threads.com", "com.instagram.barcelona"),
    "TikTok": ("tiktok.com", "com.zhiliaoapp.musically", "com.ss.android.ugc.trill"),
    "Tumblr": ("tumblr.com", "*.tumblr.com", "com.tumblr"),
    "Twitter": ("x.com", "t.co", "com.twitter.android"),
    "VK": ("vk.com", "vk.ru", "away.vk.com", "away.vk.ru", "com.vkontakte.android"),
    "Weibo": ("weibo.com", "weibo.cn"),
    "WhatsApp": (
        *("whatsapp.com", "web.whatsapp.com", "api.whatsapp.com", "chat.whatsapp.com", "wa.me", "l.wl.co"),
        *("com.whatsapp", "com.whatsapp.w4b"),
    ),
    "YouTube": ("youtube.com", "youtu.be", "com.google.android.youtube"),
}
AI = {
    "ChatGPT": ("chatgpt.com", "chat.com", "com.openai.chatgpt"),
    "Character.AI": ("character.ai",),
    "Claude": ("claude.ai", "com.anthropic.claude"),
    "Copilot": ("copilot.microsoft.com", "copilot.com", "copilot.cloud.microsoft", "com.microsoft.copilot"),
    "Deepseek": ("chat.deepseek.com", "deepseek.com", "com.deepseek.chat"),
    "Doubao": ("doubao.com",),
    "Felo": ("felo.ai",),
    "Gemini": ("gemini.google.com", "com.google.android.apps.bard"),
    "Genspark": ("genspark.ai",),
    "Grok": ("grok.com", "ai.x.grok"),
    "Kimi": ("kimi.com", "kimi.ai", "kimi.moonshot.cn"),
    "Liner": ("liner.com",),
    "Lumo": ("lumo.proton.me",),
    "Manus": ("manus.im",),
    "Perplexity": ("perplexity.ai", "pplx.ai", "ai.perplexity.app.android"),
    "Phind": ("phind.com",),
    "Pi": ("pi.ai",),
    "Poe": ("poe.com",),
    "Qwen": ("chat.qwen.ai", "qwen.ai", "qianwen.com", "tongyi.com"),
    "T3 Chat": ("t3.chat",),
    "Venice": ("venice.ai",),
    "Yuanbao": ("yuanbao.tencent.com",),
    "Z.ai": ("z.ai", "chat.z.ai"),
}
# Web mail. `mail.` stands for what providers call it: mail., webmail., email., mail01. … (source.py).
MAIL = {
    "AOL Mail": ("mail.aol.com", "mail.aol.{}"),
    "Bluewin Mail": ("mail.bluewin.ch",),
    "Fastmail": ("fastmail.com", "app.fastmail.com"),
    "GMX": (
        *("gmx.net", "gmx.{}", "deref-gmx.net", "deref-gmx.com", "navigator.gmx.net", "bap.navigator.gmx.net"),
        *("navigator-bs.gmx.net", "navigator-bs.gmx.com", "3c.gmx.net", "3c-bap.gmx.net", "3c-bs.gmx.com"),
    ),
    "Gmail": ("mail.google.com", "mail.google", "inbox.google.com", "gmail.com", "com.google.android.gm"),
    "Hotmail": ("hotmail.com",),
    "IONOS Mail": ("mail.ionos.de", "mail.ionos.{}", "mailbusiness.ionos.{}", "webmailer.1und1.de", "deref-1und1.de"),
    "Inbox.com": ("inbox.com",),
    "Orange Mail": ("mail.orange.fr", "messagerie.orange.fr"),
    "Outlook": (
        *("outlook.live.com", "outlook.com", "outlook.office.com", "outlook.office365.com", "outlook.cloud.microsoft"),
        *("mail.live.com", "*.safelinks.protection.outlook.com", "com.microsoft.office.outlook"),
    ),
    "Proton Mail": ("mail.proton.me", "protonmail.com", "mail.protonmail.com", "ch.protonmail.android"),
    "T-Online Mail": ("email.t-online.de", "mail.t-online.de", "de.telekom.mail"),
    "Tuta": ("app.tuta.com", "tuta.com", "mail.tutanota.com"),
    "WEB.DE Mail": (
        *("web.de", "deref-web.de", "deref-web-02.de", "navigator.web.de", "bap.navigator.web.de"),
        *("navigator-bs.web.de", "3c.web.de", "3c-bap.web.de", "de.web.mobile.android.mail"),
    ),
    "Yahoo! Mail": ("mail.yahoo.com", "mail.yahoo.{}", "com.yahoo.mobile.client.android.mail"),
    "Yandex Mail": ("mail.yandex.ru", "mail.yandex.{}"),
    "Zoho Mail": ("mail.zoho.com", "mail.zoho.{}"),
    "Mail.ru": ("e.mail.ru", "mail.ru", "light.mail.ru"),
    "Mail.com": ("mail.com", "navigator-lxa.mail.com", "3c-lxa.mail.com", "deref-mail.com"),
}
# Shops and films (channel.py), of which the lists have none or call them something else.
SHOPS = {
    "Amazon": (
        *("amazon.com", "amazon.{}", "amzn.to", "amzn.eu", "a.co", "com.amazon.mshop.android.shopping"),
        *("in.amazon.mshop.android.shopping",),
    ),
    "eBay": ("ebay.com", "ebay.{}", "com.ebay.mobile"),
    "Etsy": ("etsy.com", "etsy.me", "com.etsy.android"),
    "Walmart": ("walmart.com", "walmart.{}"),
    "AliExpress": ("aliexpress.com", "aliexpress.{}", "s.click.aliexpress.com"),
    "Alibaba": ("alibaba.com",),
    "Shopify": ("shopify.com", "shop.app"),
    "Rakuten": ("rakuten.com", "rakuten.{}", "item.rakuten.{}"),
    "Mercado Libre": (
        *("mercadolibre.com", "mercadolibre.{}", "mercadolivre.{}", "articulo.mercadolibre.{}"),
        *("listado.mercadolibre.{}", "produto.mercadolivre.{}", "lista.mercadolivre.{}"),
    ),
    "Allegro": ("allegro.pl",),
    "Zalando": ("zalando.com", "zalando.{}"),
    "Otto": ("otto.de",),
    "Flipkart": ("flipkart.com",),
    "Temu": ("temu.com",),
    "Shein": ("shein.com", "shein.{}"),
    "idealo": ("idealo.com", "idealo.{}"),
    "PriceRunner": ("pricerunner.com", "pricerunner.{}"),
    "Best Buy": ("bestbuy.com", "bestbuy.ca"),
    "Target": ("target.com",),
    "Wayfair": ("wayfair.com", "wayfair.{}"),
}
SCREENS = {
    "Dailymotion": ("dailymotion.com", "dai.ly"),
    "Twitch": ("twitch.tv", "tv.twitch.android.app"),
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
WORK = {
    "Slack": ("slack.com", "*.slack.com", "com.slack"),
    "Microsoft Teams": (
        *("teams.microsoft.com", "teams.live.com", "teams.cloud.microsoft", "statics.teams.cdn.office.net"),
        *("com.microsoft.teams",),
    ),
}
# Sources that only tags and click ids tell, with what stands for them: those hosts are where people work with them.
SENDERS = {
    "Mailchimp": "mailchimp.com",
    "HubSpot": "hubspot.com",
    "Marketo": "marketo.com",
    "Vero": "getvero.com",
    "Klaviyo": "klaviyo.com",
    "email": "",
    "newsletter": "",
}
NETWORKS = {"Taboola": "taboola.com"}
# What people write into utm_source and `plain` does not make the same as the name.
SPELLINGS = {
    "bingsearch": "Bing",
    "ddg": "DuckDuckGo",
    "fb": "Facebook",
    "googlesearch": "Google",
    "hn": "Hacker News",
    "ig": "Instagram",
    "insta": "Instagram",
    "meta": "Facebook",
    "openai": "ChatGPT",
    "tweet": "Twitter",
    "x": "Twitter",
    "yt": "YouTube",
    "direct": DIRECT,
}
# Names of advertising that do not hold the name of the network.
PAID = {
    "adwords": "Google",
    "microsoftads": "Bing",
    "microsoftadvertising": "Bing",
    "yandexdirect": "Yandex",
}

_OURS: tuple[tuple[dict[str, tuple[str, ...]], Kind], ...] = (
    *((SEARCH, "search"), (SOCIAL, "social"), (AI, "ai"), (MAIL, "email")),
    *((SHOPS, "unknown"), (SCREENS, "unknown"), (WORK, "unknown")),
)
_PUNCTUATION = dict.fromkeys(
    map(ord, string.punctuation + string.whitespace + "\u00a0\u00b7\u2010\u2011\u2013\u2014\u2019")
)


class KnownSources(Struct, frozen=True):
    """The known sources as look-up tables."""

    hosts: dict[str, str]  # host, as the lists write it → name
    names: dict[str, str]  # plain name → name
    kinds: dict[str, Kind]  # name → kind
    domains: dict[str, str]  # name → the host that stands for it


@lru_cache(maxsize=1)
def known_sources() -> KnownSources:
    """The CC0 lists and our own; ours goes before theirs."""
    folder = resources.files("analytics_box.web.recognition")
    lists = json.loads(folder.joinpath("data/sources.json").read_text("utf-8"))
    hosts: dict[str, str] = {}
    kinds: dict[str, Kind] = {}
    domains: dict[str, str] = {}
    kind: Kind
    for kind in ("search", "social", "ai"):
        for name, entries in lists[kind].items():
            kinds[name] = kind
            hosts |= dict.fromkeys(entries, name)
            plainly = [host for host in entries if "{" not in host]
            if plainly:
                word = name.lower().rstrip("!")
                domains[name] = min(plainly, key=lambda host: (word not in host, host.count("."), len(host), host))
    for sources, kind in _OURS:
        for name, more in sources.items():
            kinds[name] = kind
            hosts |= dict.fromkeys(more, name)
            domains[name] = more[0]
    for named_only, kind in ((SENDERS, "email"), (NETWORKS, "unknown")):
        kinds |= dict.fromkeys(named_only, kind)
    names = {plain(name): name for name in kinds} | SPELLINGS
    return KnownSources(hosts=hosts, names=names, kinds=kinds, domains=domains | SENDERS | NETWORKS)


def plain(name: str) -> str:
    """A name without case, spaces and punctuation; a plus at its end is part of it (Google+)."""
    word = name.casefold().translate(_PUNCTUATION)
    return word + "+" if name.endswith("+") else word
