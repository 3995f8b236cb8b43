"""All share links in memory: every request for a dashboard looks one up, by its address or by its domain."""

from collections.abc import Iterable, Set
from functools import partial
from typing import Final
from urllib.parse import quote

from msgspec import Struct

from analytics_box.base.store.db import Connection
from analytics_box.products.shares.share import SHARES, ShareLink
from analytics_box.tenants.websites.directory import Directory
from analytics_box.web.address import network_of
from analytics_box.web.asgi import App, Receive, Scope, Send, respond
from analytics_box.web.turns import RequestTurns

_MANUAL: Final = "/docs/"
# In the scope of a request that came by the domain of a share.
AT_ROOT: Final = "share_at_root"


class OwnedShare(Struct, frozen=True):
    """A share link, and the organization that has verified its domain, if it has one."""

    link: ShareLink
    organization_id: str | None


def everything(db: Connection) -> list[OwnedShare]:
    """All share links."""
    verified = "-- shares.owners\nselect domain, organization_id from domains where proven_at is not null"
    owners = {domain: str(organization_id) for domain, organization_id in db.execute(verified).fetchall()}
    return [OwnedShare(link, owners.get(link.domain)) for link in SHARES.all(db, "true")]


class ShareDirectory:
    """The share links of this box. Code that changes one in box.db updates the directory after the commit.

    A website that was transferred is no longer served on a domain of its former organization.
    """

    def __init__(self, shares: Iterable[OwnedShare], websites: Directory) -> None:
        self._websites = websites
        self._by_id: dict[str, ShareLink] = {}
        self._by_slug: dict[str, ShareLink] = {}
        self._by_domain: dict[str, OwnedShare] = {}
        self._gone: set[str] = set()
        for share in shares:
            self.remember(share)

    def find(self, slug: str) -> ShareLink | None:
        """The share link at this address."""
        return self._by_slug.get(slug)

    def domains(self) -> Set[str]:
        """The domains of all share links; the set changes as they do."""
        return self._by_domain.keys()

    def remember(self, share: OwnedShare) -> None:
        """Keep a new or changed link. Older versions than the known one and deleted links are ignored."""
        link, before = share.link, self._by_id.get(share.link.id)
        if link.id in self._gone or (before is not None and before.updated_at > link.updated_at):
            return
        if before is not None:
            self._let_go(before)
        self._by_id[link.id] = self._by_slug[link.slug] = link
        if link.domain is not None:
            self._by_domain[link.domain] = share

    def forget(self, link_id: str) -> None:
        """Remove a deleted link."""
        self._gone.add(link_id)
        known = self._by_id.pop(link_id, None)
        if known is not None:
            self._let_go(known)

    def forget_website(self, website_id: str) -> None:
        """Remove the links of a deleted website."""
        for link_id in [link.id for link in self._by_id.values() if link.website_id == website_id]:
            self.forget(link_id)

    def app_at(self, framework: App, turns: RequestTurns, public_url: str, host: str) -> App | None:
        """The application of the share on this host; None if its website is not there."""
        share = self._by_domain.get(host)
        website = self._websites.find(share.link.website_id) if share is not None else None
        if share is None or website is None or website.organization_id != share.organization_id:
            return None
        return partial(_answer, framework, turns, public_url, share.link.slug)

    def _let_go(self, before: ShareLink) -> None:
        """Remove a link from the indexes, unless another link has taken its place."""
        if self._by_slug.get(before.slug) is before:
            del self._by_slug[before.slug]
        at_domain = self._by_domain.get(before.domain or "")
        if at_domain is not None and at_domain.link.id == before.id:
            del self._by_domain[before.domain or ""]


async def _answer(
    framework: App, turns: RequestTurns, public_url: str, slug: str, scope: Scope, receive: Receive, send: Send
) -> None:
    """Answer a request for a path of the domain as one for the same path below /share/{slug}. The manual, to which
    dashboards link, is on the host of the box."""
    rest = scope["path"].rstrip("/")
    if rest.startswith(_MANUAL):
        await respond(send, 302, [(b"location", f"{public_url}{quote(rest)}".encode())])
        return
    scope["path"] = f"/share/{slug}{rest}"
    scope["raw_path"] = scope["path"].encode()
    scope[AT_ROOT] = True
    async with turns.of(network_of(scope["address"])) as scope["end_turn"]:
        await framework(scope, receive, send)
