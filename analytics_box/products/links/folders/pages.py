"""The folders of links under /links/folders."""

from msgspec import Struct

from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _
from analytics_box.products.links import rows
from analytics_box.products.links.folders import calls as folder_calls
from analytics_box.products.links.folders.calls import ChangedFolder, LinkFolderId, NewFolder, folder_names
from analytics_box.products.links.folders.change import LONGEST
from analytics_box.products.links.page_frame import DONE, HOME, frame, links_in_words, nothing_there
from analytics_box.web.page.edits import check_version, shown_version
from analytics_box.web.page.questions import ConfirmationTexts, ask
from analytics_box.web.page.visit import Again, Answer, Next, Page, PageRequest, Visitor

_DELETE_FOLDER = ConfirmationTexts(_("Delete the folder {name}?"), _("Its links are kept."), _("Delete {name}"))


FOLDERS = f"{HOME}/folders"


class LinkFolderLine(Struct, frozen=True):
    """A folder, how many links are in it, and the version that its form carries."""

    id: str
    name: str
    links: str
    version: str


async def folders(visit: Visitor) -> Page:
    """GET /links/folders."""
    return await _page(visit, Again())


async def add(visit: Visitor) -> Answer:
    """POST /links/folders."""
    form = await visit.form()

    async def save() -> str:
        await folder_calls.create(visit.call, NewFolder(_name(form)))
        return f"{FOLDERS}?done=folder-made"

    return await visit.submit(save, _page, values=form, field="name")


async def rename(visit: Visitor) -> Answer:
    """POST /links/folders/rename. Raises NotFound."""
    form = await visit.form()

    folder_id = form.get("id", "")

    async def save() -> str:
        check_version(form, (await folder_names(visit)).get(folder_id))
        await folder_calls.update(visit.call, ChangedFolder(folder_id, _name(form)))
        return f"{FOLDERS}?done=folder-named"

    return await visit.submit(save, _page, values=form, field=f"name-{folder_id}")


async def delete_form(visit: Visitor) -> Page:
    """GET /links/folders/delete?id=…: the confirmation. Raises NotFound."""
    wanted = visit.asked("id")
    name = (await folder_names(visit)).get(wanted)
    if name is None:
        raise nothing_there()
    return ask(
        visit,
        frame(visit.person),
        _DELETE_FOLDER,
        name,
        action=f"{FOLDERS}/delete",
        back=FOLDERS,
        fields={"id": wanted},
    )


async def delete(visit: Visitor) -> Next:
    """POST /links/folders/delete. Raises NotFound."""
    form = await visit.form()
    await folder_calls.delete(visit.call, LinkFolderId(form.get("id", "")))
    return visit.go(f"{FOLDERS}?done=folder-deleted")


async def _page(visit: PageRequest, again: Again) -> Page:
    names = await folder_names(visit)
    own = visit.person.organization_id
    counts = await visit.call.read(lambda db: rows.count_by_folder(db, own))
    return visit.show(
        "link_folders.html",
        frame(visit.person),
        again,
        folders=[
            LinkFolderLine(
                folder,
                name,
                links_in_words(counts.get(folder, 0)),
                shown_version(name, again.values if folder == again.values.get("id") else {}),
            )
            for folder, name in names.items()
        ],
        editable=visit.person.may("member"),
        done=DONE.get(visit.asked("done"), "") if again.code == 200 else "",
    )


def _name(form: dict[str, str]) -> str:
    """The name of a folder. Raises BadRequest for one that is too long."""
    name = form.get("name", "")
    if len(name) > LONGEST:
        raise BadRequest(_("Use up to {most} characters").format(most=LONGEST))
    return name
