"""The command `setup`: the first account of a box, also of one that is running."""

from msgspec import Struct

from analytics_box import ids
from analytics_box.admin.asking import command_line
from analytics_box.http.call import Parts
from analytics_box.identity import Key
from analytics_box.keys.ring import KeyRing
from analytics_box.setup import account
from analytics_box.store.db import Connection
from analytics_box.tenancy.directory import Organizations
from analytics_box.websites.directory import Directory


class AccountMade(Struct, frozen=True):
    """What a box was set up with; the key's secret is shown this once."""

    organizationId: str
    organization: str
    userId: str
    websiteId: str
    website: str
    apiKey: str


async def set_up(parts: Parts, given: account.Wanted) -> AccountMade:
    """setup: the first account. Raises Conflict on a box that has one, and BadRequest."""
    by = command_line(parts)

    def write(db: Connection) -> tuple[account.Made, Key, str]:
        made = account.first_account(db, given, by=by)
        return made, *account.first_key(db, made, by=by)

    made, key, secret = await parts.box_db.write(write)
    parts[Organizations].remember(made.organization)
    parts[Directory].remember(made.website)
    parts[KeyRing].remember(ids.digest(secret), key)
    return AccountMade(
        organizationId=made.organization.id,
        organization=made.organization.name,
        userId=made.user.id,
        websiteId=made.website.id,
        website=made.website.domain,
        apiKey=secret,
    )
