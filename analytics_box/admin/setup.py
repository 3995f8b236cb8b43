"""The command `setup`: the first account of a box, also of one that is running."""

from msgspec import Struct

from analytics_box import ids
from analytics_box.admin.asking import command_line
from analytics_box.http.call import Parts
from analytics_box.keys.ring import KeyRing
from analytics_box.setup import account
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
    made = await parts.box_db.write(lambda db: account.first_account(db, given, by=command_line(parts)))
    parts[Organizations].remember(made.organization)
    parts[Directory].remember(made.website)
    parts[KeyRing].remember(ids.digest(made.secret), made.key)
    return account_made(made)


def account_made(made: account.Made) -> AccountMade:
    """What was made, for showing."""
    return AccountMade(
        organizationId=made.organization.id,
        organization=made.organization.name,
        userId=made.user.id,
        websiteId=made.website.id,
        website=made.website.domain,
        apiKey=made.secret,
    )
