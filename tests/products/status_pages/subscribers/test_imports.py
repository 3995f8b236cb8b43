"""Subscribers from files of other products: each gets one email, after a button was pressed."""

import json
import re

import pytest

from tests.products.status_pages.moving import files
from tests.products.status_pages.subscribers.world import ADA, PAGE, World


def imported(here: World, content: str, **given: object) -> dict[str, object]:
    answer = here.box.post(
        "/statusPage/importSubscribers", {"statusPageId": PAGE, "content": content, **given}, key="all"
    )
    assert answer.status == 200, answer.body
    found: dict[str, object] = answer.json
    return found


def test_each_subscriber_gets_one_email(here: World) -> None:
    content = json.dumps(files.STATUSPAGE_V1)
    dry = imported(here, content, dryRun=True)
    assert (dry["total"], dry["created"], dry["existing"]) == (2, 2, 0)
    assert here.wakes == 0
    done = imported(here, content)
    assert {**done, "dryRun": True} == dry
    assert here.wakes == 1
    here.send()
    assert sorted(to for to, _text in here.mails()) == ["ada@acme.example", "grace@acme.example"]
    again = imported(here, content)
    assert (again["created"], again["existing"]) == (0, 2)
    here.send()
    assert len(here.mails()) == 2


def test_addresses_can_be_one_a_line(here: World) -> None:
    here.confirmed()
    found = imported(here, f"{ADA}\n\nGRACE@example.org,\ngrace@example.org\nnot an address\n", dryRun=True)
    assert (found["total"], found["created"], found["existing"], found["failed"]) == (3, 1, 1, 1)
    assert found["failures"] == [{"address": "not an address", "error": "Enter an email address"}]


def test_import_asks_a_limited_number_of_subscribers(here: World) -> None:
    found = imported(here, "\n".join(f"a{number}@acme{number}.example" for number in range(620)), dryRun=True)
    assert (found["created"], found["remaining"]) == (500, 120)


def test_page_says_how_many_emails_a_button_sends(here: World) -> None:
    part = b'--b\r\ncontent-disposition: form-data; name="%s"; filename="f"\r\n\r\n%s\r\n--b--\r\n'
    form = {
        "content_type": "multipart/form-data; boundary=b",
        "sec_fetch_site": "same-origin",
        "cookie": here.box.cookie,
    }
    where = f"/status-pages/{PAGE}/moving"
    shown = here.box.ask(
        "POST", f"{where}/try", headers=form, body=part % (b"file", b"ada@acme.example\nb@acme.example")
    )
    assert b"Send 2 confirmation emails" in shown.body
    assert here.wakes == 0
    found = re.search(rb"<textarea[^>]*>(.*?)</textarea>", shown.body, re.DOTALL)
    assert found is not None
    content = found[1].replace(b"&#34;", b'"')
    sent = here.box.ask("POST", f"{where}/ask", headers=form, body=part % (b"content", content))
    assert b"2 confirmation emails are being sent." in sent.body
    here.send()
    assert len(here.mails()) == 2


@pytest.mark.parametrize("content", ['{"subscribers": 5}', '{"incidents": {"data": []}}', "{"])
def test_file_without_subscribers_sends_nothing(here: World, content: str) -> None:
    answer = here.box.post("/statusPage/importSubscribers", {"statusPageId": PAGE, "content": content}, key="all")
    assert answer.status == 400 or answer.json["created"] == 0
    assert here.wakes == 0
