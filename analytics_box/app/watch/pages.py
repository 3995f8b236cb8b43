"""The page /settings/box: the program itself, and for administrators how it is doing."""

from typing import Any

import analytics_box
from analytics_box.app.watch import shown, sizes
from analytics_box.app.watch.shown import FILE_LABELS
from analytics_box.app.watch.state import WatchedParts, state
from analytics_box.base import figures
from analytics_box.base.store import schema
from analytics_box.base.translation import _
from analytics_box.tenants.tenancy import access
from analytics_box.web.page.visit import Page, Visitor

_ENGINES = {"sqlite": _("SQLite"), "duckdb": _("DuckDB"), "clickhouse": _("ClickHouse")}
_STATES = {"off": _("None"), "building": _("Building"), "ready": _("Ready")}


async def box(visit: Visitor) -> Page:
    """GET /settings/box."""
    watched, by = visit.parts[WatchedParts], visit.call.by
    administers = await visit.call.read(lambda db: access.administers(db, by))
    found = await state(watched)
    directory = visit.parts.settings.data_dir
    own: dict[str, Any] = {}
    if administers:
        own = {
            "attention": [one for one in found.warnings if one.code != "backup"],  # it stands above every page
            "calm": not found.warnings,
            "running": shown.running(found, visit.person),
            "disk": shown.disk(found.disk),
            "databases": shown.databases(found.files),
            "outboxes": shown.outboxes(found),
            "checks": shown.checks(found),
            "machines": shown.machines(found, visit.person),
            "jobs": shown.jobs(found),
            "jobs_words": shown.jobs_words(found.jobs),
        }
    return visit.settings_page(
        "box.html",
        "box",
        administers=administers,
        version=analytics_box.__version__,
        files={
            FILE_LABELS[name]: figures.size(sizes.size(directory, name))
            for name in (schema.BOX_FILE, schema.EVENTS_FILE)
        },
        engine=_ENGINES[found.replica.engine],
        replica=_STATES[found.replica.state],
        facts=shown.replica(found.replica),
        **own,
    )
