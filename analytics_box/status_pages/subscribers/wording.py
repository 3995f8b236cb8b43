"""A message as subscribers get it: a mail in plain text, or the JSON of a webhook. Pure."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from msgspec import Struct

from analytics_box.notify.mail import Mail
from analytics_box.notify.message import line
from analytics_box.notify.wording import iso
from analytics_box.status_pages.subscriber import News
from analytics_box.status_pages.subscribers.places import Places
from analytics_box.texts import StatusSubscribers as Words

_LONGEST_SUBJECT = 180  # characters
_LONGEST_SENDER = 80


class About(Struct, frozen=True):
    """What a message is about: a page by id, name and time zone, its addresses, and the subscriber's own one."""

    page_id: str
    page: str
    zone: str
    places: Places
    subscription: str


def mail_of(news: News, about: About, *, to: str, id: str) -> Mail:
    """An update as a mail. It ends with one click of the mail program (RFC 8058)."""
    status = Words.statuses[news.status]
    parts = [
        news.title,
        Words.when.format(status=status, time=_time(news.at, about.zone)),
        *_planned(news, about),
        *([f"\n{news.message.strip()}"] if news.message.strip() else []),
        *_affected(news),
        f"\n{Words.details.format(url=about.places.incident(news.incident_id))}",
        f"\n-- \n{Words.foot.format(page=about.page)}\n{about.subscription}\n",
    ]
    subject = Words.subject.format(page=about.page, status=status, title=news.title)
    return Mail(
        to,
        line(subject, _LONGEST_SUBJECT),
        "\n".join(parts),
        id=id,
        thread=f"{news.incident_id}.incident",
        of=_sender(about),
        headers=(
            ("List-Unsubscribe", f"<{about.subscription}>"),
            ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"),
        ),
    )


def request_of(about: About, *, to: str, id: str, is_confirmed: bool) -> Mail:
    """The mail that asks to confirm, or the link to manage a subscription for those who have confirmed.

    A stranger can have it sent to any mailbox, so the page's name is neither in the subject nor in the sender.
    """
    subject, text = (
        (Words.manage_subject, Words.manage_text) if is_confirmed else (Words.confirm_subject, Words.confirm_text)
    )
    said = {"page": line(about.page, _LONGEST_SUBJECT), "link": about.subscription}
    return Mail(to, subject, text.format(**said), id=id)


def webhook_of(news: News, about: About) -> dict[str, Any]:
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
                "url": about.places.incident(news.incident_id),
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


def challenge_of(about: About, challenge: str, now: int) -> dict[str, Any]:
    """What a webhook has to answer before it is told anything."""
    return {
        "type": "status_page.challenge",
        "timestamp": iso(now),
        "data": {"page": _page(about), "challenge": challenge},
    }


def _sender(about: About) -> str:
    return Words.sender.format(page=line(about.page, _LONGEST_SENDER))


def _page(about: About) -> dict[str, str]:
    return {"id": about.page_id, "name": about.page, "url": about.places.page}


def _planned(news: News, about: About) -> list[str]:
    if news.scheduled_for is None or news.scheduled_until is None:
        return []
    start, end = _time(news.scheduled_for, about.zone), _time(news.scheduled_until, about.zone)
    return [Words.planned.format(start=start, end=end)]


def _affected(news: News) -> list[str]:
    if not news.affected:
        return []
    said = [Words.component.format(name=one.name, impact=Words.impacts[one.impact]) for one in news.affected]
    return [f"\n{Words.affected}", *said]


def _time(instant: int, zone: str) -> str:
    """23 Nov 2026, 16:04 CET."""
    local = datetime.fromtimestamp(instant / 1000, ZoneInfo(zone))
    return f"{local.day} {local:%b %Y, %H:%M %Z}"
