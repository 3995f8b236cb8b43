"""The command `setup`: the first account of a box, also of one that is running."""

from msgspec import Struct

from analytics_box.app.admin.asking import command_line
from analytics_box.app.setup import account
from analytics_box.base import ids
from analytics_box.base.identity import ApiKey
from analytics_box.base.store.db import Connection
from analytics_box.tenants.keys.ring import KeyRing
from analytics_box.tenants.websites.shell import snippet
from analytics_box.web.call import Parts


class AccountMade(Struct, frozen=True):
    """The result of a setup, and the snippet for the website's pages.

    `apiKey` is empty unless requested, and shown only this once.
    """

    organizationId: str
    organization: str
    userId: str
    websiteId: str
    website: str
    snippet: str
    apiKey: str = ""


async def set_up(parts: Parts, given: account.FirstAccount) -> AccountMade:
    """setup: the first account. Raises Conflict on a box that has one, and BadRequest."""
    by = command_line(parts)

    def write(db: Connection) -> tuple[account.CreatedAccount, tuple[ApiKey, str] | None]:
        made = account.first_account(db, given, by=by)
        return made, account.first_key(db, made, by=by) if given.key else None

    made, made_key = await parts.box_db.write(write)
    made.remember(parts)
    if made_key is not None:
        parts[KeyRing].remember(ids.digest(made_key[1]), made_key[0])
    return AccountMade(
        organizationId=made.organization.id,
        organization=made.organization.name,
        userId=made.user.id,
        websiteId=made.website.id,
        website=made.website.domain,
        snippet=snippet(made.website, f"{parts.settings.tracker_url}/script.js"),
        apiKey=made_key[1] if made_key is not None else "",
    )
