"""Flags over HTTP for programs with an API key of manage:flags (wire 6.1): definitions, create, change, delete.

Requests name the owner by a `clientId`, as SDKs do. The routes use keys only and never cookies, and have their own
error messages.
"""

from typing import Any, Final

import msgspec
from litestar import Request, Response
from litestar.di import NamedDependency
from litestar.params import FromPath
from msgspec import UNSET
from msgspec.structs import asdict

from analytics_box.base import errors
from analytics_box.base.errors import BoxError, ErrorDetail
from analytics_box.base.identity import ApiKey
from analytics_box.base.identity import Scope as KeyScope
from analytics_box.base.translation import _
from analytics_box.products.flags.access import FlagReach
from analytics_box.products.flags.directory import Flags
from analytics_box.products.flags.editing import change
from analytics_box.products.flags.editing.messages import CreateFlag, UpdateFlag
from analytics_box.products.flags.editing.shown import flag_answer
from analytics_box.products.flags.flag import LARGEST_FLAG, Flag, FlagScope
from analytics_box.products.flags.saving import save
from analytics_box.products.flags.serving.answers import NOT_STORED
from analytics_box.products.flags.serving.messages import CreateFlagByKey, UpdateFlagByKey
from analytics_box.web import body, render
from analytics_box.web.call import Call

SCOPE: Final[KeyScope] = "manage:flags"
NO_CLIENT: Final = "Missing required clientId parameter"
NO_KEY, WRONG_KEY = "API key required", "Invalid or expired API key"
NOT_ALLOWED, NOT_THERE, NOT_THEIRS = "Insufficient permissions", "Flag not found", "Flag does not belong to this client"
_NEW = msgspec.json.Decoder(CreateFlagByKey)
_CHANGED = msgspec.json.Decoder(UpdateFlagByKey)
_SHOWN: Final = ("id", "key", "description", "type", "status", "defaultValue", "variants", "createdAt", "updatedAt")
_ENVELOPE: Final = frozenset(("clientId", "key", "id"))

Asked = Request[Any, Any, Any]


async def definitions(request: Asked, call: NamedDependency[Call]) -> Response[bytes]:
    """GET /public/v1/flags/definitions: all flags of an environment as they are defined, the newest first.

    Flags of single users are left out. Raises AuthRequired or Forbidden.
    """
    try:
        _, scope = _own(call, _holder(request, call), request.query_params.get("clientId"))
    except BoxError as refused:
        told = msgspec.json.decode(render.api_body(refused, request.scope["request_id"]))  # type: ignore[typeddict-item]  # set by the front
        return _answer(request, {"flags": [], **told}, refused)
    environment = request.query_params.get("environment") or None
    found = [flag for flag in scope.flags if flag.environment == environment and flag.user_id is None]
    newest = sorted(found, key=lambda flag: -flag.created_at)
    return _answer(request, {"flags": [flag_answer(flag, scope) for flag in newest], "count": len(newest)})


async def create(request: Asked, call: NamedDependency[Call]) -> Response[bytes]:
    """POST /public/v1/flags: a new flag. Raises AuthRequired, Forbidden, BadRequest or Conflict."""
    key = _holder(request, call)
    given = body.decode(_NEW.decode, await _body(request, call))
    own, _ = _own(call, key, given.clientId)
    place = {"key": given.key, "websiteId": own.website_id, "organizationId": own.organization_id}
    new = msgspec.convert(place | _fields(given), CreateFlag)
    done = await save(call.parts, own.scope, lambda db: change.create(db, own, new, by_sdk=True), adds=True)
    return _flag_response(request, call, own, done.flag)


async def update(request: Asked, flag_id: FromPath[str], call: NamedDependency[Call]) -> Response[bytes]:
    """PATCH /public/v1/flags/{id}: omitted fields do not change.

    Raises AuthRequired, Forbidden, NotFound, BadRequest or Conflict.
    """
    key = _holder(request, call)
    given = body.decode(_CHANGED.decode, await _body(request, call))
    own = _own_flag(call, key, given.clientId, flag_id)
    changed = msgspec.convert({"id": flag_id, **_fields(given)}, UpdateFlag)
    done = await save(call.parts, own.scope, lambda db: change.update(db, own, changed), adds=True)
    return _flag_response(request, call, own, done.flag)


async def delete(request: Asked, flag_id: FromPath[str], call: NamedDependency[Call]) -> Response[bytes]:
    """DELETE /public/v1/flags/{id}: archive and delete the flag. Raises AuthRequired, Forbidden or NotFound."""
    own = _own_flag(call, _holder(request, call), request.query_params.get("clientId"), flag_id)
    await save(call.parts, own.scope, lambda db: change.delete(db, own, flag_id))
    return _answer(request, {"success": True})


def _holder(request: Asked, call: Call) -> ApiKey:
    """The key of a request; checked before anything else. Raises AuthRequired."""
    key = call.identity.key
    if key is None:
        sent = "x-api-key" in request.headers or request.headers.get("authorization", "")[:7].lower() == "bearer "
        raise errors.AuthRequired(WRONG_KEY if sent else NO_KEY)
    return key


def _own(call: Call, key: ApiKey, client_id: str | None) -> tuple[FlagReach, FlagScope]:
    """The scope of a key's action for this client id, and its flags.

    Raises WrongTypes, BadRequest, and Forbidden also for unknown ids.
    """
    if not client_id:
        missing = errors.WrongTypes if client_id is None else errors.BadRequest
        raise missing(NO_CLIENT, details=(ErrorDetail("query.clientId", _("Send clientId")),))
    scope = call.parts[Flags].client(client_id, call.now)
    if scope is None or scope.organization_id != key.organization_id:
        raise errors.Forbidden(NOT_ALLOWED)
    if scope.website_id is not None:
        may = key.may(SCOPE, scope.website_id)
    else:
        may = call.identity.may_act_for_organization(SCOPE)
    if not may:
        raise errors.Forbidden(NOT_ALLOWED)
    return FlagReach(scope.organization_id, call.by, website_id=scope.website_id), scope


def _own_flag(call: Call, key: ApiKey, client_id: str | None, flag_id: str) -> FlagReach:
    """The scope of a key's action on one flag. Raises as `_own`, NotFound, and Forbidden for a flag of
    another scope."""
    own, _ = _own(call, key, client_id)
    found = call.parts[Flags].find(flag_id)
    if found is None:
        raise errors.NotFound(NOT_THERE)
    if not own.covers(found):
        raise errors.Forbidden(NOT_THEIRS)
    return own


async def _body(request: Asked, call: Call) -> bytes:
    seconds = call.parts.settings.body_seconds
    return await body.of_request(request, wanted=(b"application/json",), limit=LARGEST_FLAG, seconds=seconds)


def _fields(given: CreateFlagByKey | UpdateFlagByKey) -> dict[str, Any]:
    """The fields of a flag that the input has."""
    return {name: value for name, value in asdict(given).items() if value is not UNSET and name not in _ENVELOPE}


def _flag_response(request: Asked, call: Call, own: FlagReach, flag: Flag) -> Response[bytes]:
    """The answer with the flag after a change."""
    scope = call.parts[Flags].scope(own.scope) or FlagScope(own.scope, own.organization_id, own.website_id)
    shown = flag_answer(flag, scope)
    return _answer(request, {"flag": {name: getattr(shown, name) for name in _SHOWN}})


def _answer(request: Asked, content: dict[str, Any], refused: BoxError | None = None) -> Response[bytes]:
    request_id = request.scope["request_id"]  # type: ignore[typeddict-item]  # set by the front
    return Response(
        msgspec.json.encode({**content, "requestId": request_id}),
        status_code=refused.status if refused is not None else 200,
        media_type="application/json",
        headers={**(refused.headers if refused is not None else {}), NOT_STORED[0].decode(): NOT_STORED[1].decode()},
    )
