"""Share links at the root of domains of their own: which there are, in memory, and how they are answered there."""

from collections.abc import Iterable, Set
from functools import partial
from typing import Final
from urllib.parse import quote

from msgspec import Struct

from analytics_box.base.store import records
from analytics_box.base.store.db import Connection
from analytics_box.tenants.websites.directory import Directory
from analytics_box.web.address import network_of
from analytics_box.web.asgi import App, Receive, Scope, Send, respond
from analytics_box.web.turns import RequestTurns

_MANUAL: Final = "/docs/"
# In the scope of a request that came by the domain of a share.
AT_ROOT: Final = "share_at_root"


class ShareDomain(Struct, frozen=True):
    """A domain with its share link, and the organization that has verified it."""

    domain: str
    slug: str
    website_id: str
    organization_id: str


def shares_at_domains(db: Connection) -> list[ShareDomain]:
    """All share links with a verified domain."""
    return records.all_of(
        db,
        ShareDomain,
        """
        -- shares.domains.all
        select shares.domain, slug, website_id, organization_id
        from shares join domains on domains.domain = shares.domain and proven_at is not null
        """,
    )


class ShareDomains:
    """The domains of share links. Code that changes one in box.db replaces them after the commit.

    A website that was transferred is no longer served on a domain of its former organization.
    """

    def __init__(self, domains: Iterable[ShareDomain], websites: Directory) -> None:
        self._websites = websites
        self._by_name: dict[str, ShareDomain] = {}
        self.replace(domains)

    def names(self) -> Set[str]:
        """All of them, which changes as they do."""
        return self._by_name.keys()

    def replace(self, domains: Iterable[ShareDomain]) -> None:
        """Have these domains instead of those before."""
        found = {one.domain: one for one in domains}
        for gone in [name for name in self._by_name if name not in found]:
            del self._by_name[gone]
        self._by_name.update(found)

    def app_at(self, framework: App, turns: RequestTurns, public_url: str, host: str) -> App | None:
        """The application of the share on this host; None if its website is not there."""
        one = self._by_name.get(host)
        website = self._websites.find(one.website_id) if one is not None else None
        if one is None or website is None or website.organization_id != one.organization_id:
            return None
        return partial(_answer, framework, turns, public_url, one.slug)


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
