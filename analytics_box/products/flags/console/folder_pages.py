"""Folders of flags under /flags/folders: they are there as long as a flag is in one."""

from typing import Final
from urllib.parse import urlencode

from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.errors import BadRequest, Conflict, NotFound
from analytics_box.base.translation import _, ngettext
from analytics_box.products.flags.console.form_pages import form_reach
from analytics_box.products.flags.directory import Flags
from analytics_box.products.flags.editing import folders as change
from analytics_box.products.flags.editing.messages import DeleteFlagFolder, RenamedFolder
from analytics_box.products.flags.page_frame import HOME, done_message, frame, owner_name
from analytics_box.products.flags.saving import save
from analytics_box.tenants.tenancy.messages import message_of
from analytics_box.web.page.edits import FIELD, EditConflict, check_version, version_of
from analytics_box.web.page.questions import ConfirmationTexts, ask
from analytics_box.web.page.visit import Again, Answer, Page, PageRequest, Visitor

_DELETE = ConfirmationTexts(
    _("Delete the folder {name}?"),
    _("Its flags and subfolders move one level up."),
    _("Delete {name}"),
)


FOLDERS: Final = f"{HOME}/folders"


class FlagFolderLine(Struct, frozen=True):
    """A folder of a website or of the organization; `flags` says how many are in it."""

    id: str
    of: str
    folder: str
    owner: str
    version: str
    name: str
    flags: str
    href: str
    delete: str


async def folder_list(visit: Visitor) -> Page:
    """GET /flags/folders."""
    return _page(visit, Again())


async def rename(visit: Visitor) -> Answer:
    """POST /flags/folders/rename: rename a folder with its subfolders. Raises NotFound or Forbidden."""
    form = await visit.form()
    own = form_reach(visit, form.get("of", ""))
    try:
        check_version(form, _content(visit, own.scope, form.get("folder", "")))
        given = message_of({name: form.get(name, "") for name in ("folder", "to")}, RenamedFolder)
        await save(visit.parts, own.scope, lambda db: change.rename(db, own, given.folder, given.to), adds=True)
    except EditConflict as changed:
        return _page(visit, Again(changed.status, general=changed.message))
    except (BadRequest, Conflict) as wrong:
        return _page(visit, Again(wrong.status, form, {"to": wrong.message}))
    return visit.go(f"{FOLDERS}?done=folder-renamed")


async def delete_form(visit: Visitor) -> Page:
    """GET /flags/folders/delete?of= &folder=: are you sure? Raises NotFound."""
    of, folder = visit.asked("of"), visit.asked("folder")
    if not any((one.of, one.folder) == (of, folder) for one in _lines(visit)):
        raise NotFound(_("This folder does not exist"))
    fields = {"of": of, "folder": folder, FIELD: version_of(_content(visit, of, folder))}
    action = f"{FOLDERS}/delete"
    return ask(visit, frame(visit.person), _DELETE, folder, action=action, back=FOLDERS, fields=fields)


async def delete(visit: Visitor) -> Answer:
    """POST /flags/folders/delete: delete a folder and keep its flags. Raises NotFound, Forbidden or BadRequest."""
    form = await visit.form()
    own = form_reach(visit, form.get("of", ""))
    try:
        check_version(form, _content(visit, own.scope, form.get("folder", "")))
    except EditConflict as changed:
        return _page(visit, Again(changed.status, general=changed.message))
    given = message_of({"folder": form.get("folder", "")}, DeleteFlagFolder)
    await save(visit.parts, own.scope, lambda db: change.delete(db, own, given.folder))
    return visit.go(f"{FOLDERS}?done=folder-deleted")


def _page(visit: PageRequest, again: Again) -> Page:
    wrong = (again.values.get("of", ""), again.values.get("folder", ""))
    return visit.show(
        "flag_folders.html",
        frame(visit.person),
        again,
        lines=_lines(visit),
        wrong=wrong,
        editable=visit.person.may("member"),
        done=done_message(visit),
    )


def _content(visit: PageRequest, scope_id: str, folder: str) -> list[tuple[str, str]]:
    """The flags in a folder and below it, with their folders."""
    scope = visit.parts[Flags].scope(scope_id)
    flags = scope.flags if scope is not None else ()
    return [(one.id, one.definition.folder) for one in change.flags_inside(flags, folder)]


def _lines(visit: PageRequest) -> list[FlagFolderLine]:
    found: list[FlagFolderLine] = []
    for scope in visit.parts[Flags].of(visit.person.organization_id):
        for folder, count in change.count(scope.flags).items():
            query = urlencode({"of": scope.id, "folder": folder})
            found.append(
                FlagFolderLine(
                    id=f"folder-{len(found)}",
                    of=scope.id,
                    folder=folder,
                    owner=owner_name(visit, scope.id),
                    version=version_of(_content(visit, scope.id, folder)),
                    name=figures.visible(folder),
                    flags=ngettext("1 flag", "{count} flags", count).format(count=figures.count(count)),
                    href=f"{HOME}?{query}",
                    delete=f"{FOLDERS}/delete?{query}",
                )
            )
    return found
