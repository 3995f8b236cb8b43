"""Mails to subscribers: HTML and plain text that say the same, load nothing, and can be filed by List-Id."""

import re
from typing import Any

import pytest
from msgspec.structs import replace

from analytics_box.base.notify.html_mail import DARK, LIGHT
from analytics_box.base.notify.mail import Mail
from analytics_box.products.status_pages.subscriber import ComponentImpact, News
from analytics_box.products.status_pages.subscribers import wording
from analytics_box.products.status_pages.subscribers.wording import MessageContext, Places
from analytics_box.web.page.templates import Pages
from tests.inprocess import NOON
from tests.products.status_pages.subscribers.world import API, World, text_of

LINK = "https://status.acme.example/subscription/secret"
ABOUT = MessageContext("page-id", "Müller & Söhne", "UTC", Places("https://status.acme.example"), LINK)
NEWS = News(
    update_id="update",
    incident_id="incident",
    kind="incident",
    title="Slow",
    status="investigating",
    severity="major",
    message="We look into **it**.\n\n- [Notes](https://example.com/notes)",
    at=NOON,
    affected=(ComponentImpact("API", "down"), ComponentImpact("Shop", "degraded")),
)
HOSTILE = '"><img src=https://evil.example/x><script>alert(1)</script>'


@pytest.fixture
def pages(here: World) -> Pages:
    found: Pages = here.parts[Pages]
    return found


def mail_of(pages: Pages, about: MessageContext = ABOUT, **changes: Any) -> Mail:
    return wording.mail_of(replace(NEWS, **changes), about, pages.text, to="ada@example.org", id="id")


def test_update_arrives_as_html_and_as_plain_text(here: World) -> None:
    path = here.confirmed()
    here.says("investigating", "We look into **it**.", API)
    here.send()
    (mail,) = here.headers()
    assert mail.get_content_type() == "multipart/alternative"
    assert [part.get_content_type() for part in mail.walk()][1:] == ["text/plain", "text/html"]  # the last is preferred
    html = text_of(mail, "text/html")
    for said in ("Investigating", "It is slow", "We look into <strong>it</strong>.", "api", "Down", f"acme/{path}"):
        assert said in html
    assert mail["List-Id"] == "<page-of-acme.localhost>"


def test_request_to_confirm_has_both_forms_and_no_text_of_users_in_its_subject(here: World) -> None:
    here.subscribe()
    here.send()
    (mail,) = here.headers()
    assert mail["Subject"] == "Confirm your subscription to a status page"
    assert "Acme" in text_of(mail)
    assert ">Confirm subscription</a>" in text_of(mail, "text/html")
    assert mail["List-Id"] == "<page-of-acme.localhost>"


def test_html_mail_loads_nothing_from_elsewhere(pages: Pages) -> None:
    html = mail_of(pages).html
    assert re.search(r"<(img|link|script|iframe|object)|\bsrc=|url\(|@import", html) is None
    assert set(re.findall(r'href="([^"]+)"', html)) == {
        "https://example.com/notes",
        "https://status.acme.example/incidents/incident",
        LINK,
    }


def test_names_and_messages_cannot_put_html_into_a_mail(pages: Pages) -> None:
    mail = mail_of(
        pages,
        replace(ABOUT, page=HOSTILE),
        title=HOSTILE,
        message=HOSTILE,
        affected=(ComponentImpact(HOSTILE, "down"),),
    )
    assert "<img" not in mail.html
    assert "<script" not in mail.html
    assert mail.html.count("&lt;script&gt;") >= 4
    assert "\n" not in mail.subject


def test_each_element_of_a_message_has_a_style_of_its_own(pages: Pages) -> None:
    html = mail_of(pages, message="A\n\n1. b\n\n> c\n\n    d\n\n`e` <https://example.com>\n\n---").html
    for tag in ("p", "ol", "li", "blockquote", "pre", "code", "a", "hr"):
        assert f"<{tag} style=" in html
        assert f"<{tag}>" not in html


@pytest.mark.parametrize(
    ("changes", "tone"),
    [
        ({}, "bad"),
        ({"severity": "critical"}, "bad"),
        ({"severity": "minor"}, "warn"),
        ({"status": "resolved"}, "good"),
        ({"kind": "maintenance", "status": "scheduled"}, "info"),
        ({"kind": "maintenance", "status": "completed"}, "good"),
    ],
)
def test_color_of_a_mail_says_how_bad_it_is(pages: Pages, changes: dict[str, Any], tone: Any) -> None:
    html = mail_of(pages, **changes).html
    assert f'class="bar-{tone}" height="4" bgcolor="{LIGHT[tone]}"' in html
    assert f".{tone} {{ color: {DARK[tone]} !important }}" in html


def test_mail_of_an_incident_that_has_ended_calls_nothing_down(pages: Pages) -> None:
    mail = mail_of(pages, status="resolved")
    assert "- API\n- Shop\n" in mail.text
    assert "Down" not in mail.html
    assert "API" in mail.html


def test_planned_times_of_a_maintenance_are_in_both_parts(pages: Pages) -> None:
    mail = mail_of(pages, kind="maintenance", status="scheduled", scheduled_for=NOON, scheduled_until=NOON + 3_600_000)
    planned = "Planned: 17 Jun 2026, 12:00 UTC to 17 Jun 2026, 13:00 UTC"
    assert planned in mail.text
    assert planned in mail.html
    assert "View maintenance" in mail.html
