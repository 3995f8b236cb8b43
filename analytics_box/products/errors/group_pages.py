"""The page of an error group: stack, effects, breakdowns and latest session, and what members decide about it."""

import asyncio
from base64 import urlsafe_b64decode
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final
from urllib.parse import urlencode

from litestar.params import FromPath
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import errors, figures
from analytics_box.base.translation import _, ngettext
from analytics_box.figures import export, page, suggesting
from analytics_box.figures.asking import PageQuery, UnansweredQuery
from analytics_box.figures.converting import GoalTarget
from analytics_box.figures.detail_view import TableState
from analytics_box.figures.export import ExportSheet
from analytics_box.figures.view import View, read_view
from analytics_box.products.errors import calls, group
from analytics_box.products.errors.calls import DecidedError
from analytics_box.products.errors.figures import (
    BY,
    GROUPS,
    LATEST,
    GoalEffect,
    KnownGroup,
    goal_effect,
    known_groups,
    trends,
)
from analytics_box.products.errors.group import LONGEST, ErrorGroup, State
from analytics_box.products.errors.pages import (
    EARLIER,
    ENCODED,
    FINGERPRINT,
    TABS,
    ErrorTile,
    by_bucket,
    path_of,
    script_of,
)
from analytics_box.products.goals.lookup import active_goals
from analytics_box.products.overview.board import WEBSITE
from analytics_box.products.source_maps.mappings import Stack
from analytics_box.products.source_maps.stacks import original_stack
from analytics_box.query.catalog.types import Record
from analytics_box.query.catalog.values import id_text
from analytics_box.query.filters import UNKNOWN
from analytics_box.query.request import QueryFilterInput
from analytics_box.tenants.tenancy.messages import message_of
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.rules import Website
from analytics_box.tenants.websites.shell import site_shell
from analytics_box.web.page import dates
from analytics_box.web.page.visit import Answer, Next, PageRequest, Visitor

_MOST_ROWS: Final = 6
_MOST_GOALS: Final = 8
_WRITER: Final = "member"
_DONE: Final = {
    "resolved": _("The error is resolved. It is listed as open again if it comes back."),
    "ignored": _("The error is ignored."),
    "open": _("The error is open."),
}

_COUNTS: Final = {"count": _("Errors"), "users": _("Visitors"), "sessions": _("Sessions")}
_SPLITS: Final = {
    "path": _("Page"),
    "browser": _("Browser"),
    "system": _("Operating system"),
    "device": _("Device"),
    "country": _("Country"),
    "release": _("Release"),
}


class ErrorPart(Struct, frozen=True):
    """A value of a breakdown."""

    name: str
    count: str
    visitors: str
    width: str


class ErrorBreakdown(Struct, frozen=True):
    """A breakdown of a group."""

    title: str
    parts: tuple[ErrorPart, ...]
    more: str


class ErrorBar(Struct, frozen=True):
    """The errors of a bucket of the range."""

    label: str
    height: str
    count: str


class ErrorStory(Struct, frozen=True):
    """All that is shown of a group."""

    name: str
    kind: str
    place: str
    tiles: tuple[ErrorTile, ...]
    bars: tuple[ErrorBar, ...]
    stack: Stack
    is_original: bool
    effects: tuple[ErrorTile, ...]
    effect_text: str
    goals: tuple[tuple[str, str, bool], ...]
    goal_effects: tuple[ErrorTile, ...]
    goal_text: str
    breakdowns: tuple[ErrorBreakdown, ...]
    session: str
    sessions: str
    state: State
    state_text: str
    has_releases: bool


async def show(visit: Visitor, website_id: FromPath[str], name: FromPath[str]) -> Answer:
    """GET /sites/{id}/errors/{group}: one group. Raises NotFound."""
    website = own(visit.call, website_id)
    fingerprint = _fingerprint_in(name)
    view = read_view(path_of(website, fingerprint), visit.request.query_params, WEBSITE)
    settled = await suggesting.redirect_with_values(visit, website.site, view)
    if settled is not None:
        return settled
    asking, board = await page.empty(visit, website.site, view)
    narrow = replace(
        asking, filters=(*asking.filters, QueryFilterInput("fingerprint", "eq", fingerprint)), compared=None
    )
    story, failed = None, ""
    try:
        story = await _story(visit, asking, narrow, board.view, website, fingerprint)
    except UnansweredQuery as wrong:
        failed = _("This error could not be loaded: {why}").format(why=wrong)
    return visit.pages.show(
        "error_group.html",
        shell=site_shell(visit, "errors", website),
        site=website,
        home=replace(board.view, path=path_of(website)).link(),
        board=board,
        story=story,
        failed=failed,
        action=f"{path_of(website, fingerprint)}/state",
        may_edit=visit.person.may(_WRITER),
        done=_DONE.get(visit.asked("done"), ""),
    )


async def file(visit: Visitor, website_id: FromPath[str], name: FromPath[str], form: FromPath[str]) -> Next:
    """GET /sites/{id}/errors/{group}/export/{form}: the breakdowns of a group. Raises NotFound, RateLimited or
    Unavailable."""
    website = own(visit.call, website_id)
    fingerprint = _fingerprint_in(name)
    view = read_view(path_of(website, fingerprint), visit.request.query_params, WEBSITE)

    async def sheet(split: str, asking: PageQuery) -> ExportSheet:
        narrow = replace(asking, filters=(*asking.filters, QueryFilterInput("fingerprint", "eq", fingerprint)))
        (rows,) = await narrow.rows((), derived=(BY[split],), limit=export.MOST_ROWS)
        return ExportSheet(split, tuple(output.name for output in BY[split].outputs), rows)

    return await export.file(
        visit, website.site, view, tuple(BY), form, own={split: partial(sheet, split) for split in BY}
    )


async def decide(visit: Visitor, website_id: FromPath[str], name: FromPath[str]) -> Answer:
    """POST /sites/{id}/errors/{group}/state: resolve, ignore or reopen a group. Raises NotFound or BadRequest."""
    website, form = own(visit.call, website_id), await visit.form()
    given: dict[str, Any] = {
        "websiteId": website.id,
        "fingerprint": _fingerprint_in(name),
        "state": form.get("state", ""),
    }
    if form.get("next") == "on" and given["state"] == "resolved":
        given["inNextRelease"] = True
    await calls.update(visit.call, message_of(given, DecidedError))
    return visit.go(f"{path_of(website, given['fingerprint'])}?done={given['state']}")


def _fingerprint_in(name: str) -> str:
    """The fingerprint in a path. Raises NotFound."""
    if FINGERPRINT.fullmatch(name):
        return name
    try:
        text = urlsafe_b64decode(name.removeprefix(ENCODED) + "==").decode()
    except ValueError:
        text = ""
    if not name.startswith(ENCODED) or not text or len(text) > LONGEST:
        raise errors.NotFound(_("There is nothing at this address"))
    return text


async def _story(
    visit: PageRequest, asking: PageQuery, narrow: PageQuery, view: View, website: Website, fingerprint: str
) -> ErrorStory | None:
    """A group, or none if it did not happen in the range. Raises UnansweredQuery."""
    states = await visit.call.read(lambda db: group.of_website(db, website.id))
    grouped, before, latest, breakdowns, effects = await asyncio.gather(
        narrow.rows((), derived=(GROUPS,), limit=1),
        _before(asking, narrow),
        narrow.rows((), derived=(LATEST,), limit=1),
        narrow.rows((), derived=tuple(BY.values()), limit=_MOST_ROWS + 1),
        narrow.rows(("error_customer_impact", "error_route_continuation_comparison")),
    )
    if not grouped[0] or not latest[0]:
        return None
    example = latest[0][0]
    goals = (await active_goals(visit.parts.box_db, website.id))[:_MOST_GOALS]
    goal = next((one for one in goals if view.aim is not None and one.id == view.aim.id), next(iter(goals), None))
    pages = [row["name"] for row in breakdowns[0] if row["name"] != UNKNOWN]
    ((known,), series, stack, effect) = await asyncio.gather(
        known_groups(asking, grouped[0], states, fingerprint),
        trends(asking, [fingerprint]),
        original_stack(visit.call, website.id, example["release"], example["stack"]),
        _effect_on(asking, fingerprint, pages, goal),
    )
    row, ((impact,), (compared,)) = known.row, effects
    return ErrorStory(
        name=figures.visible(row["name"]),
        kind=figures.visible(row["error_type"]),
        place=figures.visible(script_of(row)) if row["filename"] else "",
        tiles=_summary_tiles(visit, known, before),
        bars=_bars(asking, series.get(fingerprint, {})),
        stack=stack,
        is_original=any(line.bundled for line in stack),
        effects=_effect_tiles(impact, compared),
        effect_text=_effect_text(compared),
        goals=tuple((one.name, replace(view, goal=one).link(), one == goal) for one in goals),
        goal_effects=_goal_tiles(effect, goal.name) if goal is not None else (),
        goal_text=_goal_text(effect),
        breakdowns=tuple(
            _breakdown(_SPLITS[name], rows)
            for name, rows in zip(BY, breakdowns, strict=True)
            if any(part["name"] != UNKNOWN for part in rows)
        ),
        session=_session(website, example),
        sessions=replace(view, path=f"/sites/{website.id}/sessions", detail=TableState())
        .narrowed({"error": fingerprint})
        .link(),
        state=known.state,
        state_text=_state_text(known, states.get(fingerprint)),
        has_releases=bool(row["release"]),
    )


def _summary_tiles(visit: PageRequest, known: KnownGroup, before: Mapping[str, int]) -> tuple[ErrorTile, ...]:
    row = known.row
    return (
        *(
            ErrorTile(
                label, figures.count(row[name]), EARLIER.format(value=figures.count(before[name])) if before else ""
            )
            for name, label in _COUNTS.items()
        ),
        ErrorTile(_("First seen"), dates.moment(known.first, visit.person)),
        ErrorTile(_("Last seen"), dates.exact(row["last_seen"], visit.person)),
    )


def _effect_tiles(impact: Record, compared: Record) -> tuple[ErrorTile, ...]:
    """The shares of sessions that went on, with the error and without it, and the affected visitors that are known."""
    with_it, without = (
        figures.percent(compared[f"{name}_continuation_percent"]) if compared["matched_exposed_sessions"] else "–"
        for name in ("exposed", "control")
    )
    return (
        ErrorTile(_("Went on to another page"), with_it, _("with this error")),
        ErrorTile(_("Went on to another page"), without, _("without it, on the same pages")),
        ErrorTile(
            _("Identified visitors"),
            figures.count(impact["linked_visitor_identifiers"]),
            _("of {count} affected").format(count=figures.count(impact["affected_visitor_identifiers"])),
        ),
    )


def _state_text(known: KnownGroup, decided: ErrorGroup | None) -> str:
    if known.is_back:
        return _("Back after fix")
    if known.state == "resolved" and decided is not None and decided.in_next_release:
        return _("Resolved in the next release")
    return TABS[known.state]


async def _before(asking: PageQuery, narrow: PageQuery) -> Mapping[str, int]:
    """The counts of a group in the range that this one is compared with; empty without one. Raises UnansweredQuery."""
    if asking.compared is None or asking.compared.nothing:
        return {}
    (rows,) = await replace(narrow, days=asking.compared.days).rows((), derived=(GROUPS,), limit=1)
    return {name: rows[0][name] if rows else 0 for name in _COUNTS}


async def _effect_on(asking: PageQuery, fingerprint: str, pages: Sequence[str], goal: GoalTarget | None) -> GoalEffect:
    """The effect on a goal, of none without one. Raises UnansweredQuery."""
    if goal is None or not pages:
        return GoalEffect(0, 0, 0, 0)
    return await goal_effect(asking, fingerprint, pages, goal.id)


def _goal_tiles(effect: GoalEffect, name: str) -> tuple[ErrorTile, ...]:
    """The shares of sessions that reached a goal, with the error and without it."""
    label, part = _("Reached “{goal}”").format(goal=name), _("{part} of {whole} sessions")
    parts = ((effect.exposed_reached, effect.exposed), (effect.others_reached, effect.others))
    notes = (_("with this error: {part}"), _("without it, on the same pages: {part}"))
    return tuple(
        ErrorTile(
            label,
            figures.percent(100 * reached / whole) if whole else "–",
            note.format(part=part.format(part=figures.count(reached), whole=figures.count(whole))),
        )
        for (reached, whole), note in zip(parts, notes, strict=True)
    )


def _goal_text(effect: GoalEffect) -> str:
    if not effect.missing_sessions:
        return ""
    return ngettext(
        "At the rate of the sessions without this error, {count} more session would have reached the goal.",
        "At the rate of the sessions without this error, {count} more sessions would have reached the goal.",
        effect.missing_sessions,
    ).format(count=figures.count(effect.missing_sessions))


def _effect_text(compared: Record) -> str:
    number = compared["matched_exposed_sessions"]
    if not number:
        return _("No comparable sessions without this error in this range.")
    return _(
        "Compares {count} sessions that had this error with as many that viewed the same pages without it, on the same"
        " day and kind of device."
    ).format(count=figures.count(number))


def _bars(asking: PageQuery, series: Mapping[str, int]) -> tuple[ErrorBar, ...]:
    counted = by_bucket(asking, series)
    most = max(counted.values(), default=0)
    return tuple(
        ErrorBar(label, figures.bar_width(count, most), figures.count(count)) for label, count in counted.items()
    )


def _breakdown(title: str, rows: Sequence[Record]) -> ErrorBreakdown:
    shown = rows[:_MOST_ROWS]
    most = max((row["count"] for row in shown), default=0)
    return ErrorBreakdown(
        title,
        tuple(
            ErrorPart(
                figures.visible(row["name"]),
                figures.count(row["count"]),
                figures.count(row["users"]),
                figures.bar_width(row["count"], most),
            )
            for row in shown
        ),
        _("Showing the {count} largest.").format(count=_MOST_ROWS) if len(rows) > _MOST_ROWS else "",
    )


def _session(website: Website, example: Record) -> str:
    """The address of the session of the latest error; empty if it has none."""
    day = example["timestamp"][:10]
    if not example["session_id"] or example["session_id"] == id_text(0):
        return ""
    query = {"range": "custom", "from": day, "to": day, "id": example["session_id"]}
    return f"/sites/{website.id}/session?{urlencode(query)}"
