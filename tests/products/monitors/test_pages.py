"""The pages of monitors without scripts: list, own page, form and maintenance, and who may see and do what."""

import re
from typing import Any

import pytest
from msgspec.structs import replace

from analytics_box.base.clock import DAY, HOUR
from analytics_box.base.store.db import Connection
from analytics_box.base.store.strings import Strings
from analytics_box.products.monitors.running.rows import CheckRow, append
from analytics_box.products.monitors.running.states import FAILED
from analytics_box.query.run import QueryRunner
from tests.inprocess import NOON
from tests.products.links.world import HOSTILE
from tests.products.monitors.world import GOOD, Now, PageWorld


def test_a_monitor_is_made_found_and_shown(pages: PageWorld) -> None:
    monitor_id = pages.set_up(url="https://example.com/health", name="Shop", tags="shop, front", group="Public")
    page = pages.seen("/monitors?search=shop")
    assert f'href="/monitors/{monitor_id}"' in page
    assert "https://example.com/health" in page
    assert 'href="/monitors?search=shop&amp;tag=front"' in page
    assert "Public</bdi> · 0 of 1 up" in page
    own = pages.seen(f"/monitors/{monitor_id}?wait=all")
    assert "any status below 500" in own
    assert "2 failed checks in a row" in own


def test_any_range_of_a_monitor_is_shown_by_weeks_or_months(pages: PageWorld) -> None:
    path = f"/monitors/{pages.set_up(url='https://long.example.com')}"
    for query in (
        "range=last_12m&by=month&compare=year",
        "range=all",
        "range=last_90d&by=week&beside=downtime_seconds",
    ):
        assert 'class="table' in pages.seen(f"{path}?{query}&show=table&wait=all")
    assert "Hours are not available" in pages.seen(f"{path}?range=last_90d&by=hour&wait=all")


def test_incidents_are_those_of_the_chosen_range(pages: PageWorld) -> None:
    monitor_id = pages.set_up(url="https://often.example.com")
    number, down = pages.number(monitor_id), (400, 40, 2)  # days ago
    spans = [(number, NOON - days * DAY, NOON - days * DAY + HOUR) for days in down]
    pages.box.box.parts[QueryRunner].events.write_now(
        lambda db: db.executemany("insert into monitor_spans (monitor, state, start, until) values (?, 3, ?, ?)", spans)
    )
    path = f"/monitors/{monitor_id}"
    for chosen, listed in (("last_7d", 1), ("last_90d", 2), ("all", 3), ("today", 0)):
        page = pages.seen(f"{path}?range={chosen}&wait=all")
        rows = page.partition('id="incidents-title"')[2].partition('id="checks-title"')[0]
        assert rows.count("<li>") == listed, chosen
        assert ("No incidents in the selected range" in rows) == (not listed)


def test_incident_shows_its_cause_and_duration_and_maintenance_is_a_list_of_its_own(pages: PageWorld) -> None:
    monitor_id = pages.set_up(url="https://often.example.com")
    number, began = pages.number(monitor_id), NOON - 3 * HOUR
    failed = replace(GOOD, at=began, outcome="fail", reason="timeout", error="No response within 10 s")
    spans = [(number, 3, began, began + 14 * 60_000), (number, 5, NOON - 2 * HOUR, NOON - HOUR)]

    def store(db: Connection) -> None:
        append(db, Strings(), [CheckRow(pages.known(monitor_id), failed, FAILED, 1, 1)])
        db.executemany("insert into monitor_spans (monitor, state, start, until) values (?, ?, ?, ?)", spans)

    pages.box.box.parts[QueryRunner].events.write_now(store)
    page = pages.seen(f"/monitors/{monitor_id}?range=last_7d&wait=all")
    incidents = page.partition('id="incidents-title"')[2].partition("</section>")[0]
    maintenance = page.partition('id="maintenance-title"')[2].partition("</section>")[0]
    checks = page.partition('id="checks-title"')[2]
    assert "No response within 10 s" in incidents
    assert "14\N{NO-BREAK SPACE}m" in incidents
    assert (incidents.count("<li>"), maintenance.count("<li>")) == (1, 1)
    assert "hour-down" in checks
    assert "No response within 10 s" in checks


def test_long_list_of_incidents_says_how_many_there_are(pages: PageWorld) -> None:
    monitor_id = pages.set_up(url="https://worse.example.com")
    number = pages.number(monitor_id)
    spans = [(number, NOON - hours * HOUR, NOON - hours * HOUR + HOUR // 2) for hours in range(1, 62)]
    pages.box.box.parts[QueryRunner].events.write_now(
        lambda db: db.executemany("insert into monitor_spans (monitor, state, start, until) values (?, 3, ?, ?)", spans)
    )
    page = pages.seen(f"/monitors/{monitor_id}?range=last_7d&wait=all")
    assert "The latest 50 of 61 are listed." in page


def test_monitors_that_are_down_or_degraded_come_before_all_groups_with_their_cause(pages: PageWorld) -> None:
    up = pages.set_up(url="https://a.example.com", group="A")
    slow = pages.set_up(url="https://b.example.com", group="B")
    down = pages.set_up(url="https://c.example.com", group="A")
    failed = replace(GOOD, outcome="fail", error="Server returned 503 Service Unavailable")
    pages.engine.states = {
        pages.number(up): Now("up", NOON - 3_600_000),
        pages.number(slow): Now("degraded", NOON - 3_600_000),
        pages.number(down): Now("down", NOON - 60_000, failed),
    }
    page = pages.seen("/monitors")
    assert page.index(down) < page.index(slow) < page.index("A</bdi> · 1 of 2 up") < page.index(up)
    assert page.count(f'class="link-name" href="/monitors/{down}"') == 1
    assert "503 Service Unavailable</bdi></strong> since 11:59" in page
    assert "for 1\N{NO-BREAK SPACE}m" in page
    assert "3 monitors: 1 down, 1 degraded, 1 up" in page
    assert up not in pages.seen("/monitors?state=down")


def test_list_sums_up_the_downtime_of_all_monitors_in_a_range(pages: PageWorld) -> None:
    first, second, _third = (pages.set_up(url=f"https://{name}.example.com", name=name) for name in "abc")
    spans = [
        (pages.number(first), NOON - 40 * DAY, NOON - 40 * DAY + HOUR),  # in another month
        (pages.number(first), NOON - 2 * DAY, NOON - 2 * DAY + HOUR),
        (pages.number(first), NOON - DAY, NOON - DAY + HOUR),
        (pages.number(second), NOON - HOUR // 2, 0),
    ]
    pages.box.box.parts[QueryRunner].events.write_now(
        lambda db: db.executemany("insert into monitor_spans (monitor, state, start, until) values (?, 3, ?, ?)", spans)
    )
    summary = pages.seen("/monitors").partition("monitor-downtime")[2].partition("</details>")[0]
    assert "2\N{NO-BREAK SPACE}h\N{NO-BREAK SPACE}30\N{NO-BREAK SPACE}m</strong>" in summary
    assert "This month · 3 outages · 2 of 3 monitors" in summary
    assert summary.index(f"/monitors/{first}") < summary.index(f"/monitors/{second}")
    last = pages.seen("/monitors?downtime=last_month").partition("monitor-downtime")[2]
    assert "Last month · 1 outage · 1 of 3 monitors" in last
    assert "This month · 1 outage · 1 of 1 monitor" in pages.seen("/monitors?search=b.example")
    assert "Last 30 days · 3 outages" in pages.seen("/monitors?downtime=last_30d")


def test_list_has_a_search_from_twelve_monitors_on(pages: PageWorld) -> None:
    for number in range(11):
        pages.made(f"https://{number}.example.com")
    assert 'role="search"' not in pages.seen("/monitors")
    assert 'role="search"' in pages.seen("/monitors?search=3")
    pages.made("https://last.example.com")
    assert "Search 12 monitors" in pages.seen("/monitors")


def test_a_form_that_is_wrong_comes_back_with_what_was_typed(pages: PageWorld) -> None:
    answer = pages.sent("/monitors/new", {"kind": "tcp", "url": "db.example.com:99999", "name": "Base"})
    page = answer.body.decode()
    assert answer.status == 400
    assert "Enter a host and a port from 1 to 65535" in page
    assert 'value="db.example.com:99999"' in page


@pytest.mark.parametrize(
    ("fields", "url"),
    [
        ({"url": "example.com"}, "https://example.com/"),
        ({"url": "example.com/health"}, "https://example.com/health"),
        ({"url": "example.com:443"}, "https://example.com/"),
        ({"url": "db.example.com:5432"}, "tcp://db.example.com:5432"),
        ({"url": "[2606:2800::1]:5432"}, "tcp://[2606:2800::1]:5432"),
        ({"url": "dns://example.com"}, "dns://example.com"),
        ({"kind": "tcp", "url": "db.example.com:5432"}, "tcp://db.example.com:5432"),
        ({"kind": "tls", "url": "example.com"}, "tls://example.com"),
        ({"kind": "tls", "url": "tls://example.com:8443"}, "tls://example.com:8443"),
        ({"kind": "dns", "url": "example.com", "record": "MX"}, "dns://example.com"),
        ({"kind": "ping", "url": "2606:2800::1"}, "ping://[2606:2800::1]"),
    ],
)
def test_type_of_a_monitor_follows_from_what_is_entered_unless_it_is_chosen(
    pages: PageWorld, fields: dict[str, str], url: str
) -> None:
    monitor_id = pages.set_up(**{"kind": ""} | fields)
    assert pages.engine.known[pages.number(monitor_id)].url == url
    form = pages.seen(f"/monitors/{monitor_id}/edit")
    assert f'value="{url if url.startswith("https:") else url.partition("://")[2]}"' in form
    pages.sent(f"/monitors/{monitor_id}/edit", {**pages.usual, **fields, "name": "Renamed", "do": "save"})
    assert (pages.known(monitor_id).url, pages.known(monitor_id).name) == (url, "Renamed")


def test_two_monitors_can_check_one_url_and_link_to_each_other(pages: PageWorld) -> None:
    first, second = (pages.set_up(url="https://example.com/", name=name) for name in ("First", "Second"))
    assert f'href="/monitors/{first}"' in pages.seen(f"/monitors/{second}?wait=all")
    assert f'href="/monitors/{second}"' in pages.seen(f"/monitors/{first}?wait=all")
    fields = {**pages.usual, "url": "https://example.com/", "name": "Renamed", "do": "save"}
    assert pages.sent(f"/monitors/{second}/edit", fields).status == 303


def test_api_answers_a_conflict_for_a_url_that_is_monitored_unless_it_allows_duplicates(pages: PageWorld) -> None:
    given: dict[str, Any] = {"url": "https://example.com/", "granularity": "minute"}
    first = pages.good("createSchedule", **given)["scheduleId"]
    assert pages.call("createSchedule", **given).status == 409
    second = pages.good("createSchedule", **given, allowDuplicateUrl=True)["scheduleId"]
    other = pages.good("createSchedule", url="https://other.example.com/", granularity="minute")["scheduleId"]
    assert pages.call("updateSchedule", scheduleId=other, url="https://example.com/").status == 409
    pages.good("updateSchedule", scheduleId=other, url="https://example.com/", allowDuplicateUrl=True)
    for monitor_id in (first, second, other):
        pages.good("updateSchedule", scheduleId=monitor_id, name="Renamed")


def test_test_result_has_one_bar_in_true_proportions_and_clears_earlier_errors(pages: PageWorld) -> None:
    form = {**pages.usual, "kind": "", "timeout": "500", "do": "try"}
    refused = pages.sent("/monitors/new", form | {"url": "example.com"}, hx_request="true").body.decode()
    assert 'id="timeout-error"' in refused
    tried = pages.sent("/monitors/new", form | {"url": "example.com", "timeout": ""}, hx_request="true").body.decode()
    assert "timeout-error" not in tried
    assert 'data-hx-target="#monitor-form"' in tried
    bar = tried.partition('class="trial-bar"')[2].partition("</p>")[0]
    assert re.findall(r"phase-(\w+) w(\d+)", bar) == [
        ("dns", "8"),
        ("connect", "16"),
        ("tls", "24"),
        ("first_byte", "32"),
        ("transfer", "19"),
    ]


def test_advanced_settings_name_what_differs_from_the_defaults(pages: PageWorld) -> None:
    plain, changed = pages.set_up(url="https://a.example.com"), pages.set_up(url="https://b.example.com", timeout="9")
    assert "<span>Default settings</span>" in pages.seen(f"/monitors/{plain}/edit")
    assert "<span>Timeout (seconds)</span>" in pages.seen(f"/monitors/{changed}/edit")


def test_conditions_are_added_tried_and_saved(pages: PageWorld) -> None:
    form = {"kind": "http", "url": "https://example.com/health", **pages.usual}
    page = pages.sent("/monitors/new", form | {"do": "add-assertion"}).body.decode()
    assert 'name="assertions.0.subject"' in page
    condition = {
        "assertions.0.subject": "status",
        "assertions.0.property": "",
        "assertions.0.comparison": "in",
        "assertions.0.value": "200-299",
        "assertions.0.level": "fail",
    }
    tried = pages.sent("/monitors/new", form | condition | {"do": "try"}).body.decode()
    assert "Status is one of 200-299" in tried
    assert "Was 200" in tried
    assert "DNS" in tried
    made = pages.sent("/monitors/new", form | condition | {"do": "save"})
    assert made.status == 303
    assert "Status is one of 200-299" in pages.seen(made.headers["location"].partition("?")[0] + "?wait=all")


def test_secrets_are_kept_and_never_shown(pages: PageWorld) -> None:
    monitor_id = pages.set_up(
        url="https://example.com/", headers="X-Key: hush-hush", user="eve", password="pass-word-1"
    )
    number = pages.number(monitor_id)
    for path in (f"/monitors/{monitor_id}?wait=all", f"/monitors/{monitor_id}/edit"):
        page = pages.seen(path)
        assert "hush-hush" not in page
        assert "pass-word-1" not in page
    fields = {"kind": "http", "url": "https://example.com/", "do": "save", **pages.usual}
    assert pages.sent(f"/monitors/{monitor_id}/edit", fields).status == 303
    assert pages.engine.known[number].secrets.headers == (("X-Key", "hush-hush"),)
    assert pages.sent(f"/monitors/{monitor_id}/edit", fields | {"forget.headers": "on"}).status == 303
    assert pages.engine.known[number].secrets.headers == ()


def test_the_form_asks_for_secrets_again_where_they_would_go_to_another_server(pages: PageWorld) -> None:
    monitor_id = pages.set_up(
        url="https://example.com/", headers="X-Key: hush-hush", user="eve", password="pass-word-1"
    )
    fields = {"kind": "http", "url": "https://else.example.com/", **pages.usual}
    for do in ("save", "try"):
        answer = pages.sent(f"/monitors/{monitor_id}/edit", fields | {"do": do, "forget.headers": "on"})
        page = answer.body.decode()
        assert answer.status == 400
        assert 'id="user-error"' in page
        assert "Enter user and password again" in page
        assert 'id="headers-error"' not in page
        assert 'href="#user"' in page
    swapped = pages.sent(f"/monitors/{monitor_id}/edit", fields | {"do": "try"}, hx_request="true")
    assert (swapped.status, swapped.headers["hx-retarget"]) == (200, "#monitor-form")
    assert 'id="headers-error"' in swapped.body.decode()
    page = pages.sent(f"/monitors/{monitor_id}/edit", fields | {"do": "save", "user": "eve"}).body.decode()
    assert 'id="password-error"' in page
    assert 'id="headers-error"' in page
    again = {"do": "save", "forget.headers": "on", "forget.auth": "on"}
    assert pages.sent(f"/monitors/{monitor_id}/edit", fields | again).status == 303
    assert pages.engine.known[pages.number(monitor_id)].url == "https://else.example.com/"


@pytest.mark.parametrize(("action", "where"), [("pause", "paused"), ("check", "checked"), ("delete", "deleted")])
def test_a_monitor_is_acted_on(pages: PageWorld, action: str, where: str) -> None:
    monitor_id = pages.set_up(url="https://example.com/")
    assert pages.sent(f"/monitors/{monitor_id}/{action}", {}).headers["location"].endswith(f"?done={where}")
    assert pages.page(f"/monitors/{monitor_id}").status == (404 if action == "delete" else 200)


def test_an_unknown_action_is_refused(pages: PageWorld) -> None:
    assert pages.sent(f"/monitors/{pages.set_up(url='https://example.com/')}/explode", {}).status == 400


def test_a_website_gets_its_monitor_with_one_click(pages: PageWorld) -> None:
    website = pages.box.sites["shop"]
    assert f'action="/sites/{website}/monitor"' in pages.seen(f"/sites/{website}?wait=all")
    made = pages.sent(f"/sites/{website}/monitor", {})
    assert made.status == 303
    own = made.headers["location"].partition("?")[0]
    assert f'href="{own}"' in pages.seen(f"/sites/{website}?wait=all")


def test_dashboard_of_a_website_lists_the_uptime_of_the_monitors_that_check_its_domain(pages: PageWorld) -> None:
    website = pages.box.sites["shop"]
    event = {"name": "screen_view", "path": "https://shop.example/", "anonymousId": "a"}
    assert pages.box.post(f"/?client_id={website}", event).status == 200
    assert 'id="panel-uptime"' not in pages.seen(f"/sites/{website}?wait=all")
    other = pages.set_up(url="https://shop.example.org/")
    checked = [
        pages.sent(f"/sites/{website}/monitor", {}).headers["location"].partition("?")[0].rpartition("/")[2],
        pages.set_up(url="https://api.shop.example/health"),
    ]
    panel = pages.seen(f"/sites/{website}?wait=all").partition('id="panel-uptime"')[2].partition("</section>")[0]
    assert [f'href="/monitors/{one}"' in panel for one in (*checked, other)] == [True, True, False]
    assert "Waiting" in panel  # neither of them has been checked


def test_maintenance_is_planned_ended_and_deleted(pages: PageWorld) -> None:
    form = {"name": "Deploy", "all": "on", "frequency": "weekly", "weekday.2": "on", "time": "02:30", "minutes": "45"}
    form |= {"zone": "Europe/Berlin"}
    assert pages.sent("/monitors/maintenance/new", form).headers["location"].endswith("maintenance-made")
    page = pages.seen("/monitors/maintenance")
    assert "Tue at 02:30 (Europe/Berlin), for 45" in page
    assert page.count('class="number">00:30–01:15<') == 4
    (maintenance_id,) = set(re.findall(r'/monitors/maintenance/([\w-]{8,})"', page))
    assert 'value="Deploy"' in pages.seen(f"/monitors/maintenance/{maintenance_id}")
    wrong = pages.sent(f"/monitors/maintenance/{maintenance_id}", form | {"weekday.2": "", "minutes": "soon"})
    assert wrong.status == 400
    assert "Enter a whole number" in wrong.body.decode()
    assert "cannot be undone" not in pages.seen(f"/monitors/maintenance/{maintenance_id}/delete")
    assert pages.sent(f"/monitors/maintenance/{maintenance_id}/delete", {}).status == 303
    assert "No maintenance scheduled" in pages.seen("/monitors/maintenance")


def test_lists_of_a_monitor_have_tables_and_files(pages: PageWorld) -> None:
    monitor_id = pages.set_up(url="https://example.com/")
    for name in ("codes", "reasons"):
        assert 'id="details"' in pages.seen(f"/monitors/{monitor_id}/details/{name}")
        assert pages.page(f"/monitors/{monitor_id}/details/{name}/csv").status == 200
    assert pages.page(f"/monitors/{monitor_id}/export/json").status == 200


@pytest.mark.parametrize("rest", ["", "/edit", "/delete", "/parts/figures", "/details/codes", "/export/csv"])
def test_monitors_of_others_are_not_there(pages: PageWorld, rest: str) -> None:
    monitor_id = pages.set_up(url="https://example.com/", name="Secret plan")
    answer = pages.page(f"/monitors/{monitor_id}{rest}", pages.foreign)
    assert answer.status == 404
    assert b"Secret plan" not in answer.body
    assert "Secret plan" not in pages.seen("/monitors", pages.foreign)


def test_viewers_see_and_change_nothing(pages: PageWorld) -> None:
    monitor_id = pages.set_up(url="https://example.com/")
    page = pages.seen(f"/monitors/{monitor_id}?wait=all", pages.viewer)
    assert f"{monitor_id}/edit" not in page
    for path in ("/monitors/new", f"/monitors/{monitor_id}/edit", "/monitors/maintenance/new"):
        assert pages.page(path, pages.viewer).status == 403
    assert pages.sent(f"/monitors/{monitor_id}/pause", {}, pages.viewer).status == 403


def test_viewers_see_no_values_of_a_query(pages: PageWorld) -> None:
    monitor_id = pages.set_up(url="https://example.com/health?token=hush-hush&deep=")
    for path in ("/monitors", f"/monitors/{monitor_id}?wait=all"):
        assert "hush-hush" not in pages.seen(path, pages.viewer)
        assert "?token=•••&amp;deep=" in pages.seen(path, pages.viewer)
    assert "hush-hush" in pages.seen(f"/monitors/{monitor_id}/edit")
    assert monitor_id not in pages.seen("/monitors?search=hush", pages.viewer)
    assert monitor_id in pages.seen("/monitors?search=hush")


def test_typed_text_is_escaped_on_every_page(pages: PageWorld) -> None:
    monitor_id = pages.set_up(
        url="https://example.com/", name=HOSTILE, tags=HOSTILE.replace(",", ""), group=HOSTILE[:60]
    )
    for path in (
        "/monitors",
        f"/monitors/{monitor_id}?wait=all",
        f"/monitors/{monitor_id}/edit",
        f"/monitors/{monitor_id}/delete",
    ):
        page = pages.seen(path)
        assert "<script>" not in page
        assert "<img src=x" not in page


def test_a_file_is_looked_at_and_then_imported(pages: PageWorld) -> None:
    content = b"endpoints:\n  - name: shop\n    url: https://shop.example.com/\n    conditions: ['[STATUS] == 200']\n"
    page = pages.uploaded("/monitors/moving/try", content).body.decode()
    assert "Gatus: 1 to create" in page
    assert "No monitors yet" in pages.seen("/monitors")
    assert "1 created" in pages.uploaded("/monitors/moving/import", content).body.decode()
    assert "shop.example.com" in pages.seen("/monitors")
    exported = pages.page("/monitors/export/yaml")
    assert b"shop.example.com" in exported.body
    assert exported.headers["content-disposition"] == 'attachment; filename="monitors.yaml"'


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"", "Choose a file"), (b"\xff\xfe\x00", "not a text file"), (b"a: b", "does not contain monitors")],
)
def test_a_file_that_is_none_is_refused_in_words(pages: PageWorld, content: bytes, said: str) -> None:
    answer = pages.uploaded("/monitors/moving/try", content)
    assert answer.status == 400
    assert said in answer.body.decode()
