"""The page of a link as data: its tiles, its lists, and what a click on a row filters by. Pure.

Its clicks are those of people, or visits of another kind, which are not counted: bots, previews, prefetches.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from analytics_box.base.facts.event import BOT, CLICK, KINDS
from analytics_box.base.translation import _
from analytics_box.figures import hours
from analytics_box.figures.board import (
    Board,
    BoardSubject,
    Extra,
    FigureColumn,
    FigureList,
    Filters,
    Kinds,
    Metric,
    Rows,
    Words,
)
from analytics_box.figures.chips import FIELD_LABELS
from analytics_box.figures.details import COLUMN_LABELS
from analytics_box.figures.panels import domain_beside
from analytics_box.query.catalog.links import of_kind
from analytics_box.query.catalog.types import Record
from analytics_box.web.recognition.language import country, display_name

_KINDS = {
    "bot": _("Bots"),
    "preview": _("Link previews"),
    "prefetch": _("Browser prefetches"),
    "head": _("Checks without a redirect (HEAD)"),
}
_DEVICES = {"desktop": _("Desktop"), "mobile": _("Mobile"), "tablet": _("Tablet")}
_RULE_NAMES = {"": _("No rule"), "iosUrl": _("iPhones and iPads"), "androidUrl": _("Android")}
LINK_METRIC_LABELS = {
    "clicks": _("Clicks"),
    "visitors": _("Visitors"),
    "sessions": _("Sessions"),
    "others": _("Excluded"),
}
_OTHER_METRICS = {"clicks": _("Requests"), "visitors": _("Senders")}
_TABS = {
    "sources": _("Sources"),
    "countries": _("Countries"),
    "regions": _("Regions"),
    "cities": _("Cities"),
    "map": _("Map"),
    "devices": _("Devices"),
    "browsers": _("Browsers"),
    "systems": _("Systems"),
    "languages": _("Languages"),
    "variants": _("A/B test"),
    "rules": _("Targeting rules"),
    "kinds": _("Excluded"),
    "bots": _("Bots"),
}
_EMPTY = {
    "": _("No clicks in this range."),
    "kinds": _("No bots, previews or prefetches in this range."),
    "bots": _("No bots in this range."),
}
_FILTERS = {"variant": _("Variant"), "rule": _("Rule")}
LINK_DEFINITIONS = {
    "clicks": "click",
    "visitors": "visitor-of-a-link",
    "sessions": "visit-that-followed",
    "others": "bots-previews-and-prefetches",
    "kinds": "bots-previews-and-prefetches",
    "week": "hours-of-the-week",
    "bots": "bots-previews-and-prefetches",
    "sources": "details-of-a-click",
    "countries": "details-of-a-click",
    "regions": "details-of-a-click",
    "map": "details-of-a-click",
    "cities": "details-of-a-click",
    "devices": "details-of-a-click",
    "browsers": "details-of-a-click",
    "systems": "details-of-a-click",
    "languages": "details-of-a-click",
    "variants": "variants-and-rules",
    "rules": "variants-and-rules",
    "orphans": "orphan-click",
}
_SHARES = {"clicks": _("Share of all clicks in this range."), "": _("Share of the rows in this list.")}


KIND: Final = "kind"
OTHERS: Final = {name: number for number, name in KINDS.items() if number != CLICK}


def _not_counted(rows: Rows, _: Filters) -> float:
    return float(sum(row["clicks"] for row in rows if row["name"] != KINDS[CLICK]))


def _sessions(rows: Rows, filters: Filters) -> float:
    """Sessions are of visitors only."""
    return 0 if KIND in filters else float(rows[0]["sessions"])


def _name_format(names: Mapping[str, str]) -> Callable[[str], str]:
    """A function that formats names, if they are not shown as they are."""
    return lambda name: names.get(name, name)


def _kind(row: Record) -> str:
    """The kind of a bot that is not just a bot, such as a preview; else empty."""
    return _KINDS.get(row["kind"], "") if row["kind"] != KINDS[BOT] else ""


PLACES: Final = ("countries", "regions", "cities")
_VISITORS: Final = FigureColumn("visitors")
_listed: Final = partial(FigureList, counted="clicks", columns=(_VISITORS,))
_apart: Final = partial(FigureList, counted="clicks", apart=True)

METRICS: Final = (
    Metric("clicks", "link_total_clicks", "link_clicks_by_day", field="total"),
    Metric("visitors", "link_total_clicks", "link_clicks_by_day"),
    Metric("sessions", "link_landings", value=_sessions, help=_("on your websites")),
    Metric("others", "link_kinds", value=_not_counted, help=_("bots, previews, prefetches")),
)
LISTS: Final[dict[str, FigureList]] = {
    "sources": _listed("link_top_referrers", "referrer", detail=domain_beside),
    "countries": _listed("link_top_countries", "country", places=True, icon="globe"),
    "regions": _listed("link_top_regions", "region", places=True, within=("country",)),
    "cities": _listed("link_top_cities", "city", places=True, within=("country",)),
    "map": _listed("link_top_countries", "country", places=True, icon="globe", look="map", below=PLACES),
    "devices": _listed("link_top_devices", "device_type", label=_name_format(_DEVICES), icon="browsers"),
    "browsers": _listed("link_top_browsers", "browser_name"),
    "systems": _listed("link_top_systems", "os_name"),
    "languages": _listed("link_top_languages", "language", label=partial(display_name, "language")),
    "variants": _listed("link_variants", "variant", label=_name_format({"": _("No variant")}), icon="switch"),
    "rules": _listed("link_rules", "rule", label=_name_format(_RULE_NAMES), icon="tune"),
    "kinds": _apart("link_kinds", KIND, label=_name_format(_KINDS), icon="info", without=KINDS[CLICK]),
    "bots": _apart("link_top_bots", detail=_kind, columns=(FigureColumn("last_seen", "moment"),)),
}
PANELS: Final[dict[str, tuple[str, ...]]] = {
    "sources": ("sources",),
    "countries": (*PLACES, "map"),
    "devices": ("devices", "browsers", "systems", "languages"),
    "variants": ("variants",),
    "rules": ("rules",),
    "kinds": ("kinds", "bots"),
}
EXTRAS: Final = {
    "week": Extra(
        ("link_hour_of_week",),
        hours.content,
        "week",
        _("Clicks"),
        _("No clicks in this range."),
        limit=hours.ROWS,
        shaded="clicks",
    )
}


def _about(filters: Filters) -> BoardSubject:
    kind = OTHERS.get(filters.get(KIND, ""))
    if kind is None:
        return BoardSubject(LINK_METRIC_LABELS, lambda query_type: query_type)
    names = {**LINK_METRIC_LABELS, **_OTHER_METRICS}
    return BoardSubject(names, lambda query_type: of_kind(query_type, kind), judged=False)


LINK: Final = Board(
    subject="link",
    metrics=METRICS,
    lists=LISTS,
    panels=PANELS,
    extras=EXTRAS,
    kinds=Kinds(
        KIND,
        title=_("Show"),
        names={name: _KINDS[name] for name in OTHERS},
        usual=(KINDS[CLICK], _("Clicks of visitors")),
        chip=_("Excluded"),
    ),
    values={"device_type": _DEVICES, "rule": _RULE_NAMES, KIND: _KINDS},
    stored={"country": country},
    about=_about,
    ghosts=5,
    words=Words(
        tabs={**_TABS, "week": _("Hours of the week")},
        empty=_EMPTY,
        filters={**FIELD_LABELS, **_FILTERS},
        anchors=LINK_DEFINITIONS,
        shares=_SHARES,
        columns=COLUMN_LABELS,
    ),
)
