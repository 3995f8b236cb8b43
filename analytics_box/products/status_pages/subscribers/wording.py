"""A message as subscribers get it: a mail in HTML and plain text, or the JSON of a webhook. Pure."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from markupsafe import Markup
from msgspec import Struct

from analytics_box.base.clock import iso
from analytics_box.base.notify.html_mail import Action, HtmlMail, MailRow, Render, Tone, style_html
from analytics_box.base.notify.mail import Mail, unsubscribe_headers
from analytics_box.base.notify.message import line
from analytics_box.base.settings import Settings
from analytics_box.base.translation import _
from analytics_box.base.urls import url_parts
from analytics_box.products.status_pages import markdown
from analytics_box.products.status_pages.incident import ENDED, STATUS_LABELS, Impact
from analytics_box.products.status_pages.subscriber import ComponentImpact, News

_KINDS = {"incident": _("Incident update"), "maintenance": _("Maintenance update")}
_OPEN = {"incident": _("View incident"), "maintenance": _("View maintenance")}
_IMPACTS = {
    "operational": _("operational"),
    "degraded": _("degraded"),
    "partial": _("partial outage"),
    "down": _("down"),
    "maintenance": _("under maintenance"),
}


_PREFIX: Final = "/status/"  # under which pages live on the box's own host


class Places(Struct, frozen=True):
    """The addresses of one page."""

    page: str

    def incident(self, incident_id: str) -> str:
        return f"{self.page}/incidents/{incident_id}"

    def subscription(self, link: str) -> str:
        """The page on which a subscriber confirms, chooses components and unsubscribes."""
        return f"{self.page}/subscription/{link}"


def of(settings: Settings, slug: str, domain: str | None) -> Places:
    """The addresses of a page: on its custom domain if it has one."""
    if domain:
        return Places(f"{'https' if settings.secure else 'http'}://{domain}")
    return Places(f"{settings.public_url}{_PREFIX}{slug}")


_LONGEST_SUBJECT = 180  # characters
_LONGEST_SENDER = 80
_LONGEST_PREVIEW = 140
_TONES: Final[Mapping[Impact, Tone]] = {
    "operational": "good",
    "degraded": "warn",
    "partial": "bad",
    "down": "bad",
    "maintenance": "info",
}


class MessageContext(Struct, frozen=True):
    """The context of a message: a page by id, name and time zone, its addresses, and the subscription's address."""

    page_id: str
    page: str
    zone: str
    places: Places
    subscription: str


def mail_of(news: News, about: MessageContext, render: Render, *, to: str, id: str) -> Mail:
    """An update as a mail. It ends with one click of the mail program (RFC 8058)."""
    subject = f"[{about.page}] {STATUS_LABELS[news.status]}: {news.title}"
    return Mail(
        to,
        line(subject, _LONGEST_SUBJECT),
        _text(news, about),
        html=_html(news, about).rendered(render),
        id=id,
        thread=f"{news.incident_id}.incident",
        of=_("{page} status").format(page=line(about.page, _LONGEST_SENDER)),
        headers=(
            _list(about),
            *unsubscribe_headers(about.subscription),
        ),
    )


def request_of(about: MessageContext, render: Render, *, to: str, id: str, is_confirmed: bool) -> Mail:
    """The mail that asks to confirm, or the link to manage a subscription for those who have confirmed.

    A stranger can have it sent to any mailbox, so the page's name is neither in the subject nor in the sender.
    """
    subject, title, lead, action, note, foot = (
        (
            _("Your subscription to a status page"),
            _("You are already subscribed"),
            _(
                "Someone, hopefully you, subscribed this address to status updates from {page} "
                "again. It is already subscribed."
            ),
            _("Manage subscription"),
            _("Choose which updates you receive, or unsubscribe."),
            _("If it wasn't you, ignore this email. Nothing has changed."),
        )
        if is_confirmed
        else (
            _("Confirm your subscription to a status page"),
            _("Confirm your subscription"),
            _("Someone, hopefully you, asked to receive status updates from {page} at this address."),
            _("Confirm subscription"),
            _("Open the link within 48 hours."),
            _("If it wasn't you, ignore this email. You won't receive any others, and this address will be deleted."),
        )
    )
    page = line(about.page, _LONGEST_SUBJECT)
    lead, link = lead.format(page=page), about.subscription
    html = HtmlMail(
        brand=page,
        title=title,
        text=style_html(Markup("<p>{lead}</p>").format(lead=lead)),
        action=Action(action, link),
        note=note,
        foot=foot,
        preview=lead,
    )
    text = f"{lead}\n\n{action}:\n{link}\n\n{note}\n\n{foot}\n"
    return Mail(to, subject, text, html=html.rendered(render), id=id, headers=(_list(about),))


def webhook_of(news: News, about: MessageContext) -> dict[str, Any]:
    """An update as JSON."""
    return {
        "type": f"status_page.{news.kind}.updated",
        "timestamp": iso(news.at),
        "data": {
            "page": _page(about),
            news.kind: {
                "id": news.incident_id,
                "title": news.title,
                "status": news.status,
                "severity": news.severity,
                "url": _address_of(news, about),
                "scheduledFor": None if news.scheduled_for is None else iso(news.scheduled_for),
                "scheduledUntil": None if news.scheduled_until is None else iso(news.scheduled_until),
            },
            "update": {
                "id": news.update_id,
                "status": news.status,
                "message": news.message,
                "createdAt": iso(news.at),
            },
            "components": [{"name": one.name, "impact": one.impact} for one in news.affected],
            "subscriptionUrl": about.subscription,
        },
    }


def challenge_of(about: MessageContext, challenge: str, now: int) -> dict[str, Any]:
    """The challenge that a webhook must answer before it receives updates."""
    return {
        "type": "status_page.challenge",
        "timestamp": iso(now),
        "data": {"page": _page(about), "challenge": challenge},
    }


def _address_of(news: News, about: MessageContext) -> str:
    """The page of an incident or maintenance; the status page once a maintenance window has ended."""
    return about.places.incident(news.incident_id) if news.is_open else about.places.page


def _page(about: MessageContext) -> dict[str, str]:
    return {"id": about.page_id, "name": about.page, "url": about.places.page}


def _list(about: MessageContext) -> tuple[str, str]:
    """The header by which mail programs file all mails of a page together (RFC 2919)."""
    host = url_parts(about.places.page).hostname or "localhost"
    return "List-Id", f"<{about.page_id}.{host}>"


def _text(news: News, about: MessageContext) -> str:
    details = _("Details: {url}").format(url=_address_of(news, about))
    foot = " ".join(
        (
            _("You are receiving this email because you subscribed to status updates from {page}.").format(
                page=about.page
            ),
            _("Manage your subscription or unsubscribe:"),
        )
    )
    parts = [
        news.title,
        _when(news, about),
        *_planned_lines(news, about),
        *([f"\n{news.message.strip()}"] if news.message.strip() else []),
        *_affected_lines(news),
        f"\n{details}",
        f"\n-- \n{foot}\n{about.subscription}\n",
    ]
    return "\n".join(parts)


def _html(news: News, about: MessageContext) -> HtmlMail:
    text = news.message.strip()
    return HtmlMail(
        brand=about.page,
        kind=_KINDS[news.kind],
        title=news.title,
        tone=_tone(news),
        label=STATUS_LABELS[news.status],
        details=(_time(news.at, about.zone), *_planned_lines(news, about)),
        text=style_html(markdown.html(text)) if text else Markup(),
        heading=_("Affected"),
        rows=tuple(_row(one, news) for one in news.affected),
        action=Action(_OPEN[news.kind], _address_of(news, about)),
        foot=_("You are receiving this email because you subscribed to status updates from {page}.").format(
            page=about.page
        ),
        links=(Action(_("Manage subscription"), about.subscription), Action(_("Unsubscribe"), about.subscription)),
        preview=line(f"{STATUS_LABELS[news.status]}: {text}", _LONGEST_PREVIEW),
    )


def _row(one: ComponentImpact, news: News) -> MailRow:
    return MailRow(one.name, "" if news.status in ENDED else _IMPACTS[one.impact], _TONES[one.impact])


def _tone(news: News) -> Tone:
    """The color of an update: that of what is over, of a maintenance, or of the incident's severity."""
    if news.status in ENDED:
        return "good"
    if news.kind == "maintenance":
        return "info"
    return "warn" if news.severity == "minor" else "bad"


def _when(news: News, about: MessageContext) -> str:
    return f"{STATUS_LABELS[news.status]} · {_time(news.at, about.zone)}"


def _planned_lines(news: News, about: MessageContext) -> list[str]:
    if news.scheduled_for is None or news.scheduled_until is None:
        return []
    start, end = _time(news.scheduled_for, about.zone), _time(news.scheduled_until, about.zone)
    return [_("Planned: {start} to {end}").format(start=start, end=end)]


def _affected_lines(news: News) -> list[str]:
    if not news.affected:
        return []
    if news.status in ENDED:  # the impacts are those of before
        said = [f"- {one.name}" for one in news.affected]
    else:
        said = [f"- {one.name}: {_IMPACTS[one.impact]}" for one in news.affected]
    return ["\n" + _("Affected") + ":", *said]


def _time(instant: int, zone: str) -> str:
    """23 Nov 2026, 16:04 CET."""
    local = datetime.fromtimestamp(instant / 1000, ZoneInfo(zone))
    return f"{local.day} {local:%b %Y, %H:%M %Z}"
