"""The names of folders, as pages show them."""

from analytics_box.products.links.folders import calls
from analytics_box.products.links.messages import LinkOrganizationInput
from analytics_box.web.page.visit import PageRequest


async def folder_names(visit: PageRequest) -> dict[str, str]:
    """The organization's folders: names by id, in the order of their names."""
    found = await calls.list_folders(visit.call, LinkOrganizationInput())
    return {folder.id: folder.name for folder in found}
