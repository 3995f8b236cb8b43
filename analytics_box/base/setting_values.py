"""Checks of texts in settings: each returns what is wrong, or an empty text. Pure."""

import re
from collections.abc import Callable, Mapping
from email.utils import parseaddr
from ipaddress import ip_address, ip_network
from typing import Final

from analytics_box.base.urls import url_parts

_HOST: Final = re.compile(r"(?=.{1,253}\Z)(?!-)[A-Za-z0-9_-]{1,63}(?:\.[A-Za-z0-9_-]{1,63})*\.?\Z")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:?/{0,2}\Z")
_HEADER: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+\Z")
_WITH_PORT: Final = re.compile(r"(\[[^\]]+\]|[^:\[\]]+):([0-9]{1,5})\Z")
# Links never open these: programs run them, or they are on the user's own machine.
NEVER_OPENED: Final = frozenset(("javascript", "data", "vbscript", "file", "blob", "about", "filesystem"))
LEAST_PASSPHRASE: Final = 8
LEAST_SECRET: Final = 16
_OPENED_ANYWAY: Final = frozenset(("http", "https"))


def origin(text: str) -> str:
    """The address of the box: a scheme and a host, because it is served at the root of a host name."""
    found = url_parts(text.strip())
    host = found.hostname or ""
    if found.scheme not in {"http", "https"} or not host:
        return "enter a complete URL, like https://stats.example.com"
    if found.username is not None or found.password is not None:
        return "remove the user and the password from the URL"
    if found.path not in {"", "/"}:
        return (
            f"the path {found.path} cannot be used, because the server needs a host name to itself, "
            "like https://stats.example.com"
        )
    if found.query or found.fragment:
        return "remove ? and #, and everything after them"
    if not host.isascii():
        return _in_ascii(host)
    try:
        is_port = found.port != 0
    except ValueError:
        is_port = False
    if not is_port:
        return "the port must be between 1 and 65535"
    return "" if is_host(host) else f"{host} is not a host name"


def is_host(text: str) -> bool:
    """Return whether a text is a host name or an IP address."""
    try:
        ip_address(text)
    except ValueError:
        return _HOST.match(text) is not None
    return True


def listening(text: str) -> str:
    """The address to listen on."""
    return "" if is_host(text) else "enter an IP address or a host name, without a scheme and without a port"


def mail_server(text: str) -> str:
    """The host of the mail server, whose port and security are settings of their own."""
    if is_host(text):
        return ""
    return "enter only the host name, like smtp.example.com; the port belongs in smtp_port, TLS in smtp_security"


def mail_address(text: str) -> str:
    """An address that mail can come from, with or without a name before it."""
    address = parseaddr(text)[1]
    local, _, domain = address.rpartition("@")
    if local and is_host(domain) and not any(letter.isspace() for letter in address) and text.isprintable():
        return ""
    return "enter an email address, like stats@example.com"


def one_line(text: str) -> str:
    """A text without line breaks and other control characters."""
    return "" if text.isprintable() else "remove line breaks and control characters"


def socket_mode(text: str) -> str:
    """A mode with which a proxy can write to the socket."""
    return "" if int(text, 8) & 0o222 else "no program could write to the socket. Use 0660, for example"


def app_scheme(text: str) -> str:
    """A scheme of apps, like myapp or myapp://."""
    name = text.lower().rstrip(":/")
    if not _SCHEME.match(text):
        return f"{text!r} is not a scheme; enter one like myapp"
    if name in NEVER_OPENED:
        return f"links never open {name}:"
    return f"links open {name}: anyway; leave it out" if name in _OPENED_ANYWAY else ""


def host_and_port(text: str) -> str:
    """A host with a port, like www.example.com:443."""
    found = _WITH_PORT.match(text)
    is_one = found is not None and is_host(found[1].strip("[]")) and 1 <= int(found[2]) <= 65_535
    return "" if is_one else f"{text!r} is not a host with a port, like www.example.com:443"


def header(text: str) -> str:
    """The name of a request header."""
    return "" if _HEADER.match(text) else "this is not a header name; enter one like CF-IPCountry"


def backup_place(text: str) -> str:
    """A folder, or a prefix in a bucket."""
    if "://" not in text:
        return ""
    found = url_parts(text)
    is_bucket = found.scheme == "s3" and found.netloc and "@" not in found.netloc and not found.query
    return "" if is_bucket else "enter a folder, or s3://bucket/prefix. Set keys in their own settings"


def passphrase(text: str) -> str:
    """A passphrase that cannot be guessed quickly."""
    if len(text) < LEAST_PASSPHRASE:
        return f"enter at least {LEAST_PASSPHRASE} characters"
    return one_line(text)


def proxy_secret(text: str) -> str:
    """A secret that proxies can send in a header."""
    if len(text) < LEAST_SECRET or not text.isascii() or not text.isprintable() or text != text.strip():
        return f"enter at least {LEAST_SECRET} letters, digits or other ASCII characters"
    return ""


def network(text: str) -> str:
    """An address or a CIDR range."""
    try:
        ip_network(text, strict=False)
    except ValueError:
        return f"{text!r} is not an address or a range. Enter one such as 192.168.1.0/24"
    return ""


# By setting; of a setting with several values each is checked. An empty text is none, and is not checked.
CHECKS: Final[Mapping[str, Callable[[str], str]]] = {
    "host": listening,
    "unix_socket_mode": socket_mode,
    "base_url": origin,
    "ingest_url": origin,
    "backup_to": backup_place,
    "backup_passphrase": passphrase,
    "s3_endpoint": origin,
    "s3_region": one_line,
    "s3_access_key": one_line,
    "s3_secret_key": one_line,
    "trusted_proxies": network,
    "proxy_secret": proxy_secret,
    "allowed_private_targets": network,
    "link_app_schemes": app_scheme,
    "monitor_canaries": host_and_port,
    "geo_country_header": header,
    "geo_region_header": header,
    "geo_city_header": header,
    "smtp_host": mail_server,
    "smtp_user": one_line,
    "smtp_password": one_line,
    "smtp_from": mail_address,
}


def wrong(name: str, value: object) -> str:
    """Return what is wrong with the value of a setting, or an empty text."""
    check = CHECKS.get(name)
    if check is None:
        return ""
    texts = value if isinstance(value, tuple) else (value,)
    return next((reason for text in texts if text and (reason := check(str(text)))), "")


def _in_ascii(host: str) -> str:
    """Advice about a host name that browsers send in another spelling."""
    try:
        return f"browsers send {host} as {host.encode('idna').decode()}; enter that"
    except UnicodeError:
        return f"{host} is not a host name"
