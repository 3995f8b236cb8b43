"""Domains of organizations in box.db."""

from typing import Final

from analytics_box.base.translation import _
from analytics_box.resource.table import Table
from analytics_box.tenants.configuration.rules import Domain

TAKEN: Final = "This domain belongs to another organization of this server"
DOMAINS: Final = Table(
    "domains",
    Domain,
    conflicts={
        "domains.organization_id, domains.domain": ("domain", _("This domain has already been added")),
        "domains.domain": ("domain", TAKEN),
    },
)
