"""A status page with all that is kept of it in memory."""

from msgspec import Struct

from analytics_box.products.status_pages.incident import Incident
from analytics_box.products.status_pages.page import Component, ComponentGroup, StatusPage


class Whole(Struct, frozen=True):
    """A page with its groups and components by position, and of its incidents and maintenances, newest first, all that
    are open and the latest others."""

    page: StatusPage
    groups: tuple[ComponentGroup, ...] = ()
    components: tuple[Component, ...] = ()
    incidents: tuple[Incident, ...] = ()

    @property
    def organization_id(self) -> str:
        """The owner of the page."""
        return self.page.organization_id
