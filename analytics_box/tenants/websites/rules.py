"""Valid names and domains of websites (wire 10.3). Pure."""

import re
from typing import Annotated, Final

from msgspec import Struct

from analytics_box.base.clock import DAY
from analytics_box.base.errors import BadRequest
from analytics_box.base.identity import Role
from analytics_box.base.translation import _
from analytics_box.resource.fields import Field
from analytics_box.tenants.websites.tracking import Tracking

_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?"
DOMAIN = re.compile(rf"(?:{_LABEL}\.)+[a-z0-9-]{{2,63}}\Z|localhost\Z|\d{{1,3}}(?:\.\d{{1,3}}){{3}}\Z")
MANAGER: Final[Role] = "admin"  # the least role that makes, renames, deletes and transfers websites (wire 10.4)
LOCAL = ("localhost", "127.0.0.1")


class ClientId(Struct, frozen=True):
    """A name under which a website's trackers send: the current one has no end. Times are UTC ms.

    `seen_at` is when an old one was last used, rounded down to the hour.
    """

    id: str
    created_at: int
    ends_at: int | None = None
    seen_at: int | None = None

    def accepted(self, now: int) -> bool:
        """Whether events may come in under it at this instant."""
        return self.ends_at is None or now < self.ends_at


class Website(Struct, frozen=True):
    """A website that is measured. `site` is its number among the facts. Times are UTC ms.

    `public_values` requires `is_public`: then all visitors can also see what events carried. `client_ids` are the
    newest first; a website whose client id was never rotated uses its own id.
    """

    id: str
    organization_id: str
    site: int
    name: str
    domain: str
    is_public: Annotated[bool, Field(name="isPublic", given=False)]
    status: str
    created_at: int
    updated_at: int = 0
    deleted_at: int | None = None
    tracking: Tracking = Tracking()
    client_ids: tuple[ClientId, ...] = ()
    public_values: Annotated[bool, Field(name="publicValues", given=False)] = False

    @property
    def client_id(self) -> str:
        """The name that goes into the snippet."""
        return next((each.id for each in self.client_ids if each.ends_at is None), self.id)

    def old_client_ids(self, now: int) -> list[ClientId]:
        """The rotated ids that are still accepted, or that pages still send with a week later; the newest first."""
        return [
            each
            for each in self.client_ids
            if each.ends_at is not None and (each.accepted(now) or (each.seen_at or 0) > now - 7 * DAY)
        ]

    @property
    def active(self) -> bool:
        """Whether it takes events."""
        return self.status not in {"INACTIVE", "PENDING"}


def clean_domain(given: str) -> str:
    """A bare domain in lower case: scheme, path, port and a leading www. are cut. Raises BadRequest."""
    host = given.strip().lower()
    host = host.split("://", 1)[-1].split("/", 1)[0].split("?", 1)[0].split("#", 1)[0]
    host = host.rsplit("@", 1)[-1].split(":", 1)[0].rstrip(".").removeprefix("www.")
    try:
        host = host.encode("idna").decode("ascii") if not host.isascii() else host
    except UnicodeError:
        host = ""
    if len(host) > 253 or not DOMAIN.match(host):
        raise BadRequest.about("domain", _("Enter a domain, such as example.com"))
    return host
