"""Making a website, and numbers for the facts: the verbs of this room that other rooms call."""

from analytics_box import audit, ids
from analytics_box.configuration import defaults
from analytics_box.store.db import Connection
from analytics_box.websites import rows, rules
from analytics_box.websites.rules import Website
from analytics_box.websites.tracking import Tracking


def new_site(db: Connection, now: int) -> int:
    """A number for a website or an organization among the facts; never given twice."""
    return rows.new_site(db, now)


def create(db: Connection, *, organization_id: str, name: str, domain: str, actor: str, now: int) -> Website:
    """Store a new website with its audit entry; it starts with the organization's defaults.

    Raises BadRequest or Conflict.
    """
    given = defaults.of(db, organization_id)
    website = Website(
        id=ids.new_id(),
        organization_id=organization_id,
        site=rows.new_site(db, now),
        name=rules.clean_name(name),
        domain=rules.clean_domain(domain),
        is_public=False,
        status="ACTIVE",
        created_at=now,
        tracking=Tracking(visitorIdMode=given.visitor_id_mode, dataRetentionDays=given.data_retention_days),
    )
    rows.insert(db, website)
    audit.record(
        db,
        now=now,
        organization_id=organization_id,
        actor=actor,
        action="created",
        subject="website",
        subject_id=website.id,
        detail={"name": website.name, "domain": website.domain},
    )
    return website
