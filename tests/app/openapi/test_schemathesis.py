"""Requests made up from the document, pages included: none breaks the box, and every answer is one that it knows.

Each is asked as it was made up, and once more with the names of things that really exist; by all three callers in a
thorough run, and in any other each of both by one of them, in turn. What ends something comes last, so that all others
still find it.
"""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from analytics_box.app.openapi.document import document
from analytics_box.tenants.keys.ring import KeyRing
from tests.contract.conftest import unlimited
from tests.examples import examples, is_thorough
from tests.inprocess import PASSWORD, WholeBox, whole_box

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
CALLERS = ("nobody", "key", "session")
FORM = "application/x-www-form-urlencoded"
FIELDS = {
    "email": "grace@example.com",
    "new": "another long and quiet sentence",
    "name": "Name",
    "slug": "name",
    "role": "viewer",
    "scope:read:data": "on",
    "reach": "all",
}
# What ends something, the gentlest first.
ENDS = ("rotate", "sessions", "transfer", "revoke", "remove", "leave", "delete", "password", "sign-out")


def answer_of(box: WholeBox, case: Any, identity: dict[str, str]) -> schemathesis.Response:
    """What the box answers to a made-up request, in the form that the checks want."""
    sent = case.as_transport_kwargs(base_url="http://localhost", headers=identity)
    wanted = {"method", "url", "params", "headers", "cookies", "data", "json", "files"}
    prepared = requests.Request(**{name: value for name, value in sent.items() if name in wanted}).prepare()
    parts = urlsplit(prepared.url or "")
    body: Any = prepared.body or b""
    headers = {
        name: value if isinstance(value, str) else value.decode("latin-1") for name, value in prepared.headers.items()
    }
    answer = box.ask(
        prepared.method or "GET",
        parts.path + (f"?{parts.query}" if parts.query else ""),
        headers=headers,
        body=body.encode() if isinstance(body, str) else body,
    )
    found = {name: [value] for name, value in answer.headers.items()}
    plain = gzip.decompress(answer.body) if answer.headers.get("content-encoding") == "gzip" else answer.body
    return schemathesis.Response(
        answer.status, found, plain, request=prepared, elapsed=0.0, verify=False, encoding="utf-8"
    )


def existing(box: WholeBox, key: str, path: str) -> dict[str, str]:
    """Names of fields and parameters, and things that really exist under them. An `id` is of what the path is about."""
    website, organization = box.sites["shop"], box.organization_id
    about = {"websites": website, "sites": website, "apikeys": key, "keys": key, "organizations": organization}
    return {
        "ending": "rotate",
        "domain": f"{''.join(letter for letter in path if letter.isalnum())}.example".lower(),
        "id": next((about[part] for part in path.split("/") if part in about), website),
        **dict.fromkeys(("website_id", "websiteId", "website", "client_id", "clientId"), website),
        **dict.fromkeys(("organization_id", "organizationId"), organization),
        **dict.fromkeys(("key_id", "keyId"), key),
        **dict.fromkeys(("user_id", "userId", "member"), box.user_id),
        **dict.fromkeys(("password", "current"), PASSWORD),
    }


def name_existing(case: Any, known: dict[str, str]) -> None:
    """Put what exists in the place of what was made up, and fill the fields of a page's form with what could be."""
    for part in (case.path_parameters, case.query, case.body):
        for inner in (part, part.get("json")) if isinstance(part, dict) else ():
            if isinstance(inner, dict):
                inner.update({name: known[name] for name in inner if name in known})
    if case.media_type == FORM:
        case.body = {**(case.body if isinstance(case.body, dict) else {}), **FIELDS, **known}


def harm(operation: Any) -> int:
    """0 for what ends nothing, else the more the later."""
    return max((place for place, word in enumerate(ENDS, 1) if word in operation.path), default=0)


# Per operation, each asked by all callers: making one up takes far longer than answering it.
FEW = settings(examples(3, unchecked=HealthCheck), database=None, phases=[Phase.generate])


# One function for all operations: Hypothesis reads the source of each that is given examples.
@FEW
@seed(7)
@given(data=st.data())
def each_case(data: st.DataObject, operation: Any, ask: Callable[[Any], None]) -> None:
    ask(data.draw(operation))


class Explorer:
    """Asks operations made-up things in the name of everybody, and keeps what went wrong and which answers came."""

    def __init__(self, box: WholeBox) -> None:
        self._box = box
        self._cookie = ""
        self._turn = 0
        self._key = next(key.id for key in box.box.parts[KeyRing].all() if key.name == "First key")
        self.problems: dict[str, None] = {}  # in the order of their finding, each once
        self.statuses: dict[str, set[int]] = {who: set() for who in CALLERS}

    def explore(self, operation: Any) -> None:
        known = existing(self._box, self._key, operation.path)
        self._cookie = self._box.cookie

        def ask(case: Any) -> None:
            for header in [
                name for name in case.headers or () if name.lower() in {"x-api-key", "authorization", "cookie"}
            ]:
                del case.headers[header]  # who asks is said by `who`
            callers = CALLERS[self._turn :] + CALLERS[: self._turn]
            self._turn = (self._turn + 1) % len(CALLERS)
            for who in callers if is_thorough() else callers[:1]:
                self._ask(case, who)
            name_existing(case, known)
            for who in callers if is_thorough() else callers[1:2]:
                self._ask(case, who)
            if harm(operation):  # what ends sessions, too
                self._cookie = self._box.cookie

        each_case(operation=operation.as_strategy(), ask=ask)

    def _ask(self, case: Any, who: str) -> None:
        answer = answer_of(self._box, case, self._identity(who))
        self.statuses[who].add(answer.status_code)
        try:
            case.validate_response(answer, checks=CHECKS)
        except FailureGroup as failed:
            for wrong in failed.exceptions:
                self.problems[f"{who}: {case.method} {case.path}: {wrong}"[:600]] = None

    def _identity(self, who: str) -> dict[str, str]:
        if who == "key":
            return {"x-api-key": self._box.keys["all"]}
        return {"cookie": self._cookie} if who == "session" else {}


def test_no_request_breaks_the_box_and_every_answer_is_described(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Days of an example website, which one address fills.
    monkeypatch.setattr("analytics_box.products.sample_data.example.DAYS", 2)
    with whole_box(tmp_path / "data", adjust=unlimited) as box:
        box.clock.advance(seconds=1)  # organizations made from now on are newer than the first, where sessions start
        cookie = box.box.sign_ins.cookie_name
        schema = schemathesis.openapi.from_dict(document(box.box.settings, cookie=cookie, pages=True))
        operations: list[Any] = [found.ok() for found in schema.get_all_operations()]  # type: ignore[union-attr]  # the schema was read
        explorer = Explorer(box)
        for operation in sorted(operations, key=harm):
            explorer.explore(operation)
    assert not explorer.problems, "\n".join(explorer.problems)
    for who, statuses in explorer.statuses.items():
        assert {200, 303, 400, 401 if who == "nobody" else 404} <= statuses, f"{who} gets past the door"
