"""What procedures and pages of links work with beside box.db."""

from msgspec import Struct

from analytics_box.links.clicks.waiting import Clicks
from analytics_box.links.domains.lookup import DomainList
from analytics_box.links.following.directory import Directory
from analytics_box.store.db import Db


class Links(Struct, frozen=True):
    """The links in memory, their domains, and the clicks on them."""

    directory: Directory
    domains: DomainList
    clicks: Clicks
    events: Db

    def forget_organization(self, organization_id: str) -> None:
        """An organization and all that it had is gone."""
        self.directory.forget_organization(organization_id)
        self.domains.forget_organization(organization_id)
