"""Lines of a web server's log that a follower sends become page views, once each."""

import json
from pathlib import Path
from typing import Any

from tests.inprocess import BROWSER, NOON, WholeBox, whole_box
from tests.products.imports.world import call, imported, status, undo, uploaded

LOG = "0123456789abcdef"
DAY = "2026-06-17"
NGINX = (
    '{{"time_iso8601":"{time}","remote_addr":"{address}","request":"GET {url} HTTP/1.1","status":"200",'
    '"http_user_agent":"{agent}"}}'
)


def combined(
    url: str,
    *,
    time: str = "17/Jun/2026:10:00:00 +0000",
    address: str = "198.51.100.7",
    agent: str = BROWSER,
    status: int = 200,
) -> str:
    return f'{address} - - [{time}] "GET {url} HTTP/1.1" {status} 512 "-" "{agent}"\n'


def add(box: WholeBox, lines: list[str], *, first: int = 0, log: str = LOG, **more: Any) -> Any:
    rows = [{"at": first + 100 * number, "text": line} for number, line in enumerate(lines)]
    return call(box, "addLogLines", {"websiteId": box.sites["shop"], "log": log, "lines": rows, **more})


def figures(box: WholeBox, first: str = DAY, last: str = DAY) -> Any:
    query = {"parameters": ["summary_metrics"], "startDate": first, "endDate": last}
    answer = box.post(f"/v1/query?website_id={box.sites['shop']}", query, key="all")
    return answer.json["data"][0]["data"][0]


def refused(box: WholeBox, lines: list[str], **more: Any) -> Any:
    rows = [{"at": number, "text": line} for number, line in enumerate(lines)]
    given = {"websiteId": box.sites["shop"], "log": LOG, "lines": rows, **more}
    return box.post("/imports/addLogLines", given, key="tracking")


def test_lines_of_a_log_become_page_views_of_visitors_and_sessions(tmp_path: Path) -> None:
    with whole_box(tmp_path) as box:
        lines = [
            combined("/"),
            combined("/pricing", time="17/Jun/2026:10:05:00 +0000"),
            combined("/", address="198.51.100.8"),
            combined("/app.css"),
            combined("/", agent="Googlebot/2.1"),
            "nonsense\n",
            NGINX.format(time="2026-06-17T11:00:00+00:00", address="203.0.113.99", url="/docs", agent=BROWSER),
        ]
        added = add(box, lines)
        assert (added["stored"], added["repeated"]) == (4, 0)
        assert {one["reason"]: one["rows"] for one in added["refused"]} == {"asset": 1, "bot": 1, "row": 1}
        found = figures(box)
        assert (found["pageviews"], found["unique_visitors"], found["sessions"]) == (4, 3, 3)


def test_lines_that_are_sent_again_count_once_whatever_their_pieces(tmp_path: Path) -> None:
    with whole_box(tmp_path) as box:
        lines = [combined(f"/{number}") for number in range(10)]
        add(box, lines[:6])
        again = add(box, lines[3:], first=300)
        assert (again["stored"], again["repeated"]) == (4, 3)
        assert figures(box)["pageviews"] == 10
        # After its file was emptied, a log is another one: the same places are other lines.
        assert add(box, lines[:2], log="f" * 16)["stored"] == 2


GPTBOT = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)"


def agents(box: WholeBox, name: str = "ai_agent_pages") -> Any:
    query = {"parameters": [name], "startDate": DAY, "endDate": DAY}
    return box.post(f"/v1/query?website_id={box.sites['shop']}", query, key="all").json["data"][0]["data"]


def test_lines_of_ai_agents_become_ai_traffic_with_formats_and_errors_and_no_page_views(tmp_path: Path) -> None:
    with whole_box(tmp_path) as box:
        lines = [
            combined("/pricing?from=x", agent=GPTBOT),
            combined("/gone", agent=GPTBOT, status=404),
            combined("/llms.txt", agent=GPTBOT),
            combined("/docs.md", agent=GPTBOT),
            combined("/app.css", agent=GPTBOT),
            combined("/moved", agent=GPTBOT, status=301),
            combined("/strange", agent=GPTBOT, status=999),
            combined("/gone", status=404),
        ]
        added = add(box, lines)
        assert (added["stored"], {one["reason"]: one["rows"] for one in added["refused"]}) == (4, {"asset": 4})
        formats = {row["page"]: row["format"] for row in agents(box)}
        assert formats == {"/pricing": "html", "/gone": "html", "/llms.txt": "llms", "/docs.md": "markdown"}
        assert [row["page"] for row in agents(box, "ai_error_pages")] == ["/gone"]
        assert figures(box)["pageviews"] == 0
        again = add(box, lines)
        assert (again["stored"], again["repeated"]) == (0, 4)


def test_imported_log_brings_ai_traffic_that_an_undo_removes(tmp_path: Path) -> None:
    with whole_box(tmp_path) as box:
        asked = [("/", BROWSER, 200), ("/a", GPTBOT, 200), ("/a", GPTBOT, 404), ("/llms.txt", GPTBOT, 200)]
        lines = [
            *(combined(url, agent=name, status=code) for url, name, code in asked),
            combined("/", agent="Bingbot/2"),
        ]
        import_id = imported(box, "".join(lines).encode(), "access.log")
        report = status(box, import_id)
        assert (report["rows"], report["pageviews"], report["visitors"]) == (4, 1, 1)
        assert [one["reason"] for one in report["refused"]] == ["bot"]
        assert {row["page"]: row["requests"] for row in agents(box)} == {"/a": 2, "/llms.txt": 1}
        assert [row["errors"] for row in agents(box, "ai_error_pages")] == [1]
        found = figures(box)
        assert (found["pageviews"], found["sessions"]) == (1, 1)
        undo(box, import_id)
        assert (agents(box), figures(box)["pageviews"]) == ([], 0)


def test_only_ai_agents_of_a_log_are_added_to_a_day_that_the_script_measures(tmp_path: Path) -> None:
    with whole_box(tmp_path) as box:
        view = {"name": "screen_view", "path": "https://shop.example/", "timestamp": NOON - 3_600_000}
        box.post(f"/track?website_id={box.sites['shop']}", view, origin="https://shop.example")
        added = add(box, [combined("/"), combined("/", agent=GPTBOT)], aiOnly=True)
        assert (added["stored"], [one["reason"] for one in added["refused"]]) == (1, ["person"])
        assert (figures(box)["pageviews"], agents(box)[0]["requests"]) == (1, 1)


def test_line_of_a_request_that_the_server_has_just_reported_is_left_out(tmp_path: Path) -> None:
    with whole_box(tmp_path) as box:
        report = {"websiteId": box.sites["shop"], "host": "shop.example", "path": "/docs", "userAgent": GPTBOT}
        sent = box.ask(
            "POST", "/ai-traffic", headers={"content_type": "application/json"}, body=json.dumps(report).encode()
        )
        assert sent.status == 202
        noon = "17/Jun/2026:12:00:00 +0000"
        added = add(box, [combined("/docs", agent=GPTBOT, time=noon), combined("/docs", agent=GPTBOT)])
        assert (added["stored"], [one["reason"] for one in added["refused"]]) == (1, ["reported"])
        assert agents(box)[0]["requests"] == 2


def test_lines_of_earlier_days_have_a_visitor_for_each_day(tmp_path: Path) -> None:
    with whole_box(tmp_path) as box:
        times = ("12/Jun/2026:10:00:00 +0000", "12/Jun/2026:10:01:00 +0000", "13/Jun/2026:10:00:00 +0000")
        assert add(box, [combined("/", time=time) for time in times])["stored"] == 3
        assert figures(box, "2026-06-12", "2026-06-12")["unique_visitors"] == 1
        assert figures(box, "2026-06-13", "2026-06-13")["sessions"] == 1


def test_day_that_the_script_measures_takes_lines_only_by_force(tmp_path: Path) -> None:
    with whole_box(tmp_path) as box:
        view = {"name": "screen_view", "path": "https://shop.example/", "timestamp": NOON - 3_600_000}
        box.post(f"/track?website_id={box.sites['shop']}", view, origin="https://shop.example")
        answer = refused(box, [combined("/")])
        assert (answer.status, DAY in answer.json["error"]) == (409, True)
        assert figures(box)["pageviews"] == 1
        assert refused(box, [combined("/")], force=True).json["stored"] == 1


def test_events_of_servers_do_not_keep_lines_out(tmp_path: Path) -> None:
    with whole_box(tmp_path) as box:
        event = {"name": "order", "websiteId": box.sites["shop"], "timestamp": NOON - 1}
        assert box.post("/track", event, key="tracking").status == 200
        assert add(box, [combined("/")])["stored"] == 1


def test_imported_day_takes_no_lines_and_a_followed_day_no_import(tmp_path: Path) -> None:
    with whole_box(tmp_path) as box:
        imported(box, combined("/", time="10/Jun/2026:10:00:00 +0000").encode(), "access.log")
        assert refused(box, [combined("/", time="10/Jun/2026:11:00:00 +0000")]).status == 409
        add(box, [combined("/")])
        report = status(box, uploaded(box, combined("/").encode(), "access.log"))
        assert [one["reason"] for one in report["refused"]] == ["own"]


def test_settings_of_the_website_leave_lines_out(tmp_path: Path) -> None:
    with whole_box(tmp_path) as box:
        settings = {"ignoredPaths": ["/admin/*"], "ignoredIps": ["198.51.100.9"], "dataRetentionDays": 30}
        given = {"id": box.sites["shop"], "settings": settings}
        assert box.post("/websites/updateSettings", given, key="all").status == 200
        lines = [
            combined("/admin/users"),
            combined("/", address="198.51.100.9"),
            combined("/", time="01/Jan/2026:10:00:00 +0000"),
            combined("/", time="17/Jun/2027:10:00:00 +0000"),
        ]
        added = add(box, lines)
        assert added["stored"] == 0
        assert {one["reason"]: one["rows"] for one in added["refused"]} == {"ignored": 2, "retention": 1, "time": 1}


def test_lines_need_a_key_for_the_website(tmp_path: Path) -> None:
    with whole_box(tmp_path) as box:
        given = {"websiteId": box.sites["shop"], "log": LOG, "lines": [{"at": 0, "text": combined("/")}]}
        assert box.post("/imports/addLogLines", given).status == 401
        assert box.post("/imports/addLogLines", given, key="reading").status == 403
        assert box.post("/imports/addLogLines", given, key="foreign").status == 404
        assert box.post("/imports/addLogLines", given, key="tracking").status == 200


def test_hostile_lines_are_left_out(tmp_path: Path) -> None:
    with whole_box(tmp_path) as box:
        deep = json.dumps({"request": {}})[:-1] + ',"a":' + "[" * 5_000 + "]" * 5_000 + "}"
        lines = [
            "\x00" * 50,
            '{"request":',
            deep,
            combined("/" + "a" * 9_000),
            combined("/\udcff".encode("utf-8", "replace").decode()),
        ]
        added = add(box, lines)
        assert added["stored"] <= 1
        too_many = [{"at": number, "text": "x"} for number in range(501)]
        given = {"websiteId": box.sites["shop"], "log": LOG, "lines": too_many}
        assert box.post("/imports/addLogLines", given, key="all").status in {400, 422}
