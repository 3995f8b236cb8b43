"""Creating, changing and deleting a report and its recipients: each verb with its rows and its audit entry."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from msgspec.structs import replace

from analytics_box.base import ids
from analytics_box.base.acting import By
from analytics_box.base.clock import HOUR
from analytics_box.base.errors import BadRequest, BoxError
from analytics_box.base.notify import mail_limits
from analytics_box.base.notify.change import existing as existing_channel
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.reports import rows
from analytics_box.products.reports.report import (
    MOST_REPORTS,
    REPORTS,
    USUAL_HOUR,
    USUAL_SECTIONS,
    Report,
    check_schedule,
)
from analytics_box.products.reports.rows import RECIPIENTS, ReportRecipient
from analytics_box.query.request import QueryFilterInput
from analytics_box.tenants.accounts.rules import clean_email
from analytics_box.tenants.tenancy.members import administers, of_organization
from analytics_box.tenants.websites.rules import Website

# Between two requests to confirm that a recipient gets.
ASKED_AGAIN: Final = HOUR


def create(
    db: Connection,
    by: By,
    website: Website,
    values: Mapping[str, Any],
    recipients: Iterable[str],
    filters: tuple[QueryFilterInput, ...],
    time_zone: str,
) -> Report:
    """Create a report from the values of its fields. Raises BadRequest, Conflict or RateLimited."""
    full = _("A website can have up to {most} reports").format(most=MOST_REPORTS)
    REPORTS.check_room(db, MOST_REPORTS, full, "website_id = ?", website.id)
    blank = Report(
        id=ids.new_id(),
        website_id=website.id,
        name="",
        frequency="weekly",
        weekdays=("mon",),
        hour=USUAL_HOUR,
        time_zone=time_zone,
        language="en",
        sections=USUAL_SECTIONS,
        exports=(),
        file_format="csv",
        websites=(),
        all_websites=False,
        channels=(),
        is_active=True,
        filters=filters,
        active_since=by.now,
        created_by=by.actor,
        created_at=by.now,
        updated_at=by.now,
    )
    report = replace(blank, **values)
    _check(db, by, website, report, blank)
    REPORTS.create(db, by, website.organization_id, report)
    _put_recipients(db, by, website, report, recipients)
    return report


def update(
    db: Connection,
    by: By,
    website: Website,
    report_id: str,
    values: Mapping[str, Any],
    recipients: Iterable[str] | None,
) -> Report:
    """Change these values of a report, and who receives it unless that is None. Raises NotFound, BadRequest or
    RateLimited."""
    before = REPORTS.existing(db, report_id)
    after = replace(before, **values)
    schedule = ("frequency", "weekdays", "hour", "time_zone", "is_active")
    if any(getattr(before, name) != getattr(after, name) for name in schedule):
        after = replace(after, active_since=by.now)
    _check(db, by, website, after, before)
    changed = recipients is not None and _put_recipients(db, by, website, after, recipients)
    if changed and after == before:
        after = replace(after, updated_at=before.updated_at + 1)
    return REPORTS.change(db, by, website.organization_id, before, after)


def confirm(db: Connection, recipient: ReportRecipient, now: int) -> None:
    """Confirm a recipient. Doing it twice changes nothing."""
    if recipient.confirmed_at is None:
        RECIPIENTS.update(db, replace(recipient, confirmed_at=now))


def unsubscribe(db: Connection, recipient: ReportRecipient, now: int) -> None:
    """Delete a recipient with all that waits for them. An open form of the report is out of date then, so that it
    cannot add them again by accident."""
    RECIPIENTS.delete(db, recipient.id)
    report = REPORTS.find(db, recipient.report_id)
    if report is not None:
        REPORTS.update(db, replace(report, updated_at=max(now, report.updated_at + 1)))


def _check(db: Connection, by: By, website: Website, report: Report, before: Report) -> None:
    """Check a report against its state before. Raises BadRequest."""
    check_schedule(report)
    if report.filters and (report.websites or report.all_websites):
        raise BadRequest.about("segmentId", _("A segment limits the report of one website. Select all visits"))
    if "storage" in report.exports and "storage" not in before.exports and not administers(db, by):
        raise BadRequest.about("exports", _("Only administrators of the server can select its S3 storage"))
    for channel_id in report.channels:
        try:
            existing_channel(db, channel_id, website.organization_id)
        except BoxError as unknown:
            raise BadRequest.about("channelIds", _("There is no channel with this id")) from unknown


def _put_recipients(db: Connection, by: By, website: Website, report: Report, given: Iterable[str]) -> bool:
    """Make these addresses the recipients, and return whether they changed. New ones of members with a confirmed
    address receive reports immediately, others are asked to confirm. Raises BadRequest or RateLimited."""
    wanted = list(dict.fromkeys(_address(one) for one in given))
    before = {one.email: one for one in RECIPIENTS.all(db, "report_id = ? order by email", report.id)}
    members = {
        one.email: one.user_id
        for one in of_organization(db, website.organization_id)
        if one.confirmed
        and (one.resources is None or report.all_websites or {website.id, *report.websites} & {*one.resources})
    }
    for email, former in before.items():
        if email not in wanted:
            RECIPIENTS.delete(db, former.id)
    for email in wanted:
        recipient = before.get(email)
        if recipient is None:
            user_id = members.get(email)
            confirmed = by.now if user_id is not None else None
            recipient = ReportRecipient(ids.new_id(), report.id, email, user_id, confirmed, by.now, by.now)
            RECIPIENTS.insert(db, recipient)
        elif recipient.confirmed_at is not None or recipient.asked_at > by.now - ASKED_AGAIN:
            continue
        if recipient.confirmed_at is None:
            mail_limits.take(db, "subscription", email, by.now)
            mail_limits.take_of_caller(db, by.actor, by.now)
            RECIPIENTS.update(db, replace(recipient, asked_at=by.now))
            rows.queue_request(db, recipient.id, by.now)
    added, removed = [one for one in wanted if one not in before], [one for one in before if one not in wanted]
    if added or removed:
        REPORTS.record(db, by, website.organization_id, "updated", report, {"added": added, "removed": removed})
    return bool(added or removed)


def _address(given: str) -> str:
    try:
        return clean_email(given)
    except BadRequest as wrong:
        raise BadRequest.about(
            "recipients", _("This is not an email address: {text}").format(text=given[:100])
        ) from wrong
