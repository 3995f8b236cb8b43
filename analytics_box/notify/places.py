"""Where a channel may lead: what people typed, cleaned and checked."""

import re

from analytics_box.errors import BadRequest
from analytics_box.notify.rules import Config, Kind
from analytics_box.outgoing.addresses import Fence
from analytics_box.outgoing.failures import Refused
from analytics_box.outgoing.target import target

_TOKEN = re.compile(r"\d{5,20}:[A-Za-z0-9_-]{30,80}\Z")
_CHAT = re.compile(r"-?\d{1,20}\Z|@[A-Za-z][A-Za-z0-9_]{3,40}\Z")


def clean(kind: Kind, given: Config, fence: Fence) -> Config:
    """Only what this kind needs, checked as far as that is possible without asking anybody. Raises BadRequest.

    A name in an address is looked up and vetted when something is sent; `to` has been checked by the caller.
    """
    if kind == "email":
        if not given.to:
            raise BadRequest.about("to", "Name the e-mail address")
        return Config(to=given.to)
    if kind == "telegram":
        if not _TOKEN.match(given.token):
            raise BadRequest.about("token", "This is not a bot's token; it looks like 123456789:AAE…")
        if not _CHAT.match(given.chat):
            raise BadRequest.about("chatId", "This is not a chat; write its number, or @name of a channel")
        return Config(token=given.token, chat=given.chat)
    return Config(url=clean_url(kind, given.url, fence), secret=given.secret if kind == "webhook" else "")


def clean_url(kind: Kind, url: str, fence: Fence) -> str:
    """An address that may be asked. Only webhooks may do without https, where the network is not said to be private."""
    try:
        place = target(url.strip())
        if place.address is not None:
            fence.check(place.address, place.port)
        else:
            fence.check_port(place.port)
    except Refused as refused:
        raise BadRequest.about("url", str(refused)) from refused
    if place.scheme == "http" and kind != "webhook" and not fence.allowed:
        raise BadRequest.about("url", "Use an address that starts with https://")
    return place.url
