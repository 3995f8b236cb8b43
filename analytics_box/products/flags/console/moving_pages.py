"""Flags as files under /flags/moving: what is in a file is shown before it is imported."""

from collections.abc import Mapping
from typing import Any, Final

from litestar import Response
from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base.errors import BadRequest, Conflict, NotFound, PayloadTooLarge, RateLimited
from analytics_box.base.texts import FlagFiles, FlagList, figures
from analytics_box.products.flags.console.form_pages import owner_of
from analytics_box.products.flags.directory import Flags
from analytics_box.products.flags.moving.export_calls import ExportShown, GivenExport, export
from analytics_box.products.flags.moving.import_calls import FlagRow, GivenImport, GroupRow, ImportShown, import_flags
from analytics_box.products.flags.moving.wanted import MOST_BYTES
from analytics_box.products.flags.page_frame import HOME, frame, owners
from analytics_box.tenants.tenancy.messages import message_of
from analytics_box.web.page.visit import Answer, Page, Visit, Visitor

MOST_SHOWN: Final = 500  # flags of a file that are listed
NONE: Final = "-"  # in an address: flags of no environment
LONGEST: Final = 255  # characters of a name in a form
_DOING: Final = ("try", "import", "replace")


class Row(Struct, frozen=True):
    """What became of a flag or a target group of a file, or what would; `state` is the status of the flag."""

    name: str
    status: str
    is_bad: bool
    state: str
    notes: tuple[str, ...]
    error: str
    href: str


class Found(Struct, frozen=True):
    """What became of a file, or what would."""

    title: str
    notes: tuple[str, ...]
    rows: tuple[Row, ...]


async def moving(visit: Visitor) -> Page:
    """GET /flags/moving, with ?of= for whose flags, and ?of= &environment= &check=flagd for what a file would lack."""
    if visit.asked("check") != "flagd":
        return _page(visit, {"of": visit.asked("of")})
    values = {name: visit.asked(name)[:LONGEST] for name in ("of", "environment")}
    try:
        return _page(visit, values, lacking=await export(visit.call, _export(visit, values, "flagd")))
    except (BadRequest, Conflict) as refused:
        return _page(visit, values, code=refused.status, wrong=refused.message)


async def import_file(visit: Visitor, do: FromPath[str]) -> Answer:
    """POST /flags/moving/{try, import or replace}: look at a file, or import it; with `replace` over what is there.

    Raises NotFound or Forbidden.
    """
    if do not in _DOING:
        raise NotFound("There is nothing at this address")
    try:
        form, sent = await visit.uploaded_with("file", limit=MOST_BYTES)
    except PayloadTooLarge as large:
        wrong = FlagFiles.too_large.format(most=MOST_BYTES // 1_000_000)
        return _page(visit, {}, code=large.status, wrong=wrong)
    values = {name: form.get(name, "").strip()[:LONGEST] for name in ("of", "environment", "source", "format")}
    try:
        content = sent.decode("utf-8-sig")
        if not content:
            raise BadRequest(FlagFiles.no_file)
        given = _given(visit, values) | {"content": content, "dryRun": do == "try"}
        given["existing"] = "update" if do == "replace" else "skip"
        message = message_of(given, GivenImport, FlagList.wrong)
        return _page(visit, values, found=_found(await import_flags(visit.call, message)))
    except UnicodeDecodeError:
        return _page(visit, values, code=400, wrong=FlagFiles.no_text)
    except (BadRequest, Conflict, RateLimited) as refused:
        return _page(visit, values, code=refused.status, wrong=refused.message)


async def export_file(visit: Visitor, form: FromPath[str]) -> Response[str]:
    """GET /flags/export/{analytics-box or flagd}, with ?of= and ?environment=. Raises NotFound, or BadRequest for
    flags of several environments where the file has one."""
    if form not in {"analytics-box", "flagd"}:
        raise NotFound("Flags are exported as analytics-box and as flagd")
    values = {name: visit.asked(name)[:LONGEST] for name in ("of", "environment")}
    found = await export(visit.call, _export(visit, values, form))
    headers = {"cache-control": "no-store", "content-disposition": f'attachment; filename="flags-{form}.json"'}
    return Response(found.content, media_type=found.type, headers=headers)


def _export(visit: Visit, values: Mapping[str, str], form: str) -> GivenExport:
    given: dict[str, Any] = _scope(visit, values) | {"format": form}
    if values.get("environment"):
        given["environment"] = None if values["environment"] == NONE else values["environment"]
    return message_of(given, GivenExport, FlagList.wrong)


def _given(visit: Visit, values: Mapping[str, str]) -> dict[str, Any]:
    """Where the flags of a file go, and which of them."""
    named = {
        "environment": values["environment"],
        "sourceEnvironment": values["source"],
        "source": values["format"],
    }
    return _scope(visit, values) | {name: text for name, text in named.items() if text}


def _scope(visit: Visit, values: Mapping[str, str]) -> dict[str, Any]:
    of = owner_of(visit, values.get("of", ""))
    return {"organizationId": of} if of == visit.person.organization_id else {"websiteId": of}


def _page(
    visit: Visit,
    values: Mapping[str, str],
    *,
    found: Found | None = None,
    lacking: ExportShown | None = None,
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


def _lacking(found: ExportShown) -> list[Row]:
    """What a file could not say, flag by flag."""
    return [
        Row(figures.visible(one.key), "", is_bad=False, state="", notes=_visible(one.notes), error="", href="")
        for one in found.notes[:MOST_SHOWN]
    ]


def _found(found: ImportShown) -> Found:
    words = FlagFiles.tried if found.dryRun else FlagFiles.imported
    counts = ("created", "updated", "unchanged", "existing", "failed")
    title = words.format(
        source=FlagFiles.sources[found.source], **{name: figures.count(getattr(found, name)) for name in counts}
    )
    notes = list(_visible(found.notes))
    if found.inactive:
        notes.append(FlagFiles.inactive[found.inactive == 1].format(count=figures.count(found.inactive)))
    if len(found.flags) > MOST_SHOWN:
        notes.append(FlagFiles.more.format(count=figures.count(len(found.flags) - MOST_SHOWN)))
    rows = [_flag(one) for one in found.flags[:MOST_SHOWN]] + [_group(one) for one in found.targetGroups[:MOST_SHOWN]]
    return Found(title, tuple(notes), tuple(rows))


def _flag(one: FlagRow) -> Row:
    return Row(
        name=figures.visible(one.key) or str(one.row),
        status=FlagFiles.statuses[one.status],
        is_bad=one.status == "failed",
        state=FlagList.statuses[one.flagStatus] if one.flagStatus not in {None, "active"} else "",
        notes=_visible(one.notes),
        error=figures.visible(one.error),
        href=f"{HOME}/{one.flagId}" if one.flagId else "",
    )


def _group(one: GroupRow) -> Row:
    name = f"{FlagFiles.group} {figures.visible(one.name)}"
    status = FlagFiles.statuses[one.status]
    error = figures.visible(one.error)
    return Row(name, status, one.status == "failed", "", _visible(one.notes), error, "")


def _visible(notes: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(figures.visible(note) for note in notes)
