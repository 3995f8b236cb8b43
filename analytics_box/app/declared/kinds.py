"""The kinds of resources that a file can declare, each with its procedures.

A file names other resources by their keys instead of their ids, so that it means the same on every server.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from functools import cache
from typing import Any, Final, Literal, get_args, get_type_hints

import msgspec
from msgspec import UNSET, Struct, UnsetType

from analytics_box.app.procedures import PROCEDURES
from analytics_box.products.shares.share import PanelName
from analytics_box.tenants.websites.tracking import GivenTracking

# A resource in the words of a file.
Item = dict[str, Any]
RENAMED: Final = "renamedFrom"  # The former last part of the key of a resource.


class ResourceReference(Struct, frozen=True):
    """A field that names another resource, or several. `wire` is the field with ids; `kind` the kind of resource."""

    wire: str
    kind: str


class DeclaredWebsite(Struct, frozen=True, forbid_unknown_fields=True):
    """A website in a file."""

    domain: str
    name: str
    settings: GivenTracking | UnsetType = UNSET
    isPublic: bool | UnsetType = UNSET
    publicValues: bool | UnsetType = UNSET


class DeclaredKind(Struct, frozen=True, kw_only=True, eq=False):
    """A kind of resources. A resource has its `key` once in a file; of two names of a field, the first that has a
    value is in the key.

    `of` says whose the resources are: those of the organization, of each website or status page, or of both. `id` is
    the name of the id in inputs. Fields in `left_out` are not for files, those in `secret` are never written to one;
    `spelled` gives values of a field one spelling. A kind without `create` can only be named.
    """

    name: str
    key: tuple[str, ...]
    list: str
    create: str = ""
    update: str = ""
    delete: str = ""
    of: Literal["organization", "website", "statusPage", "both"] = "organization"
    id: str = "id"
    references: Mapping[str, ResourceReference] = {}
    left_out: frozenset[str] = frozenset()
    secret: frozenset[str] = frozenset()
    spelled: Mapping[str, Callable[[Any], Any]] = {}
    form: type[Struct] | None = None


def _moment(given: object) -> str:
    """A day as it is, and a time in UTC. YAML has both without quotes."""
    text = given.isoformat() if isinstance(given, date) else str(given)
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return text
    return text if len(text) == len("2026-01-31") or found.tzinfo is None else found.astimezone(UTC).isoformat()


_STATUS_PAGE: Final = {"statusPage": ResourceReference("statusPageId", "statusPages")}
_WEBSITE: Final = {"website": ResourceReference("websiteId", "websites")}
_OWNERS: Final = frozenset(("organizationId", "userId", "note"))

KINDS: Final = (
    DeclaredKind(
        name="websites",
        key=("domain",),
        list="websites.list",
        create="websites.create",
        update="websites.update",
        delete="websites.delete",
        form=DeclaredWebsite,
    ),
    DeclaredKind(name="channels", key=("name",), list="config.listChannels"),
    DeclaredKind(
        name="segments",
        key=("website", "name"),
        list="segments.list",
        create="segments.create",
        update="segments.update",
        delete="segments.delete",
        of="website",
        references=_WEBSITE,
        left_out=frozenset(("isShared",)),
    ),
    DeclaredKind(
        name="goals",
        key=("website", "name"),
        list="goals.list",
        create="goals.create",
        update="goals.update",
        delete="goals.delete",
        of="website",
        references=_WEBSITE,
    ),
    DeclaredKind(
        name="funnels",
        key=("website", "name"),
        list="funnels.list",
        create="funnels.create",
        update="funnels.update",
        delete="funnels.delete",
        of="website",
        references=_WEBSITE,
    ),
    DeclaredKind(
        name="notes",
        key=("website", "text", "xValue"),
        list="annotations.list",
        create="annotations.create",
        update="annotations.update",
        delete="annotations.delete",
        of="website",
        references=_WEBSITE,
        left_out=frozenset(("chartType", "chartContext", "annotationType")),
        spelled={"xValue": _moment, "xEndValue": _moment},
    ),
    DeclaredKind(
        name="shareLinks",
        key=("website", "name"),
        list="shares.list",
        create="shares.create",
        update="shares.update",
        delete="shares.delete",
        of="website",
        references=_WEBSITE,
        left_out=frozenset(("password", "segmentId")),
        secret=frozenset(("slug",)),
        spelled={"panels": lambda given: [name for name in get_args(PanelName) if name in given]},
    ),
    DeclaredKind(
        name="reports",
        key=("website", "name"),
        list="reports.list",
        create="reports.create",
        update="reports.update",
        delete="reports.delete",
        of="website",
        references=_WEBSITE
        | {
            "channels": ResourceReference("channelIds", "channels"),
            "websites": ResourceReference("websiteIds", "websites"),
        },
        left_out=frozenset(("segmentId", "exports")),
    ),
    DeclaredKind(
        name="targetGroups",
        key=("website", "name"),
        list="targetGroups.list",
        create="targetGroups.create",
        update="targetGroups.update",
        delete="targetGroups.delete",
        of="both",
        references=_WEBSITE,
        left_out=_OWNERS,
    ),
    DeclaredKind(
        name="flags",
        key=("website", "environment", "key"),
        list="flags.list",
        create="flags.create",
        update="flags.update",
        delete="flags.delete",
        of="both",
        references=_WEBSITE | {"targetGroups": ResourceReference("targetGroupIds", "targetGroups")},
        left_out=_OWNERS | {"dependencies"},  # Those are older names of prerequisites.
    ),
    DeclaredKind(
        name="folders",
        key=("name",),
        list="linkFolders.list",
        create="linkFolders.create",
        delete="linkFolders.delete",
        left_out=_OWNERS,
    ),
    DeclaredKind(
        name="links",
        key=("domain", "slug"),
        list="links.paginated",
        create="links.create",
        update="links.update",
        delete="links.delete",
        references={"folder": ResourceReference("folderId", "folders")},
        left_out=_OWNERS | {"password", "sourceType", "sourceId", "sourceOwnerId"},
    ),
    DeclaredKind(
        name="monitors",
        key=("name|url",),
        list="uptime.listSchedules",
        create="uptime.createSchedule",
        update="uptime.updateSchedule",
        delete="uptime.deleteSchedule",
        id="scheduleId",
        references=_WEBSITE | {"parent": ResourceReference("parentId", "monitors")},
        left_out=_OWNERS | {"headers", "body", "basicAuth", "bearerToken", "allowDuplicateUrl", "jsonParsingConfig"},
    ),
    DeclaredKind(
        name="statusPages",
        key=("slug",),
        list="statusPage.list",
        create="statusPage.create",
        update="statusPage.update",
        delete="statusPage.delete",
        id="statusPageId",
        references={"monitors": ResourceReference("uptimeScheduleIds", "monitors")},
        left_out=_OWNERS | {"password", "logoUrl", "faviconUrl"},
    ),
    DeclaredKind(
        name="componentGroups",
        key=("statusPage", "name"),
        list="statusPage.get",
        create="statusPage.addGroup",
        update="statusPage.updateGroup",
        delete="statusPage.removeGroup",
        of="statusPage",
        id="groupId",
        references=_STATUS_PAGE,
        left_out=frozenset(("componentIds", "order")),
    ),
    DeclaredKind(
        name="components",
        key=("statusPage", "monitor|name"),
        list="statusPage.get",
        create="statusPage.addComponent",
        update="statusPage.updateComponent",
        delete="statusPage.removeComponent",
        of="statusPage",
        id="componentId",
        references=_STATUS_PAGE
        | {
            "monitor": ResourceReference("uptimeScheduleId", "monitors"),
            "group": ResourceReference("groupId", "componentGroups"),
        },
        left_out=frozenset(("order", "status")),
    ),
    DeclaredKind(
        name="members",
        key=("email",),
        list="organizations.listMembers",
        create="organizations.createInvitation",
        update="organizations.updateMemberRole",
        delete="organizations.removeMember",
        id="userId",
        left_out=_OWNERS | {"resources"},
        spelled={"email": lambda given: str(given).lower()},
    ),
    DeclaredKind(
        name="alertRules",
        key=("name",),
        list="alarms.list",
        create="alarms.create",
        update="alarms.update",
        delete="alarms.delete",
        id="alarmId",
        references=_WEBSITE,
        left_out=_OWNERS,
    ),
)
BY_NAME: Final = {kind.name: kind for kind in KINDS}
# The kinds that a file can have.
DECLARED: Final = tuple(kind for kind in KINDS if kind.create)


@cache
def form_of(kind: DeclaredKind) -> type[Struct]:
    """The Struct that checks a resource of a file, with ids instead of names."""
    if kind.form is not None:
        return kind.form
    handler: Callable[..., Any] = next(line for line in PROCEDURES if line.name == kind.create).handler
    form: type[Struct] = get_type_hints(handler)["given"]
    return form


@cache
def wire_fields(kind: DeclaredKind) -> tuple[str, ...]:
    """The fields of the form that a file can set, by their names on the wire."""
    names = [field.encode_name for field in msgspec.structs.fields(form_of(kind))]
    return tuple(name for name in names if name not in kind.left_out)


def spell(kind: DeclaredKind, name: str, value: Any) -> Any:
    """A value of a field in its one spelling."""
    clean = kind.spelled.get(name)
    return value if clean is None or value is None else clean(value)


def key_of(kind: DeclaredKind, item: Item) -> tuple[str, ...]:
    """The key of a resource, by which it is the same in a file and on a server."""
    key = []
    for names in kind.key:
        values = [
            spell(kind, name, item[name]) for name in names.split("|") if isinstance(item.get(name), str | int | date)
        ]
        key.append(next((str(value) for value in values if value != ""), ""))
    return tuple(key)


def label(kind: DeclaredKind, item: Item) -> str:
    """The name of a resource in a plan, such as `goals shop.example/Sign up`."""
    key = "/".join(part for part in key_of(kind, item) if part)
    return f"{kind.name} {key}"
