"""A monitor's own page: how it is, how it was, how quickly it answers; its parts as fragments; what is done to it."""

from collections.abc import Sequence
from functools import partial
from itertools import islice
from typing import Final

from litestar.params import FromPath
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.clock import DAY
from analytics_box.base.errors import BadRequest
from analytics_box.base.facts.spans import read_spans
from analytics_box.base.facts.uptime import DEGRADED, DOWN, UptimeSpan
from analytics_box.base.translation import _
from analytics_box.figures import export, page, tables
from analytics_box.figures.asking import Outages, SubjectFacts
from analytics_box.figures.board import Board, BoardSubject, Extra, FigureList, Filters, Metric, PanelPlace, Rows, Words
from analytics_box.figures.details import COLUMN_LABELS
from analytics_box.figures.panels import BarRow
from analytics_box.figures.view import View, read_view
from analytics_box.products.monitors import calls
from analytics_box.products.monitors import outages as monitor_outages
from analytics_box.products.monitors.access import viewable_monitor
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.editing import calls as procedures
from analytics_box.products.monitors.figures.view import (
    CHECKS,
    HISTORY,
    PHASE_LABELS,
    STATUS_LABELS,
    WINDOW_LABELS,
    monitor_view,
    spans_within,
)
from analytics_box.products.monitors.monitor import HOME, Kind, Monitor, MonitorId
from analytics_box.products.monitors.outages import outages
from analytics_box.products.monitors.page_frame import DONE, OutageReport, Reporting, frame
from analytics_box.query.access import ReadScope
from analytics_box.query.catalog.types import Record
from analytics_box.query.request import GivenParameter, GivenQuery, check
from analytics_box.query.run import QueryRunner
from analytics_box.tenants.websites.directory import Directory
from analytics_box.web.page.questions import ConfirmationTexts
from analytics_box.web.page.resource_form import DeletePages, DeleteQuestion
from analytics_box.web.page.visit import Answer, Next, Page, PageRequest, Visitor

_REASONS = {
    "refused": _("Target not allowed"),
    "dns": _("Name not resolved"),
    "connect": _("Connection failed"),
    "tls": _("TLS or certificate error"),
    "timeout": _("Timed out"),
    "too_large": _("Response too large"),
    "bad_answer": _("Invalid response"),
    "failed": _("Failed"),
    "assertion": _("Condition not met"),
    "late": _("Heartbeat missing"),
    "": _("Server error"),
}
_METRICS = {
    "uptime_percentage": _("Uptime"),
    "downtime_seconds": _("Downtime"),
    "avg_response_time": _("Response time"),
    "p95_response_time": _("95th percentile"),
    "avg_ttfb": _("First byte"),
}
_TABS = {"codes": _("Status codes"), "reasons": _("Failure reasons"), "phases": _("Response phases")}
_EMPTY = {
    "": _("No checks in this range."),
    "phases": _("No measurements in this range."),
    "reasons": _("No failed checks in this range."),
}
_OF_MONITORS = {
    "uptime_percentage": "uptime",
    "downtime_seconds": "uptime",
    "avg_response_time": "response-time",
    "p95_response_time": "response-time",
    "avg_ttfb": "response-time",
    "codes": "check",
    "reasons": "check",
    "phases": "response-time",
}
_SHARES = {
    "count": _("Share of all checks in this range."),
    "": _("Share of the rows in this list."),
}
_DELETE = ConfirmationTexts(
    _("Delete {name}?"),
    _("{url} will no longer be checked. Its history and open alerts are deleted. This cannot be undone."),
    _("Delete {name}"),
)


_TOTALS, _SERIES = "uptime_overview", "uptime_time_series"


def _downtime(rows: Rows, _: Filters) -> float:
    return float(sum(row["downtime_seconds"] or 0 for row in rows))


def _code(code: str) -> str:
    """The label of a status code."""
    return _("No response") if code in {"", "0"} else str(code)


def _status(row: Record) -> str:
    return STATUS_LABELS[row["status"]]


def _reason(reason: str) -> str:
    return _REASONS.get(reason, reason)


METRICS: Final = (
    Metric("avg_response_time", _TOTALS, _SERIES, unit="ms", fewer_is_better=True),
    Metric("p95_response_time", _TOTALS, _SERIES, unit="ms", fewer_is_better=True),
    Metric("avg_ttfb", _TOTALS, _SERIES, unit="ms", fewer_is_better=True),
    Metric("downtime_seconds", _SERIES, _SERIES, unit="seconds", value=_downtime, fewer_is_better=True),
)
LISTS: Final[dict[str, FigureList]] = {
    "codes": FigureList(
        "uptime_status_breakdown", shown="http_code", counted="count", label=_code, detail=_status, icon="pulse"
    ),
    "reasons": FigureList("uptime_reasons", shown="reason", counted="count", label=_reason, icon="check", apart=True),
}


def _phases(answers: Sequence[Rows], _: PanelPlace) -> tuple[BarRow, ...]:
    """The average duration of each phase in the range, and its share of the total."""
    (rows,) = answers
    means = {name: _mean(rows, f"avg_{name}") for name in PHASE_LABELS}
    whole = sum(mean for mean in means.values() if mean is not None)
    largest = max((mean for mean in means.values() if mean is not None), default=0)
    return tuple(
        BarRow(
            label=PHASE_LABELS[name],
            detail="",
            value=figures.milliseconds(mean),
            share=figures.percent(100 * mean / whole if whole else 0),
            width=figures.bar_width(mean, largest),
        )
        for name, mean in means.items()
        if mean is not None
    )


def _mean(rows: Rows, name: str) -> float | None:
    """The mean over the buckets, each weighed by its checks; None of nothing."""
    found = [(row[name], row["checks"]) for row in rows if row[name] is not None]
    checks = sum(count for _rest, count in found)
    return sum(mean * count for mean, count in found) / checks if checks else None


MONITOR: Final = Board(
    subject="monitor",
    metrics=METRICS,
    lists=LISTS,
    panels={"codes": ("codes",), "reasons": ("reasons",)},
    extras={
        "phases": Extra(("uptime_phases",), _phases, "bars", _("On average"), _("No measurements in this range.")),
    },
    about=lambda _rest: BoardSubject({**_METRICS, "count": _("Checks")}, lambda query_type: query_type),
    ghosts=4,
    words=Words(
        tabs=_TABS,
        empty=_EMPTY,
        filters={},
        anchors=_OF_MONITORS,
        shares=_SHARES,
        columns=COLUMN_LABELS,
    ),
)
# What has no status of HTTP is up or not; and of one that waits to be told, nothing is timed.
_WITHOUT_STATUS: Final = replace(MONITOR, panels={"reasons": ("reasons",)})
_UNTIMED: Final = replace(
    _WITHOUT_STATUS,
    metrics=(Metric("uptime_percentage", _TOTALS, _SERIES, unit="uptime"), METRICS[-1]),
    extras={},
)


def board_of(kind: Kind) -> Board:
    """The board of monitors of this kind."""
    if kind == "http":
        return MONITOR
    return _UNTIMED if kind == "push" else _WITHOUT_STATUS


_WORTH_TELLING = frozenset(("down", "degraded", "verifying"))
MOST_TWINS = 5
LONGEST_DAYS = max(WINDOW_LABELS)


async def monitor_page(visit: Visitor, monitor_id: FromPath[str]) -> Page:
    """GET /monitors/{id}. Raises NotFound."""
    monitor, now = await viewable_monitor(visit.call, monitor_id), visit.call.now
    known = visit.parts[Monitors]
    view = _view(visit, monitor)
    asking, view = await page.asking_for(visit, monitor.number, view)
    window = asking.window
    spans = await _spans(visit, monitor, min(window.start, now - LONGEST_DAYS * DAY))
    incidents, maintenance = spans_within(spans, window)
    names = ("figures", *view.of.panels, *view.of.extras)
    return visit.pages.show(
        "monitor.html",
        shell=frame(visit.person),
        monitor=monitor_view(
            monitor,
            known.state_of(monitor),
            spans,
            incidents,
            maintenance,
            await _causes(visit, monitor, incidents),
            await _checks(visit, monitor),
            _names(visit, monitor),
            _twins(known, monitor),
            visit.person,
            now,
            visit.parts.settings.public_url,
        ),
        board=await page.whole(visit, monitor.number, view, names, SubjectFacts(_outages(visit, monitor))),
        editable=visit.person.may("member"),
        reports=_reports(visit, monitor),
        done=DONE.get(visit.asked("done"), ""),
    )


async def monitor_part(visit: Visitor, monitor_id: FromPath[str], name: FromPath[str]) -> Page:
    """GET /monitors/{id}/parts/{name}: parts of the page that were not ready in time. Raises NotFound."""
    monitor = await viewable_monitor(visit.call, monitor_id)
    board = await page.parts(visit, monitor.number, _view(visit, monitor), name, SubjectFacts(_outages(visit, monitor)))
    return visit.pages.show("part.html", board=board)


async def _find(visit: PageRequest) -> tuple[None, Monitor]:
    monitor = await viewable_monitor(visit.call, visit.path("monitor_id"))
    return None, monitor


DELETION: Final = DeletePages(
    find=_find,
    question=lambda visit, _owner, monitor: DeleteQuestion(
        _DELETE, frame(visit.person), monitor.called, f"{HOME}/{monitor.id}", {"url": monitor.url}
    ),
    delete=lambda visit, _owner, monitor: procedures.delete_schedule(visit.call, MonitorId(monitor.id)),
    after=lambda _owner, _form: f"{HOME}?done=deleted",
)


async def act(visit: Visitor, monitor_id: FromPath[str], action: FromPath[str]) -> Next:
    """POST /monitors/{id}/{action}: check, pause, resume or rotate. Raises NotFound or BadRequest."""
    given, back = MonitorId(monitor_id), f"{HOME}/{monitor_id}"
    match action:
        case "check":
            await calls.manual_check(visit.call, given)
            return visit.go(f"{back}?done=checked")
        case "pause":
            await procedures.pause_schedule(visit.call, given)
            return visit.go(f"{back}?done=paused")
        case "resume":
            await procedures.resume_schedule(visit.call, given)
            return visit.go(f"{back}?done=resumed")
        case "rotate":
            await procedures.rotate_push_url(visit.call, given)
            return visit.go(f"{back}?done=rotated")
    raise BadRequest(_("Choose check, pause, resume or new address"))


def _reports(visit: PageRequest, monitor: Monitor) -> list[OutageReport]:
    """Places in which an outage can be announced, while there is one or it is announced."""
    live = visit.parts[Monitors].state_of(monitor)
    found = visit.parts[Reporting].of(visit.call, monitor.id, monitor.organization_id)
    return [one for one in found if one.is_told or (live is not None and live.state in _WORTH_TELLING)]


async def monitor_details(visit: Visitor, monitor_id: FromPath[str], name: FromPath[str]) -> Answer:
    """GET /monitors/{id}/details/{list}: all rows of a list. Raises NotFound."""
    monitor = await viewable_monitor(visit.call, monitor_id)
    return await tables.show(
        visit,
        monitor.number,
        _view(visit, monitor, f"/details/{name}"),
        name,
        home=f"{HOME}/{monitor.id}",
        shell=frame(visit.person),
        subject=monitor.called,
    )


async def monitor_details_file(
    visit: Visitor, monitor_id: FromPath[str], name: FromPath[str], form: FromPath[str]
) -> Next:
    """GET /monitors/{id}/details/{list}/{form}: the same rows as csv or json. Raises NotFound."""
    monitor = await viewable_monitor(visit.call, monitor_id)
    return await tables.file(visit, monitor.number, _view(visit, monitor, f"/details/{name}"), name, form)


async def monitor_export(visit: Visitor, monitor_id: FromPath[str], form: FromPath[str]) -> Next:
    """GET /monitors/{id}/export/{form}: its figures of a range as csv or json. Raises NotFound, or RateLimited."""
    monitor = await viewable_monitor(visit.call, monitor_id)
    view = _view(visit, monitor)
    return await export.file(visit, monitor.number, view, (*view.of.panels, *view.of.extras), form)


def _view(visit: PageRequest, monitor: Monitor, rest: str = "") -> View:
    return read_view(f"{HOME}/{monitor.id}{rest}", visit.request.query_params, board_of(monitor.kind))


async def _spans(visit: PageRequest, monitor: Monitor, since: int) -> Sequence[UptimeSpan]:
    found = await visit.parts[QueryRunner].events.read(
        lambda db: read_spans(db, "monitor_spans", (monitor.number,), since)
    )
    return found[monitor.number]


async def _causes(visit: PageRequest, monitor: Monitor, incidents: Sequence[UptimeSpan]) -> dict[int, str]:
    caused = [span for span in incidents[-HISTORY:] if span.state in {DOWN, DEGRADED}]
    if not caused:
        return {}
    return await visit.parts[QueryRunner].events.read(lambda db: monitor_outages.causes(db, monitor.number, caused))


def _outages(visit: PageRequest, monitor: Monitor) -> Outages:
    return partial(outages, visit.parts[QueryRunner].events, monitor.number)


async def _checks(visit: PageRequest, monitor: Monitor) -> list[Record]:
    """The latest checks, as the query type has them."""
    person, now = visit.person, visit.call.now
    given = GivenQuery(parameters=[GivenParameter("uptime_recent_checks")], preset="last_30d", limit=CHECKS)
    request = check(given, zone_name=person.time_zone, now=now)
    (found,) = await visit.parts[QueryRunner].answer(request, ReadScope((monitor.number,), subject="monitor"))
    return found.data if found.success else []


def _twins(known: Monitors, monitor: Monitor) -> list[Monitor]:
    """Other monitors of the same URL in its organization, up to a few."""
    target = monitor.url, monitor.options.record
    others = (one for one in known.of(monitor.organization_id) if one.number != monitor.number)
    return list(islice((one for one in others if (one.url, one.options.record) == target), MOST_TWINS))


def _names(visit: PageRequest, monitor: Monitor) -> dict[str, str]:
    """The names of its parent and its website, by their ids."""
    parent = visit.parts[Monitors].find(monitor.parent_id) if monitor.parent_id else None
    website = visit.parts[Directory].find(monitor.website_id) if monitor.website_id else None
    names = {parent.id: parent.called} if parent is not None else {}
    return names | ({website.id: website.name} if website is not None else {})
