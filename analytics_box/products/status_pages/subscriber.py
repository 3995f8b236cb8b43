"""Subscribers of a status page, and their messages. Pure."""

from typing import Final, Literal

from msgspec import Struct

from analytics_box.base.clock import HOUR
from analytics_box.products.status_pages.incident import Impact, Kind, Severity, Status

SubscriberKind = Literal["email", "webhook"]
LONGEST_ADDRESS: Final = 2_048  # characters
# The time to confirm.
UNCONFIRMED_FOR: Final = 48 * HOUR


class Subscriber(Struct, frozen=True, kw_only=True):
    """A subscriber of a status page, confirmed or yet to confirm. Times are UTC ms.

    `components` are ids, none for all. `digest` is that of the secret in their links; `sealed` holds their secrets.
    The `address` of a webhook, whose path may be a secret, is its origin, a space and a digest of the whole. The last
    three fields are the back-off, which deliveries keep.
    """

    id: str
    page_id: str
    kind: SubscriberKind
    address: str
    components: tuple[str, ...] = ()
    digest: bytes
    sealed: bytes
    created_at: int
    confirmed_at: int | None = None
    asked_at: int
    failures: int = 0
    failing_since: int | None = None
    not_before: int = 0

    @property
    def shown_address(self) -> str:
        """The address as members see it."""
        return self.address.partition(" ")[0]


class ComponentImpact(Struct, frozen=True):
    """A component by its name at that time, and the impact on it."""

    name: str
    impact: Impact


class News(Struct, frozen=True, kw_only=True, tag="update"):
    """An update of an incident or a maintenance as it was published; `at` is UTC ms.

    `component_ids` are only those of maintenance windows. The page of an ended window is gone: it is not `is_open`.
    """

    update_id: str
    incident_id: str
    kind: Kind
    title: str
    status: Status
    severity: Severity
    message: str
    at: int
    scheduled_for: int | None = None
    scheduled_until: int | None = None
    affected: tuple[ComponentImpact, ...] = ()
    component_ids: tuple[str, ...] = ()
    is_open: bool = True


class ConfirmationRequest(Struct, frozen=True, tag="request"):
    """A request to confirm. Confirmed subscribers get a link to manage their subscription instead."""


Message = News | ConfirmationRequest
