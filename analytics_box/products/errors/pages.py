"""The errors of a website: the list of groups."""

import re
from base64 import urlsafe_b64encode
from collections.abc import Mapping, Sequence
from typing import Any, Final

from litestar.params import FromPath
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.translation import _, ngettext
from analytics_box.figures import export, page, suggesting
from analytics_box.figures.asking import PageQuery, UnansweredQuery
from analytics_box.figures.detail_view import TableState
from analytics_box.figures.export import ExportSheet
from analytics_box.figures.view import View, read_view
from analytics_box.products.errors import group
from analytics_box.products.errors.figures import GROUPS, MOST_GROUPS, KnownGroup, known_groups, trends
from analytics_box.products.errors.group import State
from analytics_box.products.overview.board import WEBSITE
from analytics_box.query.catalog.types import Record
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.rules import Website
from analytics_box.tenants.websites.shell import site_shell
from analytics_box.web.page import dates
from analytics_box.web.page.visit import Answer, Next, PageRequest, Visitor

PER_PAGE: Final = 25
TABS: Final[dict[State, str]] = {"open": _("Open"), "resolved": _("Resolved"), "ignored": _("Ignored")}
_EMPTY: Final = {
    "open": _("No open errors in this range."),
    "resolved": _("No resolved errors in this range."),
    "ignored": _("No ignored errors in this range."),
}
EARLIER: Final = _("before: {value}")
_WIDTH, _HEIGHT = 160, 28
FINGERPRINT: Final = re.compile(r"[0-9a-f]{16}")
# No hexadecimal digit, so that it cannot begin a fingerprint.
ENCODED: Final = "m"


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


async def show(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """GET /sites/{id}/errors: the groups of a range, those that affect most visitors first. Raises NotFound."""
    website = own(visit.call, website_id)
    view = read_view(path_of(website), visit.request.query_params, WEBSITE, ("state",))
    settled = await suggesting.redirect_with_values(visit, website.site, view)
    if settled is not None:
        return settled
    asking, board = await page.empty(visit, website.site, view)
    state: State = next((one for one in TABS if one == view.own_value("state")), "open")
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
                for name, label in TABS.items()
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


async def file(visit: Visitor, website_id: FromPath[str], form: FromPath[str]) -> Next:
    """GET /sites/{id}/errors/export/{form}: the error groups of the range. Raises NotFound, RateLimited or
    Unavailable."""
    website = own(visit.call, website_id)
    view = read_view(path_of(website), visit.request.query_params, WEBSITE, ("state",))
    states = await visit.call.read(lambda db: group.of_website(db, website.id))

    async def sheet(asking: PageQuery) -> ExportSheet:
        (rows,) = await asking.rows((), derived=(GROUPS,), limit=export.MOST_ROWS)
        known = await known_groups(asking, rows, states)
        names = tuple(output.name for output in GROUPS.outputs)
        return ExportSheet("errors", (*names, "state"), [{**one.row, "state": one.state} for one in known])

    return await export.file(visit, website.site, view, ("errors",), form, own={"errors": sheet})


def path_of(website: Website, fingerprint: str = "") -> str:
    """The path of a group, or of the list. Groups that are named by a message, of an earlier version, have it
    encoded."""
    home = f"/sites/{website.id}/errors"
    if not fingerprint:
        return home
    if not FINGERPRINT.fullmatch(fingerprint):
        fingerprint = ENCODED + urlsafe_b64encode(fingerprint.encode()).decode().rstrip("=")
    return f"{home}/{fingerprint}"


def _tiles(summary: Record, before: Record, known: Sequence[KnownGroup]) -> tuple[ErrorTile, ...]:
    new, back = sum(one.is_new for one in known), sum(one.is_back for one in known)
    news = (
        ngettext("{count} new", "{count} new", new).format(count=new) if new else "",
        ngettext("{count} back", "{count} back", back).format(count=back) if back else "",
    )
    return (
        ErrorTile(
            _("Errors"),
            figures.count(summary["totalErrors"]),
            EARLIER.format(value=figures.count(before["totalErrors"])),
        ),
        ErrorTile(
            _("Visitors affected"),
            figures.count(summary["affectedUsers"]),
            EARLIER.format(value=figures.count(before["affectedUsers"])),
        ),
        ErrorTile(
            _("Sessions affected"),
            figures.percent(summary["errorRate"]),
            EARLIER.format(value=figures.percent(before["errorRate"])),
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
        place=figures.visible(f"{script_of(row)} · {row['path']}" if row["filename"] else row["path"]),
        href=replace(view, path=path_of(website, row["fingerprint"]), detail=TableState(), own=()).link(),
        badge=figures.visible(badge),
        is_back=one.is_back,
        points=_points([*by_bucket(asking, series.get(row["fingerprint"], {})).values()]),
        count=figures.count(row["count"]),
        visitors=figures.count(row["users"]),
        seen=dates.exact(row["last_seen"], visit.person),
    )


def script_of(row: Record) -> str:
    """The script and line of the latest error of a group."""
    name = row["filename"].partition("?")[0].rpartition("/")[2] or row["filename"]
    return f"{name}:{row['line']}" if row["line"] else name


def by_bucket(asking: PageQuery, series: Mapping[str, int]) -> dict[str, int]:
    """The errors of each bucket of the range, by its label."""
    return {bucket.label: series.get(bucket.label, 0) for bucket in asking.buckets}


def _points(counts: Sequence[int]) -> str:
    """The points of a line of counts, as SVG has them."""
    most = max(counts, default=0)
    if len(counts) < 2 or not most:
        return ""
    wide = _WIDTH / (len(counts) - 1)
    return " ".join(f"{place * wide:.1f},{_HEIGHT - count * _HEIGHT / most:.1f}" for place, count in enumerate(counts))
