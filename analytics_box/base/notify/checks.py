"""Checks of what people type into the form of a channel. Each gives the value as it is kept, or raises BadRequest."""

import re

from analytics_box.base.errors import BadRequest
from analytics_box.base.notify.kinds.kind import ChannelField, Check, Config
from analytics_box.base.outgoing.addresses import Fence
from analytics_box.base.outgoing.failures import AddressRefused
from analytics_box.base.outgoing.target import RequestTarget, target
from analytics_box.base.translation import _

_TOKEN = re.compile(r"[\x21-\x7e]+\Z")  # what may stand in a header: no line break, no space


def as_given(value: str, _fence: Fence) -> str:
    """Any text."""
    return value


def form(pattern: str, wrong: str) -> Check:
    """A text of this form; `wrong` is what is said of any other."""
    compiled = re.compile(pattern)

    def check(value: str, _fence: Fence) -> str:
        if not compiled.fullmatch(value):
            raise BadRequest(wrong)
        return value

    return check


def token(value: str, _fence: Fence) -> str:
    """A token as it may stand in a header."""
    if not _TOKEN.match(value):
        raise BadRequest(_("Enter a token of ASCII letters, digits and symbols, without spaces and line breaks"))
    return value


def secure_url(value: str, fence: Fence) -> str:
    """A URL that may be requested, with https unless it is in a private network that is open to the organization.

    A name is accepted if there is such a network: it is resolved when something is sent.
    """
    place = _place(value, fence)
    may_be_opened = fence.opens(place.address) if place.address is not None else bool(fence.allowed)
    if place.scheme == "http" and not may_be_opened:
        raise BadRequest(_("Enter an address that starts with https://"))
    return place.url


def any_url(value: str, fence: Fence) -> str:
    """An address that may be asked, also without https."""
    return _place(value, fence).url


def base_url(value: str, fence: Fence) -> str:
    """The address of a server, to which paths are added: without a slash at its end."""
    url = secure_url(value, fence)
    if "?" in url:
        raise BadRequest(_("Enter the server's address without a query string"))
    return url.rstrip("/")


def origin_of(config: Config) -> str:
    """The origin of a channel's address, without the path, which may be a secret."""
    place = target(config["url"])
    return place.origin if place.path == "/" else f"{place.origin}/…"


def webhook_url(help: str) -> ChannelField:
    """The field of services that give out an address to post to."""
    return ChannelField("url", "Address", help, secure_url, type="url", longest=2_048)


def server_url(example: str, default: str = "") -> ChannelField:
    """The field of services that people run themselves."""
    help = (
        f"For example {example}. A server in a private network works if a server administrator has opened that network."
    )
    return ChannelField("url", "Server", help, base_url, type="url", longest=500, default=default)


def _place(value: str, fence: Fence) -> RequestTarget:
    try:
        place = target(value)
        if place.address is not None:
            fence.check(place.address, place.port)
        else:
            fence.check_port(place.port)
    except AddressRefused as refused:
        raise BadRequest(str(refused)) from refused
    return place
