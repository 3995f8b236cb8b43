"""The Node client of npm's @databuddy/sdk 2.6, unchanged, against a real server (wire 5.4), and its manager of flags
(wire 6.1)."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from analytics_box.ingest.visitors import by_client_id
from tests.running import UNLIMITED, Box, running_box
from tests.sdk import flags, stored

pytestmark = pytest.mark.node

NODE = shutil.which("node")
PACKAGE = Path(__file__).parents[2] / "web" / "node_modules" / "@databuddy" / "sdk"
DEVICE = "anon_00000000-0000-4000-8000-000000000001"
SENT_AT = round(datetime(2026, 1, 2, 3, 4, 5, 678_000, UTC).timestamp() * 1000)


class Used(NamedTuple):
    """A box that the client has been used with, and what its calls returned."""

    box: Box
    results: dict[str, Any]

    @property
    def events(self) -> list[dict[str, Any]]:
        return stored.events(self.box.server.data_dir)

    def named(self, name: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["name"] == name]


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Used]:
    if NODE is None or not PACKAGE.exists():
        pytest.skip(f"{PACKAGE} or Node.js is missing: run npm ci in web/ (packaging/test.sh does it)")
    with running_box(tmp_path_factory.mktemp("node") / "data", **UNLIMITED) as box:
        yield Used(box, _run(NODE, "node.mjs", box.url, box.account.api_key, box.account.website_id))


@pytest.fixture(scope="module")
def flagged(used: Used) -> dict[str, Any]:
    """What the manager of flags returned."""
    account = used.box.account
    flags.make(used.box.url, account)
    return _run(NODE or "", "flags.mjs", used.box.url, account.website_id)


def _run(node: str, script: str, *arguments: str) -> dict[str, Any]:
    command = (node, str(Path(__file__).with_name(script)), *arguments)
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == 0, ended.stderr
    results: dict[str, Any] = json.loads(ended.stdout)
    return results


def test_an_event_arrives_as_it_was_tracked(used: Used) -> None:
    assert used.results["track"] == {"success": True}
    (event,) = used.named("invoice paid")
    assert json.loads(event["properties"]) == {"amount": 12.5, "currency": "EUR", "ünï": "✓"}
    assert (event["namespace"], event["origin"], event["profile"]) == ("billing", "backend", "customer-1")
    assert (event["time"], event["client_session"]) == (SENT_AT, "sess_00000000-0000-4000-8000-000000000001")
    assert event["visitor"] != 0
    assert event["bot"] == ""


def test_the_queue_is_sent_when_it_is_full_and_when_it_is_flushed(used: Used) -> None:
    assert used.results["queued"] == [
        {"success": True},
        {"success": True},
        {"success": True},
        {"success": True, "processed": 3},
    ]
    assert used.results["flush"] == {"success": True, "processed": 1}
    assert used.results["empty"] == {"success": True, "processed": 0, "results": []}
    found = [event for event in used.events if event["name"].startswith("q")]
    assert [event["name"] for event in found] == ["q1", "q2", "q3", "q4"]
    assert {event["properties"] for event in found} == {'{"release":"1.2.3"}'}
    assert used.named("dropped") == []


def test_equal_event_ids_count_once(used: Used) -> None:
    assert used.results["once"] == [{"success": True}, {"success": True}]
    assert len(used.named("once")) == 1
    assert used.results["batch"] == {"success": True, "processed": 2}
    assert (len(used.named("b1")), len(used.named("b2"))) == (1, 1)


def test_a_batch_has_up_to_a_hundred_events(used: Used) -> None:
    assert used.results["hundred"] == {"success": True, "processed": 100}
    assert len(used.named("hundred")) == 100
    assert used.results["tooMany"]["success"] is False


def test_a_visitor_id_lasts_where_the_client_wants_it(used: Used) -> None:
    (event,) = used.named("b2")
    assert event["visitor"] == by_client_id(b"", event["site"], "a")


def test_a_person_is_identified(used: Used) -> None:
    assert used.results["identify"] == used.results["again"] == {"success": True}
    account = used.box.account
    answer = httpx.post(
        f"{used.box.url}/profiles/getById",
        json={"websiteId": account.website_id, "profileId": "customer-1"},
        headers={"x-api-key": account.api_key},
    ).json()
    assert answer["profile"]["traits"] == {"email": "Ada@Example.com", "name": "Ada", "seats": 4}
    assert (answer["profile"]["email"], answer["profile"]["displayName"]) == ("ada@example.com", "Ada")
    # The device under the salts of today and yesterday, and of the day of an earlier event and the one beside it.
    assert len(answer["visitors"]) == 4


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("key", "HTTP 401: Unauthorized"),
        ("website", "HTTP 404: Not Found"),
        ("nobody", "fetch failed"),
        ("long", "HTTP 400: Bad Request"),
        ("batch", "HTTP 400: Bad Request"),
        ("identifyKey", "HTTP 401: Unauthorized"),
        ("identifyWebsite", "HTTP 404: Not Found"),
        ("identifyNowhere", "websiteId is required (set it in config or pass it per call)"),
        ("identifyTraits", "HTTP 400: Bad Request"),
    ],
)
def test_a_refusal_is_told(used: Used, name: str, error: str) -> None:
    assert used.results["refused"][name] == {"success": False, "error": error}


def test_nothing_refused_is_stored(used: Used) -> None:
    assert used.named("never") == []
    assert not [event for event in used.events if event["name"].startswith("xxx")]


def test_an_event_without_a_website_is_the_organizations(used: Used) -> None:
    assert used.results["organization"] == {"success": True}
    (event,) = used.named("of the organization")
    assert event["site"] != used.named("once")[0]["site"]


def test_flags_are_asked_for_one_by_one(flagged: dict[str, Any]) -> None:
    on = {"enabled": True, "value": True, "payload": {"color": "green"}, "reason": "BOOLEAN_DEFAULT"}
    off = {"enabled": False, "value": False, "payload": None, "reason": "BOOLEAN_DEFAULT"}
    found = flagged["one"]
    assert on.items() <= found["checkout"].items()
    assert off.items() <= found["dark"].items()
    assert found["missing"]["reason"] == "NOT_FOUND"


def test_all_flags_are_fetched_before_anybody_asks(flagged: dict[str, Any]) -> None:
    found = flagged["all"]
    assert set(found) == {"checkout", "dark-mode", "for-pro", "half", "by-organization", "button", "limit"}
    assert flagged["ready"] is True
    assert (found["dark-mode"]["value"], found["dark-mode"]["reason"]) == (True, "USER_RULE_MATCH")
    assert flagged["enabled"] == {"on": True, "status": "ready", "loading": False, "value": True}
    assert (flagged["value"], found["limit"]["variant"]) == (25, "only")


def test_each_user_gets_what_the_wire_says(flagged: dict[str, Any]) -> None:
    found = flagged["users"]
    assert found == [[user, flags.in_half(user), flags.button(user)] for user, _, _ in found]
    assert {enabled for _, enabled, _ in found} == {True, False}
    assert {variant for _, _, variant in found} == {"red", "blue"}


def test_properties_organizations_and_environments_decide(flagged: dict[str, Any]) -> None:
    assert flagged["property"]["reason"] == "USER_RULE_MATCH"
    found = flagged["organizations"]
    assert found == [[name, flags.bucket(f"by-organization:{name}") < 50] for name, _ in found]
    assert {key: one["value"] for key, one in flagged["staging"].items()} == {"checkout": False}


def test_unknown_or_refused_flags_are_reported(flagged: dict[str, Any]) -> None:
    assert flagged["nobody"]["reason"] == "NOT_FOUND"
    assert (flagged["refused"]["enabled"], flagged["refused"]["reason"]) == (False, "ERROR")
