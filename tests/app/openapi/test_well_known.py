"""Discovery: where the API is described and how to authenticate, for programs of any site (wire 11.4)."""

import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from analytics_box.base.identity import SCOPES
from analytics_box.base.settings import Settings
from tests.inprocess import WholeBox, whole_box

URL = "https://stats.example.com"
CATALOG, RESOURCE = "/.well-known/api-catalog", "/.well-known/oauth-protected-resource"
HOST = {"host": "stats.example.com"}


def public(settings: Settings) -> Settings:
    return msgspec.structs.replace(settings, base_url=URL)


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("box") / "data", adjust=public) as made:
        yield made


def ask(box: WholeBox, path: str, **headers: str) -> Any:
    return box.get(path, **(HOST | headers))


@pytest.mark.parametrize("path", [CATALOG, RESOURCE, f"{RESOURCE}/mcp"])
def test_discovery_is_cached_and_open_to_every_site(box: WholeBox, path: str) -> None:
    answer = ask(box, path, origin="https://elsewhere.example")
    assert answer.status == 200
    assert answer.headers["cache-control"] == "public, max-age=3600, must-revalidate"
    assert answer.headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-credentials" not in answer.headers


def test_the_catalog_is_a_linkset_of_what_is_there(box: WholeBox) -> None:
    answer = ask(box, CATALOG)
    assert answer.headers["content-type"].startswith("application/linkset+json")
    (links,) = answer.json["linkset"]
    assert links["anchor"] == f"{URL}/"
    for relation in ("service-desc", "service-doc", "status"):
        (link,) = links[relation]
        assert link["href"].startswith(f"{URL}/")
        assert ask(box, link["href"].removeprefix(URL)).status == 200


def test_head_of_the_catalog_says_the_same_in_a_link_header(box: WholeBox) -> None:
    answer = box.ask("HEAD", CATALOG, headers=HOST)
    assert (answer.status, answer.body) == (200, b"")
    assert f'<{URL}/openapi.json>; rel="service-desc"' in answer.headers["link"]
    assert 'rel="api-catalog"' in answer.headers["link"]


@pytest.mark.parametrize(("suffix", "resource"), [("", URL), ("/mcp", f"{URL}/mcp"), ("/a/b", f"{URL}/a/b")])
def test_the_protected_resource_says_how_to_authenticate(box: WholeBox, suffix: str, resource: str) -> None:
    described = ask(box, RESOURCE + suffix).json
    assert described["resource"] == resource
    assert described["authorization_servers"] == []
    assert described["bearer_methods_supported"] == ["header"]
    assert described["scopes_supported"] == list(SCOPES)
    assert described["resource_documentation"] == f"{URL}/docs"


@pytest.mark.parametrize("suffix", ["/%22onload", "/a b", "/%0d%0a", "/" + "x" * 300])
def test_a_suffix_that_is_no_path_is_not_found(box: WholeBox, suffix: str) -> None:
    assert ask(box, RESOURCE + suffix).status == 404


def test_addresses_come_from_the_settings_and_never_from_the_request(box: WholeBox) -> None:
    headers = {"host": "localhost", "x_forwarded_host": "evil.example", "forwarded": "host=evil.example"}
    for path in (CATALOG, RESOURCE, "/openapi.json"):
        answer = box.get(path, **headers)
        assert b"evil.example" not in answer.body + json.dumps(answer.headers).encode()
        assert URL.encode() in answer.body


def test_every_401_names_the_description(box: WholeBox) -> None:
    wanted = f'Bearer resource_metadata="{URL}{RESOURCE}"'
    query = b'{"parameters": ["top_pages"], "preset": "today"}'
    asked = (
        ("GET", "/v1/query/websites", b""),
        ("POST", "/v1/query?website_id=x", query),
        ("POST", "/rpc/websites/list", b"{}"),
        ("POST", "/websites/list", b"{}"),
        ("POST", "/track", b'{"name": "x"}'),
    )
    for method, path, body in asked:
        headers = HOST | {"content_type": "application/json", "x_api_key": "svc_nothing"}
        answer = box.ask(method, path, headers=headers, body=body)
        assert (answer.status, answer.headers["www-authenticate"]) == (401, wanted)
