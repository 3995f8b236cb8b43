"""Monitors through POST /v1/query with schedule_id (wire 1.16, 3.1 and 3.2): who may ask, and what a request says."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.cases import each
from tests.inprocess import Answer, whole_box
from tests.products.monitors.conftest import unlimited
from tests.products.monitors.world import World
from tests.query.checks_of_all_kinds import store_a_monitor
from tests.tenants.keys.world import cookie_of, make

OVERVIEW = {"parameters": ["uptime_overview"], "preset": "last_7d"}
SITES = {"parameters": ["summary_totals"], "preset": "last_7d"}


class Box:
    """A monitor of the website shop, one of no website, one of another organization; and a caller of every kind."""

    def __init__(self, world: World) -> None:
        self.box = world.box
        sites = {str(name): website_id for name, website_id in world.box.sites.items()}
        monitors = {
            "shop": world.made("https://shop.example/", websiteId=sites["shop"]),
            "loose": world.made(),
            "foreign": world.good("createSchedule", key="foreign", url="https://f.example/", granularity="minute")[
                "scheduleId"
            ],
        }
        self.targets = {f"schedule_id={name}": f"schedule_id={found}" for name, found in monitors.items()}
        self.targets |= {f"website_id={name}": f"website_id={found}" for name, found in sites.items()}
        self.targets |= {"schedule_id=unknown": "schedule_id=unknown", "": ""}
        self.shop = monitors["shop"]
        now = self.box.clock.now()
        store_a_monitor(self.box.box.events.db, world.number(self.shop), now)

        def key(*scopes: str, **resources: list[str]) -> dict[str, str]:
            given = {f"website:{sites[name]}": own for name, own in resources.items()}
            fields: dict[str, Any] = {"scopes": [*scopes], **({"resources": given} if given else {})}
            return {"x_api_key": make(self.box, self.box.cookie, **fields)["secret"]}

        def person(organization_id: str = "") -> dict[str, str]:
            cookie = cookie_of(self.box, "viewer", organization_id=organization_id)
            return {"cookie": cookie, "sec_fetch_site": "same-origin"}

        self.callers = {
            "monitors": key("read:monitors"),
            "data": key("read:data"),
            "tracking": key("track:events"),
            "monitors of shop": key(shop=["read:monitors"]),
            "data of shop": key(shop=["read:data"]),
            "monitors of blog": key(blog=["read:monitors"]),
            "viewer": person(),
            "stranger": person(self.box.foreign_organization_id),
            "nobody": {},
        }

    def ask(self, caller: str, target: str, content: object = OVERVIEW, path: str = "/v1/query") -> Answer:
        return self.box.post(f"{path}?{self.targets[target]}", content, key=None, **self.callers[caller])


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    folder: Path = tmp_path_factory.mktemp("asked") / "data"
    with whole_box(folder, adjust=unlimited) as inside:
        yield Box(World(inside))


class Case(NamedTuple):
    caller: str
    target: str
    status: int
    message: str = ""


REFUSED, NOBODY = "Access denied to this monitor", "Authentication required"
CASES = (
    Case("monitors", "schedule_id=shop", 200),
    Case("monitors", "schedule_id=loose", 200),
    Case("monitors", "schedule_id=foreign", 403, REFUSED),
    Case("monitors", "schedule_id=unknown", 403, REFUSED),
    Case("monitors", "website_id=shop", 403, "Access denied to this website"),
    Case("monitors", "", 403, "Access denied to this organization"),
    Case("data", "schedule_id=shop", 200),  # wire 0: either scope
    Case("data", "schedule_id=foreign", 403, REFUSED),
    Case("data", "website_id=shop", 200),
    Case("tracking", "schedule_id=shop", 403, "read:data"),  # wire 0: a key without a scope to read is refused
    Case("monitors of shop", "schedule_id=shop", 200),
    Case("monitors of shop", "schedule_id=loose", 403, REFUSED),
    Case("monitors of shop", "website_id=shop", 403, "Access denied to this website"),
    Case("data of shop", "schedule_id=shop", 200),
    Case("data of shop", "website_id=shop", 200),
    Case("monitors of blog", "schedule_id=shop", 403, REFUSED),
    Case("viewer", "schedule_id=shop", 200),
    Case("viewer", "schedule_id=foreign", 403, REFUSED),
    Case("stranger", "schedule_id=shop", 403, REFUSED),
    Case("stranger", "schedule_id=foreign", 200),
    Case("nobody", "schedule_id=shop", 401, NOBODY),
    Case("nobody", "schedule_id=unknown", 401, NOBODY),
)


@each("case", CASES, ids=lambda case: f"{case.caller} asks for {case.target or 'nothing in particular'}")
def test_monitor_is_queried_by_callers_that_can_read_it(box: Box, case: Case) -> None:
    content = SITES if case.target.startswith("website_id") else OVERVIEW
    answer = box.ask(case.caller, case.target, content)
    assert answer.status == case.status, answer.body
    if case.status == 200:
        assert answer.json["data"][0]["success"] is True
        return
    assert answer.json["code"] == {401: "AUTH_REQUIRED", 403: "FORBIDDEN"}[case.status]
    assert case.message in answer.json["error"]
    assert "data" not in answer.json


def test_compile_permissions_match_query_permissions(box: Box) -> None:
    assert box.ask("monitors", "schedule_id=shop", path="/v1/query/compile").status == 200
    assert box.ask("monitors", "website_id=shop", SITES, path="/v1/query/compile").status == 403
    whole = {"projectId": box.shop, "type": "uptime_time_series", "from": "2026-06-16", "to": "2026-06-17"}
    for unit in ("minute", "hour", "day", "week", "month"):
        given = whole | {"timeUnit": unit, "to": "2026-06-16" if unit == "minute" else "2026-06-17"}
        answer = box.ask("monitors", "", given, path="/v1/query/compile")
        assert answer.status == 200, answer.body
        assert len(answer.json["statements"]) == 2
    assert box.ask("monitors of blog", "", whole, path="/v1/query/compile").status == 403


def test_a_monitor_s_numbers_are_its_own(box: Box) -> None:
    def checks(target: str) -> int:
        found: int = box.ask("viewer", target).json["data"][0]["data"][0]["total_checks"]
        return found

    assert checks("schedule_id=shop") == 6
    assert checks("schedule_id=loose") == 0


def test_rows_come_as_csv(box: Box) -> None:
    asked = {"parameters": ["uptime_recent_checks"], "preset": "today", "limit": 1}
    headers = box.callers["monitors"] | {"accept": "text/csv"}
    answer = box.box.post(f"/v1/query?{box.targets['schedule_id=shop']}", asked, key=None, **headers)
    assert answer.status == 200
    head, row = answer.body.decode().strip().splitlines()[-2:]
    assert head.startswith("timestamp,url,status,http_code,ttfb_ms,total_ms")
    assert row.startswith("2026-06-17 11:56:30.000,https://shop.example/,1,404,307.5,410.0")


def test_a_width_that_a_type_does_not_know_is_refused(box: Box) -> None:
    wrong = {"parameters": ["uptime_response_time_trends"], "preset": "today", "granularity": "minute"}
    answer = box.ask("viewer", "schedule_id=shop", wrong)
    assert (answer.status, answer.json["code"]) == (400, "VALIDATION_ERROR")
    assert "hour or day" in answer.json["error"]
    long = {"parameters": ["uptime_time_series"], "preset": "last_7d", "granularity": "minute"}
    assert box.ask("viewer", "schedule_id=shop", long).json["details"][0]["field"] == "granularity"


def test_filters_that_a_type_does_not_know_are_left_aside_and_said(box: Box) -> None:
    country = [{"field": "country", "op": "eq", "value": "Germany"}]
    (entry,) = box.ask("viewer", "schedule_id=shop", OVERVIEW | {"filters": country}).json["data"]
    assert entry["ignoredFilters"] == ["country"]
    assert entry["data"][0]["total_checks"] == 6


def test_types_about_websites_find_nothing_of_a_monitor(box: Box) -> None:  # wire 1.1
    (entry,) = box.ask("viewer", "schedule_id=shop", {"parameters": ["top_pages"], "preset": "today"}).json["data"]
    assert (entry["success"], entry["data"]) == (True, [])
