"""Monitors as files under /monitors/moving: what is in a file is shown before it is imported."""

from functools import partial
from typing import Final

from litestar import Response
from litestar.params import FromPath

from analytics_box.base import figures
from analytics_box.base.errors import BadRequest, Conflict, NotFound, PayloadTooLarge
from analytics_box.base.file_queue import FileQueue
from analytics_box.base.plain_files import MOST_BYTES
from analytics_box.base.translation import _
from analytics_box.products.monitors.moving.calls import (
    ExportMonitors,
    ImportMonitors,
    MonitorImportAnswer,
    export,
    import_monitors,
)
from analytics_box.products.monitors.moving.kuma_database import read_kuma_database
from analytics_box.products.monitors.page_frame import frame
from analytics_box.resource.imports import MOST_OF_DATABASE, import_title, kept_upload, uploaded_text
from analytics_box.web.page.visit import Answer, Page, PageRequest, Visitor

_SOURCES = {
    "analytics-box": _("Analytics Box"),
    "uptime-kuma": _("Uptime Kuma"),
    "gatus": _("Gatus"),
    "uptimerobot": _("UptimeRobot"),
    "better-stack": _("Better Stack"),
    "healthchecks": _("Healthchecks"),
    "list": _("List of URLs"),
}


MOST_SHOWN: Final = 500  # monitors of a file that are listed
_DOING: Final = ("try", "import", "update")


async def moving(visit: Visitor) -> Page:
    """GET /monitors/moving."""
    return _page(visit)


async def import_file(visit: Visitor, do: FromPath[str]) -> Answer:
    """POST /monitors/moving/{try, import or update}: look at a file, or import it; with `update` over what is there.

    Raises NotFound or Forbidden.
    """
    if do not in _DOING:
        raise NotFound(_("There is nothing at this address"))
    with kept_upload(visit.parts.settings.data_dir) as path:
        try:
            await visit.upload_to("file", path, limit=MOST_OF_DATABASE)
            read = partial(uploaded_text, path, MOST_BYTES, read_kuma_database)
            content = await visit.parts[FileQueue].run(visit.call.identity.holder, read)
            given = ImportMonitors(content, existing="update" if do == "update" else "skip", dryRun=do == "try")
            return _page(visit, found=await import_monitors(visit.call, given))
        except (BadRequest, Conflict, PayloadTooLarge) as refused:
            return _page(visit, code=refused.status, wrong=refused.message)


async def export_file(visit: Visitor, form: FromPath[str]) -> Response[str]:
    """GET /monitors/export/{yaml or json}: all monitors without secrets, as a file. Raises NotFound."""
    if form not in {"yaml", "json"}:
        raise NotFound(_("Export monitors as yaml or json"))
    found = await export(visit.call, ExportMonitors(format="json" if form == "json" else "yaml"))
    headers = {"cache-control": "no-store", "content-disposition": f'attachment; filename="monitors.{form}"'}
    return Response(found.content, media_type=found.type, headers=headers)


def _page(visit: PageRequest, *, found: MonitorImportAnswer | None = None, code: int = 200, wrong: str = "") -> Page:
    return visit.pages.show(
        "monitor_moving.html",
        code=code,
        shell=frame(visit.person),
        editable=visit.person.may("member"),
        wrong=wrong,
        found=found,
        title=import_title(_SOURCES[found.source], found, is_trial=found.dry_run) if found is not None else "",
        rows=found.monitors[:MOST_SHOWN] if found is not None else [],
        visible=figures.visible,
    )
