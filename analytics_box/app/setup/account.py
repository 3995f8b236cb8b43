"""The first account: a user, an organization and a website, in one transaction.

Both ways lead here: the page behind the one-time link, and `analytics-box setup`, which makes a key if asked to.
"""

from msgspec import Struct

from analytics_box.base import audit, ids
from analytics_box.base.acting import By
from analytics_box.base.errors import Conflict
from analytics_box.base.identity import SCOPES
from analytics_box.base.names import slug_of
from analytics_box.base.outgoing.fences import ALL
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.tenants.accounts import preferences, rules, users
from analytics_box.tenants.accounts.rules import User
from analytics_box.tenants.keys.change import create as create_key
from analytics_box.tenants.keys.rules import StoredKey
from analytics_box.tenants.tenancy import defaults, members
from analytics_box.tenants.tenancy.defaults import new_site
from analytics_box.tenants.tenancy.directory import OrganizationDirectory
from analytics_box.tenants.tenancy.rules import Organization, clean_organization
from analytics_box.tenants.websites.change import create as create_website
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.call import Parts


class FirstAccount(Struct, frozen=True):
    """The first account to create. `password` is already an Argon2 hash.

    `time_zone` is chosen and stays; without one it is `browser_zone`, and later that of whatever browser signs in. With
    `key` the command creates an API key as well.
    """

    email: str
    password: str
    organization: str
    website: str
    domain: str
    time_zone: str = ""
    browser_zone: str = ""
    key: bool = False


class CreatedAccount(Struct, frozen=True):
    """The created account, organization and website."""

    user: User
    organization: Organization
    website: Website

    def remember(self, parts: Parts) -> None:
        """Take what was made into memory, after the commit."""
        parts[OrganizationDirectory].remember(self.organization)
        parts[OrganizationDirectory].open(self.organization.id, ALL)
        parts[Directory].remember(self.website)


def first_account(db: Connection, wanted: FirstAccount, *, by: By) -> CreatedAccount:
    """Make everything that a new box needs. Raises Conflict when the box is set up already, and BadRequest."""
    if users.is_over(db):
        raise Conflict(_("This server is already set up"))
    organization = Organization(
        id=ids.new_id(),
        name=clean_organization(wanted.organization),
        slug=slug_of(wanted.organization, fallback="organization"),
        plan="hobby",
        site=new_site(db, by.now),
        created_at=by.now,
    )
    user = User(
        id=ids.new_id(),
        email=rules.clean_email(wanted.email),
        password=wanted.password,
        time_zone=preferences.known_zone(wanted.time_zone)
        if wanted.time_zone
        else rules.clean_time_zone(wanted.browser_zone),
        is_administrator=True,
        created_at=by.now,
    )
    users.finish(db, user, zone_is_chosen=bool(wanted.time_zone))
    members.insert_organization(db, organization, owner=user.id)
    defaults.store_networks(db, organization.id, ALL)  # it belongs to the administrator
    for subject, subject_id in (("organization", organization.id), ("user", user.id)):
        audit.record(db, by, organization.id, "created", subject, subject_id)
    website = create_website(db, organization_id=organization.id, name=wanted.website, domain=wanted.domain, by=by)
    return CreatedAccount(user=user, organization=organization, website=website)


def first_key(db: Connection, made: CreatedAccount, *, by: By) -> tuple[StoredKey, str]:
    """A key that can do everything in the organization, and its secret, which is shown this once."""
    return create_key(db, organization_id=made.organization.id, name="First key", scopes=SCOPES, websites=None, by=by)
