"""Procedures as npm's @orpc/client calls them (wire 10.1): its RPCLink, unchanged, in Node against a real server."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.running import EMAIL, PASSWORD, UNLIMITED, Account, running_box

pytestmark = pytest.mark.node

SCRIPT = Path(__file__).with_name("client.mjs")
PACKAGE = Path(__file__).parents[2] / "web" / "node_modules" / "@orpc" / "client"
NODE = shutil.which("node")


@pytest.fixture(scope="module")
def called(tmp_path_factory: pytest.TempPathFactory) -> tuple[Account, dict[str, Any]]:
    """What the script got, by the name of the call."""
    if NODE is None or not PACKAGE.exists():
        pytest.skip(f"{PACKAGE} or Node.js is missing: run npm ci in web/ (packaging/test.sh does it)")
    with running_box(tmp_path_factory.mktemp("rpc") / "data", **UNLIMITED) as box:
        arguments = (box.url, box.account.api_key, box.account.website_id, EMAIL, PASSWORD)
        ended = subprocess.run((NODE, str(SCRIPT), *arguments), capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == 0, ended.stderr
    results: dict[str, Any] = json.loads(ended.stdout)
    return box.account, results


def test_lists_and_objects_come_back(called: tuple[Account, dict[str, Any]]) -> None:
    account, results = called
    (website,) = results["list"]["ok"]
    assert website == results["get"]["ok"]
    assert (website["id"], website["domain"]) == (account.website_id, "example.com")
    assert isinstance(website["createdAt"], str)  # wire 10.3: dates of websites are text
    assert results["charts"]["ok"]["activeUsers"] == {account.website_id: 0}


def test_nested_input_arrives(called: tuple[Account, dict[str, Any]]) -> None:
    settings = called[1]["settings"]["ok"]["settings"]
    assert (settings["ignoredPaths"], settings["dataRetentionDays"]) == (["/ünï/*"], 90)


@pytest.mark.parametrize(
    ("name", "code", "status"),
    [
        ("unknown", "NOT_FOUND", 404),
        ("invalid", "BAD_REQUEST", 400),
        ("stranger", "AUTH_REQUIRED", 401),
        ("forbidden", "FORBIDDEN", 403),
        ("missing", "NOT_FOUND", 404),
    ],
)
def test_refusals_are_errors_of_the_client(
    called: tuple[Account, dict[str, Any]], name: str, code: str, status: int
) -> None:
    refused = called[1][name]["error"]
    assert (refused["code"], refused["status"]) == (code, status)
    assert refused["message"]


def test_a_refused_input_says_which_field(called: tuple[Account, dict[str, Any]]) -> None:
    assert called[1]["invalid"]["error"]["data"]["issues"][0]["field"] == "id"


def test_dates_go_in_and_come_out_as_dates(called: tuple[Account, dict[str, Any]]) -> None:
    results = called[1]
    expected = {"date": "2031-02-03T04:05:06.789Z"}
    assert results["key"]["ok"]["expiresAt"] == expected
    assert set(results["key"]["ok"]["createdAt"]) == {"date"}
    listed = {each["id"]: each for each in results["keys"]["ok"]}
    assert listed[results["made"]["ok"]["id"]]["expiresAt"] == expected
    assert results["never"]["ok"]["secret"].startswith("svc_")
    assert all(each["expiresAt"] is None for each in listed.values() if each["id"] != results["made"]["ok"]["id"])
