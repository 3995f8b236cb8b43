"""The errors of a website: the list of groups, and one group with its stack, effects, breakdowns and latest session."""

import asyncio
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlencode

from litestar.params import FromPath
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import errors, figures
from analytics_box.base.translation import _, ngettext
from analytics_box.figures import page, suggesting
from analytics_box.figures.asking import PageQuery, UnansweredQuery
from analytics_box.figures.detail_view import TableState
from analytics_box.figures.view import View, read_view
from analytics_box.products.errors import calls, group
from analytics_box.products.errors.calls import DecidedError
from analytics_box.products.errors.figures import BY, GROUPS, MOST_GROUPS, KnownGroup, known_groups, of_group, trends
from analytics_box.products.errors.group import LONGEST, State
from analytics_box.products.overview.board import WEBSITE
from analytics_box.query import ranges
from analytics_box.query.catalog.types import Record
from analytics_box.query.catalog.values import id_text
from analytics_box.query.filters import UNKNOWN
from analytics_box.tenants.tenancy.messages import message_of
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.rules import Website
from analytics_box.tenants.websites.shell import site_shell
from analytics_box.web.page import dates
from analytics_box.web.page.visit import Answer, PageRequest, Visitor

PER_PAGE: Final = 25
MOST_ROWS: Final = 6
STACK_LINES: Final = 30
WRITER: Final = "member"
_DONE: Final = {
    "resolved": _("The error is resolved. It is listed as open again if it comes back."),
    "ignored": _("The error is ignored."),
    "open": _("The error is open."),
}
_TABS: Final[dict[State, str]] = {"open": _("Open"), "resolved": _("Resolved"), "ignored": _("Ignored")}
_EMPTY: Final = {
    "open": _("No open errors in this range."),
    "resolved": _("No resolved errors in this range."),
    "ignored": _("No ignored errors in this range."),
}
_SPLITS: Final = {
    "path": _("Page"),
    "browser": _("Browser"),
    "system": _("Operating system"),
    "device": _("Device"),
    "country": _("Country"),
    "release": _("Release"),
}
_WIDTH, _HEIGHT = 160, 28
_FINGERPRINT: Final = re.compile(r"[0-9a-f]{16}")
# No hexadecimal digit, so that it cannot begin a fingerprint.
_ENCODED: Final = "m"


class ErrorTile(Struct, frozen=True):
    """A figure, and below it what it is of or what it was before."""

    label: str
    value: str
    note: str = ""


class ErrorLine(Struct, frozen=True):
    """A group in the list. `points` are those of its trend (SVG); `badge` says that it is new or back."""

    name: str
    place: str
    href: str
    badge: str
    is_back: bool
    points: str
    count: str
    visitors: str
    seen: str


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
    stack: tuple[str, ...]
    effects: tuple[ErrorTile, ...]
    effect_text: str
    breakdowns: tuple[ErrorBreakdown, ...]
    session: str
    sessions: str
    state: State
    state_text: str
    has_releases: bool


async def show(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """GET /sites/{id}/errors: the groups of a range, those that affect most visitors first. Raises NotFound."""
    website = own(visit.call, website_id)
    view = read_view(_path(website), visit.request.query_params, WEBSITE, ("state",))
    settled = await suggesting.redirect_with_values(visit, website.site, view)
    if settled is not None:
        return settled
    asking, board = await page.empty(visit, website.site, view)
    state: State = next((one for one in _TABS if one == view.own_value("state")), "open")
    states = await visit.call.read(lambda db: group.of_website(db, website.id))
    content: dict[str, Any] = {"failed": "", "tiles": (), "lines": (), "tabs": (), "earlier": "", "later": ""}
    try:
        (summary,), (before,), rows = await asking.rows(
            ("error_summary",), before=("error_summary",), derived=(GROUPS,), limit=MOST_GROUPS
        )
        known = await known_groups(asking, rows, states)
        listed = [one for one in known if one.state == state]
        here = min(board.view.detail.page, -(-len(listed) // PER_PAGE) or 1)
        chosen = listed[(here - 1) * PER_PAGE : here * PER_PAGE]
        series = await trends(asking, [one.row["fingerprint"] for one in chosen])
    except UnansweredQuery as failed:
        content["failed"] = _("These errors could not be loaded: {why}").format(why=failed)
    else:
        content |= {
            "tiles": _tiles(summary, before, known),
            "lines": [_line(visit, asking, board.view, website, one, series) for one in chosen],
            "tabs": [
                (
                    label,
                    replace(board.view, detail=TableState()).choose({"state": "open"}, state=name),
                    name == state,
                    sum(one.state == name for one in known),
                )
                for name, label in _TABS.items()
            ],
            "earlier": replace(board.view, detail=TableState(page=here - 1)).link() if here > 1 else "",
            "later": replace(board.view, detail=TableState(page=here + 1)).link()
            if here * PER_PAGE < len(listed)
            else "",
        }
    return visit.pages.show(
        "errors.html",
        shell=site_shell(visit, "errors", website),
        site=website,
        board=board,
        empty=_EMPTY[state],
        has_any=bool(content["tiles"]) and any(count for *_rest, count in content["tabs"]),
        **content,
    )


async def show_one(visit: Visitor, website_id: FromPath[str], name: FromPath[str]) -> Answer:
    """GET /sites/{id}/errors/{group}: one group. Raises NotFound."""
    website = own(visit.call, website_id)
    fingerprint = _fingerprint_in(name)
    view = read_view(_path(website, fingerprint), visit.request.query_params, WEBSITE)
    settled = await suggesting.redirect_with_values(visit, website.site, view)
    if settled is not None:
        return settled
    asking, board = await page.empty(visit, website.site, view)
    narrow = replace(asking, filters=(*asking.filters, *of_group(fingerprint)), compared=None)
    story, failed = None, ""
    try:
        story = await _story(visit, asking, narrow, board.view, website, fingerprint)
    except UnansweredQuery as wrong:
        failed = _("This error could not be loaded: {why}").format(why=wrong)
    return visit.pages.show(
        "error_group.html",
        shell=site_shell(visit, "errors", website),
        site=website,
        home=replace(board.view, path=_path(website)).link(),
        board=board,
        story=story,
        failed=failed,
        action=f"{_path(website, fingerprint)}/state",
        may_edit=visit.person.may(WRITER),
        done=_DONE.get(visit.asked("done"), ""),
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
    await calls.update(visit.call, message_of(given, DecidedError, "{message}"))
    return visit.go(f"{_path(website, given['fingerprint'])}?done={given['state']}")


def _path(website: Website, fingerprint: str = "") -> str:
    """The path of a group, or of the list. Groups that are named by a message, of an earlier version, have it
    encoded."""
    home = f"/sites/{website.id}/errors"
    if not fingerprint:
        return home
    if not _FINGERPRINT.fullmatch(fingerprint):
        fingerprint = _ENCODED + urlsafe_b64encode(fingerprint.encode()).decode().rstrip("=")
    return f"{home}/{fingerprint}"


def _fingerprint_in(name: str) -> str:
    """The fingerprint in a path. Raises NotFound."""
    if _FINGERPRINT.fullmatch(name):
        return name
    try:
        text = urlsafe_b64decode(name.removeprefix(_ENCODED) + "==").decode()
    except ValueError:
        text = ""
    if not name.startswith(_ENCODED) or not text or len(text) > LONGEST:
        raise errors.NotFound(_("There is nothing at this address"))
    return text


def _tiles(summary: Record, before: Record, known: Sequence[KnownGroup]) -> tuple[ErrorTile, ...]:
    earlier = _("before: {value}")
    new, back = sum(one.is_new for one in known), sum(one.is_back for one in known)
    news = (
        ngettext("{count} new", "{count} new", new).format(count=new) if new else "",
        ngettext("{count} back", "{count} back", back).format(count=back) if back else "",
    )
    return (
        ErrorTile(
            _("Errors"),
            figures.count(summary["totalErrors"]),
            earlier.format(value=figures.count(before["totalErrors"])),
        ),
        ErrorTile(
            _("Visitors affected"),
            figures.count(summary["affectedUsers"]),
            earlier.format(value=figures.count(before["affectedUsers"])),
        ),
        ErrorTile(
            _("Sessions affected"),
            figures.percent(summary["errorRate"]),
            earlier.format(value=figures.percent(before["errorRate"])),
        ),
        ErrorTile(
            _("Open"), figures.count(sum(one.state == "open" for one in known)), ", ".join(one for one in news if one)
        ),
    )


def _line(
    visit: PageRequest,
    asking: PageQuery,
    view: View,
    website: Website,
    one: KnownGroup,
    series: Mapping[str, Mapping[str, int]],
) -> ErrorLine:
    row = one.row
    badge = _("Back after fix") if one.is_back else ""
    if one.is_new:
        badge = _("New in {release}").format(release=row["release"]) if row["release"] else _("New")
    return ErrorLine(
        name=figures.visible(row["name"]),
        place=figures.visible(f"{_script(row)} · {row['path']}" if row["filename"] else row["path"]),
        href=replace(view, path=_path(website, row["fingerprint"]), detail=TableState(), own=()).link(),
        badge=figures.visible(badge),
        is_back=one.is_back,
        points=_points([*_by_bucket(asking, series.get(row["fingerprint"], {})).values()]),
        count=figures.count(row["count"]),
        visitors=figures.count(row["users"]),
        seen=dates.exact(row["last_seen"], visit.person),
    )


def _script(row: Record) -> str:
    name = row["filename"].partition("?")[0].rpartition("/")[2] or row["filename"]
    return f"{name}:{row['line']}" if row["line"] else name


def _by_bucket(asking: PageQuery, series: Mapping[str, int]) -> dict[str, int]:
    """The errors of each bucket of the range, by its label."""
    window = ranges.window(asking.days, asking.zone, asking.steps, asking.formats.week[0])
    return {bucket.label: series.get(bucket.label, 0) for bucket in window.buckets}


def _points(counts: Sequence[int]) -> str:
    """The points of a line of counts, as SVG has them."""
    most = max(counts, default=0)
    if len(counts) < 2 or not most:
        return ""
    wide = _WIDTH / (len(counts) - 1)
    return " ".join(f"{place * wide:.1f},{_HEIGHT - count * _HEIGHT / most:.1f}" for place, count in enumerate(counts))


async def _story(
    visit: PageRequest, asking: PageQuery, narrow: PageQuery, view: View, website: Website, fingerprint: str
) -> ErrorStory | None:
    """A group, or none if it did not happen in the range. Raises UnansweredQuery."""
    states = await visit.call.read(lambda db: group.of_website(db, website.id))
    grouped, latest, breakdowns, effects = await asyncio.gather(
        narrow.rows((), derived=(GROUPS,), limit=1),
        narrow.rows(("recent_errors",), limit=1),
        narrow.rows((), derived=tuple(BY.values()), limit=MOST_ROWS + 1),
        narrow.rows(("error_customer_impact", "error_route_continuation_comparison")),
    )
    if not grouped[0] or not latest[0]:
        return None
    ((known,), series) = await asyncio.gather(
        known_groups(asking, grouped[0], states, fingerprint), trends(asking, [fingerprint])
    )
    row, example = known.row, latest[0][0]
    (impact,), (compared,) = effects
    decided = states.get(fingerprint)
    went_on = [
        figures.percent(compared[f"{name}_continuation_percent"]) if compared["matched_exposed_sessions"] else "–"
        for name in ("exposed", "control")
    ]
    return ErrorStory(
        name=figures.visible(row["name"]),
        kind=figures.visible(row["error_type"]),
        place=figures.visible(_script(row)) if row["filename"] else "",
        tiles=(
            ErrorTile(_("Errors"), figures.count(row["count"])),
            ErrorTile(_("Visitors"), figures.count(row["users"])),
            ErrorTile(_("Sessions"), figures.count(row["sessions"])),
            ErrorTile(_("First seen"), dates.moment(known.first, visit.person)),
            ErrorTile(_("Last seen"), dates.exact(row["last_seen"], visit.person)),
        ),
        bars=_bars(asking, series.get(fingerprint, {})),
        stack=tuple(figures.visible(line) for line in example["stack"].splitlines()[:STACK_LINES]),
        effects=(
            ErrorTile(
                _("Went on to another page"),
                went_on[0],
                _("with this error"),
            ),
            ErrorTile(
                _("Went on to another page"),
                went_on[1],
                _("without it, on the same pages"),
            ),
            ErrorTile(
                _("Identified visitors"),
                figures.count(impact["linked_visitor_identifiers"]),
                _("of {count} affected").format(count=figures.count(impact["affected_visitor_identifiers"])),
            ),
        ),
        effect_text=_effect_text(compared),
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
        state_text=_("Back after fix")
        if known.is_back
        else _("Resolved in the next release")
        if known.state == "resolved" and decided is not None and decided.in_next_release
        else _TABS[known.state],
        has_releases=bool(row["release"]),
    )


def _effect_text(compared: Record) -> str:
    number = compared["matched_exposed_sessions"]
    if not number:
        return _("No comparable sessions without this error in this range.")
    return _(
        "Compares {count} sessions that had this error with as many that viewed the same pages without it, on the same"
        " day and kind of device."
    ).format(count=figures.count(number))


def _bars(asking: PageQuery, series: Mapping[str, int]) -> tuple[ErrorBar, ...]:
    counted = _by_bucket(asking, series)
    most = max(counted.values(), default=0)
    return tuple(
        ErrorBar(label, figures.bar_width(count, most), figures.count(count)) for label, count in counted.items()
    )


def _breakdown(title: str, rows: Sequence[Record]) -> ErrorBreakdown:
    shown = rows[:MOST_ROWS]
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
        _("Showing the {count} largest.").format(count=MOST_ROWS) if len(rows) > MOST_ROWS else "",
    )


def _session(website: Website, example: Record) -> str:
    """The address of the session of the latest error; empty if it has none."""
    day = example["timestamp"][:10]
    if not example["session_id"] or example["session_id"] == id_text(0):
        return ""
    query = {"range": "custom", "from": day, "to": day, "id": example["session_id"]}
    return f"/sites/{website.id}/session?{urlencode(query)}"
