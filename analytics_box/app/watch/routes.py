"""GET /health/ready and GET /metrics: for load balancers and for Prometheus."""

import hmac
import logging
from ipaddress import ip_address
from typing import Any, Literal

from litestar import Request, Response
from litestar.di import NamedDependency
from msgspec import Struct

from analytics_box.app.watch import figures
from analytics_box.app.watch.state import WatchedParts
from analytics_box.base import errors
from analytics_box.base.secret_file import first_line
from analytics_box.base.settings import Settings, SettingsError
from analytics_box.base.translation import _
from analytics_box.web.address import canonical
from analytics_box.web.answer import json_answer
from analytics_box.web.call import Parts
from analytics_box.web.front import LOOPBACK_NAMES, host_name, own_hosts

log = logging.getLogger(__name__)

_NO_STORE = {"cache-control": "no-store"}
_BY_A_PROXY = ("x-forwarded-for", "forwarded", "x-real-ip", "via")


class ReadinessAnswer(Struct, frozen=True, omit_defaults=True):
    """Whether the box can do its work, and the reason if it cannot."""

    status: Literal["ok", "unavailable"]
    reason: str = ""


async def ready(parts: NamedDependency[Parts]) -> Response[bytes]:
    """Whether the box can do its work: 200, or 503 with the reason."""
    trouble = await parts[WatchedParts].readiness.trouble()
    answer = ReadinessAnswer("unavailable", trouble) if trouble else ReadinessAnswer("ok")
    return json_answer(answer, status=503 if trouble else 200)


async def metrics(request: Request[Any, Any, Any], parts: NamedDependency[Parts]) -> Response[str]:
    """Figures for Prometheus, if the setting `metrics` is on.

    With `metrics_token_file`, callers need that token. Otherwise only programs on the same machine get an answer, and
    none if there is a proxy, whose clients may look like them. Raises NotFound or AuthRequired.
    """
    settings = parts.settings
    if settings.metrics == "off":
        raise errors.NotFound(_("There is nothing at this address"))
    if settings.metrics_token_file:
        if not _has_token(request, settings.metrics_token_file):
            raise errors.AuthRequired(_("Send the token of metrics_token_file as a bearer token"))
    elif not _is_local(request):
        raise errors.NotFound(_("There is nothing at this address"))
    elif has_proxy(settings):
        raise errors.AuthRequired(_("Behind a proxy, GET /metrics requires a token. Set metrics_token_file"))
    return Response(await figures.exposition(parts[WatchedParts]), media_type=figures.CONTENT_TYPE, headers=_NO_STORE)


def _has_token(request: Request[Any, Any, Any], file: str) -> bool:
    scheme, _, sent = request.headers.get("authorization", "").partition(" ")
    try:
        wanted = first_line("metrics_token_file", file).strip()
    except SettingsError as wrong:
        log.error("%s", wrong)
        return False
    same = hmac.compare_digest(sent.strip().encode(), wanted.encode())
    return scheme.lower() == "bearer" and bool(wanted) and same


def has_proxy(settings: Settings) -> bool:
    """Whether the settings say that a proxy stands before the box: it is named, or visitors cannot come without it.

    They cannot by https if the box has no certificate, and not by a host name of the internet if it listens on this
    machine only.
    """
    if settings.trusted_proxies or (settings.secure and not settings.tls_certificate):
        return True
    listens_here = canonical(settings.host) in {"127.0.0.1", "::1"} or settings.host == "localhost"
    return listens_here and not own_hosts(settings) <= LOOPBACK_NAMES


def _is_local(request: Request[Any, Any, Any]) -> bool:
    """Whether a program on this machine asks, by a name of this machine: no proxy's client, no other site's page."""
    client = request.scope["client"]
    if client is None or any(name in request.headers for name in _BY_A_PROXY):
        return False
    address = canonical(client[0])
    is_loopback = bool(address) and ip_address(address).is_loopback
    return is_loopback and host_name(request.headers.get("host", "").encode("latin-1")) in LOOPBACK_NAMES
