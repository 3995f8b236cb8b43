"""Folders of flags over RPC. Keys need manage:flags."""

from msgspec import Struct

from analytics_box.products.flags.access import reach, visible_scope
from analytics_box.products.flags.editing import folders
from analytics_box.products.flags.editing.messages import DeleteFlagFolder, RenamedFolder
from analytics_box.products.flags.messages import OwnedInput
from analytics_box.products.flags.saving import save
from analytics_box.web.call import Call


class FlagFolderAnswer(Struct, frozen=True):
    """A folder, and how many flags are in it; not those in folders below it."""

    folder: str
    flags: int


class FlagMoveAnswer(Struct, frozen=True):
    """The number of flags that moved to another folder."""

    moved: int
    success: bool = True


async def list_folders(call: Call, given: OwnedInput) -> list[FlagFolderAnswer]:
    """flags.listFolders: list folders by name. Raises Forbidden or NotFound."""
    scope = await visible_scope(call, given.websiteId, given.organizationId)
    return [FlagFolderAnswer(name, count) for name, count in folders.count(scope.flags).items()]


async def rename_folder(call: Call, given: RenamedFolder) -> FlagMoveAnswer:
    """flags.renameFolder: rename a folder with its subfolders. Raises Forbidden, BadRequest or NotFound."""
    own = reach(call, given.websiteId, given.organizationId)
    moved = await save(call.parts, own.scope, lambda db: folders.rename(db, own, given.folder, given.to), adds=True)
    return FlagMoveAnswer(moved)


async def delete_folder(call: Call, given: DeleteFlagFolder) -> FlagMoveAnswer:
    """flags.deleteFolder: delete a folder. Raises Forbidden, BadRequest or NotFound.

    Its flags move one level up.
    """
    own = reach(call, given.websiteId, given.organizationId)
    return FlagMoveAnswer(await save(call.parts, own.scope, lambda db: folders.delete(db, own, given.folder)))
