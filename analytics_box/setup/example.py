"""The example website of an organization."""

from analytics_box.acting import By
from analytics_box.http.call import Parts
from analytics_box.invented.example import Examples
from analytics_box.invented.site import DOMAIN, NAME
from analytics_box.websites.create import create
from analytics_box.websites.directory import Directory
from analytics_box.websites.rules import Website


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
