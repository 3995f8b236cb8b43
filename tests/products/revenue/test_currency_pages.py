"""The page of currency rates: one rate, a pasted list, and what is refused."""

from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest

from tests.inprocess import whole_box
from tests.tenants.organizations.world import World as People

PAGE = "/settings/currencies"


@pytest.fixture
def people(tmp_path: Path) -> Iterator[People]:
    with whole_box(tmp_path / "data") as box:
        yield People(box)


def shown(people: People, rest: str = "") -> str:
    answer = people.see("ada", PAGE + rest)
    assert answer.status == 200, answer.body
    return unescape(answer.body.decode())


def test_page_without_rates_says_what_they_are_for(people: People) -> None:
    assert "No rates yet" in shown(people)


def test_added_rate_is_shown_as_a_sentence_until_it_is_deleted(people: People) -> None:
    rate = {"currency": "USD", "target": "EUR", "date": "2026-01-31"}
    sent = people.send("ada", PAGE, rate="0.91", **rate)
    assert (sent.status, sent.headers["location"]) == (303, f"{PAGE}?done=saved")
    assert "1 USD = 0.91 EUR" in shown(people)
    people.send("ada", f"{PAGE}/delete", **rate)
    assert "1 USD = 0.91 EUR" not in shown(people)


def test_refused_rate_keeps_the_form_and_names_the_field(people: People) -> None:
    refused = people.send("ada", PAGE, rate="1,5", currency="CHF", target="EUR", date="2026-01-31")
    page = unescape(refused.body.decode())
    assert refused.status == 400
    assert 'id="rate-error"' in page
    assert 'value="1,5"' in page
    missing = people.send("ada", PAGE, rate="1.5", currency="CHF", target="EUR", date="")
    assert 'id="date-error"' in missing.body.decode()
    assert "No rates yet" in shown(people)


def test_pasted_list_is_stored_as_a_whole_or_not_at_all(people: People) -> None:
    lines = "date,currency,rate\n2026-01-31,USD,0.92\n2026-01-31,JPY,0"
    refused = people.send("ada", PAGE, target="EUR", lines=lines)
    assert refused.status == 400
    assert "Line 3: Enter a positive decimal number" in refused.body.decode()
    assert "No rates yet" in shown(people)
    assert people.send("ada", PAGE, target="EUR", lines=f"{lines}.0061").status == 303
    assert "1 JPY = 0.0061 EUR" in shown(people)
    assert people.send("ada", PAGE, target="EUR", lines=f"{lines}.0061").headers["location"].endswith("=unchanged")


def test_long_list_is_shown_in_parts(people: People) -> None:
    lines = [f"2026-{month:02}-{day:02},USD,{month}.{day:02}1" for month in range(1, 6) for day in range(1, 25)]
    assert people.send("ada", PAGE, target="EUR", lines="\n".join(lines)).status == 303
    first, second = shown(people), shown(people, "?from=100")
    assert (first.count('<th scope="row">'), second.count('<th scope="row">')) == (100, 20)
    assert f"{PAGE}?from=100" in first
    assert "1 USD = 1.011 EUR" in second
    assert "No rates yet" in shown(people, "?from=9999")
    assert shown(people, "?from=-1") == shown(people, "?from=x") == first


def test_rates_of_another_organization_are_not_shown(people: People) -> None:
    people.send("ada", PAGE, rate="0.92", currency="USD", target="EUR", date="2026-01-31")
    people.add("eve", "owner", people.box.foreign_organization_id)
    assert "No rates yet" in people.see("eve", PAGE).body.decode()
    answer = people.call("eve", "revenue.listRates", organizationId=people.box.organization_id)
    assert answer.status == 403, answer.body


def test_only_admins_open_and_change_it(people: People) -> None:
    people.add("mia", "member")
    assert people.see("mia", PAGE).status == 403
    rate = {"currency": "USD", "target": "EUR", "date": "2026-01-31", "rate": "1"}
    assert people.send("mia", PAGE, **rate).status == 403
    assert people.call("mia", "revenue.listRates").status == 403
    assert PAGE not in people.see("mia", "/settings/organization").body.decode()
