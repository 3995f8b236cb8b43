"""Input of the procedures that change monitors (wire 8.1 and 8.2)."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field

from analytics_box.products.monitors.messages import Id
from analytics_box.products.monitors.monitor import (
    LONGEST_GROUP,
    LONGEST_TAG,
    MOST_HEADERS,
    MOST_TAGS,
    Granularity,
    JsonParsing,
    Kind,
    Options,
)

MOST_AT_ONCE = 1_000  # monitors in one call

Name = Annotated[str, Meta(max_length=255)]
Url = Annotated[str, Meta(max_length=2_048)]
Timeout = Annotated[int, Meta(ge=1_000, le=120_000)]  # ms
Times = Annotated[int, Meta(ge=1, le=10)]
Tag = Annotated[str, Meta(max_length=LONGEST_TAG)]
Tags = Annotated[tuple[Tag, ...], Meta(max_length=MOST_TAGS)]
Group = Annotated[str, Meta(max_length=LONGEST_GROUP)]
HeaderName = Annotated[str, Meta(min_length=1, max_length=100)]
HeaderValue = Annotated[str, Meta(max_length=2_000)]


class BasicAuth(Struct, frozen=True, forbid_unknown_fields=True):
    """User and password of a check; a password that is null is the one that is stored."""

    user: Annotated[str, Meta(min_length=1, max_length=200)]
    password: Annotated[str, Meta(max_length=500)] | None = None


class MonitorFields(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """The fields of a monitor that input may have. What is not given stays; null empties a field.

    `headers` are all of them; one that is null keeps the value that is stored. `timeout` is in ms.
    """

    name: Name | UnsetType | None = UNSET
    url: Url | UnsetType = UNSET
    website_id: Id | UnsetType | None = UNSET
    granularity: Granularity | UnsetType = UNSET
    timeout: Timeout | UnsetType | None = UNSET
    cache_bust: bool | UnsetType = UNSET
    json_parsing: JsonParsing | UnsetType | None = field(default=UNSET, name="jsonParsingConfig")
    options: Options | UnsetType | None = UNSET
    headers: Annotated[dict[HeaderName, HeaderValue | None], Meta(max_length=MOST_HEADERS)] | UnsetType | None = UNSET
    body: Annotated[str, Meta(max_length=10_000)] | UnsetType | None = UNSET
    basic_auth: BasicAuth | UnsetType | None = UNSET
    bearer_token: Annotated[str, Meta(min_length=1, max_length=2_000)] | UnsetType | None = UNSET
    failures_to_down: Times | UnsetType = UNSET
    successes_to_up: Times | UnsetType = UNSET
    parent_id: Id | UnsetType | None = UNSET
    group: Group | UnsetType | None = UNSET
    tags: Tags | UnsetType | None = UNSET


class CreateMonitor(MonitorFields, frozen=True, kw_only=True):
    """Input of uptime.createSchedule. Without `kind`, the scheme of the URL decides. A push monitor needs no URL.

    A URL that another monitor of the organization has is a conflict unless `allowDuplicateUrl` is true.
    """

    granularity: Granularity
    kind: Kind | None = None
    is_paused: bool = False
    allow_duplicate_url: bool = False
    organization_id: Id | None = None


class UpdateMonitor(MonitorFields, frozen=True, kw_only=True):
    """Input of uptime.updateSchedule. The kind of a monitor cannot change; `allowDuplicateUrl` as in createSchedule."""

    schedule_id: Id
    allow_duplicate_url: bool = False


class TryMonitor(MonitorFields, frozen=True, kw_only=True):
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
