"""The states of error groups over RPC. Keys need read:data to read, manage:websites to write."""

from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct

from analytics_box.products.errors import group
from analytics_box.products.errors.group import LONGEST, State
from analytics_box.resource.fields import answer_of
from analytics_box.tenants.tenancy.messages import Text
from analytics_box.tenants.websites.reach import own
from analytics_box.web.call import Call


class ListErrorGroups(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of errorGroups.list."""

    websiteId: Text


class DecidedError(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of errorGroups.update. `fingerprint` is that of the query type error_fingerprints. With `inNextRelease`, a
    resolved error is only back in a release in which it had not happened before."""

    websiteId: Text
    fingerprint: Annotated[str, Meta(min_length=1, max_length=LONGEST)]
    state: State
    inNextRelease: bool = False


class ErrorGroupShown(Struct, frozen=True):
    """The state of an error group as procedures show it."""

    id: str
    websiteId: str
    fingerprint: str
    state: State
    inNextRelease: bool
    decidedAt: datetime
    createdBy: str
    createdAt: datetime
    updatedAt: datetime


async def list_groups(call: Call, given: ListErrorGroups) -> list[ErrorGroupShown]:
    """errorGroups.list: list the error groups of a website that have a state. Raises NotFound."""
    website = own(call, given.websiteId)
    found = await call.read(lambda db: group.of_website(db, website.id))
    return [answer_of(ErrorGroupShown, one) for one in found.values()]


async def update(call: Call, given: DecidedError) -> ErrorGroupShown:
    """errorGroups.update: resolve, ignore or reopen an error group. Raises NotFound, BadRequest or Conflict."""
    website = own(call, given.websiteId)
    return answer_of(
        ErrorGroupShown,
        await call.write(
            lambda db: group.decide(
                db, call.by, website, given.fingerprint, given.state, in_next_release=given.inNextRelease
            )
        ),
    )
