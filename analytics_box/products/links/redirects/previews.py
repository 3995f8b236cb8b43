"""Bots that fetch a link to show a preview where people share it (wire 7.3). Pure."""

import re
from functools import lru_cache

_NAMES = re.compile(
    r"facebookexternalhit|facebookcatalog|facebot|meta-externalfetcher|twitterbot|linkedinbot|slackbot|slack-imgproxy"
    r"|discordbot|telegrambot|whatsapp/|skypeuripreview|pinterestbot|pinterest/0|redditbot|tumblr/|embedly|iframely"
    r"|quora link preview|vkshare|viber|line-poker|linespider|kakaotalk-scrap|mastodon/|akkoma|pleroma|misskey"
    r"|bluesky cardyb|snap url preview|bitlybot|flipboardproxy|nuzzel|xing-contenttabreceiver|outbrain|bingpreview"
    r"|google-pagerenderer|googlemessages|applebot-preview|signal-desktop|zoombot|microsoftpreview|teamsbot|chatwork"
    r"|linkpreview|link preview|urlpreview|unfurl|ms-office|msoffice|microsoft office",
    re.IGNORECASE,
)

_OFFICE = re.compile(r"ms-office|msoffice|microsoft office", re.IGNORECASE)


@lru_cache(maxsize=2_000)
def makes_previews(user_agent: str) -> bool:
    """Whether this bot makes previews."""
    return _NAMES.search(user_agent) is not None


def is_office(user_agent: str) -> bool:
    """Whether Word, Excel or another program of Office looks a hyperlink up before it opens the browser.

    The browser then gets the address at which this look-up ended: after a redirect that is no longer the short link.
    """
    return _OFFICE.search(user_agent) is not None
