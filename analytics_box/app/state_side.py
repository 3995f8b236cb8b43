"""The side of the state: box.db, what of it is in memory, and who is let in by it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from msgspec import Struct

from analytics_box.base.clock import MINUTE, Clock
from analytics_box.base.identity import ApiKey, Identity
from analytics_box.base.limits import Allowance, TokenBuckets
from analytics_box.base.settings import Settings
from analytics_box.base.store import schema
from analytics_box.base.store.db import Db
from analytics_box.base.store.reserve import Reserve
from analytics_box.base.store.seal import KEY_FILE, Seal
from analytics_box.base.stored_settings import StoredSettings
from analytics_box.base.stored_settings import everything as stored_rows
from analytics_box.ingest.bots import rows as bot_rows
from analytics_box.ingest.classification import Classification
from analytics_box.products.flags import rows as flag_rows
from analytics_box.products.flags.directory import Flags
from analytics_box.products.links.domains import change
from analytics_box.products.links.domains.lookup import LinkDomains
from analytics_box.products.links.redirects.directory import LinkDirectory
from analytics_box.products.monitors import rows as monitor_rows
from analytics_box.products.monitors import sealing
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.windows import change as window_change
from analytics_box.products.shares import directory as shares
from analytics_box.products.shares.directory import ShareDirectory
from analytics_box.products.status_pages import incident_rows
from analytics_box.products.status_pages import rows as status_page_rows
from analytics_box.products.status_pages.directory import StatusPages
from analytics_box.products.status_pages.subscribers import rows as subscriber_rows
from analytics_box.products.status_pages.subscribers import secrets as subscriber_secrets
from analytics_box.tenants.accounts.passwords import Passwords
from analytics_box.tenants.accounts.sign_in import SignIns
from analytics_box.tenants.keys import ring
from analytics_box.tenants.keys.ring import Admission, KeyRing
from analytics_box.tenants.tenancy import defaults
from analytics_box.tenants.tenancy import rows as tenancy_rows
from analytics_box.tenants.tenancy.directory import OrganizationDirectory
from analytics_box.tenants.websites import rows as website_rows
from analytics_box.tenants.websites.directory import Directory
from analytics_box.web.address import network_of
from analytics_box.web.asgi import Scope, cookie

if TYPE_CHECKING:
    from analytics_box.web.guard import Connection


FIRST_ROUND = 2 * MINUTE  # in which all monitors are checked: nothing is published of what was known before


class StateSide(Struct, frozen=True):
    """The parts over box.db."""

    db: Db
    seal: Seal
    settings: StoredSettings
    limits: TokenBuckets
    admission: Admission
    organizations: OrganizationDirectory
    keys: KeyRing
    websites: Directory
    classification: Classification
    links: LinkDirectory
    link_domains: LinkDomains
    monitors: Monitors
    status_pages: StatusPages
    shares: ShareDirectory
    flags: Flags
    passwords: Passwords
    sign_ins: SignIns


def open_state(given: Settings, clock: Clock, reserve: Reserve, sources: Mapping[str, str] | None = None) -> StateSide:
    """Open box.db, which must be migrated, and read what is kept in memory of it."""
    db = Db(given.data_dir / schema.BOX_FILE, readers=2, durability=given.durability, reserve=reserve)
    seal = Seal(given.data_dir / KEY_FILE)
    stored = StoredSettings(given, sources, db.read_now(stored_rows), seal)
    settings = stored.current
    organizations = OrganizationDirectory(
        db.read_now(tenancy_rows.organizations),
        db.read_now(tenancy_rows.deleted_organizations),
        db.read_now(defaults.all_private_targets),
    )
    limits = TokenBuckets(clock)
    passwords = Passwords()
    links = LinkDirectory(db, organizations.closed, most=settings.links_in_memory)
    links.load_now()
    websites = Directory(db.read_now(website_rows.everything), organizations.closed)
    looked = clock.now() + FIRST_ROUND
    db.write_now(lambda found: incident_rows.wait_at_least(found, looked))
    if db.read_now(subscriber_rows.in_plain_text):
        db.write_now(lambda found: subscriber_secrets.seal_plain(found, seal))
    monitors = db.read_now(monitor_rows.everything)
    if plain := sealing.in_plain_text(monitors):
        db.write_now(lambda found: sealing.seal_plain(found, seal, plain))
        monitors = db.read_now(monitor_rows.everything)
    watched = Monitors(
        sealing.open_all(seal, monitors), db.read_now(window_change.everything), websites, organizations.closed
    )
    return StateSide(
        db=db,
        seal=seal,
        settings=stored,
        limits=limits,
        admission=Admission(clock, limits, settings),
        organizations=organizations,
        keys=KeyRing(clock, db.read_now(ring.everything), organizations.closed),
        websites=websites,
        classification=Classification(db.read_now(bot_rows.everything)),
        links=links,
        link_domains=LinkDomains(db.read_now(change.everything), organizations.closed),
        monitors=watched,
        status_pages=StatusPages(db.read_now(status_page_rows.everything), organizations.closed, watched.announce),
        shares=ShareDirectory(db.read_now(shares.everything), websites),
        flags=Flags(db.read_now(flag_rows.everything), websites, organizations),
        passwords=passwords,
        sign_ins=SignIns(db, passwords, clock, secure=settings.secure),
    )


async def read_anew(state: StateSide) -> None:
    """Have in memory what box.db has of organizations, keys, websites and bots, after another machine changed it."""
    organizations = await state.db.read(tenancy_rows.organizations)
    closed = await state.db.read(tenancy_rows.deleted_organizations)
    keys = await state.db.read(ring.everything)
    websites, bots = await state.db.read(website_rows.everything), await state.db.read(bot_rows.everything)
    state.organizations.replace(organizations, closed)
    state.keys.replace(keys)
    state.websites.replace(websites)
    state.classification.replace(bots)


class RequestCallers(Struct, frozen=True):
    """Knows keys and signed-in people, and counts the requests of keys."""

    keys: KeyRing
    admission: Admission
    sign_ins: SignIns

    async def identify(self, connection: "Connection") -> Identity:
        """The caller. Whoever sends a key, even an empty one, is not who the cookie says."""
        address = network_of(cast(Scope, connection.scope)["address"])  # set by the front
        secret = connection.headers.get("x-api-key")
        if secret is None:
            scheme, _, token = connection.headers.get("authorization", "").partition(" ")
            secret = token.strip() if scheme.lower() == "bearer" else connection.headers.get("x-umami-api-key")
        if secret is not None:
            return Identity(address=address, key=self.keys.find(secret.strip()))
        token = cookie(connection.headers.get("cookie", ""), self.sign_ins.cookie_name)
        if token:
            return Identity(address=address, person=await self.sign_ins.find(token))
        return Identity(address=address)

    def admit(self, scope: dict[str, Any], key: ApiKey) -> Allowance | None:
        """Let a request of this key in, and say what it has left. Raises RateLimited."""
        return self.admission.enter(scope, key, "api")
