"""Recipients, sent reports and their outbox in box.db. Every function takes a connection inside the caller's
transaction.

Members receive reports only while they can see the website, and others once they have confirmed.
"""

from collections.abc import Collection
from typing import Final

from msgspec import Struct

from analytics_box.base.identity import DateFormat, Language, TimeFormat
from analytics_box.base.notify.outbox import AttemptResult
from analytics_box.base.notify.receivers import OutboxTables
from analytics_box.base.notify.rules import ReceiverBackoff
from analytics_box.base.store import records
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.reports.report import MOST_RUNS, RecipientState
from analytics_box.resource.table import Table
from analytics_box.web.page.dates import USUAL, Formats

RECEIVERS: Final = OutboxTables("report_recipients", "report_deliveries", "recipient_id", "true")
# Recipients who can be sent a report: `report_recipients`, `reports` and `websites` are in the statement. Members need
# access to one of its websites.
_RECEIVES: Final = """
  report_recipients.confirmed_at is not null and (report_recipients.user_id is null or exists (
    select 1 from members
    where members.user_id = report_recipients.user_id and members.organization_id = websites.organization_id
      and (members.resources is null or exists (
        select 1 from json_each(members.resources) as reached
        join websites as one on one.id = reached.value and one.deleted_at is null
        where one.id = websites.id or (one.organization_id = websites.organization_id and (
          reports.all_websites = 1 or exists (
            select 1 from report_websites where report_id = reports.id and website_id = one.id
          )
        ))
      ))
  ))
"""


# The user who created a report.
_MAKER: Final = "case when reports.created_by like 'user:%' then substr(reports.created_by, 6) end"


class ReportRecipient(Struct, frozen=True):
    """A recipient of a report. A member has a `user_id`. Times are UTC ms. The last fields are those of every receiver
    (base/notify/receivers.py), which deliveries keep."""

    id: str
    report_id: str
    email: str
    user_id: str | None
    confirmed_at: int | None
    asked_at: int
    created_at: int
    kind: str = "email"
    failures: int = 0
    failing_since: int | None = None
    not_before: int = 0


RECIPIENTS: Final = Table(
    "report_recipients",
    ReportRecipient,
    sql={name: (name, "") for name in ("kind", "failures", "failing_since", "not_before")},
)


class RecipientLine(Struct, frozen=True):
    """A recipient in a list."""

    report_id: str
    email: str
    is_member: bool
    state: RecipientState


class ReportRun(Struct, frozen=True):
    """A report that was made about a period, of local days. Only one that is not `manual` uses the period up. `content`
    is JSON."""

    id: str
    report_id: str
    first_day: str
    last_day: str
    manual: bool
    content: str
    created_at: int


RUNS: Final = Table("report_runs", ReportRun)


class ReportDelivery(Struct, frozen=True):
    """A pending mail: a report, or without `content` the request to confirm. `resources` are the ids, as JSON, of those
    that a member can access, or null for all. The formats are the reader's: the member's, or of who made the report."""

    number: int
    run_id: str | None
    content: str | None
    attempts: int
    created_at: int
    recipient_id: str
    email: str
    is_member: bool
    report_id: str
    report: str
    website_id: str
    website: str
    organization_id: str
    resources: str | None
    date_format: DateFormat
    time_format: TimeFormat
    language: Language
    failures: int
    failing_since: int | None
    not_before: int

    @property
    def receiver_id(self) -> str:
        """The recipient."""
        return self.recipient_id

    @property
    def backoff(self) -> ReceiverBackoff:
        """The recipient's back-off."""
        return ReceiverBackoff(self.failures, self.failing_since, self.not_before)

    @property
    def id(self) -> str:
        """The id of the mail, the same for each attempt."""
        return f"report_{self.run_id or f'request_{self.number}'}_{self.recipient_id}"


class DueExport(Struct, frozen=True):
    """An export to put into the storage at `key`."""

    run_id: str
    report_id: str
    key: str
    content: bytes
    attempts: int
    created_at: int


class DeliveryLine(Struct, frozen=True):
    """A delivery in the log. Times are UTC ms; channels are listed by name."""

    to: str
    first_day: str
    last_day: str
    manual: bool
    created_at: int
    attempts: int
    due_at: int | None
    ended_at: int | None
    error: str


def recipients(db: Connection, reports: Collection[str]) -> list[RecipientLine]:
    """The recipients of these reports, by address."""
    return records.all_of(
        db,
        RecipientLine,
        f"""
        -- reports.recipients
        select report_id, email, user_id is not null,
          case when confirmed_at is null then 'unconfirmed' when {_RECEIVES} then 'confirmed' else 'left' end
        from report_recipients
        join reports on reports.id = report_id
        join websites on websites.id = website_id
        where report_id in (select value from json_each(?)) order by email
        """,
        (records.json_list(reports),),
    )


def formats_of(db: Connection, report_id: str) -> Formats:
    """The date formats of the user who created a report."""
    found = db.execute(
        f"""
        -- reports.formats_of
        select date_format, time_format from reports join users on users.id = {_MAKER} where reports.id = ?
        """,
        (report_id,),
    ).fetchone()
    return USUAL if found is None else Formats(*found)


def has_run(db: Connection, report_id: str, first_day: str) -> bool:
    """Whether the report of this period was sent by the schedule."""
    return RUNS.count(db, "report_id = ? and first_day = ? and manual = 0", report_id, first_day) > 0


def queue(db: Connection, run: ReportRun) -> int:
    """Queue a report for its recipients. Return how many."""
    before = db.total_changes()
    db.execute(
        f"""
        -- reports.queue
        insert into report_deliveries (recipient_id, run_id, created_at, due_at)
        select report_recipients.id, ?1, ?2, max(?2, not_before) from report_recipients
        join reports on reports.id = report_id
        join websites on websites.id = website_id
        where report_id = ?3 and {_RECEIVES}
        order by report_recipients.email
        """,
        (run.id, run.created_at, run.report_id),
    )
    return int(db.total_changes()) - before


def put_export(db: Connection, run: ReportRun, name: str, content: bytes, *, uploads: bool) -> None:
    """Store the export of a report, to be put into the storage if it `uploads`."""
    db.execute(
        """
        -- reports.put_export
        insert into report_exports (run_id, name, content, created_at, due_at) values (?, ?, ?, ?, ?)
        """,
        (run.id, name, content, run.created_at, run.created_at if uploads else None),
    )


def export_of(db: Connection, run_id: str, since: int = 0) -> tuple[str, bytes] | None:
    """The name and the content of the export of a report, if it was made after this instant."""
    found = db.execute(
        """
        -- reports.export_of
        select report_exports.name, report_exports.content from report_exports
        join report_runs on report_runs.id = run_id
        join reports on reports.id = report_id
        join websites on websites.id = website_id and websites.deleted_at is null
        join organizations on organizations.id = websites.organization_id and organizations.deleted_at is null
        where run_id = ? and report_exports.content is not null and report_exports.created_at > ?
        """,
        (run_id, since),
    )
    return found.fetchone()


def due_export(db: Connection, now: int) -> DueExport | None:
    """The next export to put into the storage."""
    found = records.all_of(
        db,
        DueExport,
        """
        -- reports.due_export
        select run_id, reports.id, 'exports/' || website_id || '/' || reports.id || '/'
          || first_day || '_' || last_day || '.zip', report_exports.content, attempts, report_exports.created_at
        from report_exports
        join report_runs on report_runs.id = run_id
        join reports on reports.id = report_id
        join websites on websites.id = website_id and websites.deleted_at is null
        join organizations on organizations.id = websites.organization_id and organizations.deleted_at is null
        where due_at <= ? and report_exports.content is not null order by due_at, run_id limit 1
        """,
        (now,),
    )
    return found[0] if found else None


def has_due_export(db: Connection, now: int) -> bool:
    """Whether an export is due for the storage."""
    found = db.execute("-- reports.has_due_export\nselect 1 from report_exports where due_at <= ? limit 1", (now,))
    return found.fetchone() is not None


def store_upload(db: Connection, *, run_id: str, again_at: int | None, now: int, error: str) -> None:
    """Store the result of an upload: without `again_at` it has ended."""
    db.execute(
        """
        -- reports.store_upload
        update report_exports set attempts = attempts + 1, due_at = ?, ended_at = ?, error = ? where run_id = ?
        """,
        (again_at, now if again_at is None else None, error, run_id),
    )


def queue_request(db: Connection, recipient_id: str, now: int) -> None:
    """Queue the request to confirm, in place of an earlier one that still waits."""
    db.execute(
        "-- reports.queue_request\ndelete from report_deliveries where recipient_id = ? and run_id is null",
        (recipient_id,),
    )
    db.execute(
        "-- reports.queue_request\ninsert into report_deliveries (recipient_id, created_at, due_at) values (?, ?, ?)",
        (recipient_id, now, now),
    )


def due(
    db: Connection, now: int, most: int, *, without: Collection[str] = (), organizations: Collection[str] = ()
) -> list[ReportDelivery]:
    """The mails to attempt now: the oldest pending one of each recipient. Recipients in `without`, and those of
    `organizations`, are left out."""
    return records.all_of(
        db,
        ReportDelivery,
        f"""
        -- reports.due
        select number, run_id, report_runs.content, attempts, one.created_at, recipient_id,
          coalesce((select users.email from users where users.id = user_id), report_recipients.email),
          user_id is not null,
          reports.id, reports.name, websites.id, websites.name, websites.organization_id,
          (select resources from members where members.user_id = report_recipients.user_id
            and members.organization_id = websites.organization_id),
          coalesce(reader.date_format, ?5), coalesce(reader.time_format, ?6), reports.language,
          failures, failing_since, not_before
        from report_deliveries as one
        join report_recipients on report_recipients.id = recipient_id
        join reports on reports.id = report_recipients.report_id
        join websites on websites.id = website_id and websites.deleted_at is null
        join organizations on organizations.id = websites.organization_id and organizations.deleted_at is null
        left join report_runs on report_runs.id = run_id
        left join users as reader on reader.id = coalesce(report_recipients.user_id, {_MAKER})
        where due_at <= ?1 and (run_id is null or {_RECEIVES})
          and recipient_id not in (select value from json_each(?2))
          and websites.organization_id not in (select value from json_each(?3))
          and not exists (
            select 1 from report_deliveries as earlier
            where earlier.recipient_id = one.recipient_id and earlier.due_at is not null
              and earlier.number < one.number
          )
        order by due_at, number limit ?4
        """,
        (now, records.json_list(without), records.json_list(organizations), most, USUAL.date, USUAL.time),
    )


def waits(db: Connection, number: int) -> bool:
    """Whether a mail is still to be sent."""
    found = db.execute(
        "-- reports.waits\nselect 1 from report_deliveries where number = ? and due_at is not null", (number,)
    )
    return found.fetchone() is not None


def store_attempt(db: Connection, result: AttemptResult, *, number: int) -> None:
    """Store the result of an attempt."""
    db.execute(
        """
        -- reports.store_attempt
        update report_deliveries set attempts = ?, due_at = ?, ended_at = ?, error = ?
        where number = ? and due_at is not null
        """,
        (result.attempts, result.again_at, result.now if result.again_at is None else None, result.error, number),
    )


def log(db: Connection, report_id: str, most: int) -> list[DeliveryLine]:
    """The latest deliveries of a report, to recipients, to channels and to the storage, the newest first."""
    return records.all_of(
        db,
        DeliveryLine,
        """
        -- reports.log
        select email as receiver, first_day, last_day, manual, one.created_at, attempts, due_at, ended_at, error
        from report_deliveries as one
        join report_recipients on report_recipients.id = recipient_id
        join report_runs on report_runs.id = run_id
        where report_runs.report_id = ?1
        union all
        select channels.name, first_day, last_day, manual, one.created_at, attempts, due_at, ended_at,
          coalesce(error, '')
        from report_runs
        join deliveries as one on one.topic = 'report:' || report_runs.id
        join channels on channels.id = channel_id
        where report_runs.report_id = ?1
        union all
        select ?3, first_day, last_day, manual, one.created_at, attempts, due_at, ended_at, error
        from report_exports as one
        join report_runs on report_runs.id = run_id
        where report_runs.report_id = ?1 and (due_at is not null or ended_at is not null)
        order by 5 desc, receiver limit ?2
        """,
        (report_id, most, _("S3 storage")),
    )


def forget_old_runs(db: Connection, report_id: str) -> None:
    """Delete all reports but the latest, with their deliveries."""
    db.execute(
        """
        -- reports.forget_old_runs
        delete from report_runs where report_id = ?1 and id not in (
          select id from report_runs where report_id = ?1 order by created_at desc, id limit ?2
        )
        """,
        (report_id, MOST_RUNS),
    )


def sweep(db: Connection, asked_before: int, made_before: int) -> None:
    """Delete recipients who were asked to confirm before this instant and have not, and the contents of exports that
    were made before the other."""
    db.execute(
        "-- reports.sweep\ndelete from report_recipients where confirmed_at is null and asked_at < ?", (asked_before,)
    )
    db.execute(
        "-- reports.sweep\nupdate report_exports set content = null where created_at < ? and content is not null",
        (made_before,),
    )
