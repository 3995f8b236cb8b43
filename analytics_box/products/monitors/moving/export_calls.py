"""Monitors as a file, over RPC: `uptime.export`."""

import asyncio
from functools import partial
from typing import Final

from msgspec import Struct

from analytics_box.base import audit
from analytics_box.base.errors import Forbidden
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.list_calls import reachable_monitors
from analytics_box.products.monitors.monitor import Id
from analytics_box.products.monitors.moving import files, own
from analytics_box.products.monitors.moving.wanted import Form, parents_first
from analytics_box.products.monitors.window import change_after
from analytics_box.resource.reach import Reach, check, reach
from analytics_box.tenants.websites.directory import Directory
from analytics_box.web.call import Call

_TYPES: Final[dict[Form, str]] = {"yaml": "application/yaml", "json": "application/json"}


class ExportMonitors(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of uptime.export. With `secrets` the file has headers, bodies, passwords and tokens, too: keep it safe."""

    format: Form = "yaml"
    secrets: bool = False
    organizationId: Id | None = None


class MonitorExportAnswer(Struct, frozen=True):
    """The monitors of an organization as the text of a file, and how many they are."""

    type: str
    content: str
    monitors: int


async def export(call: Call, given: ExportMonitors) -> MonitorExportAnswer:
    """uptime.export: export monitors and current maintenance windows in the format of uptime.import. Raises Forbidden.

    Secrets are included only for admins and keys with `write:monitors`; the audit log records it.
    """
    acting = reach(call, given.organizationId)
    if given.secrets:
        if call.identity.key is not None and "write:monitors" not in call.identity.key.scopes:
            raise Forbidden(_("An export with secrets requires a key with write:monitors"))
        await call.write(lambda db: _note(db, acting))
    oldest_first = sorted(await reachable_monitors(call, acting.organization_id), key=lambda one: one.number)
    by_id = {one.id: one for one in oldest_first}
    found, _rest = parents_first(oldest_first, lambda one: by_id.get(one.parent_id or ""))
    windows = [
        one for one in call.parts[Monitors].windows(acting.organization_id) if change_after(one, call.now) is not None
    ]
    domains = {site.id: site.domain for site in call.parts[Directory].of(acting.organization_id)}
    write = files.to_yaml if given.format == "yaml" else files.to_json
    work = partial(own.export_values, found, windows, domains, secrets=given.secrets)
    content = await asyncio.to_thread(lambda: write(work()))
    return MonitorExportAnswer(_TYPES[given.format], content, len(found))


def _note(db: Connection, acting: Reach) -> None:
    """Write down that someone has the secrets. Raises Forbidden for those who may not."""
    check(db, acting, "admin")
    audit.record(db, acting.by, acting.organization_id, "created", "monitor_export", acting.organization_id)
