"""The palette as a page for everyone, and its options for the dialog that Ctrl-K opens."""

from analytics_box.base.translation import _
from analytics_box.web.page.shell import frame
from analytics_box.web.page.visit import Page, PageRequest, Visitor
from analytics_box.web.palette.hit import LONGEST, PaletteHit, PaletteSources, best, palette_search

_KINDS = {
    "here": _("This website"),
    "website": _("Websites"),
    "goal": _("Goals"),
    "funnel": _("Funnels"),
    "report": _("Reports"),
    "segment": _("Segments"),
    "question": _("Saved questions"),
    "link": _("Short links"),
    "monitor": _("Monitors"),
    "status": _("Status pages"),
    "flag": _("Feature flags"),
    "page": _("Pages"),
    "action": _("Actions"),
    "manual": _("Manual"),
}


ON_A_PAGE = 50  # hits of a kind


async def show(visit: Visitor) -> Page:
    """GET /palette?q=: what is found, as a page with links."""
    asked = visit.asked("q").strip()[:LONGEST]
    return visit.pages.show(
        "palette.html", shell=frame(visit.person, "none"), asked=asked, groups=await _groups(visit, asked, ON_A_PAGE)
    )


async def options(visit: Visitor) -> Page:
    """GET /palette/options?q=&here=: the same as options of a list, a few of each kind."""
    asked = visit.asked("q").strip()[:LONGEST]
    return visit.pages.show("palette_options.html", asked=asked, groups=await _groups(visit, asked, 6))


async def _groups(visit: PageRequest, asked: str, most: int) -> list[tuple[str, list[PaletteHit]]]:
    """The hits, by the names of their kinds."""
    question = palette_search(asked, visit.asked("here"), most)
    hits = await visit.parts[PaletteSources].find(visit.call, question)
    return [(_KINDS[kind], found) for kind, found in best(hits, question)]
