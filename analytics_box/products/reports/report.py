"""A report of a website: its fields, declared once, and the input and output of its procedures."""

from datetime import datetime
from functools import partial
from typing import Annotated, Final, Literal, TypeVar, get_args
from zoneinfo import available_timezones

from msgspec import UNSET, Meta, Struct, UnsetType

from analytics_box.base import names
from analytics_box.base.errors import BadRequest
from analytics_box.base.identity import Language
from analytics_box.base.translation import _
from analytics_box.products.alerts.alert_rule import DAYS, Day
from analytics_box.query.request import QueryFilterInput
from analytics_box.resource.audited import AuditedTable
from analytics_box.resource.fields import Field, Stamp, input_of
from analytics_box.resource.table import ChildList
from analytics_box.tenants.tenancy.messages import Text

Frequency = Literal["daily", "weekly", "monthly", "weekdays"]
Section = Literal[
    "figures",
    "changes",
    "sources",
    "pages",
    "countries",
    "devices",
    "events",
    "goals",
    "funnels",
    "revenue",
    "links",
    "uptime",
    "errors",
    "flags",
    "notes",
]
ExportTarget = Literal["email", "webhook", "storage"]
FileFormat = Literal["csv", "parquet"]
FREQUENCIES: Final[tuple[Frequency, ...]] = get_args(Frequency)
SECTIONS: Final[tuple[Section, ...]] = get_args(Section)
EXPORT_TARGETS: Final[tuple[ExportTarget, ...]] = get_args(ExportTarget)
FILE_FORMATS: Final[tuple[FileFormat, ...]] = get_args(FileFormat)
LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)
USUAL_SECTIONS: Final[tuple[Section, ...]] = ("figures", "changes", "sources", "pages", "goals", "uptime", "notes")
USUAL_HOUR: Final = 8
# Of a website.
MOST_REPORTS: Final = 20
# Of a report.
MOST_RECIPIENTS: Final = 50
MOST_CHANNELS: Final = 20
MOST_WEBSITES: Final = 50
# Reports that are kept with their deliveries.
MOST_RUNS: Final = 60

T = TypeVar("T")
Email = Annotated[str, Meta(min_length=3, max_length=254)]


def _zone(given: str) -> str:
    if given not in available_timezones():
        raise BadRequest(_("Enter a time zone, such as Europe/Berlin"))
    return given


def _in_order(order: tuple[T, ...], given: tuple[T, ...]) -> tuple[T, ...]:
    return tuple(one for one in order if one in given)


def _sections(given: tuple[Section, ...]) -> tuple[Section, ...]:
    if not given:
        raise BadRequest(_("Select at least one section"))
    return _in_order(SECTIONS, given)


def _ids(given: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(set(given)))


class Report(Struct, frozen=True, rename="camel"):
    """A report of a website. Times are UTC ms.

    It is sent at its local `hour`, about the days since it was sent before: on all days, on its `weekdays` (one of them
    for a weekly report), or on the first day of a month. Periods that were over before
    `active_since` are not reported. It is also about further `websites`, or about all of the organization. `exports`
    say where the figures go as files: they are attached to mails, offered to webhooks, or put into the S3 storage of
    backups.
    """

    id: str
    website_id: str
    name: Annotated[str, Meta(max_length=names.LONGEST), Field(clean=names.clean_name)]
    frequency: Annotated[Frequency, Field()]
    weekdays: Annotated[tuple[Day, ...], Meta(max_length=7), Field(clean=partial(_in_order, DAYS))]
    hour: Annotated[int, Meta(ge=0, le=23), Field()]
    time_zone: Annotated[str, Meta(max_length=64), Field(clean=_zone)]
    language: Annotated[Language, Field()]
    sections: Annotated[tuple[Section, ...], Meta(max_length=len(SECTIONS)), Field(clean=_sections)]
    exports: Annotated[
        tuple[ExportTarget, ...], Meta(max_length=len(EXPORT_TARGETS)), Field(clean=partial(_in_order, EXPORT_TARGETS))
    ]
    file_format: Annotated[FileFormat, Field()]
    websites: Annotated[tuple[str, ...], Meta(max_length=MOST_WEBSITES), Field(name="websiteIds", clean=_ids)]
    all_websites: Annotated[bool, Field()]
    channels: Annotated[tuple[str, ...], Meta(max_length=MOST_CHANNELS), Field(name="channelIds", clean=_ids)]
    is_active: Annotated[bool, Field()]
    filters: tuple[QueryFilterInput, ...]
    active_since: int
    created_by: str
    created_at: Stamp
    updated_at: Stamp


REPORTS: Final = AuditedTable(
    "reports",
    Report,
    "report",
    "report",
    about=lambda report: {"name": report.name, "websiteId": report.website_id},
    lists={
        "channels": ChildList("report_channels", "report_id", "channel_id"),
        "websites": ChildList("report_websites", "report_id", "website_id"),
    },
)


def check_schedule(report: Report) -> None:
    """Raises BadRequest for a frequency without its weekdays."""
    if report.frequency == "weekly" and len(report.weekdays) != 1:
        raise BadRequest.about("weekdays", _("Select one weekday for a weekly report"))
    if report.frequency == "weekdays" and not report.weekdays:
        raise BadRequest.about("weekdays", _("Select at least one weekday"))


class ListReports(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of reports.list."""

    websiteId: Text


class OneReport(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of the procedures about one report."""

    id: Text


@input_of(Report, needed=("name",))
class NewReport(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Input of reports.create. Recipients who are not members of the organization have to confirm. The report belongs
    to `websiteId`; `websiteIds` are further websites of the same organization, and `allWebsites` includes all of them.

    With `segmentId` the report is about what the filters of this segment let through now.
    """

    websiteId: Text
    recipients: Annotated[tuple[Email, ...], Meta(max_length=MOST_RECIPIENTS)] = ()
    segmentId: Text | None = None


@input_of(Report)
class ChangedReport(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Input of reports.update; omitted fields keep their values. A null `segmentId` removes the filters."""

    id: Text
    recipients: Annotated[tuple[Email, ...], Meta(max_length=MOST_RECIPIENTS)] | UnsetType = UNSET
    segmentId: Text | UnsetType | None = UNSET


RecipientState = Literal["confirmed", "unconfirmed", "left"]


class RecipientShown(Struct, frozen=True):
    """A recipient. Reports go to `confirmed` ones only; a member who has `left` the organization,
    or can no longer see any of its websites, gets none."""

    email: str
    isMember: bool
    state: RecipientState


class ReportShown(Struct, frozen=True):
    """A report. `nextAt` is when it is sent next, null for an inactive one. `websiteIds` are websites in addition to
    `websiteId`."""

    id: str
    websiteId: str
    name: str
    frequency: Frequency
    weekdays: tuple[Day, ...]
    hour: int
    timeZone: str
    language: Language
    sections: tuple[Section, ...]
    exports: tuple[ExportTarget, ...]
    fileFormat: FileFormat
    websiteIds: tuple[str, ...]
    allWebsites: bool
    channelIds: tuple[str, ...]
    recipients: list[RecipientShown]
    isActive: bool
    isFiltered: bool
    nextAt: datetime | None
    createdAt: datetime
    updatedAt: datetime


class ReportDeliveryShown(Struct, frozen=True):
    """A delivery of a report to a recipient or to a channel. Without `sentAt` it is waiting, or failed for good if it
    has `failedAt`; `error` is that of the latest attempt."""

    to: str
    firstDay: str
    lastDay: str
    isManual: bool
    createdAt: datetime
    attempts: int
    sentAt: datetime | None
    failedAt: datetime | None
    error: str
