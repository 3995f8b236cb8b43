"""A page of figures: its parts, each asked for by itself, and how those that take long come later.

Templates take a `Dashboard`. Parts may be missing (None) while their queries still run; the template then keeps their
places, and the page loads them from `view.part`, as many together as are ready at about the same time.
"""

import asyncio
import re
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import errors
from analytics_box.base.clock import DAY
from analytics_box.base.translation import _
from analytics_box.figures import chart, chips, movers, panels, periods, pickers, places, tiles
from analytics_box.figures.asking import NOTHING, NotePage, PageQuery, SubjectFacts, UnansweredQuery, day_of
from analytics_box.figures.board import Extra, FigureList, PanelPlace, Rows
from analytics_box.figures.chart import SeriesChart
from analytics_box.figures.chips import ChipChoice, ChipGroup
from analytics_box.figures.comparing import compared_days
from analytics_box.figures.converting import key_of, keys
from analytics_box.figures.goals import with_dropoffs, with_goals
from analytics_box.figures.late_parts import (
    BUDGET_SECONDS,
    CLICK_NEXT_SECONDS,
    CLICK_SECONDS,
    NEXT_SECONDS,
    TOGETHER_SECONDS,
    KnownRows,
    LateParts,
    as_they_come,
)
from analytics_box.figures.marks import ChartNote
from analytics_box.figures.movers import Movers
from analytics_box.figures.narrowing_question import question_filters
from analytics_box.figures.panels import Below, Panel
from analytics_box.figures.periods import imported_message
from analytics_box.figures.pickers import (
    ChartChoices,
    ComparisonShown,
    RangeShown,
    chart_choices,
    comparison_shown,
    shading_of,
)
from analytics_box.figures.segmented import SavedSegments, SegmentMenu, with_segment
from analytics_box.figures.spans import days_of, quoted_value
from analytics_box.figures.tiles import Tile
from analytics_box.figures.view import ERROR, View
from analytics_box.query import presence, ranges
from analytics_box.query.imported import ImportedNote
from analytics_box.query.named import LINK
from analytics_box.query.presence import Presence
from analytics_box.query.ranges import DayRange
from analytics_box.query.request import QueryFilterInput
from analytics_box.query.run import QueryRunner
from analytics_box.web.page.dates import USUAL as USUAL_FORMATS
from analytics_box.web.page.dates import Formats, day_text, formats_of
from analytics_box.web.page.visit import PageRequest

_FINGERPRINT: Final = re.compile(r"[0-9a-f]{16}")
Task = asyncio.Task[Any]
# A panel may leave a row out.
MOST_ASKED = panels.COUNTED + 1


class TilesAndChart(Struct, frozen=True):
    """Tiles and chart; `label` is what the chart shows, `anchor` that of its definition."""

    tiles: tuple[Tile, ...]
    chart: SeriesChart
    label: str
    anchor: str
    movers: Movers | None = None


class ExtraPanel(Struct, frozen=True):
    """A small panel with a content of its room; `content` is None while its query still runs. `rows` is their
    number, if that is known before.
    """

    name: str
    title: str
    anchor: str
    content: Any
    of: Extra
    failed: bool = False
    kept: bool = False
    rows: int | None = None


class Dashboard(Struct, frozen=True):
    """Everything below the header of a page of figures, with the parts that are ready.

    `names` are those of the tiles, `filters` those of the fields that can be filtered by. `unread` says what of the
    address could not be shown. `late` are the parts that are still to come; with the chart among them, `notes` are
    those below it, so that their place is kept. One that is `scripted` is taken over by a script of the page that
    stands, which needs nothing around it, and no table in the place of a chart. Parts that are `folded` are asked for
    only when they are unfolded. It `moves` if a line of movers is to come with the figures.
    With `noting` the page shows notes and their form.
    """

    view: View
    zone: str
    range: RangeShown
    comparison: ComparisonShown
    drawing: ChartChoices
    figures: TilesAndChart | None
    lists: tuple[Panel | ExtraPanel, ...]
    names: tuple[str, ...]
    filters: Mapping[str, str]
    figures_failed: bool = False
    chips: tuple[ChipGroup, ...] = ()
    kinds: tuple[ChipChoice, ...] = ()
    unread: tuple[str, ...] = ()
    matches: tuple[ChipChoice, ...] = ()
    joins: tuple[tuple[str, str], ...] = ()
    segments: SegmentMenu | None = None
    late: tuple[str, ...] = ()
    folded: tuple[str, ...] = ()
    moves: bool = False
    noting: NotePage | None = None
    notes: Sequence[ChartNote] = ()
    scripted: bool = False


async def whole(
    visit: PageRequest,
    number: int,
    view: View,
    names: Sequence[str],
    told: SubjectFacts = NOTHING,
) -> Dashboard:
    """The whole page with these of its parts; `number` is what the facts know its subject by. Nothing is known before
    the instant that is `told` or its first fact, whichever came first.

    Parts that are not ready within the budget are fetched by the page itself; where none will be, it is sent before
    they are asked for. What is asked for by a script waits longer, because the old numbers stay until then: a click for
    what is ready soon, others for all of it.
    """
    asking, view = await asking_for(visit, number, view, told)
    notes = await asking.notes_shown()  # before the parts, whose questions keep the processor busy
    folded = () if view.wait else tuple(name for name in names if name in view.of.folded)
    tasks = {name: asyncio.create_task(_part(asking, view, name)) for name in names if name not in folded}
    if not _is_too_soon(visit, asking, view, tasks.values()):
        await as_they_come(tasks.values(), *_budget(visit, view))
    answered, late = _ready(visit, asking, view, tasks)
    below = notes if "figures" in late else ()
    board = _dashboard(asking, view, names, answered, visit.parts[KnownRows])
    return replace(board, late=late, folded=folded, notes=below, scripted=_for_scripts(visit))


def _for_scripts(visit: PageRequest) -> bool:
    return "hx-request" in visit.request.headers


def _is_too_soon(visit: PageRequest, asking: PageQuery, view: View, parts: Collection[Task]) -> bool:
    """Whether none of these parts will be ready within the budget of a page that is opened."""
    if view.wait or _for_scripts(visit):
        return False
    page = asking.of.subject, asking.number, asking.days.length, bool(asking.filters)
    version, late = asking.queries.engines.version, visit.parts[LateParts]
    expected = late.are_expected(page, version)
    late.measure(page, version, parts)
    return expected


def _budget(visit: PageRequest, view: View) -> tuple[float | None, float | None, float | None]:
    """The time that a page waits for its parts, for the first and for the next of them; None for no limit.

    An answer to a click that has none of them would change nothing on the page, so it waits for one.
    """
    headers = visit.request.headers
    if view.wait:
        return None, None, None
    if "hx-boosted" in headers:
        return CLICK_SECONDS, CLICK_SECONDS, CLICK_NEXT_SECONDS
    return (None, None, None) if _for_scripts(visit) else (BUDGET_SECONDS, NEXT_SECONDS, NEXT_SECONDS)


def _ready(
    visit: PageRequest, asking: PageQuery, view: View, tasks: Mapping[str, Task]
) -> tuple[dict[str, Task], tuple[str, ...]]:
    """The parts that are answered, and the names of the others, which are kept for the next request."""
    slow = {name: task for name, task in tasks.items() if not task.done()}
    for name, task in slow.items():
        visit.parts[LateParts].keep(_key(asking, view, name), task)
    return {name: task for name, task in tasks.items() if name not in slow}, tuple(slow)


async def parts(
    visit: PageRequest,
    number: int,
    view: View,
    name: str,
    told: SubjectFacts = NOTHING,
) -> Dashboard:
    """Parts of the page that were not ready in time, by their names with commas between: those that are ready soon
    after the first of them. Raises NotFound."""
    names = tuple(dict.fromkeys(name.split(",")))
    if not all(_is_there(view, one, told) for one in names):
        raise errors.NotFound(_("There is nothing at this address"))
    asking, view = await asking_for(visit, number, view, told)
    kept = {name: visit.parts[LateParts].take(_key(asking, view, name)) for name in names}
    tasks = {name: task or asyncio.create_task(_part(asking, view, name)) for name, task in kept.items()}
    await asyncio.wait(tasks.values(), return_when=asyncio.FIRST_COMPLETED)
    await asyncio.wait(tasks.values(), timeout=TOGETHER_SECONDS)
    answered, late = _ready(visit, asking, view, tasks)
    waited = {name for name, task in kept.items() if task is not None}
    board = _dashboard(asking, view, [*answered], answered, visit.parts[KnownRows], waited)
    return replace(board, late=late, scripted=_for_scripts(visit))


def _is_there(view: View, name: str, told: SubjectFacts) -> bool:
    """Whether the page has a part of this name; some have to be told."""
    extra = view.of.extras.get(name)
    return name in view.of.parts and (extra is None or extra.content is not None or name in told.own)


async def alone(visit: PageRequest, number: int, view: View, told: SubjectFacts) -> tuple[PageQuery, Dashboard]:
    """A page of figures and their chart alone, which wait until they are there; and what it asks with."""
    asking, view = await asking_for(visit, number, view, told)
    task = asyncio.create_task(_part(asking, view, "figures"))
    await asyncio.wait((task,))
    return asking, _dashboard(asking, view, ("figures",), {"figures": task}, visit.parts[KnownRows])


async def empty(
    visit: PageRequest, number: int, view: View, told: SubjectFacts = NOTHING
) -> tuple[PageQuery, Dashboard]:
    """The question of another page of the subject, and the page of figures without its parts: its
    range, its filters, its segments."""
    asking, view = await asking_for(visit, number, view, told)
    board = _dashboard(asking, view, (), {}, visit.parts[KnownRows])
    if not view.of.segmented:
        return asking, board
    return asking, replace(board, segments=await visit.parts[SavedSegments].menu(visit, number, view))


async def imported_totals(
    queries: QueryRunner, subject: str, number: int, days: DayRange, formats: Formats, *, filtered: bool
) -> tuple[str, ...]:
    """The line about imported totals of the range: figures without filters include them."""
    note = await imported_note(queries, subject, number, days)
    if note is None:
        return ()
    first, last = (day_text(date.fromisoformat(day), formats.date) for day in (note.first, note.last))
    return (imported_message(filtered=filtered).format(first=first, last=last),)


async def imported_note(queries: QueryRunner, subject: str, number: int, days: DayRange) -> ImportedNote | None:
    """The days of the range that have imported totals."""
    known = queries.imported
    if known is None or subject != "website" or not known.overlap((number,), days):
        return None
    return await known.note((number,), days, included=True)


async def asking_for(
    visit: PageRequest,
    number: int,
    view: View,
    told: SubjectFacts = NOTHING,
) -> tuple[PageQuery, View]:
    """The question of a page for its visitor, and its view with all that the address leaves open: the filters of the
    segment that it names, its goals, and the usual range of the subject."""
    view = await with_goals(visit, number, await with_segment(visit, number, view))
    zone, now = ranges.zone(view.zone or told.zone or visit.person.time_zone), visit.call.now
    # Visitors share one copy of a dashboard with a zone.
    formats = formats_of(visit.person) if visit.signed_in and not told.zone else USUAL_FORMATS
    queries = visit.parts[QueryRunner]
    if view.of.subject == "website":  # whose events may come to other machines
        first = (await visit.parts[Presence].beginnings((number,))).get(number)
    else:
        first = await presence.first(queries.events, view.of.subject, number)
    begun = min((instant for instant in (told.begun, first) if instant is not None), default=None)
    if told.earliest is not None:
        begun = max(begun or told.earliest, told.earliest)
    view = view.open_for(begun, now)
    since, limit = None if begun is None else day_of(begun, zone), told.first_day(zone)
    days = days_of(view.span, now, zone, since, formats)
    if limit is not None:
        days = DayRange(max(days.first, limit), max(days.last, limit))
    compares = view.range != "all" or view.compare.how == "own"
    against = compared_days(view.compare, days, since, limit) if compares else None
    asking = PageQuery(
        queries,
        number,
        view.of,
        days,
        zone,
        now,
        formats,
        _filters(view),
        view.plain,
        told,
        step=periods.steps_to_draw(view.by, days, against.days.length if against is not None else 0)[0],
        compared=against,
        begun=begun,
        said=(
            *await _unknown_links(queries, number, view),
            *await imported_totals(
                queries, view.of.subject, number, days, formats, filtered=bool(_filters(view) or told.only)
            ),
        ),
    )
    return asking, await _with_errors(asking, await with_dropoffs(visit, number, view))


async def _with_errors(asking: PageQuery, view: View) -> View:
    """The view with the latest messages of the error groups that its filters name by their fingerprints."""
    named = {value for item in view.filters.items if item.field == ERROR for value in item.values}
    groups = sorted(value for value in named if _FINGERPRINT.fullmatch(value))
    if not groups:
        return view
    only = QueryFilterInput(field="fingerprint", op="in", value=[*groups])
    try:
        (rows,) = await replace(asking.everything, filters=(only,)).rows(("error_fingerprints",), limit=len(groups))
    except UnansweredQuery:
        return view
    return replace(view, named=(*view.named, *((row["fingerprint"], row["name"]) for row in rows)))


async def _unknown_links(queries: QueryRunner, number: int, view: View) -> tuple[str, ...]:
    """Remarks on short links that filters name and that do not exist, such as renamed ones."""
    items = (*view.filters.items, *(view.segment.filters.items if view.segment is not None else ()))
    called = dict.fromkeys(value for item in items if item.field == LINK for value in item.values)
    unknown = [one for one in called if not await queries.links_called((number,), (one,))]
    return tuple(_("No short link is named “{name}”.").format(name=quoted_value(one)) for one in unknown)


def _filters(view: View) -> tuple[QueryFilterInput, ...]:
    """The filters of a view and of its segment."""
    own = question_filters(view.filters, view.goal_ids)
    return (*own, *(question_filters(view.segment.filters, view.goal_ids) if view.segment is not None else ()))


def _key(asking: PageQuery, view: View, name: str) -> tuple[object, ...]:
    """All that the content of a part depends on but the instant."""
    plain = replace(view, unread=())
    return asking.number, asking.days, asking.compared, asking.zone.key, asking.formats, asking.told.only, plain, name


def _dashboard(
    asking: PageQuery,
    view: View,
    names: Sequence[str],
    answered: Mapping[str, Task],
    known: KnownRows,
    waited: Collection[str] = (),
) -> Dashboard:
    """The page of the parts that are answered; the others are left to be fetched. Of those that it `waited` for the
    page has kept the place."""
    failed = {name for name, task in answered.items() if isinstance(task.exception(), UnansweredQuery)}
    ready = {name: task.result() for name, task in answered.items() if name not in failed}
    of, words = view.of, view.of.words
    about = of.about(view.plain)
    theirs = asking.compared.days.length if asking.compared is not None else 0
    _rest, not_drawn = periods.steps_to_draw(view.by, asking.days, theirs)
    return Dashboard(
        view=view,
        zone=asking.zone.key,
        range=pickers.range_shown(view, asking.days, asking.wall.date(), asking.formats, asking.steps),
        comparison=comparison_shown(view, asking.days, asking.compared, asking.formats, so_far=bool(asking.until)),
        drawing=chart_choices(view, asking.days, asking.steps, theirs),
        unread=(*view.unread, *asking.said, *((not_drawn,) if not_drawn else ())),
        noting=asking.told.noting,
        moves=_moves(asking, view),
        figures=ready.get("figures"),
        figures_failed="figures" in failed,
        lists=tuple(
            _list_shown(asking, view, name, ready, known, failed=name in failed, late=name in waited)
            for name in names
            if name != "figures"
        ),
        chips=chips.chips(view),
        kinds=chips.kinds(view),
        matches=chips.matches(view),
        joins=chips.joins(view),
        names=tuple(about.names[one.name] for one in view.metrics),
        filters={field: words.filters[field] for field in of.fields if field in words.filters},
    )


def _list_shown(
    asking: PageQuery, view: View, name: str, ready: Mapping[str, Any], known: KnownRows, *, failed: bool, late: bool
) -> Panel | ExtraPanel:
    """A panel or a small one, without its content if that is not ready."""
    of = view.of
    if name in of.extras:
        rows = asking.told.rows.get(name)
        about = of.words.tabs[name], of.words.anchors[name]
        return ExtraPanel(name, *about, ready.get(name), of.extras[name], failed, late, rows)
    if name in ready:
        return _filled_panel(asking, view, ready[name], known, late=late)
    return _waiting(asking, view, name, known, failed=failed)


def _waiting(asking: PageQuery, view: View, name: str, known: KnownRows, *, failed: bool) -> Panel:
    """A panel whose rows are not there yet, with their place."""
    shown = view.list_of(name)
    panel = panels.panel(view, name, None, failed=failed, expected=_expected_rows(asking, shown, known))
    return replace(panel, kept=_place(asking, shown, known))


def _filled_panel(asking: PageQuery, view: View, panel: Panel, known: KnownRows, *, late: bool) -> Panel:
    """A panel with its rows. If its height was unknown, it stays as high as the place that was kept for it."""
    place = _place(asking, panel.shown, known) if late else ""
    known.rows.put(_list(asking, panel.shown), len(panel.bars or ()))
    return replace(panel, kept=place)


def _place(asking: PageQuery, shown: str, known: KnownRows) -> str:
    """The class of the place for a list with an unknown number of rows."""
    return panels.place_of(_expected_rows(asking, shown, known)) if known.rows.get(_list(asking, shown)) is None else ""


def _expected_rows(asking: PageQuery, shown: str, known: KnownRows) -> int | None:
    """The expected number of rows of a list: as many as when it was last shown; few if data has just
    begun to arrive."""
    new = asking.begun is None or asking.now - asking.begun < DAY
    found = known.rows.get(_list(asking, shown))
    return panels.FEW if found is None and new else found


def _list(asking: PageQuery, shown: str) -> tuple[object, ...]:
    return asking.of.subject, asking.number, shown


async def _part(asking: PageQuery, view: View, name: str) -> Any:
    if name == "figures":
        return await _figures(asking, view)
    if name in view.of.extras:
        return await _extra(asking, view, name)
    return await _panel(asking, view, name)


async def _figures(asking: PageQuery, view: View) -> TilesAndChart:
    """Tiles and chart. Raises UnansweredQuery."""
    of, drawn, against = view.of, view.charted[view.metric], asking.compared
    second = view.charted.get(view.beside)
    series = (drawn.series, *((second.series,) if second is not None else ()))
    types = tuple(dict.fromkeys((*(metric.total for metric in view.metrics), *series)))
    compares = against is not None and not against.nothing
    totals = tuple(dict.fromkeys(metric.total for metric in view.charted.values())) if compares else ()
    answers = await asking.converting(
        view.aim, keys(of), types, before=(drawn.series,) if compares else (), so_far=totals
    )
    now = dict(zip(types, answers, strict=False))
    before, *then = answers[len(types) :] or (None,)
    explained = await _movers(asking, view, now, dict(zip(totals, then, strict=True)))
    known = against is None or against.begun is None
    names, anchors = of.about(view.plain).names, of.words.anchors
    return TilesAndChart(
        tiles=tiles.tiles(
            view,
            now,
            dict(zip(totals, then, strict=True)) if known else None,
            so_far=bool(asking.until),
            fair=against is None or against.fair,
        ),
        chart=chart.chart(
            drawn,
            now[drawn.series],
            before,
            axis=asking.axis,
            previous_last=against.days.last if against is not None else None,
            second=(second, now[second.series]) if second is not None else None,
            outages=await asking.outages_shown(),
            notes=await asking.notes_shown(),
        ),
        label=names[drawn.name],
        anchor=anchors[drawn.name],
        movers=explained,
    )


async def _movers(asking: PageQuery, view: View, now: Mapping[str, Rows], then: Mapping[str, Rows]) -> Movers | None:
    """The movers of the range. The panel of the same list also asks the first of these questions, which the
    engine answers once. Raises UnansweredQuery."""
    if not _moves(asking, view):
        return None
    explanation = view.of.explained_by[0]
    type_name = view.of.lists[explanation.listed].type
    rows, before = await asking.rows((type_name,), so_far=(type_name,), limit=MOST_ASKED)
    total, field = explanation.total
    earlier, counted = then[total][0][field], now[total][0][field]
    if earlier == counted:
        return None
    return movers.movers(view, explanation, (before, rows), (earlier, counted), limit=MOST_ASKED)


def _moves(asking: PageQuery, view: View) -> bool:
    """Whether the page has a line of movers."""
    return any(movers.can_be_explained(view, asking.compared, one) for one in view.of.explained_by[:1])


async def _panel(asking: PageQuery, view: View, name: str) -> Panel:
    """A list. Raises UnansweredQuery.

    What its shares are of is asked for by the tiles anyway, and the engine is asked once.
    """
    listed = view.of.lists[view.list_of(name)]
    below = await _below(asking, view, listed) if listed.look == "map" else None
    if below is not None:
        listed = view.of.lists[below.name]
    whole = view.of.wholes.get(listed.counted)
    types = [listed.type] if whole is None else [listed.type, whole[0]]
    rows, *in_all = await asking.converting(view.aim, {listed.type: key_of(listed)}, types, limit=MOST_ASKED)
    return panels.panel(view, name, rows, whole=None if whole is None else in_all[0][0][whole[1]], below=below)


async def _below(asking: PageQuery, view: View, listed: FigureList) -> Below:
    """The list below a map, and the countries on it, if the page is zoomed in. Raises UnansweredQuery."""
    wide = places.everywhere(view, listed)
    everywhere = replace(asking, filters=_filters(wide), plain=wide.plain)
    keyed = {listed.type: key_of(listed)}
    (countries,) = await everywhere.converting(view.aim, keyed, [listed.type], limit=panels.COUNTRIES)
    *within, last = places.candidates(view, listed)
    for name in within:
        (rows,) = await asking.rows([view.of.lists[name].type], limit=MOST_ASKED)
        if places.says_something(view.of.lists[name], rows):
            return Below(name, countries)
    return Below(last, countries)


async def _extra(asking: PageQuery, view: View, name: str) -> Any:
    """Raises UnansweredQuery."""
    extra = view.of.extras[name]
    if extra.content is None:
        return await asking.told.own[name](asking)
    answers = await asking.converting(view.aim, extra.keyed, extra.types, limit=extra.limit)
    place = PanelPlace(
        view.plain, lambda wanted: view.narrowed(wanted).link(), shading_of(view, extra.shaded), asking.formats
    )
    return extra.content(answers, place)
