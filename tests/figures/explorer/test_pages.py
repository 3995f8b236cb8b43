"""The API explorer, over the whole box: what it answers, refuses, and never shows."""

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from msgspec.structs import replace

from analytics_box.query.catalog.registry import TYPES
from tests.inprocess import Answer, SiteName, WholeBox, whole_box

HOSTILE = '/<script>x</script>"'


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("queries") / "data") as inside:
        for number, path in enumerate(("/welcome", "/welcome", "/prices", HOSTILE)):
            page = {"name": "screen_view", "path": f"https://shop.example{path}", "anonymousId": f"a{number}"}
            assert inside.post(f"/?client_id={inside.sites['shop']}", page, accept_language="en").status == 200
        yield inside


def ask(box: WholeBox, query: dict[str, str], *, site: SiteName = "shop", part: str = "") -> Answer:
    """What the signed-in owner gets."""
    path = f"/sites/{box.sites[site]}/queries{part}"
    target = f"{path}?{urlencode(query, safe='/')}" if query else path
    return box.get(target, cookie=box.cookie, accept="text/html")


def asked(box: WholeBox, **query: str) -> Answer:
    return ask(box, query)


def text_of(answer: Answer) -> str:
    return html.unescape(answer.body.decode())


def copied(answer: Answer, name: str) -> str:
    """What a copy field holds."""
    found = re.search(f'<code id="{name}">(.*?)</code>', answer.body.decode(), re.DOTALL)
    assert found is not None
    return html.unescape(found[1])


def cells(answer: Answer) -> list[list[str]]:
    """The rows of the first table."""
    table = answer.body.decode().partition("<tbody>")[2].partition("</tbody>")[0]
    return [
        [html.unescape(re.sub("<[^>]*>", "", cell)) for cell in re.findall("<td[^>]*>(.*?)</td>", row, re.DOTALL)]
        for row in re.findall("<tr>(.*?)</tr>", table, re.DOTALL)
    ]


def test_the_bare_page_asks_nothing_and_offers_every_type(box: WholeBox) -> None:
    answer = asked(box)
    assert answer.status == 200
    assert "<optgroup" in answer.body.decode()
    assert "<tbody>" not in answer.body.decode()
    types = box.get("/v1/query/types").json["types"]
    for name in types:  # those about links are no use on the page of a website
        of_website = TYPES[name].subject == "website"
        assert (f'<option value="{name}"' in answer.body.decode()) == of_website


def test_the_rows_are_those_of_the_api_to_the_body_that_the_page_shows(box: WholeBox) -> None:
    answer = asked(box, type="top_pages", range="today", limit="2")
    assert answer.status == 200
    body = json.loads(copied(answer, "body"))
    (entry,) = box.query("shop", body).json["data"]
    assert cells(answer) == [[str(value) for value in row.values()] for row in entry["data"]]
    assert cells(answer)[0][:3] == ["/welcome", "2", "2"]
    assert re.search(r'id="took"[^>]*>[\d.]+ ms<', answer.body.decode())


def test_the_command_is_the_body_with_the_websites_address(box: WholeBox) -> None:
    curl = copied(asked(box, type="top_pages", field1="path", value1="it's"), "curl")
    assert f"/v1/query?website_id={box.sites['shop']}'" in curl
    assert "it'\\''s" in curl
    assert "svc_…" in curl


def test_the_sql_is_what_compile_says(box: WholeBox) -> None:
    answer = asked(box, type="top_pages", field1="country", value1="Germany")
    target = f"/v1/query/compile?website_id={box.sites['shop']}"
    compiled = box.post(target, json.loads(copied(answer, "body")), key="all").json
    assert copied(answer, "sql-1") == compiled["sql"].strip()
    assert json.loads(copied(answer, "params-1")) == compiled["params"]


def test_a_second_look_says_what_it_looks_for(box: WholeBox) -> None:
    answer = asked(box, type="session_list", range="today")
    assert "Looks up more about the sessions that statement 1 finds." in text_of(answer)
    assert None in json.loads(copied(answer, "params-2")).values()
    assert "Looks up" not in text_of(asked(box, type="top_pages", range="today"))


def test_a_comparison_has_a_table_of_its_own(box: WholeBox) -> None:
    answer = asked(box, type="summary_totals", comparison="previous_period")
    assert text_of(answer).count("<tbody>") == 2
    assert "Compared: 2026-06-04 to 2026-06-10, UTC" in text_of(answer)


def test_a_comparison_with_nothing_says_so(box: WholeBox) -> None:
    answer = asked(box, type="top_pages", range="today", comparison="previous_period")
    assert text_of(answer).count("<tbody>") == 1
    assert "No data in this range." in text_of(answer)


def test_long_json_unfolds(box: WholeBox) -> None:
    answer = asked(box, type="session_list", range="today")
    (entry,) = box.query("shop", json.loads(copied(answer, "body"))).json["data"]
    whole = json.dumps(entry["data"][0]["events"], ensure_ascii=False)
    assert f"<summary><bdi>{whole[:60]}…</bdi></summary><bdi>{whole}</bdi>" in text_of(answer)


def test_headings_sort_and_pages_follow(box: WholeBox) -> None:
    answer = asked(box, type="top_pages", range="today", sort="name", order="asc", limit="1")
    assert 'aria-sort="ascending"' in answer.body.decode()
    assert "sort=name&limit=1" in text_of(answer)  # the other way round
    assert "page=2" in text_of(answer)
    second = asked(box, type="top_pages", range="today", sort="name", order="asc", limit="1", page="2")
    assert cells(second) != cells(answer)
    assert "Earlier rows" in text_of(second)


def test_empty_fields_of_the_form_are_taken_out_of_the_address(box: WholeBox) -> None:
    answer = asked(box, type="top_pages", range="last_7d", field1="", op1="eq", value1="", limit="", zone="UTC")
    assert answer.status == 303
    assert answer.headers["location"] == f"/sites/{box.sites['shop']}/queries?type=top_pages&zone=UTC"


WRONG = [
    ({"type": "top_pagez"}, "type", "Did you mean 'top_pages'?"),
    ({"type": "top_pages", "range": "forever"}, "range", "Choose a range"),
    ({"type": "top_pages", "range": "custom"}, "from", "Invalid date"),
    ({"type": "top_pages", "range": "custom", "from": "2026-02-01", "to": "2026-01-01"}, "from", "is after endDate"),
    ({"type": "top_pages", "limit": "20000"}, "limit", "cannot exceed 10000"),
    ({"type": "top_pages", "limit": "many"}, "limit", "A whole number"),
    ({"type": "top_pages", "page": "-1"}, "page", "at least 1"),
    ({"type": "top_pages", "zone": "Mars/Base"}, "zone", "Unknown time zone"),
    ({"type": "top_pages", "comparison": "yesterday"}, "comparison", "Choose what to compare with"),
    ({"type": "top_pages", "field1": "path", "op1": "regex", "value1": "("}, "value1", "Invalid pattern"),
    (
        {"type": "top_pages", "field1": "path", "value1": "a", "field2": "path", "op2": "like", "value2": "b"},
        "op2",
        "Choose an operator",
    ),
    ({"type": "top_pages", "value1": "Germany"}, "field1", "Choose a field"),
    (
        {
            "type": "top_pages",
            "match": "any",
            "field1": "path",
            "value1": "a",
            "field2": "path",
            "op2": "regex",
            "value2": "(",
        },
        "value2",
        "Invalid pattern",
    ),
    (
        {"type": "events_by_date", "range": "last_90d", "granularity": "hourly"},
        "granularity",
        "30 days",
    ),
]


@pytest.mark.parametrize(("query", "field", "message"), WRONG)
def test_invalid_input_is_reported_at_its_field(box: WholeBox, query: dict[str, str], field: str, message: str) -> None:
    answer = ask(box, query)
    assert answer.status in {400, 422}
    found = re.search(f'id="{field}-error">(.*?)</p>', text_of(answer), re.DOTALL)
    assert found is not None, re.findall(r'id="\w+-error"', text_of(answer))
    assert message in found[1]
    assert f'aria-describedby="{field}-error' in text_of(answer)
    assert f'<a href="#{field}">' in text_of(answer)
    assert "<tbody>" not in text_of(answer)


def test_error_without_a_field_is_reported_above_the_form(box: WholeBox) -> None:
    answer = asked(box, type="profile_detail")
    assert answer.status == 400
    assert "profile_detail requires a filter eq on" in text_of(answer)
    assert "Cannot sort by nonsense" in text_of(asked(box, type="top_pages", sort="nonsense"))


def test_filters_that_a_type_does_not_know_are_named(box: WholeBox) -> None:
    assert "so they were ignored: colour" in text_of(asked(box, type="top_pages", field1="colour", value1="red"))


def test_the_plan_refuses_on_the_page(box: WholeBox) -> None:
    box.run(box.box.box_db.write(lambda db: db.execute("update organizations set plan = 'free'").fetchall()))
    box.reopen()
    answer = asked(box, type="error_summary")
    assert answer.status == 402
    assert "not available on the plan" in text_of(answer)
    box.run(box.box.box_db.write(lambda db: db.execute("update organizations set plan = 'hobby'").fetchall()))
    box.reopen()


def test_the_sheet_has_the_same_rows(box: WholeBox) -> None:
    answer = ask(box, {"type": "top_pages", "range": "today", "limit": "1"}, part="/csv")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert 'filename="top_pages.csv"' in answer.headers["content-disposition"]
    assert answer.body.decode("utf-8-sig").splitlines()[1].startswith("/welcome,2,2,")
    page = asked(box, type="top_pages", range="today", limit="1")
    assert "/queries/csv?type=top_pages&range=today&limit=1" in text_of(page)


@pytest.mark.parametrize("query", [{}, {"type": "nonsense"}, {"type": "profile_detail"}, {"type": "x", "zone": "?"}])
def test_a_sheet_that_cannot_be_leads_back_to_the_form(box: WholeBox, query: dict[str, str]) -> None:
    answer = ask(box, query, part="/csv")
    assert answer.status == 303
    assert answer.headers["location"].startswith(f"/sites/{box.sites['shop']}/queries")
    assert "/csv" not in answer.headers["location"]


def test_strangers_sign_in_and_other_organizations_are_not_there(box: WholeBox) -> None:
    for path in ("queries", "queries/csv"):
        target = f"/sites/{box.sites['shop']}/{path}?type=top_pages"
        assert box.get(target, accept="text/html").headers["location"].startswith("/sign-in?next=")
        foreign = f"/sites/{box.sites['foreign']}/{path}?type=top_pages"
        assert box.get(foreign, cookie=box.cookie, accept="text/html").status == 404


def test_only_the_websites_own_rows_are_shown(box: WholeBox) -> None:
    answer = ask(box, {"type": "top_pages", "range": "today"}, site="local")
    assert cells(answer) == []
    assert "No rows" in text_of(answer)


def test_text_from_strangers_is_escaped(box: WholeBox) -> None:
    answer = asked(box, type="top_pages", range="today", field1="path", op1="contains", value1='"><script>')
    assert "<script>x" not in answer.body.decode()
    assert '"><script>' not in answer.body.decode().partition("<main")[2].replace("&#34;&gt;&lt;script", "")
    whole = asked(box, type="top_pages", range="today").body.decode()
    assert "&lt;script&gt;x" in whole
    assert "<script>x" not in whole


def test_trying_counts_against_the_limit_of_queries(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data", adjust=lambda settings: replace(settings, limit_query=1)) as inside:
        assert asked(inside, type="top_pages").status == 200
        refused = asked(inside, type="top_pages")
        assert refused.status == 429
        assert "Too many requests" in text_of(refused)
        assert asked(inside).status == 200


def names_of(answer: Answer) -> list[str]:
    """The rows of the form for filters."""
    form = answer.body.decode().partition('<template id="filter-row"')[0]
    return re.findall(r'name="field(\d+)"', form)


def test_the_form_has_one_more_row_than_filters_are_used_and_a_button_without_scripts_adds_one(box: WholeBox) -> None:
    assert names_of(asked(box)) == ["1"]
    one = asked(box, type="top_pages", field1="path", value1="/welcome", field2="country", value2="Germany")
    assert names_of(one) == ["1", "2", "3"]
    assert '<button class="quiet-link" type="submit" name="rows" value="4"' in text_of(one)
    assert "/queries?type=top_pages&field1=country&value1=Germany" in text_of(one)  # without the first
    assert names_of(asked(box, type="top_pages", rows="4")) == ["1", "2", "3", "4"]
    assert asked(box, type="top_pages", rows="1").status == 303
    assert len(names_of(asked(box, type="top_pages", rows="10"))) == 10


def test_fields_and_order_are_suggested_for_the_type(box: WholeBox) -> None:
    page = text_of(asked(box, type="top_pages"))
    fields = page.partition('<datalist id="fields">')[2].partition("</datalist>")[0]
    assert re.findall(r'value="(\w+)"', fields) == list(TYPES["top_pages"].filters)
    assert '<option value="country">Country</option>' in fields
    order = page.partition('<datalist id="sortable">')[2].partition("</datalist>")[0]
    assert re.findall(r'value="(\w+)"', order) == list(TYPES["top_pages"].sortable)


def drawn(answer: Answer) -> dict[str, list[float]]:
    """What the chart is made of."""
    found = re.search(r"data-chart='(.*?)'", answer.body.decode())
    assert found is not None
    made: dict[str, list[float]] = json.loads(html.unescape(found[1]))
    return made


def test_a_series_is_drawn_with_the_numbers_of_its_rows(box: WholeBox) -> None:
    answer = asked(box, type="events_by_date", draw="visitors", comparison="previous_period")
    assert drawn(answer)["values"] == [int(row[2]) for row in cells(answer)]
    assert drawn(answer)["values"][-1] == 4
    assert drawn(answer)["before"] == [0] * 7
    assert re.search(r'href="[^"]*&amp;draw=sessions#answer"', answer.body.decode())
    newest_first = asked(box, type="events_by_date", sort="date")
    assert drawn(newest_first)["values"] == [int(row[1]) for row in reversed(cells(newest_first))]


@pytest.mark.parametrize("name", ["top_pages", "summary_totals", "custom_events_trends_by_event"])
def test_type_without_a_series_has_no_chart(box: WholeBox, name: str) -> None:
    assert "data-chart" not in text_of(asked(box, type=name, range="today"))


def save(box: WholeBox, cookie: str = "", **form: str) -> Answer:
    path = f"/sites/{box.sites['shop']}/queries/saved"
    headers = {"cookie": cookie or box.cookie, "content_type": "application/x-www-form-urlencoded"}
    return box.ask("POST", path, headers=headers, body=urlencode(form).encode())


def questions(answer: Answer) -> list[tuple[str, str]]:
    """The saved questions of a page: address and name."""
    found = answer.body.decode().partition('<ul class="queries-questions">')[2].partition("</ul>")[0]
    made = re.findall(r'<li><a href="([^"#]*)#answer"[^>]*><bdi>(.*?)</bdi>', found)
    return [(html.unescape(href), html.unescape(name)) for href, name in made]


def test_a_question_is_saved_found_again_replaced_and_deleted(box: WholeBox) -> None:
    name = "Mia's pages & <b>more</b>"
    answer = save(box, name=name, question="type=top_pages&limit=5&page=2&rows=9")
    assert answer.status == 303
    path = f"/sites/{box.sites['shop']}/queries"
    assert answer.headers["location"] == f"{path}?type=top_pages&limit=5&done=saved#saved"
    page = asked(box, type="top_pages", limit="5")
    assert questions(page) == [(f"{path}?type=top_pages&limit=5", name)]
    assert 'aria-current="true"><bdi>Mia' in text_of(page)
    assert "<b>more" not in page.body.decode()
    save(box, name=f" {name} ", question="type=custom_events")
    assert questions(asked(box)) == [(f"{path}?type=custom_events", name)]
    found = re.search(r'href="([^"]+/delete\?back=[^"]+)"', asked(box, type="top_pages").body.decode())
    assert found is not None
    question = box.get(html.unescape(found[1]), cookie=box.cookie, accept="text/html").body.decode()
    assert "Delete the question Mia" in question
    assert f'<input type="hidden" name="back" value="{path}?type=top_pages">' in question
    target = html.unescape(found[1]).partition("?")[0]
    headers = {"cookie": box.cookie, "content_type": "application/x-www-form-urlencoded"}
    back = urlencode({"back": f"{path}?type=top_pages"}).encode()
    gone = box.ask("POST", target, headers=headers, body=back)
    assert gone.headers["location"] == f"{path}?type=top_pages&done=deleted#saved"
    assert questions(asked(box)) == []
    assert box.ask("POST", target, headers=headers, body=back).status == 404


@pytest.mark.parametrize("name", ["", "   ", "x" * 101, "a\x07b"])
def test_a_name_that_cannot_be_is_said_at_its_field(box: WholeBox, name: str) -> None:
    answer = save(box, name=name, question="type=top_pages")
    assert answer.status == 400
    assert 'id="name-error"' in text_of(answer)
    wrong = "A name can have up to 100 characters" if len(name) > 100 else "Enter a name with visible"
    assert wrong in text_of(answer)
    assert questions(asked(box)) == []
