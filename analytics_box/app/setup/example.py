"""The example website of an organization."""

from analytics_box.base.acting import By
from analytics_box.products.sample_data.example import Examples
from analytics_box.products.sample_data.site import DOMAIN, NAME
from analytics_box.tenants.websites.change import create
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.call import Parts


async def add_example(parts: Parts, organization_id: str, by: By) -> Website:
    """The organization's example, which is made and filled when there is none."""
    for website in parts[Directory].of(organization_id):
        if website.domain == DOMAIN:
            return website
    made = await parts.box_db.write(
        lambda db: create(db, organization_id=organization_id, name=f"{NAME} - example", domain=DOMAIN, by=by)
    )
    parts[Directory].remember(made)
    parts[Examples].begin(made)
    return made
