"""The API explorer of a website: a query with rows, chart and SQL, the code that asks the same, and saving it."""

import re
from collections.abc import Mapping
from urllib.parse import urlencode

from litestar import Response
from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base.errors import BoxError
from analytics_box.base.translation import _
from analytics_box.figures.chips import FIELD_LABELS
from analytics_box.figures.explorer import answered, families, view
from analytics_box.figures.explorer.answered import AnswerView
from analytics_box.figures.explorer.question import QUESTIONS, Question
from analytics_box.figures.explorer.samples import samples
from analytics_box.figures.explorer.view import TypedQuery
from analytics_box.figures.spans import RANGE_LABELS
from analytics_box.query import ranges, sheets
from analytics_box.query.catalog.registry import TYPES, QueryType
from analytics_box.query.filters import Op
from analytics_box.query.ranges import PRESETS
from analytics_box.query.request import DEFAULT_LIMIT
from analytics_box.tenants.saved import verbs
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.rules import Website
from analytics_box.tenants.websites.shell import site_shell
from analytics_box.web.page.visit import Again, Answer, Next, Page, PageRequest, Visitor

_WRONG = {
    "type": _("Choose a query type"),
    "range": _("Choose a range"),
    "granularity": _("Choose by day or by hour"),
    "order": _("Choose an order"),
    "limit": _("A whole number from 1 to 10,000"),
    "page": _("A whole number from 1"),
    "comparison": _("Choose what to compare with"),
    "field": _("Choose a field to filter by"),
    "op": _("Choose an operator"),
    "value": _("Enter a value"),
}
_OPERATORS = {
    "eq": _("is"),
    "ne": _("is not"),
    "in": _("is one of"),
    "not_in": _("is none of"),
    "contains": _("contains"),
    "not_contains": _("does not contain"),
    "starts_with": _("starts with"),
    "not_starts_with": _("does not start with"),
    "ends_with": _("ends with"),
    "regex": _("matches"),
    "is_set": _("is not empty"),
    "is_not_set": _("is empty"),
}
_BEGINNINGS = {
    "summary_totals": _("Totals"),
    "events_by_date": _("Every day"),
    "top_pages": _("Pages"),
    "traffic_sources": _("Sources"),
    "custom_events": _("Custom events"),
}
_DONE = {"saved": _("Question saved."), "deleted": _("Question deleted.")}


_FIELDS = {
    "parameters": "type",
    "preset": "range",
    "startDate": "from",
    "endDate": "to",
    "granularity": "granularity",
    "timeZone": "zone",
    "sortBy": "sort",
    "sortOrder": "order",
    "limit": "limit",
    "page": "page",
    "comparison": "comparison",
}
_IN_A_FILTER = re.compile(r"filters\[(\d+)\](?:\.any\[(\d+)\])?(?:\.(field|op|value))?")


def at_fields(error: BoxError) -> dict[str, str]:
    """The errors by the form's field; empty if the refusal is about none of them."""
    found: dict[str, str] = {}
    for detail in error.details:
        name = _field(detail.field.removeprefix("body."))
        if name:
            own = _WRONG.get(name.rstrip("0123456789"))
            found[name] = own if own is not None and detail.message == "Invalid value" else detail.whole
    return found


def _field(name: str) -> str:
    matched = _IN_A_FILTER.match(name)
    if matched is not None:
        number = int(matched[2] if matched[2] is not None else matched[1]) + 1
        return f"{matched[3] or 'value'}{number}"
    return _FIELDS.get(re.split(r"[.\[]", name, maxsplit=1)[0], "")


def typed_wrong(tried: TypedQuery, *, zone_known: bool, operators: tuple[str, ...]) -> dict[str, str]:
    """Errors that a form explains better than the API: a filter without a field, an unknown operator or zone."""
    filters = list(enumerate(tried.filters, start=1))
    wrong = {f"field{at}": _("Choose a field to filter by") for at, item in filters if not item.field}
    wrong |= {f"op{at}": _("Choose an operator") for at, item in filters if item.op not in operators}
    if not zone_known:
        wrong["zone"] = _("Unknown time zone. Enter a name such as Europe/Berlin.")
    return wrong


OPERATORS: tuple[str, ...] = Op.__args__  # type: ignore[attr-defined]  # the arguments of a Literal


class SavedQuestionLine(Struct, frozen=True):
    """A saved question in the list. `selected` says that it is the one that is looked at; `delete` asks before it is
    deleted."""

    id: str
    name: str
    href: str
    shared: bool
    selected: bool
    is_own: bool
    delete: str


class QueryErrors(Struct, frozen=True):
    """The errors of a query: by field of the form, and those about no field."""

    wrong: Mapping[str, str] = {}
    general: str = ""
    code: int = 200


async def show(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """GET /sites/{id}/queries: the form, and the answer to what the address asks. Raises NotFound."""
    website = own(visit.call, website_id)
    tried = _try_query(visit, website)
    sent = visit.request.query_params
    given = {name: sent.get(name) for name in sent if name != "done"}
    if given != view.parameters(tried):
        return visit.go(view.address(tried))  # a form sends its empty fields too
    return await page_of(visit, website, tried, Again())


async def sheet(visit: Visitor, website_id: FromPath[str]) -> Response[bytes] | Next:
    """GET /sites/{id}/queries/csv: the same rows as a file; what cannot be answered goes back to the form."""
    website = own(visit.call, website_id)
    tried = _try_query(visit, website)
    if not tried.type or _typed_wrong(tried):
        return visit.go(view.address(tried))
    try:
        found = await answered.answer(visit, *await answered.prepare_query(visit, website, tried))
    except BoxError:
        return visit.go(view.address(tried))
    if not found.entry.success:
        return visit.go(view.address(tried))
    names = [output.name for output in TYPES[tried.type].outputs]
    return Response(
        sheets.file(sheets.tables([(tried.type, names, found.entry.data)])),
        media_type="text/csv",
        headers={"cache-control": "no-store", "content-disposition": f'attachment; filename="{tried.type}.csv"'},
    )


async def page_of(visit: PageRequest, website: Website, tried: TypedQuery, again: Again) -> Page:
    """The page of a query; `again` is of the form that saves it, when that came back."""
    shown, refused = await _looked_up(visit, website, tried)
    kept = await verbs.visible(visit.call, QUESTIONS, website)
    return _page(visit, website, tried, shown, refused, kept, again)


async def _looked_up(visit: PageRequest, website: Website, tried: TypedQuery) -> tuple[AnswerView | None, QueryErrors]:
    """The answer, or why there is none."""
    if not tried.type:
        return None, QueryErrors()
    wrong, code = _typed_wrong(tried), 400
    try:
        asked, reads = await answered.prepare_query(visit, website, tried)
        found = await answered.answer(visit, asked, reads) if not wrong else None
    except BoxError as refused:
        wrong, code = at_fields(refused) | wrong, refused.status
        return None, QueryErrors(wrong, "" if wrong else refused.message, code)
    if found is None:
        return None, QueryErrors(wrong, "", code)
    if not found.entry.success:
        return None, QueryErrors({}, str(found.entry.error), code)
    return answered.answer_view(visit, found, tried), QueryErrors()


def _try_query(visit: PageRequest, website: Website) -> TypedQuery:
    return view.read_query(view.path_of(website.id), visit.request.query_params)


def _typed_wrong(tried: TypedQuery) -> dict[str, str]:
    known = not tried.zone or ranges.zone(tried.zone).key == tried.zone
    return typed_wrong(tried, zone_known=known, operators=OPERATORS) if tried.type else {}


def _page(
    visit: PageRequest,
    website: Website,
    tried: TypedQuery,
    shown: AnswerView | None,
    refused: QueryErrors,
    kept: list[Question],
    again: Again,
) -> Page:
    person = visit.person
    query_type = TYPES.get(tried.type)
    questions = [_line(visit, one, tried) for one in kept]
    called = next((one for one in questions if one.selected and one.is_own), None)
    return visit.pages.show(
        "queries.html",
        code=again.code if again.code != 200 else refused.code,
        shell=site_shell(visit, "queries", website),
        site=website,
        tried=tried,
        zone=tried.zone or person.time_zone,
        query_type=query_type,
        families=families.OF_WEBSITES,
        filters=[
            (tried.filters[at], view.without(tried, at + 1)) if at < len(tried.filters) else (view.TypedFilter(), "")
            for at in range(view.rows_shown(tried))
        ],
        more_rows=min(view.rows_shown(tried) + 1, view.MOST_FILTERS),
        most_filters=view.MOST_FILTERS,
        fields=_fields(query_type),
        sortable=query_type.sortable if query_type else (),
        presets=(*PRESETS, view.CUSTOM),
        operators=tuple((name, f"{name} ({_OPERATORS[name]})") for name in OPERATORS),
        usual_limit=DEFAULT_LIMIT,
        wrong=refused.wrong,
        general=refused.general,
        shown=shown,
        samples=samples(visit.parts.settings.public_url, f"website_id={website.id}", answered.content(visit, tried)),
        beginnings=[(_BEGINNINGS[name], TypedQuery(path=tried.path, type=name).link()) for name in _BEGINNINGS],
        questions=questions,
        editable=person.may("member"),
        again=again,
        saved_name=again.values.get("name", called.name if called else ""),
        saved_shared="shared" in again.values if again.values else bool(called and called.shared),
        question=view.address(tried.kept()).partition("?")[2],
        done=_DONE.get(visit.asked("done"), ""),
        range_labels=RANGE_LABELS,
    )


def _line(visit: PageRequest, one: Question, tried: TypedQuery) -> SavedQuestionLine:
    question = view.read_query(tried.path, one.content)
    return SavedQuestionLine(
        id=one.id,
        name=one.name,
        href=view.address(question),
        shared=one.is_shared,
        selected=view.parameters(question) == view.parameters(tried.kept()),
        is_own=one.is_of(visit.person.user_id),
        delete=f"{tried.path}/saved/{one.id}/delete?{urlencode({'back': view.address(tried)})}",
    )


def _fields(query_type: QueryType | None) -> tuple[tuple[str, str], ...]:
    """The fields to filter by, with their names on pages if those say more."""
    names = query_type.filters if query_type else tuple(FIELD_LABELS)
    return tuple((name, FIELD_LABELS.get(name, "")) for name in names)
