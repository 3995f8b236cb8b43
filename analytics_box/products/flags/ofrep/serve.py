"""Answers OFREP's requests, past Litestar: POST …/ofrep/v1/evaluate/flags[/{key}] and GET …/ofrep/v1/streams.

Errors are OFREP's own, readable for pages of every origin, as all answers are; cookies are never looked at.
"""

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final
from urllib.parse import parse_qs, quote, urlencode

import msgspec
from msgspec import Struct

from analytics_box.base.clock import Clock
from analytics_box.base.errors import BadRequest, BoxError, BrokenBody, MethodNotAllowed, NotFound
from analytics_box.base.limits import TokenBuckets
from analytics_box.base.settings import Settings
from analytics_box.base.translation import _
from analytics_box.base.urls import url_parts
from analytics_box.products.flags.directory import Flags
from analytics_box.products.flags.evaluation.asking import id_text, read_json
from analytics_box.products.flags.evaluation.outcome import EvaluationContext
from analytics_box.products.flags.flag import LONGEST_ENVIRONMENT
from analytics_box.products.flags.flag import FlagScope as Owned
from analytics_box.products.flags.ofrep import messages
from analytics_box.products.flags.ofrep.answers import CachedBulkAnswer, Environment, Environments, OfrepCache, bulk
from analytics_box.products.flags.ofrep.messages import Code
from analytics_box.products.flags.ofrep.streams import FlagStreamRequest, FlagStreams, States
from analytics_box.products.flags.usage.counts import recent_evaluations
from analytics_box.web import body, render
from analytics_box.web.address import network_of
from analytics_box.web.asgi import Receive, Scope, Send, client_has, respond
from analytics_box.web.streams import HEADERS

LARGEST: Final = 65_536  # Bytes of a request body.
_MOST_PARAMETERS: Final = 20


class OfrepRequest(Struct, frozen=True):
    """The evaluation context and environment of a request."""

    context: EvaluationContext
    environment: str | None


def read_request(content: bytes, query: bytes, environment: str = "") -> OfrepRequest:
    """The request in a body and a query string, by default for an environment.

    All of OFREP's context are properties, with those in an object `properties`, as in the flags API; of them
    targetingKey (else userId), email, organizationId and teamId identify the user in rules. A value that cannot be read
    counts as absent. `environment` in the context is a property like any other. Raises BrokenBody if the body is not a
    JSON object, BadRequest if the context is not one.
    """
    given = _object(content)
    context = given.get("context")
    if context is None:
        context = {}
    if not isinstance(context, dict):
        raise BadRequest(_("context must be an object"))
    inside = context.get("properties")
    return OfrepRequest(
        EvaluationContext(
            user_id=id_text(context.get("targetingKey")) or id_text(context.get("userId")),
            email=id_text(context.get("email")),
            organization_id=id_text(context.get("organizationId")),
            team_id=id_text(context.get("teamId")),
            properties={**inside, **context} if isinstance(inside, dict) else context,
        ),
        environment_name(parameters(query).get("environment", "") or environment),
    )


def environment_name(environment: str) -> str | None:
    """The environment of this name; None for none. Raises BadRequest."""
    if len(environment) > LONGEST_ENVIRONMENT:
        raise BadRequest(_("environment can have up to {longest} characters").format(longest=LONGEST_ENVIRONMENT))
    return environment or None


def parameters(query: bytes) -> Mapping[str, str]:
    """The parameters of a query string, of equal ones the first. Raises BadRequest for too many."""
    try:
        found = parse_qs(query.decode("latin-1"), max_num_fields=_MOST_PARAMETERS)
    except ValueError as wrong:
        raise BadRequest(_("A request can have up to {most} query parameters").format(most=_MOST_PARAMETERS)) from wrong
    return {name: values[0] for name, values in found.items()}


def _object(content: bytes) -> dict[str, Any]:
    if not content:
        return {}
    try:
        given = read_json(content)
    except ValueError as broken:
        raise BrokenBody(_("The body is not valid JSON")) from broken
    if not isinstance(given, dict):
        raise BrokenBody(_("Send a JSON object with a context"))
    return given


def canonical(context: EvaluationContext) -> bytes:
    """A context in one spelling: equal contexts have equal bytes. Raises BrokenBody for deeply nested ones."""
    with suppress(ValueError, OverflowError, RecursionError):
        return msgspec.json.encode(context, order="sorted")
    try:  # msgspec cannot encode lone surrogates and integers of more than 64 bits.
        return json.dumps(msgspec.structs.asdict(context), sort_keys=True).encode()
    except RecursionError as broken:
        raise BrokenBody(_("The body is not valid JSON")) from broken


EVALUATE: Final = "ofrep/v1/evaluate/flags"
STREAMS: Final = "ofrep/v1/streams"
PREFIX: Final = "/public/v1/flags/"
_ENVIRONMENT, _PROTOCOL = "env/", "ofrep/"  # Paths after a client id begin with these.
INACTIVE: Final = 60  # Seconds after which the provider of a hidden page closes its stream.
_EVERYWHERE: Final = (
    (b"access-control-allow-origin", b"*"),
    (b"access-control-expose-headers", b"etag, retry-after"),
)
_PREFLIGHT: Final = (
    (b"access-control-allow-headers", b"*, authorization, content-type, if-none-match, last-event-id"),
    (b"access-control-max-age", b"86400"),
)
_LONGEST_STATE: Final = 64  # Characters: the box sends no longer ones.
_JSON: Final = (b"content-type", b"application/json")
_OWN: Final = (b"cache-control", b"private, no-store")
_STREAM: Final = (*HEADERS, *_EVERYWHERE)


class Ofrep:
    """Answers clients that speak OFREP."""

    def __init__(
        self, flags: Flags, states: States, streams: FlagStreams, limits: TokenBuckets, clock: Clock, settings: Settings
    ) -> None:
        self._flags = flags
        self._states = states
        self._streams = streams
        self._limits = limits
        self._limit = settings.limit_flags
        self._clock = clock
        self._body_seconds = settings.body_seconds
        self._path = url_parts(settings.public_url).path
        self._environments = Environments()
        self._memo = OfrepCache()
        self._recent = recent_evaluations(clock)

    def forget(self) -> None:
        """Forget the questions that were answered."""
        self._memo = OfrepCache()

    async def answer(self, client_id: str, rest: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request below …/{clientId}/; `rest` is the rest of its path. It may begin with `env/{environment}/`,
        which a query parameter overrides.
        """
        environment, rest = _environment_in(rest.removesuffix("/"))
        key = rest.removeprefix(f"{EVALUATE}/") if rest.startswith(f"{EVALUATE}/") else None
        started = False

        async def noting(message: dict[str, Any]) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            place = client_id, environment
            await self._answer(place, rest, key, scope, receive, noting)
        except Exception as raised:
            refused = render.as_box_error(raised)
            if not started:
                await _refuse(refused, key, send)

    async def _answer(
        self, place: tuple[str, str], rest: str, key: str | None, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Raises BoxError."""
        client_id, environment_of_path = place
        if key is None and rest not in (EVALUATE, STREAMS):
            raise NotFound(_("This OFREP address does not exist"))
        method = "GET" if rest == STREAMS else "POST"
        if scope["method"] == "OPTIONS":
            allowed = f"{method}, OPTIONS".encode()
            methods = ((b"allow", allowed), (b"access-control-allow-methods", allowed))
            await respond(send, 204, [*methods, *_EVERYWHERE, *_PREFLIGHT])
            return
        if scope["method"] != method:
            raise MethodNotAllowed(
                _("This address takes {method}").format(method=method), headers={"Allow": f"{method}, OPTIONS"}
            )
        found, network = self._flags.client(client_id, self._clock.now()), network_of(scope["address"])
        # Unknown ids share the limit of their address, so invented ids do not raise it.
        self._limits.take("flags", f"{found.id if found is not None else ''} {network}", self._limit)
        if found is None:
            raise NotFound(_("There is no website or organization with this client id"))
        if rest == STREAMS:
            await self._stream(place, found, network, scope, receive, send)
            return
        body.check_headers(scope["headers"], wanted=())
        content = await body.read_body(scope, receive, limit=LARGEST, seconds=self._body_seconds)
        wanted = read_request(content, scope["query_string"], environment_of_path)
        found = (
            self._flags.client(client_id, self._clock.now()) or found
        )  # The scope can change while the body is received.
        environment = self._environments.of(found, wanted.environment, self._flags.ruleset(found, wanted.environment))
        if key is None:
            await self._bulk(client_id, environment, wanted, scope, send)
        else:
            await _single(environment, key, wanted, send)

    async def _bulk(
        self, client_id: str, environment: Environment, wanted: OfrepRequest, scope: Scope, send: Send
    ) -> None:
        """Answer with all flags. A client that has the current state gets a 304, and nothing is evaluated.

        An answer is always at least as fresh as an event that the client names: events come from the same memory.
        """
        state = self._states.of(environment.scope, wanted.environment)
        who = canonical(environment.ruleset.uses.kept(wanted.context))
        who += client_id.encode()  # The body contains the client id, and a website can have several.
        tag = f'"{state}.{hashlib.blake2b(who, digest_size=12).hexdigest()}"'.encode()
        headers = [(b"etag", tag), _OWN, *_EVERYWHERE]
        kept = self._memo.find(tag, environment)
        known, question = client_has(scope, tag), (environment.scope.id, wanted.environment)
        if kept is None and (not known or hash(question) not in self._recent):
            given = environment.all(wanted.context)
            said = bulk(given, {"flagConfigEtag": state}, self._event_streams(client_id, wanted.environment, state))
            outcomes = tuple(one.outcome for one in given if one.outcome is not None)
            kept = CachedBulkAnswer(environment.place, environment.token, said, outcomes)
            self._memo.keep(tag, kept)
            self._recent.put(hash(question), value=True)
        if kept is not None:
            kept.count()
        if known or kept is None:
            await respond(send, 304, headers)
        else:
            await respond(send, 200, [_JSON, *headers], kept.body)

    def _event_streams(self, client_id: str, environment: str | None, state: str) -> list[Mapping[str, object]]:
        """The streams of changes for a client that knows this state. The origin is that of the request."""
        if not self._streams.most:
            return []
        known = {**({"environment": environment} if environment else {}), "known": state}
        uri = f"{self._path}{PREFIX}{quote(client_id, safe='')}/{STREAMS}?{urlencode(known)}"
        return [{"type": "sse", "endpoint": {"requestUri": uri}, "inactivityDelaySec": INACTIVE}]

    async def _stream(
        self, place: tuple[str, str], found: Owned, network: str, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Answer with a stream, from the last event that a reconnecting client saw, else from the state in its bulk
        answer.
        """
        given = parameters(scope["query_string"])
        last = next((value for name, value in scope["headers"] if name == b"last-event-id"), b"").decode("latin-1")
        client_id, environment_of_path = place
        known = last or given.get("known", "")
        environment = environment_name(given.get("environment", "") or environment_of_path)
        if scope.get("head"):
            await respond(send, 200, list(_STREAM))
            return
        scope["headers"], scope["query_string"] = [], b""  # They can be large, and would be kept as long as the stream.
        wanted = FlagStreamRequest(
            found.id, client_id, environment, known if len(known) < _LONGEST_STATE else "", network
        )
        await self._streams.serve(wanted, receive, send, list(_STREAM))


def _environment_in(rest: str) -> tuple[str, str]:
    """The environment that a path names, and the rest of the path: `env/staging/ofrep/v1/…` names staging."""
    if not rest.startswith(_ENVIRONMENT):
        return "", rest
    environment, _, after = rest.removeprefix(_ENVIRONMENT).partition(f"/{_PROTOCOL}")
    return environment, f"{_PROTOCOL}{after}"


async def _single(environment: Environment, key: str, wanted: OfrepRequest, send: Send) -> None:
    given = environment.one(key, wanted.context)
    if given.outcome is not None:
        given.outcome.count += 1
    await respond(send, given.status, [_JSON, _OWN, *_EVERYWHERE], given.body)


async def _refuse(refused: BoxError, key: str | None, send: Send) -> None:
    status = 400 if isinstance(refused, BrokenBody) else refused.status
    headers = [(name.lower().encode(), value.encode("latin-1")) for name, value in refused.headers.items()]
    said = messages.failure(_code(refused, key), refused.message, key)
    await respond(send, status, [_JSON, _OWN, *_EVERYWHERE, *headers], said)


def _code(refused: BoxError, key: str | None) -> Code:
    match refused:
        case BrokenBody():
            return "PARSE_ERROR"
        case BadRequest():
            return "INVALID_CONTEXT"
        case NotFound() if key is not None:
            return "FLAG_NOT_FOUND"
        case _:
            return "GENERAL"
