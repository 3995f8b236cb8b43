"""Flags as files under /flags/moving: the content of a file is shown before it is imported."""

from collections.abc import Mapping
from typing import Any, Final

from litestar import Response
from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.errors import BadRequest, Conflict, NotFound, PayloadTooLarge, RateLimited
from analytics_box.base.translation import _, ngettext
from analytics_box.products.flags.console.form_pages import owner_of
from analytics_box.products.flags.directory import Flags
from analytics_box.products.flags.moving.calls import (
    ExportFlags,
    FlagExportAnswer,
    FlagImportAnswer,
    FlagRow,
    GroupRow,
    ImportFlags,
    export,
    import_flags,
)
from analytics_box.products.flags.moving.wanted import MOST_BYTES
from analytics_box.products.flags.page_frame import HOME, STATUS_LABELS, frame, owners
from analytics_box.resource.imports import import_title
from analytics_box.tenants.tenancy.messages import message_of
from analytics_box.web.page.visit import Answer, Page, PageRequest, Visitor

_SOURCES = {
    "analytics-box": _("Analytics Box"),
    "unleash": _("Unleash"),
    "growthbook": _("GrowthBook"),
    "launchdarkly": _("LaunchDarkly"),
    "flagsmith": _("Flagsmith"),
    "flagd": _("flagd"),
    "flagd-v3": _("flagd"),
}
_STATUSES = {
    "created": _("New"),
    "updated": _("Updated"),
    "unchanged": _("Unchanged"),
    "existing": _("Exists"),
    "failed": _("Failed"),
}


MOST_SHOWN: Final = 500  # Flags of a file that are listed.
NONE: Final = "-"  # In an address: flags without an environment.
LONGEST: Final = 255  # Characters of a name in a form.
_DOING: Final = ("try", "import", "replace")


class FlagImportRow(Struct, frozen=True):
    """The import result of a flag or a target group of a file, or of a trial; `state` is the status of the flag."""

    name: str
    status: str
    is_bad: bool
    state: str
    notes: tuple[str, ...]
    error: str
    href: str


class FlagImportResult(Struct, frozen=True):
    """The import result of a file, or of a trial."""

    title: str
    notes: tuple[str, ...]
    rows: tuple[FlagImportRow, ...]


async def moving(visit: Visitor) -> Page:
    """GET /flags/moving, with ?of= for the owner, and ?of= &environment= &check=flagd for what a file
    cannot express."""
    if visit.asked("check") != "flagd":
        return _page(visit, {"of": visit.asked("of")})
    values = {name: visit.asked(name)[:LONGEST] for name in ("of", "environment")}
    try:
        return _page(visit, values, lacking=await export(visit.call, _export(visit, values, "flagd")))
    except (BadRequest, Conflict) as refused:
        return _page(visit, values, code=refused.status, wrong=refused.message)


async def import_file(visit: Visitor, do: FromPath[str]) -> Answer:
    """POST /flags/moving/{try, import or replace}: try a file, or import it; `replace` overwrites existing flags.

    Raises NotFound or Forbidden.
    """
    if do not in _DOING:
        raise NotFound(_("There is nothing at this address"))
    try:
        form, sent = await visit.uploaded_with("file", limit=MOST_BYTES)
    except PayloadTooLarge as large:
        wrong = _("Select a file of up to {most} MB").format(most=MOST_BYTES // 1_000_000)
        return _page(visit, {}, code=large.status, wrong=wrong)
    values = {name: form.get(name, "").strip()[:LONGEST] for name in ("of", "environment", "source", "format")}
    try:
        content = sent.decode("utf-8-sig")
        if not content:
            raise BadRequest(_("Select a file"))
        given = _import_values(visit, values) | {"content": content, "dryRun": do == "try"}
        given["existing"] = "update" if do == "replace" else "skip"
        message = message_of(given, ImportFlags)
        return _page(visit, values, found=_import_result(await import_flags(visit.call, message)))
    except UnicodeDecodeError:
        return _page(visit, values, code=400, wrong=_("This is not a text file. Select a JSON file."))
    except (BadRequest, Conflict, RateLimited) as refused:
        return _page(visit, values, code=refused.status, wrong=refused.message)


async def export_file(visit: Visitor, form: FromPath[str]) -> Response[str]:
    """GET /flags/export/{analytics-box or flagd}, with ?of= and ?environment=. Raises NotFound, or BadRequest for flags
    of several environments if the file has one.
    """
    if form not in {"analytics-box", "flagd"}:
        raise NotFound(_("Export flags as analytics-box or flagd"))
    values = {name: visit.asked(name)[:LONGEST] for name in ("of", "environment")}
    found = await export(visit.call, _export(visit, values, form))
    headers = {"cache-control": "no-store", "content-disposition": f'attachment; filename="flags-{form}.json"'}
    return Response(found.content, media_type=found.type, headers=headers)


def _export(visit: PageRequest, values: Mapping[str, str], form: str) -> ExportFlags:
    given: dict[str, Any] = _scope(visit, values) | {"format": form}
    if values.get("environment"):
        given["environment"] = None if values["environment"] == NONE else values["environment"]
    return message_of(given, ExportFlags)


def _import_values(visit: PageRequest, values: Mapping[str, str]) -> dict[str, Any]:
    """The destination of a file's flags, and the environment and format to read."""
    named = {
        "environment": values["environment"],
        "sourceEnvironment": values["source"],
        "source": values["format"],
    }
    return _scope(visit, values) | {name: text for name, text in named.items() if text}


def _scope(visit: PageRequest, values: Mapping[str, str]) -> dict[str, Any]:
    of = owner_of(visit, values.get("of", ""))
    return {"organizationId": of} if of == visit.person.organization_id else {"websiteId": of}


def _page(
    visit: PageRequest,
    values: Mapping[str, str],
    *,
    found: FlagImportResult | None = None,
    lacking: FlagExportAnswer | None = None,
    code: int = 200,
    wrong: str = "",
) -> Page:
    scopes = visit.parts[Flags].of(visit.person.organization_id)
    environments = sorted({flag.environment for scope in scopes for flag in scope.flags if flag.environment})
    return visit.pages.show(
        "flag_moving.html",
        code=code,
        shell=frame(visit.person),
        editable=visit.person.may("member"),
        values={**values, "of": owner_of(visit, values.get("of", ""))},
        wrong=figures.visible(wrong),
        found=found,
        lacking=_lacking(lacking) if lacking is not None else None,
        owners=list(owners(visit).items()),
        environments=[(one, figures.visible(one)) for one in environments],
        without=NONE,
    )


def _lacking(found: FlagExportAnswer) -> list[FlagImportRow]:
    """The parts of flags that a file cannot express, flag by flag."""
    return [
        FlagImportRow(
            figures.visible(one.key), "", is_bad=False, state="", notes=_visible(one.notes), error="", href=""
        )
        for one in found.notes[:MOST_SHOWN]
    ]


def _import_result(found: FlagImportAnswer) -> FlagImportResult:
    title = import_title(_SOURCES[found.source], found, is_trial=found.dryRun)
    notes = list(_visible(found.notes))
    if found.inactive:
        notes.append(
            ngettext(
                "1 flag is imported as inactive because a part of its targeting is not supported.",
                "{count} flags are imported as inactive because a part of their targeting is not supported.",
                found.inactive,
            ).format(count=figures.count(found.inactive))
        )
    if len(found.flags) > MOST_SHOWN:
        notes.append(
            _("{count} more flags are not listed here.").format(count=figures.count(len(found.flags) - MOST_SHOWN))
        )
    rows = [_flag(one) for one in found.flags[:MOST_SHOWN]] + [_group(one) for one in found.targetGroups[:MOST_SHOWN]]
    return FlagImportResult(title, tuple(notes), tuple(rows))


def _flag(one: FlagRow) -> FlagImportRow:
    return FlagImportRow(
        name=figures.visible(one.key) or str(one.row),
        status=_STATUSES[one.status],
        is_bad=one.status == "failed",
        state=STATUS_LABELS[one.flagStatus] if one.flagStatus not in {None, "active"} else "",
        notes=_visible(one.notes),
        error=figures.visible(one.error),
        href=f"{HOME}/{one.flagId}" if one.flagId else "",
    )


def _group(one: GroupRow) -> FlagImportRow:
    name = " ".join((_("Target group"), figures.visible(one.name)))
    status = _STATUSES[one.status]
    error = figures.visible(one.error)
    return FlagImportRow(name, status, one.status == "failed", "", _visible(one.notes), error, "")


def _visible(notes: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(figures.visible(note) for note in notes)
