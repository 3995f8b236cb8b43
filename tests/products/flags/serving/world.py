"""The routes of flags behind the front of the box, with flags and their outcomes told by the test."""

import asyncio
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

import msgspec
from msgspec.structs import replace

from analytics_box.base.limits import TokenBuckets
from analytics_box.base.settings import Settings
from analytics_box.products.flags.directory import Flags
from analytics_box.products.flags.evaluation.outcome import EvaluationContext, Outcome
from analytics_box.products.flags.flag import FlagScope as Owned
from analytics_box.products.flags.serving.serve import FlagServer
from analytics_box.web.asgi import Receive, Scope, Send, respond
from analytics_box.web.front import Front, HotPath
from analytics_box.web.proxy_watch import ProxyWatch
from analytics_box.web.turns import RequestTurns
from tests.inprocess import NOON, Answer, FixedClock

SHOP, OLD, ACME = "shop-website-1", "shop-client-id-2", "acme-organization-1"
PREFIX = "/public/v1/flags"


def outcome(key: str, *, enabled: bool, **more: Any) -> Outcome:
    """An outcome with its result, as evaluation makes it."""
    result = {"enabled": enabled, "value": enabled, "payload": None, "reason": "BOOLEAN_DEFAULT", **more}
    return Outcome(
        flag_id=f"id-of-{key}",
        key=key,
        flag_type="boolean",
        enabled=enabled,
        value=result["value"],
        payload=result["payload"],
        reason=cast(Any, result["reason"]),
        encoded=msgspec.json.encode(result),
    )


ON, OFF = outcome("on", enabled=True), outcome("off", enabled=False)
ODD = outcome('odd "key"\n', enabled=True)


class Rules:
    """Outcomes that are the same for all, but for `mine`, which only ada has."""

    def __init__(self, outcomes: Iterable[Outcome]) -> None:
        self.known = {one.key: one for one in outcomes}
        self.contexts: list[EvaluationContext] = []  # for whom somebody asked
        self.broken = False

    def one(self, key: str, context: EvaluationContext) -> Outcome | None:
        self._asked(context)
        return None if key == "mine" and context.user_id != "ada" else self.known.get(key)

    def all(self, context: EvaluationContext, keys: Iterable[str] | None = None) -> list[Outcome]:
        self._asked(context)
        wanted = self.known if keys is None else keys
        return [self.known[key] for key in wanted if key in self.known and (key != "mine" or context.user_id == "ada")]

    def _asked(self, context: EvaluationContext) -> None:
        self.contexts.append(context)
        if self.broken:
            raise ZeroDivisionError("evaluation has a fault")


class Known:
    """The flags of a website, which has an old client id too, and of its organization, which has none."""

    def __init__(self) -> None:
        self.shop = Owned(SHOP, ACME, SHOP, revision=1, updated_at=NOON)
        self.usual = Rules((ON, OFF, ODD, outcome("mine", enabled=True)))
        self.staging = Rules((outcome("on", enabled=False),))

    def client(self, client_id: str, now: int) -> Owned | None:
        return {SHOP: self.shop, OLD: self.shop, ACME: Owned(ACME, ACME, None)}.get(client_id)

    def ruleset(self, owned: Owned, environment: str | None) -> Rules:
        if owned.id == SHOP and environment in {None, "staging"}:
            return self.usual if environment is None else self.staging
        return Rules(())

    def change(self) -> None:
        """Something of the website's flags has changed."""
        self.shop = replace(self.shop, revision=self.shop.revision + 1, updated_at=self.shop.updated_at + 1)


class World:
    """What answers at /public/v1/flags/."""

    def __init__(self, directory: Path, **changed: Any) -> None:
        settings = replace(Settings(data_dir=directory), **changed)
        self.clock, self.known = FixedClock(), Known()
        self.address = "203.0.113.7"
        self.remote: list[tuple[str, str]] = []
        limits, turns = TokenBuckets(self.clock), RequestTurns(settings.max_requests_address)
        self.serving = FlagServer(
            flags=cast(Flags, self.known),
            remote=self,
            limits=limits,
            limit=settings.limit_flags,
            clock=self.clock,
            app=_framework,
            turns=turns,
        )
        self.front = Front(
            _framework,
            paths=(HotPath(PREFIX, self.serving.under_prefix, is_whole=False, own_refusals=True),),
            hosts=(),
            limits=limits,
            settings=settings,
            proxies=ProxyWatch(self.clock),
            turns=turns,
        )
        self._runner = asyncio.Runner()

    def get(self, rest: str, **headers: str) -> Answer:
        """GET below the prefix."""
        return self.ask("GET", rest, headers)

    def ask(self, method: str, rest: str, headers: Mapping[str, str] | None = None) -> Answer:
        """One request; header names are given with underscores."""
        path, _, query = rest.partition("?")
        sent: list[dict[str, Any]] = []
        scope: Scope = {
            "type": "http",
            "method": method,
            "scheme": "http",
            "path": f"{PREFIX}/{path}",
            "query_string": query.encode(),
            "headers": [
                (name.replace("_", "-").encode(), value.encode())
                for name, value in {"host": "localhost", **(headers or {})}.items()
            ],
            "client": (self.address, 40_000),
        }

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        self._runner.run(self.front(scope, receive, send))
        found = {name.decode(): value.decode("latin-1") for name, value in reversed(sent[0]["headers"])}
        return Answer(sent[0]["status"], found, b"".join(message.get("body", b"") for message in sent[1:]))

    async def answer(self, client_id: str, rest: str, scope: Scope, receive: Receive, send: Send) -> None:
        """What OFREP does in the box."""
        self.remote.append((client_id, rest))
        await respond(send, 200, [], b"remote")

    def close(self) -> None:
        self._runner.close()


async def _framework(scope: Scope, receive: Receive, send: Send) -> None:
    await respond(send, 404, [], b"the framework")
