"""The page of what changed: for each list the rows that explain most of the difference to the compared range."""

from typing import Final

import msgspec
from litestar.params import FromPath
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import errors, figures
from analytics_box.base.translation import _
from analytics_box.figures import details, page, suggesting
from analytics_box.figures.asking import UnansweredQuery
from analytics_box.figures.movers import Movers, can_be_explained, explain
from analytics_box.figures.panels import details_of
from analytics_box.figures.view import View, read_view
from analytics_box.products.overview.board import WEBSITE
from analytics_box.query import sheets
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.rules import Website
from analytics_box.tenants.websites.shell import site_shell
from analytics_box.web.page.visit import Answer, Next, Visitor

_COLUMNS: Final = ("list", "name", "before", "now", "change", "contribution")
_FORMS: Final = {"csv": "text/csv", "json": "application/json"}


class ChangedList(Struct, frozen=True):
    """A list with its movers. `difference` is the whole in words, `details` the address of all its rows."""

    movers: Movers
    name: str
    label: str
    counted: str
    difference: str
    details: str


async def show(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """GET /sites/{id}/changes. Raises NotFound."""
    website = own(visit.call, website_id)
    view = read_view(f"/sites/{website.id}/changes", visit.request.query_params, WEBSITE)
    settled = await suggesting.redirect_with_values(visit, website.site, view)
    if settled is not None:
        return settled
    asking, board = await page.empty(visit, website.site, view)
    changed: tuple[ChangedList, ...] = ()
    failed = ""
    try:
        changed = tuple(_changed_list(board.view, one, website) for one in await explain(asking, board.view))
    except UnansweredQuery as unanswered:
        failed = _("These figures could not be loaded: {why}").format(why=unanswered)
    return visit.pages.show(
        "changes.html",
        shell=site_shell(visit, "changes", website),
        site=website,
        board=board,
        changed=changed,
        comparable=any(can_be_explained(board.view, asking.compared, one) for one in board.view.of.explained_by),
        failed=failed,
    )


async def file(visit: Visitor, website_id: FromPath[str], form: FromPath[str]) -> Next:
    """GET /sites/{id}/changes/export/{form}: the movers as csv or json. Raises NotFound, RateLimited or Unavailable."""
    if form not in _FORMS:
        raise errors.NotFound(_("There is nothing at this address"))
    website, parts = own(visit.call, website_id), visit.parts
    parts.limits.take("export", visit.call.identity.limit_name, parts.settings.limit_export)
    asking, board = await page.empty(
        visit, website.site, read_view(f"/sites/{website.id}/changes", visit.request.query_params, WEBSITE)
    )
    try:
        found = await explain(asking, board.view)
    except UnansweredQuery as failed:
        raise errors.Unavailable(str(failed)) from failed
    rows = [
        {
            "list": one.explanation.listed,
            "name": part.label,
            "before": part.before,
            "now": part.now,
            "change": part.change,
            "contribution": None if part.share is None else round(part.share, 2),
        }
        for one in found
        for part in one.parts
    ]
    if form == "csv":
        content = sheets.file(sheets.lines(_COLUMNS, rows))
    else:
        content = msgspec.json.encode({**details.about(asking.zone, asking.days, board.view), "rows": rows})
    return visit.download(content, _FORMS[form], f"changes-{asking.days.first}-{asking.days.last}.{form}")


def _changed_list(view: View, found: Movers, website: Website) -> ChangedList:
    words, name = view.of.words, found.explanation.listed
    return ChangedList(
        movers=found,
        name=name,
        label=words.tabs[name],
        counted=view.of.about(view.plain).names[found.explanation.counted],
        difference=_("{before} → {now}").format(before=figures.count(found.before), now=figures.count(found.now)),
        details=details_of(replace(view, path=f"/sites/{website.id}"), name),
    )
