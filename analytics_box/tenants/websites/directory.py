"""All websites in memory, so that an event costs no look-up in box.db."""

from collections.abc import Iterable, Set

from msgspec import Struct

from analytics_box.base.clock import HOUR
from analytics_box.tenants.websites.origin_check import OriginCheck, origin_check
from analytics_box.tenants.websites.rules import ClientId, Website
from analytics_box.tenants.websites.tracking import clean_alias


class TrackingTarget(Struct, frozen=True):
    """The target of a client id: the website, its origin check, and the id itself."""

    website: Website
    check: OriginCheck
    client_id: ClientId


class Directory:
    """The websites of this box. Code that changes one in box.db updates the directory after the commit.

    Websites of the organizations in `closed` are as if they were not there.
    """

    def __init__(self, websites: Iterable[Website] = (), closed: Set[str] = frozenset()) -> None:
        self._closed = closed
        self._by_id: dict[str, Website] = {}
        self._checks: dict[str, OriginCheck] = {}
        self._by_client_id: dict[str, TrackingTarget] = {}
        self._by_alias: dict[str, Website] = {}
        self._by_domain: dict[str, dict[str, Website]] = {}
        self._old_ids_used: dict[str, int] = {}
        for website in websites:
            self.remember(website)

    def find(self, website_id: str) -> Website | None:
        """The website with this id, of any organization."""
        website = self._by_id.get(website_id)
        return None if website is None or website.organization_id in self._closed else website

    def of(self, organization_id: str) -> list[Website]:
        """The websites of an organization, oldest first."""
        own = [website for website in self.all() if website.organization_id == organization_id]
        return sorted(own, key=lambda website: (website.created_at, website.id))

    def all(self) -> list[Website]:
        """Every website."""
        return [website for website in self._by_id.values() if website.organization_id not in self._closed]

    def check(self, website: Website) -> OriginCheck:
        """The origin check of a website that is in here."""
        return self._checks[website.id]

    def tracked(self, client_id: str, now: int) -> TrackingTarget | None:
        """The website with this client id; None for an unknown or expired one.

        The use of an old id is noted.
        """
        found = self._by_client_id.get(client_id)
        if found is None or found.website.organization_id in self._closed:
            return None
        if found.client_id.ends_at is None:
            return found
        self._old_ids_used[client_id] = now - now % HOUR
        return found if found.client_id.accepted(now) else None

    def find_alias(self, alias: str, now: int) -> TrackingTarget | None:
        """The website that has this alias, as the target of its current client id; None for an unknown alias."""
        try:
            website = self._by_alias.get(clean_alias(alias))
        except ValueError:
            return None
        return self.tracked(website.client_id, now) if website is not None else None

    def find_domain(self, domain: str, now: int) -> TrackingTarget | None:
        """The oldest website with this domain, with or without www., as the target of its current client id."""
        named = self._by_domain.get(domain.strip().lower().removeprefix("www."), {}).values()
        website = min(named, key=lambda one: (one.created_at, one.id), default=None)
        return self.tracked(website.client_id, now) if website is not None else None

    def remember(self, website: Website) -> None:
        """A website was made or changed."""
        self._forget_names(website.id)
        self._by_id[website.id] = website
        self._by_alias.update(dict.fromkeys(website.tracking.aliases, website))
        self._by_domain.setdefault(website.domain.removeprefix("www."), {})[website.id] = website
        self._checks[website.id] = rules = origin_check(website.domain, website.tracking)
        for client_id in website.client_ids or (ClientId(website.id, website.created_at),):
            self._by_client_id[client_id.id] = TrackingTarget(website, rules, client_id)

    def replace(self, websites: Iterable[Website]) -> None:
        """Replace all websites."""
        wanted = {website.id: website for website in websites}
        for website_id in self._by_id.keys() - wanted.keys():
            self.forget(website_id)
        for website in wanted.values():
            if self._by_id.get(website.id) != website:
                self.remember(website)

    def forget(self, website_id: str) -> None:
        """A website was deleted."""
        self._forget_names(website_id)
        self._by_id.pop(website_id, None)
        self._checks.pop(website_id, None)

    def forget_organization(self, organization_id: str) -> None:
        """An organization and all its websites are gone."""
        for website in list(self._by_id.values()):
            if website.organization_id == organization_id:
                self.forget(website.id)

    def old_ids_used(self) -> dict[str, int]:
        """The latest use of old client ids since the last call: the hour by id, in UTC ms."""
        used, self._old_ids_used = self._old_ids_used, {}
        return used

    def _forget_names(self, website_id: str) -> None:
        before = self._by_id.get(website_id)
        if before is not None:
            self._by_domain[before.domain.removeprefix("www.")].pop(website_id)
            for alias in before.tracking.aliases:
                self._by_alias.pop(alias, None)
            for client_id in before.client_ids or (ClientId(before.id, before.created_at),):
                self._by_client_id.pop(client_id.id, None)
