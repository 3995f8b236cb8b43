"""GET /flags/{id}/results: the result of an experiment as a page."""

import re
from typing import Any

import pytest

from tests.products.flags.world import World
from tests.tenants.keys.world import cookie_of

VARIANTS: list[dict[str, Any]] = [{"key": "control", "value": "1"}, {"key": "short", "value": "2"}]


@pytest.fixture(scope="module")
def page(shared: World) -> str:
    """The address of a flag that twelve visitors were given, of whom some signed up."""
    flag = shared.put("price", {"type": "multivariant", "variants": VARIANTS})
    for number in range(12):
        who = {"anonymousId": f"visitor {number}", "path": "https://shop.example/"}
        variant = VARIANTS[number % 2]["key"]
        given = {"name": "$flag_evaluated", "properties": {"flag": "price", "variant": variant}}
        events: list[dict[str, Any]] = [{**who, **given}]
        if number < 5:
            events.append({**who, "name": "sign <up>"})
        for event in events:
            answer = shared.box.post(f"/?client_id={shared.shop}", event, origin="https://shop.example")
            assert answer.status == 200, answer.body
    return f"/flags/{flag.id}/results"


def seen(world: World, address: str) -> str:
    answer = world.box.get(address, cookie=world.owner, accept="text/html")
    assert answer.status == 200, answer.body
    return answer.body.decode()


def cells(content: str) -> list[list[str]]:
    """The table's rows, as they are read."""
    body = re.findall(r"<tbody>(.*?)</tbody>", content, re.DOTALL)[0]
    return [
        [
            re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", cell)).strip()
            for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL)
        ]
        for row in re.findall(r"<tr>(.*?)</tr>", body, re.DOTALL)
    ]


def test_results_page_shows_the_outcome_of_each_variant(shared: World, page: str) -> None:
    control, short = cells(seen(shared, f"{page}?conversion=sign+%3Cup%3E&range=last_7d"))
    assert control == [
        "control Baseline",
        "6 50.0 % of visitors, expected 50.0 %",
        "3",
        "50.0 % 18.8 % to 81.2 %",
        "–",
    ]
    assert short[2:] == ["2", "33.3 % 9.7 % to 70.0 %", "−16.7 points Not significant"]


def test_without_an_event_it_asks_for_one_and_offers_those_that_were_sent(shared: World, page: str) -> None:
    content = seen(shared, page)
    assert "Select a success metric above to compare the variants." in content
    assert re.findall(r'<option value="(sign[^"]*)"', content) == ["sign &lt;up&gt;"]
    assert "$flag_evaluated" not in content
    assert 'href="/docs/definitions#result-of-an-experiment"' in content


def test_success_metric_is_stored_with_the_flag_and_used_at_each_visit(world: World) -> None:
    flag = world.put("metric", {"type": "multivariant", "variants": VARIANTS})
    path = f"/flags/{flag.id}/results"
    form = {"content_type": "application/x-www-form-urlencoded", "sec_fetch_site": "same-origin"}

    def post(body: bytes, cookie: str) -> Any:
        return world.box.ask("POST", path, headers=form | {"cookie": cookie}, body=body)

    viewer = cookie_of(world.box, "viewer")
    assert post(b"conversion=signup", viewer).status == 403
    saved = post(b"conversion=+sign+up+&range=last_7d", world.owner)
    assert (saved.status, saved.headers["location"]) == (303, f"{path}?range=last_7d")
    assert 'value="sign up"' in seen(world, path)
    assert 'value="other"' in seen(world, f"{path}?conversion=other")
    assert 'value="sign up"' in seen(world, path)
    page = world.box.get(path, cookie=viewer, accept="text/html").body.decode()
    assert 'method="post" action="/flags/' not in page.split("flag-asks")[1].split("</form>")[0]
    assert 'value="sign up"' in page
    post(b"conversion=sign+up", world.owner)
    details = world.rows("select detail from audit where subject_id = ? and detail like '%successMetric%'", flag.id)
    assert len(details) == 1
    post(b"conversion=", world.owner)
    assert world.rows("select * from flag_metrics") == []


def test_a_range_without_anybody_says_how_visitors_are_counted(shared: World, page: str) -> None:
    for query in ("range=custom&from=2020-01-01&to=2020-01-31", "range=last_month"):
        assert "No visitors in this range" in seen(shared, f"{page}?{query}")


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("range=never", "Unknown range “never”. Showing last 30 days."),
        ("range=custom&from=x", "A custom range needs a first and a last day."),
        ("range=custom&from=0001-01-01&to=2026-01-01", "Invalid dates"),
        ("range=all", ""),
        ("conversion=%00", ""),
    ],
)
def test_unreadable_parameters_fall_back_to_defaults_with_a_note(
    shared: World, page: str, query: str, said: str
) -> None:
    content = seen(shared, f"{page}?{query}")
    assert len(cells(content)) == 2
    assert said in content


def test_a_flag_of_the_organization_has_visitors_of_all_its_websites(shared: World, page: str) -> None:
    flag = shared.put("price", {"type": "boolean"}, website=None)
    assert len(cells(seen(shared, f"/flags/{flag.id}/results"))) == 2
    assert shared.box.get("/flags/nothing/results", cookie=shared.owner, accept="text/html").status == 404


def test_results_page_shows_the_revenue_of_exposed_sessions_if_there_is_any(shared: World, page: str) -> None:
    assert "Revenue of the sessions" not in seen(shared, f"{page}?range=last_7d")
    payments = (("visitor 1", "12.30", "EUR"), ("visitor 2", "500", "JPY"), ("a stranger", "7", "EUR"))
    for number, (who, amount, currency) in enumerate(payments):
        paid = {"revenue": amount, "currency": currency, "orderId": str(number)}
        event = {"anonymousId": who, "path": "https://shop.example/", "name": "paid", "properties": paid}
        assert shared.box.post(f"/?client_id={shared.shop}", event, origin="https://shop.example").status == 200
    shown = seen(shared, f"{page}?range=last_7d")
    assert "Revenue of the sessions that saw this flag: ¥500 and €12.30" in shown
    assert "Revenue of the sessions that saw this flag: ¥500 and €12.30" in seen(shared, f"{page}?conversion=paid")
