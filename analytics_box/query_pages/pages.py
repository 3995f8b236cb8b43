"""The page of a website where people try a query: its rows, its time, its SQL, and the request that asks the same."""

import json
from collections.abc import Mapping

import msgspec
from litestar import Response
from litestar.params import FromPath
from msgspec import UNSET, Struct

from analytics_box.errors import BoxError
from analytics_box.http import body
from analytics_box.http.page.visit import Answer, Next, Page, Visit, Visitor
from analytics_box.query import ranges, sheets, statements
from analytics_box.query.access import Scope
from analytics_box.query.catalog import TYPES, QueryType
from analytics_box.query.catalog.types import Record
from analytics_box.query.filters import Op
from analytics_box.query.ranges import PRESETS
from analytics_box.query.request import DEFAULT_LIMIT, GivenQuery, Request, check
from analytics_box.query.run import Entry, Queries
from analytics_box.query.statements import Statements
from analytics_box.query.subjects import Subjects
from analytics_box.query_pages import families, view
from analytics_box.query_pages.command import command
from analytics_box.query_pages.refused import at_fields, typed_wrong
from analytics_box.query_pages.table import Table, table
from analytics_box.query_pages.view import Tried
from analytics_box.texts import Queries as Words
from analytics_box.websites.reach import own
from analytics_box.websites.rules import Website
from analytics_box.websites.shell import site_shell

OPERATORS: tuple[str, ...] = Op.__args__  # type: ignore[attr-defined]  # the arguments of a Literal
_BODY = msgspec.json.Decoder(GivenQuery)
_EMPTY_FILTERS = 2  # rows to fill in, besides those in use; a page without scripts cannot add one
_AT_LEAST = 3


class Answered(Struct, frozen=True):
    """The answer to a query and how it came about. `took` is in ms."""

    entry: Entry
    statements: Statements
    asked: Request
    took: float


class Shown(Struct, frozen=True):
    """An answer on the page. `dates` are empty for types that look at now; `took` is in ms."""

    table: Table
    compared: Table | None
    compared_dates: str
    dates: str
    took: str
    ignored: str
    statements: tuple[tuple[str, str, str], ...]  # SQL, its parameters as JSON, and what there is to say about it
    engine: str
    earlier: str
    later: str
    sheet: str


async def show(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """GET /sites/{id}/queries: the form, and the answer to what the address asks. Raises NotFound."""
    website = own(visit.call, website_id)
    tried = _tried(visit, website)
    sent = visit.request.query_params
    if {name: sent.get(name) for name in sent} != view.parameters(tried):
        return visit.go(view.address(tried))  # a form sends its empty fields too
    wrong, general, code = _typed_wrong(tried), "", 400
    shown: Shown | None = None
    if tried.type:
        try:
            asked, reads = await _asked(visit, website, tried)
            answered = await _answer(visit, asked, reads) if not wrong else None
            if answered and answered.entry.success:
                shown = _shown(answered, tried)
            elif answered:
                general = str(answered.entry.error)
        except BoxError as refused:
            wrong, code = at_fields(refused) | wrong, refused.status
            general = "" if wrong else refused.message
    return _page(visit, website, tried, shown, wrong=wrong, general=general, code=code)


async def sheet(visit: Visitor, website_id: FromPath[str]) -> Response[bytes] | Next:
    """GET /sites/{id}/queries/csv: the same rows as a file; what cannot be answered goes back to the form."""
    website = own(visit.call, website_id)
    tried = _tried(visit, website)
    if not tried.type or _typed_wrong(tried):
        return visit.go(view.address(tried))
    try:
        answered = await _answer(visit, *await _asked(visit, website, tried))
    except BoxError:
        return visit.go(view.address(tried))
    if not answered.entry.success:
        return visit.go(view.address(tried))
    names = [output.name for output in TYPES[tried.type].outputs]
    return Response(
        sheets.tables([(tried.type, names, answered.entry.data)]).encode(),
        media_type="text/csv",
        headers={"cache-control": "no-store", "content-disposition": f'attachment; filename="{tried.type}.csv"'},
    )


def _tried(visit: Visit, website: Website) -> Tried:
    return view.read(f"/sites/{website.id}/queries", visit.request.query_params)


def _typed_wrong(tried: Tried) -> dict[str, str]:
    known = not tried.zone or ranges.zone(tried.zone).key == tried.zone
    return typed_wrong(tried, zone_known=known, operators=OPERATORS) if tried.type else {}


async def _asked(visit: Visit, website: Website, tried: Tried) -> tuple[Request, Scope]:
    """The query as the API would take it from this person, and what it reads. Raises what the API raises."""
    parts, identity = visit.parts, visit.call.identity
    parts.limits.take("query", identity.limit_name, parts.settings.limit_query)
    reads = await parts[Subjects].one(identity, "website", website.id, (tried.type,))
    given = body.decode(_BODY.decode, msgspec.json.encode(_content(visit, tried)))
    return check(given, zone_name=None, now=visit.call.now), reads


async def _answer(visit: Visit, asked: Request, reads: Scope) -> Answered:
    """The answer, how long it took, and what ran for it."""
    clock = visit.parts.clock
    started = clock.monotonic()
    (entry,) = await visit.parts[Queries].answer(asked, reads)
    took = (clock.monotonic() - started) * 1_000
    (ran,) = statements.of_request(asked, reads, visit.call.now, visit.parts[Queries].engines)
    return Answered(entry, ran, asked, took)


def _content(visit: Visit, tried: Tried) -> Record:
    return view.body(tried, visit.person.time_zone)


def _shown(answered: Answered, tried: Tried) -> Shown:
    entry, query_type = answered.entry, TYPES[tried.type]
    days, zone = answered.asked.questions[0].days, answered.asked.zone.key
    at_now = bool(query_type.recent or query_type.today)
    compared = entry.comparison if entry.comparison is not UNSET else None
    page = answered.asked.page
    return Shown(
        table=table(query_type, entry.data, tried),
        compared=table(query_type, compared.data) if compared else None,
        compared_dates=Words.dates.format(first=compared.startDate, last=compared.endDate, zone=zone)
        if compared
        else "",
        dates=""
        if at_now or days is None
        else Words.dates.format(first=days.first.isoformat(), last=days.last.isoformat(), zone=zone),
        took=f"{answered.took:.1f}",
        ignored=", ".join(entry.ignoredFilters) if entry.ignoredFilters is not UNSET else "",
        statements=tuple(
            (one.sql.strip(), json.dumps(one.params, indent=2, ensure_ascii=False), one.note)
            for one in answered.statements.statements
        ),
        engine=answered.statements.engine,
        earlier=tried.link(page=str(page - 1) if page > 2 else "") if page > 1 else "",
        later=tried.link(page=str(page + 1)) if len(entry.data) == answered.asked.limit else "",
        sheet=tried.sheet,
    )


def _page(
    visit: Visit,
    website: Website,
    tried: Tried,
    shown: Shown | None,
    *,
    wrong: Mapping[str, str],
    general: str,
    code: int,
) -> Page:
    person = visit.person
    query_type = TYPES.get(tried.type)
    content = _content(visit, tried)
    rows = max(len(tried.filters) + _EMPTY_FILTERS, _AT_LEAST)
    return visit.pages.show(
        "queries.html",
        code=200 if not (wrong or general) else code,
        shell=site_shell(visit, "queries", website),
        site=website,
        tried=tried,
        zone=tried.zone or person.time_zone,
        query_type=query_type,
        families=families.OF_WEBSITES,
        filters=[
            tried.filters[at] if at < len(tried.filters) else view.Filtered()
            for at in range(min(rows, view.MOST_FILTERS))
        ],
        fields=_fields(query_type),
        sortable=query_type.sortable if query_type else (),
        presets=(*PRESETS, view.CUSTOM),
        operators=tuple((name, name) for name in OPERATORS),
        usual_limit=DEFAULT_LIMIT,
        wrong=wrong,
        general=general,
        shown=shown,
        request_json=json.dumps(content, indent=2, ensure_ascii=False),
        curl=command(visit.parts.settings.public_url, f"website_id={website.id}", content),
        beginnings=[(Words.beginnings[name], Tried(path=tried.path, type=name).link()) for name in Words.beginnings],
    )


def _fields(query_type: QueryType | None) -> tuple[str, ...]:
    return query_type.filters if query_type else ()
