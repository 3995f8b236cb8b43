"""Validation and normalization of targets that people enter. Pure but for the fence, which knows this machine's
IP addresses. A name is looked up and vetted at each check.
"""

from ipaddress import IPv4Address
from typing import Final

from analytics_box.base.errors import BadRequest
from analytics_box.base.outgoing.addresses import Fence
from analytics_box.base.outgoing.failures import AddressRefused
from analytics_box.base.outgoing.target import RequestTarget, target
from analytics_box.base.translation import _
from analytics_box.products.monitors.monitor import Kind

_KINDS: Final[dict[str, Kind]] = {
    "http": "http",
    "https": "http",
    "tcp": "tcp",
    "dns": "dns",
    "tls": "tls",
    "ping": "ping",
    "push": "push",
}
_EXAMPLES: Final[dict[Kind, str]] = {
    "http": "https://example.com/path",
    "tcp": "tcp://example.com:5432",
    "dns": "dns://example.com",
    "tls": "tls://example.com:443",
    "ping": "ping://example.com",
    "push": "push://",
}
_NO_PORT: Final = -1  # no fence closes it
_HTTPS: Final = 443
_LOOPBACK: Final = IPv4Address("127.0.0.1")


def kind_of(url: str, given: Kind | None) -> Kind:
    """Of which kind a monitor of this URL is. Raises BadRequest for another kind than the one that is given."""
    scheme, sign, _rest = url.strip().partition("://")
    found = _KINDS.get(scheme.lower()) if sign else given or "http"
    if found is None or (given is not None and given != found):
        examples = (_EXAMPLES[given],) if given is not None else tuple(_EXAMPLES.values())
        raise BadRequest.about("url", _("Enter a URL such as {examples}").format(examples=", ".join(examples)))
    return found


def clean_url(kind: Kind, url: str, fence: Fence, *, monitor_id: str) -> str:
    """The URL of a monitor of this kind. Raises BadRequest for one that the box may not ask as well."""
    if kind == "push":
        return f"push://{monitor_id}"
    try:
        return _clean(kind, url.strip(), fence)
    except AddressRefused as refused:
        raise BadRequest.about("url", str(refused)) from refused


def clean_server(given: str, fence: Fence) -> str:
    """The name server that a DNS check asks: a name or an IP address, with a port if it is not 53; empty stays.

    Raises BadRequest.
    """
    text = given.strip()
    if not text:
        return ""
    try:
        place = target(f"http://[{text}]:53" if text.count(":") > 1 and "[" not in text else f"http://{text}")
        port = 53 if place.port == 80 and not text.endswith(":80") else place.port
        _check(place, port, fence)
    except AddressRefused as refused:
        raise BadRequest.about("options.server", str(refused)) from refused
    host = f"[{place.host}]" if ":" in place.host else place.host
    return host if port == 53 else f"{host}:{port}"


def _clean(kind: Kind, text: str, fence: Fence) -> str:
    if kind == "http":
        place = target(text if "://" in text else f"https://{text}")
        _check(place, place.port, fence)
        return place.url
    rest = text.partition("://")[2] if "://" in text else text
    place = target(f"https://{rest.rstrip('/')}")
    if place.path != "/":
        raise AddressRefused(_("Enter an address such as {examples}").format(examples=_EXAMPLES[kind]))
    has_port = rest.rstrip("/").rpartition("]")[2].count(":") == 1
    host = f"[{place.host}]" if ":" in place.host else place.host
    match kind:
        case "dns" | "ping":
            if has_port or (kind == "dns" and place.address is not None):
                raise AddressRefused(_("Enter an address such as {examples}").format(examples=_EXAMPLES[kind]))
            if kind == "ping":
                _check(place, _NO_PORT, fence)
            return f"{kind}://{host}"
        case _:
            if kind == "tcp" and not has_port:
                raise AddressRefused(_("Enter a port, such as {examples}").format(examples=_EXAMPLES[kind]))
            _check(place, place.port, fence)
            return f"{kind}://{host}" if kind == "tls" and place.port == _HTTPS else f"{kind}://{host}:{place.port}"


def _check(place: RequestTarget, port: int, fence: Fence) -> None:
    """Raises AddressRefused for addresses that are closed whatever they resolve to."""
    is_local = place.host == "localhost" or place.host.endswith(".localhost")
    address = _LOOPBACK if is_local else place.address
    if address is not None:
        fence.check(address, port)
    else:
        fence.check_port(port)
