"""Input of the procedures that change monitors (wire 8.1 and 8.2)."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from analytics_box.products.monitors.monitor import MOST_HEADERS, Id, Kind, Monitor, Options, Tags
from analytics_box.resource.fields import input_of

MOST_AT_ONCE = 1_000  # monitors in one call

HeaderName = Annotated[str, Meta(min_length=1, max_length=100)]
HeaderValue = Annotated[str, Meta(max_length=2_000)]


class BasicAuth(Struct, frozen=True, forbid_unknown_fields=True):
    """User and password of a check; a password that is null is the one that is stored."""

    user: Annotated[str, Meta(min_length=1, max_length=200)]
    password: Annotated[str, Meta(max_length=500)] | None = None


class MonitorInput(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """The URL, options and secrets of a monitor in input. Omitted fields keep their values; null empties a field.

    `headers` are all of them; one that is null keeps the value that is stored.
    """

    url: Annotated[str, Meta(max_length=2_048)] | UnsetType = UNSET
    options: Options | UnsetType | None = UNSET
    headers: Annotated[dict[HeaderName, HeaderValue | None], Meta(max_length=MOST_HEADERS)] | UnsetType | None = UNSET
    body: Annotated[str, Meta(max_length=10_000)] | UnsetType | None = UNSET
    basic_auth: BasicAuth | UnsetType | None = UNSET
    bearer_token: Annotated[str, Meta(min_length=1, max_length=2_000)] | UnsetType | None = UNSET


@input_of(Options)
@input_of(Monitor, needed=("interval",))
class CreateMonitor(MonitorInput, frozen=True, kw_only=True):
    """Input of uptime.createSchedule. Without `kind`, the scheme of the URL decides. A push monitor needs no URL.

    A URL that another monitor of the organization has is a conflict unless `allowDuplicateUrl` is true.
    """

    kind: Kind | None = None
    is_paused: bool = False
    allow_duplicate_url: bool = False
    organization_id: Id | None = None


@input_of(Options)
@input_of(Monitor)
class UpdateMonitor(MonitorInput, frozen=True, kw_only=True):
    """Input of uptime.updateSchedule. The kind of a monitor cannot change; `allowDuplicateUrl` as in createSchedule."""

    schedule_id: Id
    allow_duplicate_url: bool = False


@input_of(Options)
@input_of(Monitor)
class TryMonitor(MonitorInput, frozen=True, kw_only=True):
    """Input of uptime.tryCheck: a monitor as it would be. With `scheduleId` the rest is as that monitor has it."""

    kind: Kind | None = None
    schedule_id: Id | None = None
    organization_id: Id | None = None


class TransferMonitor(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of uptime.transfer."""

    scheduleId: Id
    targetOrganizationId: Id


class GetMonitorByWebsite(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of uptime.getScheduleByWebsiteId."""

    websiteId: Id


Doing = Literal["pause", "resume", "delete", "tag", "untag"]


class Bulk(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of uptime.bulk. `tags` are those that `tag` adds and `untag` removes."""

    scheduleIds: Annotated[tuple[Id, ...], Meta(min_length=1, max_length=MOST_AT_ONCE)]
    action: Doing
    tags: Tags = ()
