"""Folders of flags over RPC. Keys need manage:flags."""

from msgspec import Struct

from analytics_box.products.flags.access import reach, seen_scope
from analytics_box.products.flags.editing import folders
from analytics_box.products.flags.editing.messages import OneFolder, RenamedFolder
from analytics_box.products.flags.messages import OfScope
from analytics_box.products.flags.saving import save
from analytics_box.web.call import Call


class FolderShown(Struct, frozen=True):
    """A folder, and how many flags are in it; not those in folders below it."""

    folder: str
    flags: int


class Moved(Struct, frozen=True):
    """How many flags are in another folder now."""

    moved: int
    success: bool = True


async def list_folders(call: Call, given: OfScope) -> list[FolderShown]:
    """flags.listFolders: by name. Raises Forbidden or NotFound."""
    scope = await seen_scope(call, given.websiteId, given.organizationId)
    return [FolderShown(name, count) for name, count in folders.count(scope.flags).items()]


async def rename_folder(call: Call, given: RenamedFolder) -> Moved:
    """flags.renameFolder: with the folders below it. Raises Forbidden, BadRequest or NotFound."""
    own = reach(call, given.websiteId, given.organizationId)
    moved = await save(call.parts, own.scope, lambda db: folders.rename(db, own, given.folder, given.to), adds=True)
    return Moved(moved)


async def delete_folder(call: Call, given: OneFolder) -> Moved:
    """flags.deleteFolder: its flags stay, one level up. Raises Forbidden, BadRequest or NotFound."""
    own = reach(call, given.websiteId, given.organizationId)
    return Moved(await save(call.parts, own.scope, lambda db: folders.delete(db, own, given.folder)))
