"""The state of an error group: its fields, and how it is stored."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import ids
from analytics_box.base.acting import By
from analytics_box.base.errors import BadRequest
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.resource.audited import AuditedTable
from analytics_box.resource.fields import Field, Stamp
from analytics_box.tenants.websites.rules import Website

State = Literal["open", "resolved", "ignored"]
# The most groups of a website that can have a state.
MOST_GROUPS: Final = 5_000
# Errors that an earlier version stored are grouped by their message, which is longer than a fingerprint.
LONGEST: Final = 2_048


class ErrorGroup(Struct, frozen=True, rename="camel"):
    """A member's decision about a group of errors. Groups without a row are open. Times are UTC ms.

    A resolved group that happens again after `decided_at` is back. With `in_next_release`, it is only back in a release
    in which it had not happened before.
    """

    id: str
    website_id: str
    fingerprint: str
    state: Annotated[State, Field()]
    in_next_release: Annotated[bool, Field()]
    decided_at: Stamp
    created_by: str
    created_at: Stamp
    updated_at: Stamp


class Occurrences(Struct, frozen=True):
    """The first and the last time that a group happened in a release. UTC ms."""

    release: str
    first: int
    last: int


GROUPS: Final = AuditedTable(
    "error_groups",
    ErrorGroup,
    "error group",
    "errorGroup",
    about=lambda group: {"name": group.fingerprint, "websiteId": group.website_id},
)


def of_website(db: Connection, website_id: str) -> Mapping[str, ErrorGroup]:
    """The groups of a website that have a state, by fingerprint."""
    return {one.fingerprint: one for one in GROUPS.all(db, "website_id = ? order by updated_at, id", website_id)}


def decide(
    db: Connection, by: By, website: Website, fingerprint: str, state: State, *, in_next_release: bool
) -> ErrorGroup:
    """Set the state of a group. Raises BadRequest or Conflict."""
    if not 1 <= len(fingerprint) <= LONGEST:
        raise BadRequest.about("fingerprint", _("Enter the fingerprint of an error group"))
    if in_next_release and state != "resolved":
        raise BadRequest.about("inNextRelease", _("Only resolved errors can be resolved in the next release"))
    before = GROUPS.first(db, "website_id = ? and fingerprint = ?", website.id, fingerprint)
    if before is None:
        full = f"A website can have up to {MOST_GROUPS} decided errors"
        GROUPS.check_room(db, MOST_GROUPS, full, "website_id = ?", website.id)
        new = ErrorGroup(
            ids.new_id(), website.id, fingerprint, state, in_next_release, by.now, by.actor, by.now, by.now
        )
        return GROUPS.create(db, by, website.organization_id, new, {"state": state})
    after = replace(before, state=state, in_next_release=in_next_release)
    if state == "resolved" or after != before:
        after = replace(after, decided_at=by.now)
    return GROUPS.change(db, by, website.organization_id, before, after)


def state_of(group: ErrorGroup | None, occurrences: list[Occurrences]) -> tuple[State, bool]:
    """The state of a group by what happened since, and whether it is back."""
    if group is None or group.state == "open":
        return "open", False
    if group.state == "ignored":
        return "ignored", False
    back = any(
        one.last > group.decided_at and (not group.in_next_release or one.first > group.decided_at)
        for one in occurrences
    )
    return ("open", True) if back else ("resolved", False)
