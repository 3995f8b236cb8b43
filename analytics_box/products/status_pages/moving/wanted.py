"""The contents of an import file: status pages with components, incidents and subscribers, from any program. Pure."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final, Literal

from msgspec import Struct

from analytics_box.base.errors import BadRequest
from analytics_box.base.file_queue import keep_going
from analytics_box.base.translation import _
from analytics_box.products.status_pages.incident import Impact, Kind, Severity, Status
from analytics_box.products.status_pages.page import LONGEST_SLUG, ComponentStatus, Theme

Source = Literal["statuspage", "cachet", "uptime-kuma"]

MOST_BYTES: Final = 8_000_000
MOST_PAGES: Final = 50  # Pages of a file.
MOST_ENTRIES: Final = 20_000  # Entries of a list in a file.
_NO_SLUG: Final = re.compile(r"[^a-z0-9]+")


class ComponentItem(Struct, frozen=True, kw_only=True):
    """A component of a file; `ref` and `group` are ids of the file. `monitor_id` is that of a monitor here. `since` is
    when it was created (UTC ms, 0 for unknown)."""

    ref: str
    name: str
    description: str = ""
    group: str = ""
    status: ComponentStatus = "operational"
    only_if_degraded: bool = False
    shows_url: bool = False
    monitor_id: str | None = None
    since: int = 0


class GroupItem(Struct, frozen=True, kw_only=True):
    """A group of components."""

    ref: str
    name: str
    description: str = ""


class UpdateItem(Struct, frozen=True, kw_only=True):
    """An update of an incident; `affected` are impacts by the ids of components, None if it does not change them."""

    status: Status
    message: str
    at: int
    affected: Mapping[str, Impact] | None = None


class IncidentItem(Struct, frozen=True, kw_only=True):
    """An incident or a maintenance with its updates, the earliest first. Times are UTC ms."""

    kind: Kind
    title: str
    updates: tuple[UpdateItem, ...]
    severity: Severity = "minor"
    affected: Mapping[str, Impact] = {}
    scheduled_for: int | None = None
    scheduled_until: int | None = None


class SubscriberItem(Struct, frozen=True, kw_only=True):
    """A subscriber by email; `components` are ids of the file, none means all."""

    address: str
    components: tuple[str, ...] = ()


class StatusPageItem(Struct, frozen=True, kw_only=True):
    """A status page of a file. `notes` say what is not supported."""

    name: str
    slug: str
    description: str = ""
    website_url: str = ""
    zone: str = "UTC"
    theme: Theme | None = None
    is_indexed: bool = True
    groups: tuple[GroupItem, ...] = ()
    components: tuple[ComponentItem, ...] = ()
    incidents: tuple[IncidentItem, ...] = ()
    subscribers: tuple[SubscriberItem, ...] = ()
    notes: tuple[str, ...] = ()


def entries(value: Any) -> list[dict[str, Any]]:
    """The entries of an answer of an API: a list, an object with `data`, or a list of such objects (pages).

    Raises BadRequest for too many.
    """
    found: list[dict[str, Any]] = []
    for one in value if isinstance(value, list) else [value]:
        keep_going()
        if isinstance(one, dict) and isinstance(one.get("data"), list):
            found += [each for each in one["data"] if isinstance(each, dict)]
        elif isinstance(one, dict):
            found.append(one)
        if len(found) > MOST_ENTRIES:
            raise BadRequest(_("A list in the file can have up to {most} entries").format(most=f"{MOST_ENTRIES:,}"))
    return found


def instant(value: Any) -> int | None:
    """UTC ms of an ISO date and time, which is UTC without a zone; None for anything else."""
    try:
        found = datetime.fromisoformat(str(value))
    except ValueError:
        return None
    at = round((found if found.tzinfo is not None else found.replace(tzinfo=UTC)).timestamp() * 1000)
    return at if 0 < at < 1 << 43 else None


def text(value: Any) -> str:
    """A value as text without spaces around it; empty for what is no text."""
    if isinstance(value, str):
        return value.strip()
    return str(value) if isinstance(value, int) else ""


def slug_of(name: str) -> str:
    """A slug that reads like this name."""
    found = _NO_SLUG.sub("-", name.lower()).strip("-")[:LONGEST_SLUG]
    return found.strip("-") or "status"
