"""Flag evaluation for SDKs, bypassing Litestar: from memory, without waiting (wire 6.1).

All other requests below the prefix, which take an API key, are passed to the framework.
"""

import hashlib
import logging
from functools import lru_cache
from typing import Final, Protocol

from msgspec.structs import replace

import analytics_box
from analytics_box.base import errors
from analytics_box.base.clock import Clock
from analytics_box.base.errors import BoxError
from analytics_box.base.limits import TokenBuckets
from analytics_box.base.translation import _
from analytics_box.products.flags.directory import Flags
from analytics_box.products.flags.evaluation import matching
from analytics_box.products.flags.flag import FlagScope as Owned
from analytics_box.products.flags.serving import answers
from analytics_box.products.flags.serving.answers import Asking, CachedEvaluation, EvaluationCache, HeaderList
from analytics_box.products.flags.serving.asked import NO_USER, EvaluationRequest, asked_of
from analytics_box.products.flags.usage.counts import recent_evaluations
from analytics_box.web import render
from analytics_box.web.address import network_of
from analytics_box.web.asgi import App, Message, Receive, Scope, Send, client_has, respond
from analytics_box.web.turns import RequestTurns

log = logging.getLogger(__name__)

PREFIX: Final = "/public/v1/flags"
OFREP: Final = ("ofrep/", "env/")  # The parts of a path after a client id; the second one precedes the first.
_ROUTES: Final[dict[str, Asking]] = {"/evaluate": "evaluate", "/bulk": "bulk"}
_METHODS: Final = "GET, HEAD, OPTIONS"
_PREFLIGHT: Final = b"access-control-request-method"
_LASTING: Final = (answers.SHARED, *answers.OPEN)
_FRESH: Final = (answers.JSON, *_LASTING)
_OF_NOBODY: Final[dict[Asking, bytes]] = {"evaluate": answers.NOT_FOUND, "bulk": answers.NO_FLAGS}


class Remote(Protocol):
    """The server of the OpenFeature Remote Evaluation Protocol."""

    async def answer(self, client_id: str, rest: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request at `rest`, the path after the client id."""


class FlagServer:
    """Answers requests below /public/v1/flags/."""

    def __init__(
        self,
        *,
        flags: Flags,
        remote: Remote,
        limits: TokenBuckets,
        limit: int,
        clock: Clock,
        app: App,
        turns: RequestTurns,
    ) -> None:
        self._flags = flags
        self._remote = remote
        self._limits = limits
        self._limit = limit  # Evaluations a minute, per client id and address.
        self._clock = clock
        self._app = app
        self._turns = turns
        self._recent = recent_evaluations(clock)
        self.memo = EvaluationCache()

    def forget(self) -> None:
        """Forget the questions that were answered: they may contain addresses."""
        self.memo.forget()
        matching.forget()

    async def under_prefix(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request below the prefix."""
        rest = scope["path"][len(PREFIX) :]
        asking = _ROUTES.get(rest)
        if asking is not None:
            scope["path_template"] = scope["path"]  # The access log shows this path.
            await self._asked(asking, scope, send)
        elif rest == "/health":
            await self._health(scope, send)
        else:
            await self._elsewhere(rest, scope, receive, send)

    # Evaluation

    async def _asked(self, asking: Asking, scope: Scope, send: Send) -> None:
        """GET /evaluate and /bulk."""
        try:
            if "refused" in scope:
                raise scope.pop("refused")
            if scope["method"] != "GET":
                await _other_method(scope, send)
                return
            status, headers, body = self._answer(asking, scope)
        except BoxError as error:
            errors.forget_frames(error)
            body = answers.refusal(asking, error, scope["request_id"])
            await respond(send, error.status, answers.refusal_headers(error), body)
        else:
            await respond(send, status, headers, body)

    def _answer(self, asking: Asking, scope: Scope) -> tuple[int, HeaderList, bytes]:
        """Status, headers and body. Raises BadRequest, WrongTypes, RateLimited, and BoxError where evaluation fails."""
        query: bytes = scope["query_string"]
        given = self.memo.find(asking, query)
        is_remembered = given is not None
        asked = given.asked if given is not None else asked_of(query, one=asking == "evaluate")
        owned = self._flags.client(asked.client_id, self._clock.now())
        # Unknown ids share the limit of their address, so invented ids do not raise it.
        whose = owned.id if owned is not None else ""
        self._limits.take("flags", f"{whose} {network_of(scope['address'])}", self._limit)
        if owned is None:
            return 200, [*_FRESH], _OF_NOBODY[asking]
        state = _state(owned.id, owned.revision, owned.updated_at)
        if given is not None and given.state != state:
            given = None
        tag = given.tag if given is not None else _tag(state, asking, query)
        headers = [*_LASTING, (b"etag", tag)]
        known, question = client_has(scope, tag), (owned.id, asked.environment, asked.key, asked.keys)
        if given is None and (not known or hash(question) not in self._recent):
            if is_remembered:  # The answer is remembered without its context.
                asked = asked_of(query, one=asking == "evaluate")
            given = self._evaluate(asking, asked, owned, state, tag)
            self.memo.keep(asking, query, given)
            self._recent.put(hash(question), value=True)
        if given is not None:
            for outcome in given.outcomes:
                outcome.count += 1
        if known or given is None:
            return 304, headers, b""
        return 200, [answers.JSON, *headers], given.body

    def _evaluate(
        self, asking: Asking, asked: EvaluationRequest, owned: Owned, state: bytes, tag: bytes
    ) -> CachedEvaluation:
        """Raises BoxError where evaluation fails, which it never should."""
        try:
            ruleset = self._flags.ruleset(owned, asked.environment)
            kept = replace(asked, context=NO_USER)
            if asking == "bulk":
                outcomes = tuple(ruleset.all(asked.context, asked.keys))
                return CachedEvaluation(kept, state, tag, answers.bulk(outcomes), outcomes)
            found = ruleset.one(asked.key, asked.context)
            if found is None:
                return CachedEvaluation(kept, state, tag, answers.NOT_FOUND, ())
            return CachedEvaluation(kept, state, tag, found.encoded, (found,))
        except Exception as raised:
            log.exception("Flags could not be evaluated")
            raise BoxError(_("The flags could not be evaluated. See the server's log")) from raised

    # Everything else

    async def _health(self, scope: Scope, send: Send) -> None:
        if "refused" in scope:
            await _refuse(scope, send, scope["refused"])
        elif scope["method"] != "GET":
            await _other_method(scope, send)
        else:
            await respond(send, 200, [answers.JSON, answers.NOT_STORED, *answers.OPEN], answers.HEALTH)

    async def _elsewhere(self, rest: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer OFREP, and pass other requests to the framework."""
        if "refused" in scope:
            await _refuse(scope, send, scope["refused"])
            return
        client_id, _, more = rest[1:].partition("/")
        if more.startswith(OFREP):
            scope["path_template"] = f"{PREFIX}/.../{OFREP[0]}..."
            await self._remote.answer(client_id, more, scope, receive, send)
        elif scope["method"] == "OPTIONS" and any(name == _PREFLIGHT for name, _ in scope["headers"]):
            await respond(send, 204, [*answers.OPEN, *answers.PREFLIGHT])
        else:
            scope["headers"] = [pair for pair in scope["headers"] if pair[0] != b"cookie"]
            async with self._turns.of(network_of(scope["address"])):
                await self._app(scope, receive, _opening(send))


@lru_cache(maxsize=10_000)
def _state(owner: str, revision: int, updated_at: int) -> bytes:
    """The state of an owner's flags, under this version of the box; different also after a backup was restored."""
    whole = f"{analytics_box.__version__} {owner} {revision} {updated_at}"
    return hashlib.blake2b(whole.encode(), digest_size=8).digest()


def _tag(state: bytes, asking: Asking, query: bytes) -> bytes:
    """The tag of an answer, known without the answer: the state of the flags, and the request."""
    digest = hashlib.blake2b(query, key=state, person=asking.encode(), digest_size=12).hexdigest()
    return b'"%b"' % digest.encode()


async def _other_method(scope: Scope, send: Send) -> None:
    """OPTIONS, or the refusal of whatever else is no GET."""
    if scope["method"] == "OPTIONS":
        await respond(send, 204, [(b"allow", _METHODS.encode()), *answers.OPEN, *answers.PREFLIGHT])
    else:
        await _refuse(scope, send, errors.MethodNotAllowed(_("Use GET"), headers={"Allow": _METHODS}))


async def _refuse(scope: Scope, send: Send, error: BoxError) -> None:
    body = render.api_body(error, scope["request_id"])
    await respond(send, error.status, answers.refusal_headers(error), body)


def _opening(send: Send) -> Send:
    """Let pages of other sites read an answer of the framework, which is not shown their cookies."""

    async def opened(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message["headers"], *answers.OPEN]
        await send(message)

    return opened
