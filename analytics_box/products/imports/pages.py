"""The pages of imports in the settings of a website: upload, what a file would bring, progress, undo."""

from collections.abc import Sequence
from datetime import date
from typing import Final

from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.errors import BadRequest, Conflict, PayloadTooLarge
from analytics_box.base.translation import _, ngettext
from analytics_box.figures.periods import period_text
from analytics_box.products.imports import calls, history_import
from analytics_box.products.imports.calls import OneImport, RefusedShown
from analytics_box.products.imports.history_import import BUSY, IMPORTS, OF_WEBSITE, HistoryImport, ImportDay, State
from analytics_box.products.imports.readers import BY_NAME, READERS
from analytics_box.products.imports.routes import PostedFile
from analytics_box.products.imports.worker import HistoryImports
from analytics_box.query.ranges import DayRange
from analytics_box.tenants.websites.reach import own, own_row
from analytics_box.tenants.websites.rules import Website
from analytics_box.tenants.websites.settings_area import settings_page
from analytics_box.tenants.websites.shell import site_shell
from analytics_box.web.page import dates
from analytics_box.web.page.questions import ConfirmationTexts, ask
from analytics_box.web.page.visit import Again, Answer, Page, PageRequest, Visitor

_MOST_BARS: Final = 120
_STATES: Final[dict[State, str]] = {
    "created": _("Waiting for its file"),
    "uploaded": _("Waiting to be checked"),
    "checking": _("Checking"),
    "checked": _("Ready to import"),
    "running": _("Importing"),
    "done": _("Imported"),
    "failed": _("Failed"),
    "undoing": _("Removing"),
    "undone": _("Undone"),
}
_UNDO: Final = ConfirmationTexts(
    _("Undo the import of {name}?"),
    _("All visits and totals of this import are removed. Visits that this server measured are kept."),
    _("Undo {name}"),
)


class ImportLine(Struct, frozen=True):
    """An import in the list."""

    href: str
    name: str
    about: str
    state: str
    when: str


class DayBar(Struct, frozen=True):
    """A bar of the chart of days: its height from 0 to 100, and its days in words."""

    height: float
    label: str


class NumberShown(Struct, frozen=True):
    """A number of a report with its unit."""

    value: str
    unit: str


async def show(visit: Visitor, website_id: FromPath[str]) -> Page:
    """GET /sites/{id}/settings/import: the imports of a website, and the form of a new one. Raises NotFound."""
    return await _list_page(visit, website_id, Again())


async def upload(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """POST /sites/{id}/settings/import: upload a file, which is checked right away. Raises NotFound."""
    website = own(visit.call, website_id)
    posted = PostedFile(visit.request, "file")
    await posted.begin()
    row: HistoryImport | None = None
    try:
        if not posted.name:
            raise BadRequest.about("file", _("Choose a file"))
        provider = posted.values.get("provider", "")
        if provider and provider not in BY_NAME:
            raise BadRequest.about("provider", _("Select a product from the list"))
        row = await visit.call.write(
            lambda db: history_import.create(db, visit.call.by, website, provider, posted.name)
        )
        await calls.receive_file(visit.call, row, posted.pieces())
    except (BadRequest, PayloadTooLarge, Conflict) as refused:
        if row is not None:
            await calls.undo(visit.call, OneImport(row.id))
        wrong = {one.field: one.message for one in refused.details} or {"file": refused.message}
        return await _list_page(visit, website_id, Again(refused.status, posted.values, wrong))
    return visit.go(f"/sites/{website.id}/imports/{row.id}")


async def show_one(visit: Visitor, website_id: FromPath[str], import_id: FromPath[str]) -> Page:
    """GET /sites/{id}/imports/{import}: what an import brings, and its progress. Raises NotFound."""
    website, row = await own_row(visit.call, IMPORTS.find, "import", import_id, website_id)
    return await _one_page(visit, website, row, Again())


async def start(visit: Visitor, website_id: FromPath[str], import_id: FromPath[str]) -> Answer:
    """POST /sites/{id}/imports/{import}/start: start a checked import. Raises NotFound."""
    website, row = await own_row(visit.call, IMPORTS.find, "import", import_id, website_id)
    try:
        await calls.start(visit.call, OneImport(row.id))
    except (BadRequest, Conflict) as refused:
        return await _one_page(visit, website, row, Again(refused.status, general=refused.message))
    return visit.go(f"/sites/{website.id}/imports/{row.id}")


async def undo_form(visit: Visitor, website_id: FromPath[str], import_id: FromPath[str]) -> Page:
    """GET /sites/{id}/imports/{import}/undo: are you sure? Raises NotFound."""
    website, row = await own_row(visit.call, IMPORTS.find, "import", import_id, website_id)
    here = f"/sites/{website.id}/imports/{row.id}"
    shell = site_shell(visit, "site-settings", website)
    return ask(visit, shell, _UNDO, row.file_name, action=f"{here}/undo", back=here)


async def undo(visit: Visitor, website_id: FromPath[str], import_id: FromPath[str]) -> Answer:
    """POST /sites/{id}/imports/{import}/undo: undo or cancel an import. Raises NotFound."""
    website, row = await own_row(visit.call, IMPORTS.find, "import", import_id, website_id)
    await calls.undo(visit.call, OneImport(row.id))
    return visit.go(f"/sites/{website.id}/imports/{row.id}")


async def _list_page(visit: PageRequest, website_id: str, again: Again) -> Page:
    website = own(visit.call, website_id)
    rows = await visit.call.read(lambda db: IMPORTS.all(db, OF_WEBSITE, website.id))
    most = visit.parts[HistoryImports].most_bytes
    return settings_page(
        visit,
        "imports.html",
        "import",
        website,
        again=again,
        values=again.values,
        readers=READERS,
        lines=[_line(visit, one) for one in rows],
        most=figures.size(most),
    )


def _line(visit: PageRequest, row: HistoryImport) -> ImportLine:
    return ImportLine(
        f"/sites/{row.website_id}/imports/{row.id}",
        figures.visible(row.file_name),
        _title_of(row.provider),
        _STATES[row.state],
        dates.moment(row.created_at, visit.person),
    )


def _title_of(provider: str) -> str:
    return BY_NAME[provider].title if provider in BY_NAME else ""


async def _one_page(visit: PageRequest, website: Website, row: HistoryImport, again: Again) -> Page:
    report = row.report
    progress = await visit.parts[HistoryImports].progress(row)
    return settings_page(
        visit,
        "import.html",
        "import",
        website,
        again=again,
        row=row,
        name=figures.visible(row.file_name),
        provider=_title_of(row.provider),
        title=_STATES[row.state],
        href=f"/sites/{website.id}/imports/{row.id}",
        progress=round(100 * progress),
        runs=row.state in BUSY,
        numbers=_numbers(row),
        bars=_bars(visit, report.days),
        range=_range(visit, report.days),
        refused=[_refusal_row(one) for one in calls.refused_of(report)],
        can_start=row.state == "checked" and report.rows > 0,
        can_undo=row.state not in {"undoing", "undone"},
    )


def _numbers(row: HistoryImport) -> list[NumberShown]:
    report = row.report
    counts = (
        (report.pageviews, ngettext("page view", "page views", report.pageviews)),
        (report.visitors, ngettext("daily visitor", "daily visitors", report.visitors)),
        (len(report.days), ngettext("day", "days", len(report.days))),
    )
    return [NumberShown(figures.count(number), unit) for number, unit in counts]


def _refusal_row(one: RefusedShown) -> tuple[str, str, str]:
    """The number of rows, the reason and the examples."""
    return figures.count(one.rows), one.message, "\n".join(figures.visible(text) for text in one.examples)


def _range(visit: PageRequest, days: Sequence[ImportDay]) -> str:
    if not days:
        return ""
    first, last = (date.fromisoformat(one.date) for one in (days[0], days[-1]))
    return period_text(DayRange(first, last), dates.formats_of(visit.person))


def _bars(visit: PageRequest, days: Sequence[ImportDay]) -> list[DayBar]:
    """The page views by day, or by spans of days that are as long as each other. Days without any have no height."""
    if not days:
        return []
    form = dates.formats_of(visit.person).date
    first = date.fromisoformat(days[0].date).toordinal()
    length = date.fromisoformat(days[-1].date).toordinal() - first + 1
    width = -(-length // _MOST_BARS)
    sums = [0] * -(-length // width)
    for one in days:
        sums[(date.fromisoformat(one.date).toordinal() - first) // width] += one.pageviews
    most = max(sums) or 1
    return [
        DayBar(
            round(100 * number / most, 1),
            f"{dates.day_text(date.fromordinal(first + place * width), form)}: {figures.count(number)}",
        )
        for place, number in enumerate(sums)
    ]
