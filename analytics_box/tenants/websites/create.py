"""Making a website."""

from analytics_box.base import audit, ids
from analytics_box.base.acting import By
from analytics_box.base.store.db import Connection
from analytics_box.tenants.tenancy import defaults
from analytics_box.tenants.tenancy.sites import new_site
from analytics_box.tenants.websites import rows, rules
from analytics_box.tenants.websites.rules import Website
from analytics_box.tenants.websites.tracking import Tracking


def create(db: Connection, *, organization_id: str, name: str, domain: str, by: By) -> Website:
    """Store a new website with its audit entry; it starts with the organization's defaults.

    Raises BadRequest or Conflict.
    """
    given = defaults.of(db, organization_id)
    website = Website(
        id=ids.new_id(),
        organization_id=organization_id,
        site=new_site(db, by.now),
        name=rules.clean_name(name),
        domain=rules.clean_domain(domain),
        is_public=False,
        status="ACTIVE",
        created_at=by.now,
        updated_at=by.now,
        tracking=Tracking(visitorIdMode=given.visitor_id_mode, dataRetentionDays=given.data_retention_days),
    )
    rows.insert(db, website)
    audit.record(
        db,
        by,
        organization_id,
        "created",
        "website",
        website.id,
        {"name": website.name, "domain": website.domain},
    )
    return website
