"""Requests made up from the document itself: none breaks the box, and every answer is one that the document knows."""

from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.inprocess import WholeBox

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
EXAMPLES = 4  # per operation
# These would end the session, or what the others work with.
LEFT_OUT = ("/sign-out", "/switch", "/sessions/", "/password", "/leave", "/websites/delete", "/settings/delete")


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
    return schemathesis.Response(
        answer.status, found, answer.body, request=prepared, elapsed=0.0, verify=False, encoding="utf-8"
    )


@pytest.mark.parametrize("who", ["key", "session"])
def test_no_request_breaks_the_box_and_every_answer_is_described(box: WholeBox, who: str) -> None:
    schema = schemathesis.openapi.from_dict(box.get("/openapi.json").json)
    identity = {"x-api-key": box.keys["all"]} if who == "key" else {"cookie": box.cookie}
    problems: list[str] = []
    asked = 0
    for result in schema.get_all_operations():
        operation: Any = result.ok()  # type: ignore[union-attr]  # an invalid operation fails here
        if any(part in operation.path for part in LEFT_OUT):
            continue

        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            database=None,
            derandomize=True,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy())
        def ask(case: Any) -> None:
            nonlocal asked
            asked += 1
            try:
                case.validate_response(answer_of(box, case, identity), checks=CHECKS)
            except FailureGroup as failed:
                problems.extend(f"{case.method} {case.path}: {wrong}" for wrong in failed.exceptions)

        ask()
    assert asked > 100
    assert not problems, "\n".join(dict.fromkeys(problem[:600] for problem in problems))
