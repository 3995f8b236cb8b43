"""OpenFeature's own SDKs with their OFREP providers, unchanged, against a real server: Python, Node, and Chromium on a
page of another site."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from openfeature import api
from openfeature.contrib.provider.ofrep import OFREPProvider
from openfeature.evaluation_context import EvaluationContext
from openfeature.exception import ErrorCode
from openfeature.flag_evaluation import FlagEvaluationDetails
from playwright.sync_api import Page

from tests.browser.chromium import USER_AGENT, launch
from tests.running import Account, Server, serving, set_up
from tests.sdk.test_browser import MODULES, eventually, website
from tests.sdk.test_node import NODE

SETTINGS = {"limit_flags": 0, "limit_rpc": 0, "limit_key": 0, "flag_streams_address": 2}
FLAGS: dict[str, dict[str, Any]] = {
    "on": {"type": "boolean", "defaultValue": True},
    "pro": {
        "type": "boolean",
        "rules": [{"type": "property", "operator": "equals", "field": "plan", "value": "pro", "enabled": True}],
    },
    "for-u1": {
        "type": "boolean",
        "rules": [{"type": "user_id", "operator": "equals", "value": "u1", "enabled": True}],
    },
    "colour": {"type": "multivariant", "variants": [{"key": "calm", "type": "string", "value": "blue"}]},
    "ratio": {"type": "multivariant", "variants": [{"key": "whole", "type": "number", "value": 2.0}]},
    "count": {"type": "multivariant", "variants": [{"key": "few", "type": "number", "value": 3}]},
    "layout": {"type": "multivariant", "variants": [{"key": "wide", "type": "json", "value": {"columns": [1, 2]}}]},
    "sleeping": {"type": "boolean", "defaultValue": True, "status": "inactive"},
    "größe:a.b~c|プラン": {"type": "boolean", "defaultValue": True},
    "resting": {"type": "boolean", "status": "inactive", "offValue": True},
}


class Place(NamedTuple):
    """A box with flags."""

    server: Server
    account: Account
    ids: dict[str, str]

    @property
    def base_url(self) -> str:
        """What every provider is given."""
        return f"{self.server.url}/public/v1/flags/{self.account.website_id}"

    def call(self, procedure: str, **given: Any) -> Any:
        answer = httpx.post(
            f"{self.server.url}/{procedure}", json=given, headers={"x-api-key": self.account.api_key}, timeout=30
        )
        assert answer.status_code == 200, answer.text
        return answer.json()

    def change(self, key: str, **given: Any) -> None:
        self.call("flags/update", id=self.ids[key], **given)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    data_dir = tmp_path_factory.mktemp("box") / "data"
    account = set_up(data_dir)
    with serving(data_dir, **SETTINGS) as server:
        made = Place(server, account, {})
        for key, fields in FLAGS.items():
            made.ids[key] = made.call("flags/create", websiteId=account.website_id, key=key, **fields)["id"]
        yield made


# Python


def test_python_gets_every_kind_of_value(place: Place) -> None:
    api.set_provider(OFREPProvider(base_url=place.base_url, timeout=30))
    client = api.get_client()
    somebody = EvaluationContext("u1", {"plan": "pro"})
    found: list[FlagEvaluationDetails[Any]] = [
        client.get_boolean_details("on", False, somebody),
        client.get_boolean_details("pro", False, somebody),
        client.get_boolean_details("pro", True, EvaluationContext("u2", {"plan": "free"})),
        client.get_string_details("colour", "red", somebody),
        client.get_float_details("ratio", 0.5, somebody),
        client.get_integer_details("count", 0, somebody),
        client.get_object_details("layout", {}, somebody),
        client.get_boolean_details("sleeping", False, somebody),
        client.get_boolean_details("resting", False, somebody),
        client.get_boolean_details("größe:a.b~c|プラン", False, somebody),
        client.get_boolean_details("on", False),
    ]
    assert [(one.value, one.variant, str(one.reason), one.error_code) for one in found] == [
        (True, "true", "STATIC", None),
        (True, "true", "TARGETING_MATCH", None),
        (False, "false", "STATIC", None),
        ("blue", "calm", "SPLIT", None),
        (2.0, "whole", "SPLIT", None),
        (3, "few", "SPLIT", None),
        ({"columns": [1, 2]}, "wide", "SPLIT", None),
        (False, None, "ERROR", ErrorCode.FLAG_NOT_FOUND),
        (True, "true", "DISABLED", None),
        (True, "true", "STATIC", None),
        (True, "true", "STATIC", None),
    ]
    assert found[0].flag_metadata["flagId"] == place.ids["on"]


def test_python_is_told_what_is_wrong(place: Place) -> None:
    api.set_provider(OFREPProvider(base_url=place.base_url, timeout=30))
    client = api.get_client()
    unknown = client.get_boolean_details("unknown", True, EvaluationContext("u1"))
    nobody = client.get_boolean_details("for-u1", True)
    other_type = client.get_string_details("on", "red", EvaluationContext("u1"))
    found = [(one.value, one.error_code and one.error_code.value) for one in (unknown, nobody, other_type)]
    assert found == [(True, "FLAG_NOT_FOUND"), (True, "TARGETING_KEY_MISSING"), ("red", "TYPE_MISMATCH")]
    assert unknown.error_message == "This flag does not exist"


def test_python_meets_a_change_at_once(place: Place) -> None:
    api.set_provider(OFREPProvider(base_url=place.base_url, timeout=30))
    client, u1 = api.get_client(), EvaluationContext("u1")
    for value in (False, True):
        place.change("on", defaultValue=value)
        assert client.get_boolean_value("on", not value, u1) is value


# Node


@pytest.mark.node
def test_node_gets_every_kind_of_value_and_is_told_what_is_wrong(place: Place) -> None:
    if NODE is None or not (MODULES / "@openfeature/ofrep-provider").exists():
        pytest.skip("Node.js or @openfeature/ofrep-provider is missing: run npm ci in web/ (packaging/test.sh does it)")
    somebody = {"targetingKey": "u1", "plan": "pro"}
    wanted = [
        ("Boolean", "pro", False, somebody),
        ("String", "colour", "red", somebody),
        ("Number", "ratio", 0.5, somebody),
        ("Object", "layout", {}, somebody),
        ("Boolean", "unknown", True, somebody),
        ("Boolean", "for-u1", True, {}),
    ]
    script = Path(__file__).with_name("node.mjs")
    ended = subprocess.run(
        (NODE, str(script), place.base_url, json.dumps(wanted)), capture_output=True, text=True, check=False, timeout=60
    )
    assert ended.returncode == 0, ended.stderr
    found = [(one["value"], one.get("variant"), one.get("errorCode")) for one in json.loads(ended.stdout)]
    assert found == [
        (True, "true", None),
        ("blue", "calm", None),
        (2, "whole", None),
        ({"columns": [1, 2]}, "wide", None),
        (True, None, "FLAG_NOT_FOUND"),
        (True, None, "TARGETING_KEY_MISSING"),
    ]


# Chromium


class Visit(NamedTuple):
    """A browser, and a website whose pages get flags."""

    page: Page
    folder: Path
    site: str
    numbers: Iterator[int]

    def open(self, place: Place, context: dict[str, Any], *, cache_mode: str = "disabled") -> None:
        """The page, when it has its flags."""
        options = {"baseUrl": place.base_url, "context": context, "cacheMode": cache_mode}
        (self.folder / "index.html").write_text(
            "<!doctype html><title>Home</title><link rel=icon href=data:,>"
            f"<script id=options type=application/json>{json.dumps(options)}</script><script src=/app.js></script>"
        )
        # Under an address of its own: a page that was written anew within the second counts as unchanged.
        self.page.goto(f"{self.site}?{next(self.numbers)}")
        self.page.evaluate("ready")

    def value(self, kind: str, key: str, default: object) -> Any:
        given = f"{json.dumps(key)}, {json.dumps(default)}"
        return self.page.evaluate(f"flags.getClient().get{kind}Details({given})")


@pytest.fixture(scope="module")
def visit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    folder = tmp_path_factory.mktemp("site")
    bundle(folder)
    with launch(arguments=(f"--user-agent={USER_AGENT}",), light=True) as browser, website(folder) as site:
        yield Visit(browser.new_page(), folder, site, count())


def bundle(folder: Path) -> None:
    """The page's script with the packages in it."""
    node = shutil.which("node")
    missing = [name for name in ("@openfeature/ofrep-web-provider", "esbuild") if not (MODULES / name).exists()]
    if node is None or missing:
        pytest.skip(f"Node.js or {missing} is missing: run npm ci in web/ (packaging/test.sh does it)")
    command = (node, str(MODULES / "esbuild/bin/esbuild"), str(Path(__file__).with_name("app.js")), "--bundle")
    ended = subprocess.run(
        (*command, f"--outfile={folder / 'app.js'}"),
        env={"NODE_PATH": str(MODULES)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ended.returncode == 0, ended.stderr


@pytest.mark.browser
@pytest.mark.node
def test_a_page_of_another_site_gets_flags_and_hears_of_changes(place: Place, visit: Visit) -> None:
    visit.open(place, {"targetingKey": "u1", "plan": "pro"})
    assert visit.value("Boolean", "pro", False)["reason"] == "TARGETING_MATCH"
    assert visit.value("String", "colour", "red")["value"] == "blue"
    assert visit.value("Number", "ratio", 0.5)["value"] == 2
    assert visit.value("Object", "layout", {})["value"] == {"columns": [1, 2]}
    assert visit.value("Boolean", "unknown", True)["errorCode"] == "FLAG_NOT_FOUND"
    place.change("on", defaultValue=False)
    visit.page.wait_for_function("changed.length === 1")  # nothing polls here
    assert visit.page.evaluate("changed") == [["on"]]
    assert visit.value("Boolean", "on", True)["value"] is False
    place.change("on", defaultValue=True)
    visit.page.wait_for_function("changed.length === 2")
    assert visit.value("Boolean", "on", False)["value"] is True


@pytest.mark.browser
@pytest.mark.node
def test_a_page_that_has_its_flags_already_is_not_sent_them_again(place: Place, visit: Visit) -> None:
    told = []
    for _ in range(2):
        with visit.page.expect_response(lambda one: one.request.method == "POST") as answered:
            visit.open(place, {"targetingKey": "u1"}, cache_mode="local-cache-first")
        told.append(answered.value.status)
    assert told == [200, 304]
    assert visit.value("Boolean", "on", False)["value"] is True


@pytest.mark.browser
@pytest.mark.node
def test_a_page_that_is_left_makes_room_for_the_next_stream(place: Place, visit: Visit) -> None:
    for _ in range(4):  # twice as many as an address may have
        visit.open(place, {"targetingKey": "u1"})
    streams = f"{place.base_url}/ofrep/v1/streams"

    def has_room() -> bool:
        with httpx.stream("GET", streams) as answer:
            return answer.status_code == 200

    eventually(has_room)
