"""Who may ask what (spec 2.2, 4 and 5; wire 3.1 and 3.2)."""

import json
import re
from typing import NamedTuple

import pytest

from analytics_box.app.routes import TABLE
from tests.cases import each
from tests.inprocess import EMAIL, PASSWORD, KeyName, SiteName, WholeBox

BODY = {"parameters": ["summary_metrics"], "preset": "today"}


class Case(NamedTuple):
    """A credential, what it asks for, and the answer: a status, and of refusals the code and part of the message."""

    section: str
    key: KeyName | None
    target: str
    status: int
    code: str = ""
    message: str = ""


def site(name: SiteName) -> str:
    return f"website_id={{{name}}}"


CASES = (
    Case("spec 4", "all", site("shop"), 200),
    Case("spec 2.2", "reading", site("shop"), 200),
    Case("spec 2.2 rule 3", "restricted", site("shop"), 200),
    Case("spec 2.2 rule 3", "restricted", site("local"), 403, "FORBIDDEN", "Access denied to this website"),
    Case("spec 2.2", "tracking", site("shop"), 403, "FORBIDDEN", "read:data"),
    Case("spec 2.2 rule 1", "linking", site("shop"), 403, "FORBIDDEN", "read:data"),
    Case("spec 2.1", "all", site("foreign"), 403, "FORBIDDEN", "Access denied to this website"),
    Case("spec 2.1", "foreign", site("shop"), 403, "FORBIDDEN", "Access denied to this website"),
    Case("wire 3.2", "foreign", site("foreign"), 200),
    Case("wire 0, unknown id", "all", "website_id=unknown", 403, "FORBIDDEN", "Access denied to this website"),
    Case("wire 0, unknown id", None, "website_id=unknown", 401, "AUTH_REQUIRED", "Authentication required"),
    Case("spec 5.4", None, site("shop"), 401, "AUTH_REQUIRED", "Authentication required"),
    Case("spec 5.6", "revoked", site("shop"), 401, "AUTH_REQUIRED", "Authentication required"),
    Case("wire 3.1", "expired", site("shop"), 401, "AUTH_REQUIRED", "Authentication required"),
    Case("spec 4 *", "all", "", 200),
    Case("spec 4 *", None, "", 401, "AUTH_REQUIRED", "Authentication required"),
    Case("wire 3.2", "restricted", "", 400, "MISSING_PROJECT_ID", "website_id"),
    Case("wire 3.2", "all", "organization_id={own}", 200),
    Case("wire 3.2", "restricted", "organization_id={own}", 200),
    Case("wire 3.2", "foreign", "organization_id={own}", 403, "FORBIDDEN", "this organization"),
    Case("wire 3.2", "all", "organization_id={other}", 403, "FORBIDDEN", "this organization"),
    Case("wire 0, unknown id", "all", "organization_id=unknown", 403, "FORBIDDEN", "this organization"),
    Case("wire 0, unknown id", "all", "link_id=unknown", 403, "FORBIDDEN", "this link"),
    Case("wire 0, unknown id", "all", "schedule_id=unknown", 403, "FORBIDDEN", "this monitor"),
    Case("wire 3.2", None, "link_id=unknown", 401, "AUTH_REQUIRED", "Authentication required"),
    # On a public website anybody may run public types (wire 1.22 and 3.2).
    Case("wire 3.2", None, site("blog"), 200),
    Case("wire 3.2", "foreign", site("blog"), 200),
)


def path_of(box: WholeBox, target: str) -> str:
    sites = {str(name): website_id for name, website_id in box.sites.items()}
    names = {**sites, "own": box.organization_id, "other": box.foreign_organization_id}
    return f"/v1/query?{target.format(**names)}"


def named(case: Case) -> str:
    return f"{case.key} asks {case.target or 'for nothing in particular'}"


@each("case", CASES, ids=named)
def test_query_is_answered_for_callers_that_can_read_its_target(box: WholeBox, case: Case) -> None:
    answer = box.post(path_of(box, case.target), BODY, key=case.key)
    assert answer.status == case.status
    if case.status == 200:
        assert answer.json["data"][0]["success"] is True
        return
    assert answer.json["success"] is False
    assert answer.json["code"] == case.code
    assert case.message in answer.json["error"]
    assert "data" not in answer.json
    assert ("www-authenticate" in answer.headers) == (case.status == 401)  # wire 3.4


@pytest.mark.parametrize("header", ["Bearer {}", "bearer {}", "BEARER   {}"])
def test_a_key_may_come_as_a_bearer_token(box: WholeBox, header: str) -> None:  # spec 5.1
    answer = box.get("/v1/query/websites", authorization=header.format(box.keys["reading"]))
    assert answer.status == 200


def test_a_key_may_come_in_its_own_header(box: WholeBox) -> None:  # spec 5.1
    assert box.get("/v1/query/websites", x_api_key=box.keys["reading"]).status == 200


def test_the_key_header_goes_before_the_bearer_token(box: WholeBox) -> None:  # wire 3.1
    both = {"x_api_key": "svc_nonsense", "authorization": f"Bearer {box.keys['reading']}"}
    assert box.get("/v1/query/websites", **both).status == 401


@pytest.mark.parametrize(
    "secret",
    [
        "x",
        "svc_",
        "svc_" + "a" * 48,
        "svc_" + "a" * 47,
        "svc_" + "a" * 5_000,
        "key_" + "a" * 48,
        "svc_ü",
        "svc_' or 1=1",
    ],
)
def test_an_unknown_secret_is_as_if_absent(box: WholeBox, secret: str) -> None:  # spec 5.4
    answer = box.get("/v1/query/websites", x_api_key=secret)
    assert (answer.status, answer.json["code"]) == (401, "AUTH_REQUIRED")


@pytest.mark.parametrize("parameter", ["api_key", "key", "token", "x-api-key"])
def test_a_key_in_the_address_counts_for_nothing(box: WholeBox, parameter: str) -> None:  # security: API keys
    assert box.get(f"/v1/query/websites?{parameter}={box.keys['all']}").status == 401


def test_basic_credentials_count_for_nothing(box: WholeBox) -> None:
    assert box.get("/v1/query/websites", authorization=f"Basic {box.keys['all']}").status == 401


@pytest.mark.parametrize(
    ("key", "status", "names"),
    [
        ("all", 200, ["Shop", "Blog", "Idle", "Local"]),
        ("reading", 200, ["Shop", "Blog", "Idle", "Local"]),
        ("restricted", 200, ["Shop"]),
        ("foreign", 200, ["Foreign"]),
        ("tracking", 403, None),
        ("linking", 403, None),
        ("revoked", 401, None),
        (None, 401, None),
    ],
)
def test_websites_are_listed_to_callers_that_can_read_them(
    box: WholeBox, key: KeyName | None, status: int, names: list[str] | None
) -> None:  # spec 2.2 rule 1, wire 3.6
    answer = box.get("/v1/query/websites", x_api_key=box.keys[key] if key else "")
    assert answer.status == status
    if names is not None:
        assert sorted(website["name"] for website in answer.json["websites"]) == sorted(names)
        assert answer.json["total"] == len(names)
    else:
        assert "websites" not in answer.json


def test_a_restricted_key_reads_its_website_alone_of_its_organization(box: WholeBox) -> None:  # spec 2.2 rule 3
    for website_id in (box.sites["shop"], box.sites["local"]):
        assert box.post("/track", {"name": "seen", "websiteId": website_id}, key="all").status == 200
    body = {"parameters": ["custom_events"], "preset": "today"}
    own = box.post(f"/v1/query?organization_id={box.organization_id}", body, key="restricted")
    everything = box.post(f"/v1/query?organization_id={box.organization_id}", body, key="all")
    assert own.json["data"][0]["data"][0]["total_events"] == 1
    assert everything.json["data"][0]["data"][0]["total_events"] == 2


def test_a_signed_in_person_reads_the_organization_of_the_session(box: WholeBox) -> None:  # spec 5.8
    cookie = box.cookie
    assert box.post("/v1/query", BODY, cookie=cookie).status == 200
    assert box.get("/v1/query/websites", cookie=cookie).json["total"] == 4
    assert box.post(path_of(box, site("shop")), BODY, cookie=cookie).status == 200
    refused = box.post(path_of(box, site("foreign")), BODY, cookie=cookie)
    assert (refused.status, refused.json["code"]) == (403, "FORBIDDEN")


@pytest.mark.parametrize("headers", [{"sec_fetch_site": "cross-site"}, {"origin": "https://evil.example"}])
def test_another_sites_page_cannot_ask_with_a_persons_cookie(box: WholeBox, headers: dict[str, str]) -> None:
    """Security: CSRF; with a key the same request is fine, for no browser adds that on its own."""
    body = json.dumps(BODY).encode()
    headers = {**headers, "content_type": "application/json"}
    refused = box.ask("POST", "/v1/query", headers={**headers, "cookie": box.cookie}, body=body)
    assert (refused.status, refused.json["code"]) == (403, "FORBIDDEN")
    answered = box.ask("POST", "/v1/query", headers={**headers, "x_api_key": box.keys["all"]}, body=body)
    assert answered.status == 200


def test_signing_out_ends_the_session(box: WholeBox) -> None:
    cookie = box.cookie
    assert box.get("/v1/query/websites", cookie=cookie).status == 200
    assert box.ask("POST", "/sign-out", headers={"cookie": cookie}).status == 303
    assert box.get("/v1/query/websites", cookie=cookie).status == 401


def test_signing_in_with_the_password_starts_a_session(box: WholeBox) -> None:
    form = f"email={EMAIL.upper()}&password={PASSWORD.replace(' ', '+')}".encode()
    answer = box.post("/sign-in", form, content_type="application/x-www-form-urlencoded")
    assert answer.status == 303
    cookie, *rest = answer.headers["set-cookie"].split("; ")
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(rest)
    assert box.get("/v1/query/websites", cookie=cookie).status == 200


def test_a_wrong_password_starts_none(box: WholeBox) -> None:
    for email, password in ((EMAIL, "wrong"), ("nobody@example.com", PASSWORD), (EMAIL, ""), ("", "")):
        form = f"email={email}&password={password.replace(' ', '+')}".encode()
        answer = box.post("/sign-in", form, content_type="application/x-www-form-urlencoded")
        assert answer.status == 401
        assert "set-cookie" not in answer.headers


# The closed list of addresses that need no credential (wire 0, public routes), as far as the box has them.
PUBLIC = {
    ("GET", "/health"),
    ("GET", "/health/ready"),
    ("GET", "/metrics"),
    ("GET", "/script.js"),
    ("GET", "/databuddy.js"),
    ("GET", "/databuddy-debug.js"),
    ("GET", "/parts.js"),
    ("GET", "/parts/{part:str}"),
    ("GET", "/static/{file:path}"),
    ("GET", "/favicon.ico"),
    ("GET", "/"),
    ("GET", "/setup"),
    ("POST", "/setup"),
    ("GET", "/share/{slug:str}"),
    ("POST", "/share/{slug:str}"),
    ("GET", "/share/{slug:str}/parts/{name:str}"),
    ("GET", "/reports/confirm/{token:str}"),
    ("GET", "/reports/files/{token:str}"),
    ("POST", "/reports/confirm/{token:str}"),
    ("GET", "/reports/unsubscribe/{token:str}"),
    ("POST", "/reports/unsubscribe/{token:str}"),
    ("GET", "/share/{slug:str}/details/{name:str}"),
    ("GET", "/share/{slug:str}/details/{name:str}/{form:str}"),
    ("GET", "/share/{slug:str}/export/{form:str}"),
    ("GET", "/share/{slug:str}/count.json"),
    ("GET", "/share/{slug:str}/badge.svg"),
    ("GET", "/share/{slug:str}/colors.css"),
    ("GET", "/share/{slug:str}/logo"),
    ("GET", "/embed/{slug:str}"),
    ("GET", "/embed/{slug:str}/parts/{name:str}"),
    ("GET", "/embed/{slug:str}/details/{name:str}"),
    ("GET", "/embed/{slug:str}/details/{name:str}/{form:str}"),
    ("GET", "/embed/{slug:str}/export/{form:str}"),
    ("GET", "/sign-in"),
    ("POST", "/sign-in"),
    ("GET", "/sign-in/code"),
    ("POST", "/sign-in/code"),
    ("POST", "/sign-out"),
    ("GET", "/forgot-password"),
    ("POST", "/forgot-password"),
    ("GET", "/reset-password"),
    ("POST", "/reset-password"),
    ("GET", "/v1/query/types"),
    ("GET", "/push/{token:str}"),
    ("POST", "/push/{token:str}"),
    ("POST", "/webhooks/{name:str}/{address:str}"),
    ("GET", "/openapi.json"),
    ("GET", "/docs"),
    ("GET", "/docs/search"),
    ("GET", "/docs/api"),
    ("GET", "/docs/api/{name:str}"),
    ("GET", "/docs/{name:str}"),
    ("GET", "/docs/query-types"),
    ("GET", "/docs/query-types/{family:str}"),
    ("GET", "/.well-known/api-catalog"),
    ("GET", "/.well-known/mcp.json"),
    ("GET", "/llms.txt"),
    ("GET", "/docs/llms.txt"),
    ("GET", "/docs/llms-full.txt"),
    ("GET", "/.well-known/oauth-protected-resource"),
    ("GET", "/.well-known/oauth-protected-resource/{suffix:path}"),
    ("POST", "/rpc/websites/getPublicSummary"),
    ("POST", "/websites/getPublicSummary"),
    ("POST", "/rpc/apikeys/verify"),
    ("POST", "/apikeys/verify"),
    ("POST", "/rpc/statusPage/listPublic"),
    ("POST", "/statusPage/listPublic"),
    ("POST", "/rpc/statusPage/getBySlug"),
    ("POST", "/statusPage/getBySlug"),
    ("PUT", "/status-pages/uploads/{token:str}"),  # who has the address was let in when it was made
    ("GET", "/invitation"),
    ("POST", "/invitation"),
}
# Pages of the list that open only with a token in the address.
BY_TOKEN = {"/setup", "/reset-password", "/invitation"}
# Strangers get through to these handlers, which answer for public websites only.
FOR_STRANGERS = {
    ("POST", "/v1/query"): BODY,
    ("POST", "/v1/query/compile"): BODY,
    ("POST", "/rpc/websites/getById"): {"id": "unknown"},
    ("POST", "/websites/getById"): {"id": "unknown"},
    **{("POST", f"{root}/annotations/list"): {"websiteId": "unknown"} for root in ("", "/rpc")},
    **{("POST", f"{root}/annotations/getById"): {"id": "unknown"} for root in ("", "/rpc")},
}
WALK = [(route.method, route.path, route.page) for route in TABLE]


@each(("method", "path", "page"), WALK)
def test_every_other_address_wants_a_credential(box: WholeBox, method: str, path: str, page: bool) -> None:
    filled = re.sub(r"\{.*?\}", "nothing", path.replace("{website_id:str}", box.sites["shop"]))
    answer = box.ask(method, filled, headers={"content_type": "application/json"}, body=b"{}")
    if (method, path) in PUBLIC:
        assert answer.status not in {401, 403} or path in BY_TOKEN
    elif page:
        assert answer.status == 303
        assert answer.headers["location"].startswith("/sign-in")
    elif (method, path) in FOR_STRANGERS:
        assert box.post(filled, FOR_STRANGERS[method, path]).status == 401
    else:
        refusal = answer.json["json"] if path.startswith("/rpc/") else answer.json
        assert (answer.status, refusal["code"]) == (401, "AUTH_REQUIRED")
