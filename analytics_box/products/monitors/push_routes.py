"""The endpoint for heartbeats of push monitors. Access is by token; callers without a valid one learn nothing."""

from typing import Any, Final, Literal

from litestar import Request, Response
from litestar.di import NamedDependency
from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base import errors
from analytics_box.base.translation import _
from analytics_box.products.monitors.directory import Monitors
from analytics_box.web.answer import RequestId, id_of, json_answer
from analytics_box.web.call import Call

_LONGEST: Final = 200  # characters of a message that are kept
_DOWN: Final = "down"


class HeartbeatAccepted(Struct, frozen=True):
    """The heartbeat was accepted."""

    ok: Literal[True]
    requestId: RequestId


async def push(request: Request[Any, Any, Any], token: FromPath[str], call: NamedDependency[Call]) -> Response[bytes]:
    """GET and POST /push/{token}, with ?status=up or down and ?msg= for people.

    Raises NotFound, BadRequest, RateLimited or Unavailable.
    """
    settings = call.parts.settings
    call.parts.limits.take("push", call.identity.address, settings.limit_push)
    monitors = call.parts[Monitors]
    monitor = monitors.with_token(token)
    if monitor is None:
        raise errors.NotFound(_("There is no monitor with this push URL"))
    status = request.query_params.get("status", "up").strip().lower() or "up"
    if status not in {"up", _DOWN}:
        raise errors.BadRequest.about("status", _("Send the status up or down"))
    if monitors.engine is None:
        raise errors.Unavailable(_("Monitors are not running"))
    if not monitors.rests(monitor):
        message = "".join(letter for letter in request.query_params.get("msg", "") if letter.isprintable())
        await monitors.engine.pushed(monitor.number, call.now, status != _DOWN, message[:_LONGEST])
    return json_answer(HeartbeatAccepted(True, id_of(request)))
