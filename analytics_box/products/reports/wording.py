"""A report in words: as mail, as text, and as a message to channels. Pure.

Names of pages, sources and events come from strangers: they stay text in HTML, and one line in headers.
"""

from typing import Final

import msgspec
from markupsafe import Markup
from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.notify.html_mail import Action, HtmlMail, Render, style_html
from analytics_box.base.notify.mail import Mail, unsubscribe_headers
from analytics_box.base.notify.message import Message, line
from analytics_box.base.urls import url_parts
from analytics_box.products.reports.content import ExportLink, ReportContent, ReportFigure, ReportTable
from analytics_box.products.reports.language import ReportWords

TEMPLATE: Final = "mail/report.html"
MESSAGE_TYPE: Final = "report.sent"
_LONGEST_SUBJECT: Final = 180
_LONGEST_NAME: Final = 80
# Rows of a list.
_IN_CHAT: Final = 3


class ReportLinks(Struct, frozen=True):
    """The addresses in a mail about a report: its page, the page that removes a recipient, and the box's own."""

    change: str
    unsubscribe: str
    box: str


def mail_of(
    content: ReportContent,
    links: ReportLinks,
    render: Render,
    words: ReportWords,
    *,
    to: str,
    report_id: str,
    id: str,
) -> Mail:
    """A report as a mail, which ends with one click of the mail program (RFC 8058)."""
    return Mail(
        to,
        subject(content, words),
        text(content, links, words, to),
        html=html(content, links, render, words, to=to),
        id=id,
        of=line(content.report if content.others else content.website, _LONGEST_NAME),
        headers=(_list_id(report_id, links), *unsubscribe_headers(links.unsubscribe)),
    )


def request_of(
    report: str,
    website: str,
    links: ReportLinks,
    render: Render,
    words: ReportWords,
    *,
    to: str,
    report_id: str,
    id: str,
    confirm: str,
) -> Mail:
    """The mail that asks an address outside of the organization to confirm.

    A user can have it sent to any mailbox, so that no name is in the subject or in the sender.
    """
    _ = words.text
    lead = _("Someone asked to send you the report “{report}” about {website} at this address.").format(
        report=line(report, _LONGEST_NAME), website=line(website, _LONGEST_NAME)
    )
    action, note = _("Confirm"), _("Open the link within 7 days.")
    foot = _("If you do not want this report, ignore this email. You will receive no others about it.")
    mail = HtmlMail(
        brand=_("Reports"),
        title=_("Confirm that you want this report"),
        text=style_html(Markup("<p>{lead}</p>").format(lead=lead)),
        action=Action(action, confirm),
        note=note,
        foot=foot,
        preview=lead,
        language=words.language,
    )
    whole = f"{lead}\n\n{action}:\n{confirm}\n\n{note}\n\n{foot}\n"
    title = _("Confirm that you want to receive a report")
    return Mail(to, title, whole, html=mail.rendered(render), id=id, headers=(_list_id(report_id, links),))


def message_of(content: ReportContent, words: ReportWords, at: int, files: ExportLink | None = None) -> Message:
    """A report as a message to a channel; webhooks get all of its figures as `report`, and the address of its files."""
    fields = [(one.name, _with_change(one)) for one in content.figures] if not content.others else []
    whole = content.websites
    return Message(
        type=MESSAGE_TYPE,
        title=subject(content, words),
        text="\n".join(_chat_text(content) if not content.others else [f"{one.website}: {one.lead}" for one in whole]),
        at=at,
        url=content.url,
        fields=tuple(fields),
        data={"report": msgspec.to_builtins(content)} | ({"files": msgspec.to_builtins(files)} if files else {}),
    )


def _chat_text(content: ReportContent) -> list[str]:
    lists = [
        f"{table.title}: " + ", ".join(f"{one.name} {one.value}" for one in table.rows[:_IN_CHAT])
        for table in content.tables
        if table.rows
    ]
    return [*_movers_line(content), *lists, *content.remarks]


def subject(content: ReportContent, words: ReportWords) -> str:
    """The subject, such as "Inkwell, 16 – 22 Nov 2026: 8,214 visitors, ↑ 10.1 %", or, about several websites,
    "Monday report, 16 – 22 Nov 2026: 12 websites"."""
    if content.others:
        number = len(content.websites)
        ngettext = words.catalogue.ngettext
        count = ngettext("1 website", "{count} websites", number).format(count=number)
        return line(f"{content.report}, {content.period}: {count}", _LONGEST_SUBJECT)
    return line(f"{content.website}, {content.period}: {content.lead}", _LONGEST_SUBJECT)


def html(content: ReportContent, links: ReportLinks, render: Render, words: ReportWords, *, to: str) -> str:
    """The HTML document. `to` is empty for a preview."""
    preview = " ".join(f"{one.website}: {one.lead}." for one in content.websites)
    if not content.others:
        preview = " ".join((content.lead, *_movers_line(content)))
    return render(TEMPLATE, _=words.text, words=words, report=content, links=links, to=to, preview=preview)


def text(content: ReportContent, links: ReportLinks, words: ReportWords, to: str) -> str:
    """The plain text."""
    _ = words.text
    parts = [
        *([content.report] if content.others else [f"{content.website} ({content.domain})"]),
        f"{content.kind}: {content.period}, {content.time_zone}",
        *([_("Compared with {period}").format(period=content.compared)] if content.compared else []),
        *([_("Filtered: not all visits are included.")] if content.filtered else []),
        *(row for one in content.websites for row in _website_text(one, words, is_one_of_many=bool(content.others))),
        *(["", content.export] if content.export else []),
        "",
        "-- ",
        _("You receive this report as {address}.").format(address=to),
        _("Unsubscribe: {url}").format(url=links.unsubscribe),
    ]
    return "\n".join(parts) + "\n"


def _website_text(content: ReportContent, words: ReportWords, *, is_one_of_many: bool) -> list[str]:
    """The lines about one website."""
    _ = words.text
    return [
        *(["", f"# {content.website} ({content.domain})"] if is_one_of_many else []),
        *(["", content.imported] if content.imported else []),
        "",
        *(f"{one.name}: {_with_change(one)}" for one in content.figures),
        *([""] if content.bars else []),
        *(f"{one.day}: {words.number(figures.count(one.visitors))}" for one in content.bars if len(content.bars) <= 7),
        *([""] if content.moved else []),
        *_movers_line(content),
        *(row for table in content.tables for row in ("", *_table(table))),
        *(["", _("Notes and outages")] if content.remarks else []),
        *(f"- {remark}" for remark in content.remarks),
        "",
        _("Dashboard: {url}").format(url=content.url),
    ]


def _movers_line(content: ReportContent) -> tuple[str, ...]:
    if not content.movers:
        return ()
    return (f"{content.moved}: " + ", ".join(f"{one.name} {one.value}" for one in content.movers) + ".",)


def _table(table: ReportTable) -> list[str]:
    rows = [f"- {one.name}: {_with_change(one)}" for one in table.rows] or [table.empty]
    return [f"{table.title} ({table.counted})" if table.counted else table.title, *rows]


def _with_change(one: ReportFigure) -> str:
    return f"{one.value} ({one.change})" if one.change else one.value


def _list_id(report_id: str, links: ReportLinks) -> tuple[str, str]:
    """The header by which mail programs file all mails of a report together (RFC 2919)."""
    return "List-Id", f"<{report_id}.reports.{url_parts(links.box).hostname or 'localhost'}>"
