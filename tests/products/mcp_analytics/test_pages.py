"""The MCP page of a website: its figures, its filters, its tables and files, and what it says before the first call."""

import io
import json
import re
import zipfile
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest

from tests.inprocess import SiteName, WholeBox, whole_box

CALLS = (
    *({"tool": "find", "durationMs": 100, "outputChars": 40, "clientName": "cursor", "serverVersion": "1"},) * 3,
    {"tool": "export", "durationMs": 900, "error": "Export 12 timed out", "clientName": "claude", "serverVersion": "2"},
)


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("mcp") / "data") as inside:
        calls = [{**call, "websiteId": inside.sites["shop"], "serverName": "orders"} for call in CALLS]
        assert inside.post("/mcp", calls, key="tracking").status == 200
        yield inside


def get(box: WholeBox, address: str = "?range=today&wait=all", site: SiteName = "shop") -> str:
    answer = box.get(f"/sites/{box.sites[site]}/mcp{address}", cookie=box.cookie, accept="text/html")
    assert answer.status == 200, answer.body[:500]
    return unescape(answer.body.decode())


def test_page_shows_calls_error_rate_and_the_lists(box: WholeBox) -> None:
    page = get(box)
    for text in ("25.0\N{NO-BREAK SPACE}%", "Export 12 timed out", "find", "cursor", "orders"):
        assert text in page
    assert "No MCP calls yet" not in page


def test_filter_of_a_tool_leaves_its_calls_and_offers_no_sessions_of_visitors(box: WholeBox) -> None:
    page = get(box, "?range=today&wait=all&tool=find")
    assert "Export 12 timed out" not in page
    assert "0.0\N{NO-BREAK SPACE}%" in page
    assert "/sessions?range=today&tool=find" not in page


def tools(page: str) -> list[str]:
    """The tools of the table, from top to bottom."""
    return re.findall(r"<bdi>(find|export)</bdi>", page.partition("<tbody>")[2])


def test_table_of_tools_shows_slow_and_failing_ones(box: WholeBox) -> None:
    page = get(box, "/details/tools?range=today")
    assert tools(page) == ["find", "export"]
    for text in ("100.0\N{NO-BREAK SPACE}%", "900\N{NO-BREAK SPACE}ms"):
        assert text in page
    assert tools(get(box, "/details/tools?range=today&sort=p95_ms")) == ["export", "find"]


def test_files_have_the_figures_of_the_page(box: WholeBox) -> None:
    home = f"/sites/{box.sites['shop']}/mcp"
    exported = box.get(f"{home}/export/json?range=today", cookie=box.cookie)
    found = json.loads(exported.body)
    assert {one["figure"]: one["value"] for one in found["figures"]}["error_rate"] == 25.0
    assert [row["tool"] for row in found["tools"]] == ["find", "export"]
    with zipfile.ZipFile(io.BytesIO(box.get(f"{home}/export/csv?range=today", cookie=box.cookie).body)) as files:
        assert {"figures.csv", "tools.csv", "failures.csv", "client_versions.csv"} <= {*files.namelist()}
    table = box.get(f"{home}/details/servers/csv?range=today", cookie=box.cookie)
    assert table.body.decode("utf-8-sig").splitlines()[0].startswith("server,version,calls")


def test_error_is_new_if_it_did_not_happen_in_the_month_before(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data") as box:
        for error in ("Order 1 failed", "Order 2 failed", "Timeout"):
            call = {"tool": "find", "error": error, "websiteId": box.sites["shop"]}
            assert box.post("/mcp", [call], key="tracking").status == 200
            if error == "Order 1 failed":
                assert "find · New" not in get(box), "nothing is known of the days before"
                box.clock.advance(seconds=2 * 86_400)
        page = get(box)
        assert page.count("find · New") == 1
        assert "Timeout" in page.partition("find · New")[0]


def test_values_of_a_filter_are_suggested(box: WholeBox) -> None:
    assert "cursor" in get(box, "/values?range=today&field=client")


def test_website_without_calls_shows_how_to_report_them(box: WholeBox) -> None:
    page = get(box, site="blog")
    for text in ("No MCP calls yet", "trackMcp", f'"websiteId": "{box.sites["blog"]}"', "Never recorded"):
        assert text in page


def test_website_of_another_organization_has_no_such_page(box: WholeBox) -> None:
    for rest in ("", "/values", "/parts/figures", "/details/tools", "/export/json"):
        path = f"/sites/{box.sites['foreign']}/mcp{rest}"
        assert box.get(path, cookie=box.cookie, accept="text/html").status == 404, path
