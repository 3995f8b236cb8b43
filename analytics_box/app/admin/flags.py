"""The commands `flag …`: the procedures of flags, called by the command line."""

from typing import Any

from msgspec import UNSET

from analytics_box.app.admin.asking import acting_in, organization_of
from analytics_box.app.admin.given.flags import ExportedFlags, ImportedFlags, OwnFlags, SomeFlags
from analytics_box.app.admin.websites import website_of
from analytics_box.products.flags.editing.calls import list_flags
from analytics_box.products.flags.editing.messages import ListFlags
from analytics_box.products.flags.editing.shown import FlagAnswer
from analytics_box.products.flags.moving.export_calls import ExportFlags, FlagExportAnswer, export
from analytics_box.products.flags.moving.import_calls import FlagImportAnswer, ImportFlags, import_flags
from analytics_box.web.call import Call, Parts


async def flag_list(parts: Parts, given: SomeFlags) -> list[FlagAnswer]:
    """flag list: by their keys. Raises NotFound or BadRequest."""
    call, own = _acting(parts, given)
    environment = UNSET if given.environment is UNSET else given.environment or None
    found = await list_flags(call, ListFlags(**own, status=given.status, environment=environment))
    return sorted(found, key=lambda one: (one.key, one.environment or "", one.userId or ""))


async def flag_export(parts: Parts, given: ExportedFlags) -> FlagExportAnswer:
    """flag export. Raises NotFound or BadRequest."""
    call, own = _acting(parts, given)
    environment = UNSET if given.environment is UNSET else given.environment or None
    return await export(call, ExportFlags(**own, format=given.format, environment=environment))


async def flag_import(parts: Parts, given: ImportedFlags) -> FlagImportAnswer:
    """flag import: what is refused leaves nothing behind, and the rest is stored. Raises NotFound or BadRequest."""
    call, own = _acting(parts, given)
    wanted = ImportFlags(
        **own,
        content=given.content,
        source=given.source,
        environment=given.environment,
        sourceEnvironment=given.source_environment,
        existing=given.existing,
        dryRun=given.dry_run,
    )
    return await import_flags(call, wanted)


def _acting(parts: Parts, given: OwnFlags) -> tuple[Call, dict[str, Any]]:
    """A call where the flags are, and whose they are, as procedures are told. Raises NotFound or BadRequest."""
    if given.website is not None:
        website = website_of(parts, given.website)
        return acting_in(parts, website.organization_id), {"websiteId": website.id}
    organization = organization_of(parts, given.organization)
    return acting_in(parts, organization.id), {"organizationId": organization.id}
