"""Import of status pages under /status-pages/moving, and of their subscribers under /status-pages/{id}/moving.

A file is shown before it is imported, and the number of emails before they are sent.
"""

from functools import partial
from typing import Final

from litestar.params import FromPath

from analytics_box.base import figures
from analytics_box.base.errors import BadRequest, BoxError, Conflict, NotFound, PayloadTooLarge, RateLimited
from analytics_box.base.file_queue import FileQueue
from analytics_box.base.translation import _
from analytics_box.products.monitors.moving.kuma_database import read_kuma_database
from analytics_box.products.status_pages.console.frame import ConsolePage, frame, open_page
from analytics_box.products.status_pages.moving.calls import (
    ImportStatusPages,
    ImportSubscribers,
    StatusPageImportAnswer,
    SubscriberImportAnswer,
    import_status_pages,
    import_subscribers,
    subscribers_only,
)
from analytics_box.products.status_pages.moving.wanted import MOST_BYTES
from analytics_box.resource.imports import MOST_OF_DATABASE, import_title, kept_upload, uploaded_text
from analytics_box.web.page.visit import Again, Answer, Page, PageRequest, Visitor

_SOURCES: Final = {
    "statuspage": _("Atlassian Statuspage"),
    "cachet": _("Cachet"),
    "uptime-kuma": _("Uptime Kuma"),
}
_DOING: Final = ("try", "import")


async def moving(visit: Visitor) -> Page:
    """GET /status-pages/moving."""
    return _page(visit)


async def import_file(visit: Visitor, do: FromPath[str]) -> Answer:
    """POST /status-pages/moving/{try or import}: look at a file, or import it. Raises NotFound or Forbidden."""
    if do not in _DOING:
        raise NotFound(_("There is nothing at this address"))
    try:
        content = await _content(visit)
        found = await import_status_pages(visit.call, ImportStatusPages(content, dryRun=do == "try"))
        return _page(visit, found=found)
    except (BadRequest, Conflict, PayloadTooLarge) as refused:
        return _page(visit, code=refused.status, wrong=refused.message)


async def subscribers(visit: Visitor, page_id: FromPath[str]) -> Page:
    """GET /status-pages/{id}/moving. Raises NotFound or Forbidden."""
    page = await open_page(visit, page_id)
    return _subscribers_page(page)


async def try_subscribers(visit: Visitor, page_id: FromPath[str]) -> Answer:
    """POST /status-pages/{id}/moving/try: the number of emails that an import sends. Raises NotFound or Forbidden."""
    page = await open_page(visit, page_id)
    try:
        content = await _content(visit)
        found = await import_subscribers(visit.call, ImportSubscribers(page_id, content, dryRun=True))
    except (BadRequest, Conflict, PayloadTooLarge, RateLimited) as refused:
        return _subscribers_page(page, Again(refused.status, general=refused.message))
    return _subscribers_page(page, found=found, content=subscribers_only(content, page.whole))


async def ask_subscribers(visit: Visitor, page_id: FromPath[str]) -> Answer:
    """POST /status-pages/{id}/moving/ask: send the emails. Raises NotFound or Forbidden."""
    page = await open_page(visit, page_id)
    try:
        content = (await visit.upload("content", limit=MOST_BYTES)).decode(errors="replace")
        found = await import_subscribers(visit.call, ImportSubscribers(page_id, content))
    except BoxError as refused:
        return _subscribers_page(page, Again(refused.status, general=refused.message))
    return _subscribers_page(page, found=found)


async def _content(visit: Visitor) -> str:
    """The text of a posted file. Raises BadRequest or PayloadTooLarge."""
    data_dir = visit.parts.settings.data_dir
    with kept_upload(data_dir) as path:
        await visit.upload_to("file", path, limit=MOST_OF_DATABASE)
        read = partial(uploaded_text, path, MOST_BYTES, read_kuma_database)
        return await visit.parts[FileQueue].run(visit.call.identity.holder, read)


def _page(visit: PageRequest, *, found: StatusPageImportAnswer | None = None, code: int = 200, wrong: str = "") -> Page:
    title = import_title(_SOURCES[found.source], found, is_trial=found.dry_run) if found is not None else ""
    return visit.pages.show(
        "status_page_moving.html",
        code=code,
        shell=frame(visit.person),
        wrong=wrong,
        found=found,
        title=title,
        visible=figures.visible,
    )


def _subscribers_page(
    page: ConsolePage, again: Again | None = None, *, found: SubscriberImportAnswer | None = None, content: str = ""
) -> Page:
    again = again or Again()
    return page.show(
        "status_subscribers_moving.html",
        "subscribers",
        again=again,
        found=found,
        content=content,
        visible=figures.visible,
    )
