"""Folders of short links over RPC (wire 7.2). Scopes: read:links, write:links."""

from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct

from analytics_box.products.links.folders import change as folders
from analytics_box.products.links.messages import Id, LinkOrganizationInput
from analytics_box.resource.fields import answer_of
from analytics_box.resource.reach import acting
from analytics_box.tenants.tenancy.messages import Success
from analytics_box.web.call import Call
from analytics_box.web.page.visit import PageRequest

Name = Annotated[str, Meta(min_length=1, max_length=80)]


class NewFolder(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of linkFolders.create."""

    name: Name
    organizationId: Id | None = None


class ChangedFolder(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of linkFolders.update."""

    id: Id
    name: Name
    organizationId: Id | None = None


class LinkFolderId(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that names a folder."""

    id: Id
    organizationId: Id | None = None


class LinkFolderAnswer(Struct, frozen=True):
    """A folder."""

    id: str
    organizationId: str
    name: str
    slug: str
    createdAt: datetime
    updatedAt: datetime


async def list_folders(call: Call, given: LinkOrganizationInput) -> list[LinkFolderAnswer]:
    """linkFolders.list: list folders by name. Raises Forbidden."""
    organization_id, by = acting(call, given.organizationId)
    return [answer_of(LinkFolderAnswer, one) for one in await call.read(lambda db: folders.of(db, organization_id, by))]


async def create(call: Call, given: NewFolder) -> LinkFolderAnswer:
    """linkFolders.create: create a folder. Raises Forbidden, BadRequest or Conflict."""
    organization_id, by = acting(call, given.organizationId)
    return answer_of(LinkFolderAnswer, await call.write(lambda db: folders.create(db, organization_id, by, given.name)))


async def update(call: Call, given: ChangedFolder) -> LinkFolderAnswer:
    """linkFolders.update: rename a folder. Raises Forbidden, NotFound, BadRequest or Conflict."""
    organization_id, by = acting(call, given.organizationId)
    return answer_of(
        LinkFolderAnswer, await call.write(lambda db: folders.rename(db, organization_id, by, given.id, given.name))
    )


async def delete(call: Call, given: LinkFolderId) -> Success:
    """linkFolders.delete: delete a folder. Raises Forbidden or NotFound.

    Its links stay.
    """
    organization_id, by = acting(call, given.organizationId)
    await call.write(lambda db: folders.delete(db, organization_id, by, given.id))
    return Success()


async def folder_names(visit: PageRequest) -> dict[str, str]:
    """The organization's folders: names by id, in the order of their names."""
    found = await list_folders(visit.call, LinkOrganizationInput())
    return {folder.id: folder.name for folder in found}
