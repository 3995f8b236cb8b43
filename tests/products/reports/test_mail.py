"""The mail of a report: safe with whatever strangers name their pages, complete without images, and easy to leave."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest

from analytics_box.base.notify.kinds.http import new_secret
from analytics_box.base.notify.kinds.kind import Post, SendAttempt
from analytics_box.base.notify.kinds.table import KINDS
from analytics_box.base.notify.message import Message
from analytics_box.products.reports import wording
from analytics_box.products.reports.content import ReportContent, ReportFigure, ReportTable
from analytics_box.products.reports.language import words_of
from analytics_box.products.reports.sending import ReportDeliveries
from analytics_box.products.reports.wording import ReportLinks
from tests.inprocess import EMAIL
from tests.products.overview.filtered import PEOPLE
from tests.products.reports.world import STRANGER, World, part_of, world_in

HOSTILE = "\"'><img src=x onerror=alert(1)></td></table><script>alert(1)</script>\u202e\r\nBcc: eve@evil.example"
LINKS = ReportLinks("http://localhost/change", "http://localhost/leave", "http://localhost")
ALLOWED = {
    *(
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "div",
        "table",
        "tr",
        "td",
        "h1",
        "bdi",
        "span",
        "br",
        "b",
        "a",
    ),
}


@pytest.fixture
def here(tmp_path: Path) -> Iterator[World]:
    with world_in(tmp_path) as world:
        yield world


class _Tags(HTMLParser):
    """The elements of a document and their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def hostile_content() -> ReportContent:
    row = ReportFigure(HOSTILE, "1", 1, 0, "new", "good")
    return ReportContent(
        report=HOSTILE,
        website=HOSTILE,
        domain="shop.example",
        website_id="w",
        kind="Weekly report",
        first_day="2026-06-15",
        last_day="2026-06-21",
        time_zone="UTC",
        period="15 – 21 Jun 2026",
        compared="8 – 14 Jun 2026",
        lead="1 visitors",
        url="http://localhost/sites/w",
        figures=(row,),
        moved="+1 visitors",
        movers=(row,),
        tables=(ReportTable("pages", "Pages", "Visitors", (row,)),),
        remarks=(HOSTILE,),
    )


def test_names_of_strangers_stay_text_in_html_and_one_line_in_headers(here: World) -> None:
    render = here.box.box.parts[ReportDeliveries].render
    mail = wording.mail_of(hostile_content(), LINKS, render, words_of("en"), to=EMAIL, report_id="r", id="m")
    found = _Tags(mail.html).tags
    assert {tag for tag, _attributes in found} <= ALLOWED
    assert not [name for _tag, attributes in found for name in attributes if name.startswith("on") or name == "style"]
    for value in (mail.subject, mail.of, *(value for _name, value in mail.headers)):
        assert value.isprintable(), value
    here.box.run(here.box.box.parts[ReportDeliveries]._sender.mail(mail))
    (sent,) = here.mails()
    assert sent["Bcc"] is None
    assert len(here.server.recipients) == 1


def test_mail_loads_nothing_and_its_style_is_one_sheet_that_the_preview_allows(here: World) -> None:
    made = here.report()
    here.box.clock.advance(seconds=5 * 86_400)
    path = f"/sites/{here.box.sites['shop']}/reports/{made['id']}/mail"
    answer = here.box.get(path, cookie=here.box.cookie, accept="text/html")
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert policy.endswith("sandbox")
    html = answer.body.decode()
    found = _Tags(html).tags
    assert {tag for tag, _attributes in found} <= ALLOWED
    assert [tag for tag, _attributes in found].count("style") == 1
    assert not re.search(r"url\(|@import|<img|<link|<script", html)


def test_report_reaches_member_and_confirmed_stranger_with_their_own_links(here: World) -> None:
    here.report(recipients=[EMAIL, STRANGER])
    here.send()
    (request,) = here.mails()
    here.send_form(part_of(request).split("http://localhost:8000")[1].split()[0], "")
    here.server.messages.clear()
    here.pass_days(5)
    mails = {mail["To"]: mail for mail in here.mails()}
    assert {*mails} == {EMAIL, STRANGER}
    links = {to: mail["List-Unsubscribe"] for to, mail in mails.items()}
    assert links[EMAIL] != links[STRANGER]
    assert "/sites/" in part_of(mails[EMAIL], "text/html").split("Change report")[0][-200:]
    assert "Change report" not in part_of(mails[STRANGER], "text/html")


@pytest.mark.parametrize("change", ["", "x", ".", "\N{SNOWMAN}"])
def test_forged_link_does_not_unsubscribe(here: World, change: str) -> None:
    here.report()
    here.pass_days(5)
    (mail,) = here.mails()
    path = mail["List-Unsubscribe"].strip("<>").removeprefix("http://localhost:8000")
    forged = f"{path[:-4]}0000{change}"
    assert here.send_form(forged, "List-Unsubscribe=One-Click", site="cross-site").status == 200
    assert here.rows("select count(*) from report_recipients") == [(1,)]
    assert here.box.get(forged.replace("unsubscribe", "confirm"), accept="text/html").status == 404


def test_mail_program_unsubscribes_with_either_form_and_other_websites_cannot(here: World) -> None:
    here.report(recipients=[EMAIL])
    here.pass_days(5)
    (mail,) = here.mails()
    path = mail["List-Unsubscribe"].strip("<>").removeprefix("http://localhost:8000")
    assert here.send_form(path, "", site="cross-site").status == 403
    assert here.rows("select count(*) from report_recipients") == [(1,)]
    part = b'--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n'
    headers = {"content_type": "multipart/form-data; boundary=x", "sec_fetch_site": "cross-site"}
    assert here.box.ask("POST", path, headers=headers, body=part).status == 200
    assert here.rows("select count(*) from report_recipients") == [(0,)]


def test_unsubscribed_member_is_not_added_by_a_form_that_was_open(here: World) -> None:
    made = here.report()
    here.pass_days(5)
    path = f"/sites/{here.box.sites['shop']}/reports/{made['id']}/edit"
    form = here.box.get(path, cookie=here.box.cookie, accept="text/html").body.decode()
    version = re.search(r'name="version" value="(\w+)"', form)
    assert version is not None
    (mail,) = here.mails()
    here.send_form(mail["List-Unsubscribe"].strip("<>").removeprefix("http://localhost:8000"), "")
    body = f"version={version[1]}&name=Weekly&frequency=weekly&weekday.mon=on&hour=8&timeZone=UTC&recipients={EMAIL}"
    headers = {
        "content_type": "application/x-www-form-urlencoded",
        "sec_fetch_site": "same-origin",
        "accept": "text/html",
        "cookie": here.box.cookie,
    }
    answer = here.box.ask("POST", path, headers=headers, body=f"{body}&section.pages=on&isActive=on".encode())
    assert answer.status == 409
    assert here.rows("select count(*) from report_recipients") == [(0,)]


def test_mail_that_the_server_refuses_is_retried_and_the_log_says_why(here: World) -> None:
    made = here.report()
    here.server.refuses = "RCPT"
    here.pass_days(5)
    assert not here.mails()
    (entry,) = here.call("reports.deliveries", id=made["id"])
    assert "refuses the recipient" in entry["error"]
    assert entry["sentAt"] is None
    here.server.refuses = ""
    here.pass_days(0.01)
    (entry,) = here.call("reports.deliveries", id=made["id"])
    assert entry["sentAt"] is not None
    assert entry["to"] == EMAIL
    assert len(here.mails()) == 1


def test_send_now_leaves_the_schedule_as_it_is_and_is_limited(here: World) -> None:
    made = here.report()
    here.call("reports.sendNow", id=made["id"])
    here.send()
    (mail,) = here.mails()
    assert "8 – 14 Jun 2026" in part_of(mail)
    here.pass_days(5)
    assert len(here.mails()) == 2
    for _number in range(6):
        here.call("reports.sendNow", id=made["id"])
    assert here.box.post("/reports/sendNow", {"id": made["id"]}, key="all").status == 429


def test_channel_gets_the_report_once_with_all_figures_as_json(here: World) -> None:
    webhook = {"type": "webhook", "name": "Hook", "config": {"url": "https://hook.example/"}}
    channel = here.call("config.createChannel", **webhook)
    made = here.report(recipients=[], channelIds=[channel["channel"]["id"]])
    for _again in range(2):
        here.box.clock.advance(seconds=3 * 86_400)
        here.tick()
    ((stored,),) = here.rows("select message from deliveries where topic like 'report:%'")
    message = msgspec.json.decode(stored, type=Message)
    assert message.type == "report.sent"
    assert message.data["report"]["figures"][0]["number"] == len(PEOPLE)
    assert "Pages: " in message.text
    (entry,) = here.call("reports.deliveries", id=made["id"])
    assert entry["to"] == "Hook"
    body = KINDS["webhook"].made({"url": "https://hook.example/", "secret": new_secret()}, message, SendAttempt("m", 0))
    assert isinstance(body, Post)
    assert msgspec.json.decode(body.body)["data"]["report"]["website"] == "Shop"
