"""The page of a link as data: its tiles, its lists, and what a click on a row filters by. Pure.

Its clicks are those of people, or visits of another kind, which are not counted: bots, previews, prefetches.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from analytics_box.base.facts.clicks import BOT, CLICK, KINDS
from analytics_box.base.texts import Compact, DefinitionTexts, Details, LinkStats
from analytics_box.base.texts import FilterTexts as FilterWords
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
from analytics_box.figures.panels import domain_beside
from analytics_box.query.catalog.links import of_kind
from analytics_box.query.catalog.types import Record
from analytics_box.web.recognition import called
from analytics_box.web.recognition.called import display_name

KIND: Final = "kind"
OTHERS: Final = {name: number for number, name in KINDS.items() if number != CLICK}


def _not_counted(rows: Rows, _: Filters) -> float:
    return float(sum(row["clicks"] for row in rows if row["name"] != KINDS[CLICK]))


def _sessions(rows: Rows, filters: Filters) -> float:
    """Only people land."""
    return 0 if KIND in filters else float(rows[0]["sessions"])


def _name_format(names: Mapping[str, str]) -> Callable[[str], str]:
    """A function that formats names, if they are not shown as they are."""
    return lambda name: names.get(name, name)


def _kind(row: Record) -> str:
    """The kind of a bot that is not just a bot, such as a preview; else empty."""
    return LinkStats.kinds.get(row["kind"], "") if row["kind"] != KINDS[BOT] else ""


PLACES: Final = ("countries", "regions", "cities")
_VISITORS: Final = FigureColumn("visitors")
_listed: Final = partial(FigureList, counted="clicks", columns=(_VISITORS,))
_apart: Final = partial(FigureList, counted="clicks", apart=True)

METRICS: Final = (
    Metric("clicks", "link_total_clicks", "link_clicks_by_day", field="total"),
    Metric("visitors", "link_total_clicks", "link_clicks_by_day"),
    Metric("sessions", "link_landings", value=_sessions, help=LinkStats.helps["sessions"]),
    Metric("others", "link_kinds", value=_not_counted, help=LinkStats.helps["others"]),
)
LISTS: Final[dict[str, FigureList]] = {
    "sources": _listed("link_top_referrers", "referrer", detail=domain_beside),
    "countries": _listed("link_top_countries", "country", places=True, icon="globe"),
    "regions": _listed("link_top_regions", "region", places=True, within=("country",)),
    "cities": _listed("link_top_cities", "city", places=True, within=("country",)),
    "map": _listed("link_top_countries", "country", places=True, icon="globe", look="map", below=PLACES),
    "devices": _listed("link_top_devices", "device_type", label=_name_format(LinkStats.devices), icon="browsers"),
    "browsers": _listed("link_top_browsers", "browser_name"),
    "systems": _listed("link_top_systems", "os_name"),
    "languages": _listed("link_top_languages", "language", label=partial(display_name, "language")),
    "variants": _listed("link_variants", "variant", label=_name_format({"": LinkStats.no_variant}), icon="switch"),
    "rules": _listed("link_rules", "rule", label=_name_format(LinkStats.rule_names), icon="tune"),
    "kinds": _apart("link_kinds", KIND, label=_name_format(LinkStats.kinds), icon="info", without=KINDS[CLICK]),
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
        LinkStats.metrics["clicks"],
        LinkStats.empty[""],
        limit=hours.ROWS,
        shaded="clicks",
    )
}


def _about(filters: Filters) -> BoardSubject:
    kind = OTHERS.get(filters.get(KIND, ""))
    if kind is None:
        return BoardSubject(LinkStats.metrics, lambda query_type: query_type)
    names = {**LinkStats.metrics, **LinkStats.other_metrics}
    return BoardSubject(names, lambda query_type: of_kind(query_type, kind), judged=False)


LINK: Final = Board(
    subject="link",
    metrics=METRICS,
    lists=LISTS,
    panels=PANELS,
    extras=EXTRAS,
    kinds=Kinds(
        KIND,
        title=LinkStats.about_kind,
        names={name: LinkStats.kinds[name] for name in OTHERS},
        usual=(KINDS[CLICK], LinkStats.people),
        chip=LinkStats.only,
    ),
    values={"device_type": LinkStats.devices, "rule": LinkStats.rule_names, KIND: LinkStats.kinds},
    stored={"country": called.country},
    about=_about,
    ghosts=5,
    words=Words(
        tabs={**LinkStats.tabs, "week": Compact.titles["week"]},
        empty=LinkStats.empty,
        filters={**FilterWords.names, **LinkStats.filters},
        anchors=DefinitionTexts.of_links,
        shares=LinkStats.shares,
        columns=Details.columns,
    ),
)
