"""The sections of a report about the revenue, short links, errors and flags of its website.

Links are those that led visitors to the website. Links, and flags of the organization, are in lists that members with
access to selected resources do not get.
"""

from datetime import datetime

from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.errors import DeadlineExceeded
from analytics_box.base.money import amount_text
from analytics_box.base.translation import _
from analytics_box.figures.asking import PageQuery, UnansweredQuery
from analytics_box.products.errors import group
from analytics_box.products.errors.figures import GROUPS, MOST_GROUPS, known_groups
from analytics_box.products.flags.directory import Flags
from analytics_box.products.flags.history.on_charts import changes_between
from analytics_box.products.flags.history.reading import actor_name
from analytics_box.products.links.clicks.waiting import Clicks
from analytics_box.products.links.lookup import clicked_links
from analytics_box.products.reports.content import ReportFigure, ReportTable, count_row
from analytics_box.query import ranges
from analytics_box.query.ranges import DayRange
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.call import Parts
from analytics_box.web.page.dates import WEEKDAYS

_EMPTY = _("No data in this period.")


async def links_table(
    parts: Parts, website: Website, asking: PageQuery, earlier: DayRange | None, most: int
) -> ReportTable:
    """The short links whose visitors came to the website, the most clicked first. Raises UnansweredQuery."""
    before = None if earlier is None else ranges.window(earlier, asking.zone, None)
    clicks = parts[Clicks]
    await clicks.flush()
    try:
        found = await clicked_links(parts.box_db, clicks.events, website, asking.window, before, most)
    except DeadlineExceeded as late:
        raise UnansweredQuery(late.message) from late
    rows = tuple(count_row(one.name, one.clicks, None if before is None else one.before) for one in found)
    return ReportTable("links", _("Short links"), _("Clicks"), rows, _EMPTY, of_organization=True)


async def revenue_table(asking: PageQuery, compares: bool) -> ReportTable:
    """The revenue in each currency, before refunds. Raises UnansweredQuery."""
    before = ("revenue_overview",) if compares else ()
    now, *then = await asking.rows(("revenue_overview",), before=before)
    earlier = {row["currency"]: float(row["total_revenue"]) for row in then[0]} if then else {}
    rows = []
    for row in now:
        currency, revenue = row["currency"], row["total_revenue"]
        counted = count_row(currency, float(revenue), earlier.get(currency, 0.0) if compares else None)
        rows.append(replace(counted, value=amount_text(revenue, currency)))
    return ReportTable("revenue", _("Revenue"), _("Amount"), tuple(rows), _("No payments in this period."))


async def errors_table(parts: Parts, website: Website, asking: PageQuery, most: int) -> ReportTable:
    """The errors that happened for the first time or came back, those with the most visitors first. Raises
    UnansweredQuery."""
    (rows,) = await asking.rows((), derived=(GROUPS,), limit=MOST_GROUPS)
    states = await parts.box_db.read(lambda db: group.of_website(db, website.id))
    known = await known_groups(asking, rows, states) if rows else ()
    shown = [one for one in known if one.is_new or one.is_back][:most]
    return ReportTable(
        "errors",
        _("New errors"),
        _("Visitors"),
        tuple(
            ReportFigure(
                figures.visible(one.row["name"]) or _("Unknown"),
                figures.count(one.row["users"]),
                one.row["users"],
                change=_("back") if one.is_back else _("new"),
                tone="bad",
            )
            for one in shown
        ),
        _("No new errors in this period."),
    )


async def flag_tables(parts: Parts, website: Website, asking: PageQuery) -> tuple[ReportTable, ...]:
    """The changes of the website's flags, and those of the organization's flags if there are any, each with its
    author. Raises UnansweredQuery."""
    window, flags = asking.window, parts[Flags]
    tables = []
    for owner, title in (
        (website.id, _("Changed flags")),
        (website.organization_id, _("Changed flags of the organization")),
    ):
        try:
            found = await parts.box_db.read(changes_between(flags, [owner], window.start, window.end))
        except DeadlineExceeded as late:
            raise UnansweredQuery(late.message) from late
        is_whole = owner == website.organization_id
        rows = tuple(
            ReportFigure(
                f"{figures.visible(one.version.key)}: {figures.visible(one.text)} ({actor_name(one.version)})",
                WEEKDAYS[datetime.fromtimestamp(one.version.at / 1000, asking.zone).weekday()],
            )
            for one in found
        )
        if rows or not is_whole:
            empty = _("No flag of this website was changed.")
            tables.append(ReportTable("flags", title, "", rows, empty, of_organization=is_whole))
    return tuple(tables)
