"""A question with its filters resolved: which sites, which conditions, which fields are left aside. Pure."""

from collections.abc import Mapping
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.translation import _
from analytics_box.query import filters, ranges
from analytics_box.query.access import ReadScope
from analytics_box.query.catalog.types import QueryType
from analytics_box.query.compose import CannotAnswer, ComposedParameter, compose, window_of
from analytics_box.query.filters import Filter, FunnelSteps
from analytics_box.query.plan import AI_SOURCES, Having
from analytics_box.query.ranges import DayRange, TimeWindow
from analytics_box.query.request import QueryParameter, QueryRequest
from analytics_box.query.studies import Study, study_of


class PreparedParameter(Struct, frozen=True):
    """A question with its filters resolved."""

    type: QueryType
    sites: tuple[int, ...]
    where: tuple[filters.Where, ...]
    having: tuple[Having, ...]
    ignored: tuple[str, ...]
    funnel: FunnelSteps | None = None
    study: Study | None = None
    # Ids of websites by their numbers, for a type that shows them. An organization has none.
    websites: Mapping[int, str] = {}

    @property
    def flag(self) -> str:
        """The flag that a question about one names; empty for others."""
        named = filters.flag_of(self.where)
        return next(iter(named.values), "") if named is not None else ""

    def composed(
        self, request: QueryRequest, days: DayRange | None, question: QueryParameter, now: int
    ) -> ComposedParameter:
        """The plans for these days. Raises CannotAnswer."""
        window = self._window(request, days, question, now)
        funnel = None if self.funnel is None else self.funnel.plan()
        composed = compose(self.type, request, window, self.sites, self.where, self.having, funnel)
        if self.study is None or days is None:
            return composed
        plans = tuple(self.study.plan_for(plan, days, window, request.zone) for plan in composed.plans)
        return replace(composed, plans=plans, notes=self.study.notes(days, window, request.zone))

    def compared(self, request: QueryRequest, days: DayRange | None) -> DayRange | None:
        """The earlier days that the request compares these with; None if it compares nothing, or there are none."""
        if request.comparison is None or days is None or self.type.recent or self.type.today:
            return None
        return days.previous() if request.comparison == "previous_period" else days.year_before()

    def _window(self, request: QueryRequest, days: DayRange | None, question: QueryParameter, now: int) -> TimeWindow:
        if self.study is not None and days is not None:
            return self.study.window(days, request.zone, now)
        try:
            window = window_of(self.type, days, request, question.granularity, now)
        except ValueError as missing:
            raise CannotAnswer(_("Invalid parameter date range")) from missing
        if question.starts:
            window = ranges.beginning_on(window, question.starts, request.zone)
        if question.since:
            window = ranges.begin_at(window, question.since)
        return ranges.cut(window, question.until) if question.until else window


def prepare(
    question: QueryParameter, query_type: QueryType, request: QueryRequest, reads: ReadScope
) -> PreparedParameter:
    """The question with its filters resolved. Raises CannotAnswer."""
    if request.sort_by is not None and request.sort_by not in query_type.sortable:
        known = ", ".join(query_type.sortable)
        raise CannotAnswer(
            _("Cannot sort by {sort_by}; {name} sorts by {known}").format(
                sort_by=request.sort_by, name=query_type.name, known=known
            )
        )
    fields = {item.field for item in filters.flatten_filters(request.filters)}
    # anonymous_id finds people by their profiles as well (wire 1.11).
    if not reads.people and (query_type.personal or fields & {"profile_id", "anonymous_id"}):
        raise CannotAnswer(_("Only members can see visitors"))
    # Anonymous callers would choose the texts as well.
    if reads.public and any(item.op == "regex" for item in filters.flatten_filters(request.filters)):
        raise CannotAnswer(_("Only members can filter by patterns"))
    _check_needs(query_type, request)
    _check_alone(query_type, request)
    if "funnel" in query_type.needs and request.funnel is None:
        raise CannotAnswer(_("There is no funnel with this id"))
    counted = tuple(item for item in request.filters if isinstance(item, Filter) and item.field in query_type.having)
    study = study_of(query_type, request.filters)
    own_filters = counted if study is None else tuple(item for item in request.filters if item in study.filters)
    remaining = (item for item in request.filters if item not in own_filters)
    others = filters.change_filters(remaining, partial(_by_number, reads))
    where, ignored = filters.conditions(others, _allowed_fields(query_type, reads))
    own = (reads.owner,) if reads.owner and query_type.organization else ()
    sites = (*reads.sites, *own) if query_type.subject == reads.subject else ()
    shows_websites = any("site" in ask.group for ask in query_type.asks)
    websites = {number: website_id for website_id, number in reads.ids.items()} if shows_websites else {}
    having = _having(counted, query_type)
    return PreparedParameter(query_type, sites, where, having, ignored, request.funnel, study, websites)


def _allowed_fields(query_type: QueryType, reads: ReadScope) -> tuple[str, ...]:
    """The fields that the caller may filter this type by: the public only by what answers show it."""
    hidden: frozenset[str] = filters.NOT_PUBLIC if reads.public else frozenset()
    if not reads.values:
        hidden |= filters.OF_VALUES
    known = tuple(name for name in query_type.filters if name not in hidden)
    asks = (*query_type.asks, *(follow.ask for follow in query_type.follows))
    if all(ask.source in AI_SOURCES for ask in asks):  # Requests of AI agents have no visitors to select.
        return tuple(name for name in known if filters.COLUMNS[name] in filters.OF_AI_REQUESTS)
    return known


def _check_needs(query_type: QueryType, request: QueryRequest) -> None:
    """Whether the filters that a type needs are there, each as a condition of its own. Raises CannotAnswer."""
    needs = (" and " if query_type.study else " or ").join(query_type.needs)
    given = [
        item
        for item in request.filters
        if isinstance(item, Filter) and item.field in query_type.needs and item.op in {"eq", "in"}
    ]
    missing = {*query_type.full_needs} - {item.field for item in given} if query_type.study else not given
    if query_type.needs and missing:
        raise CannotAnswer(_("{name} requires a filter eq on {needs}").format(name=query_type.name, needs=needs))
    if query_type.needs_one and (len(given) > 1 or given[0].op != "eq" or len(given[0].values) != 1):
        raise CannotAnswer(
            _("{name} requires exactly one filter eq on {needs}, with one value").format(
                name=query_type.name, needs=needs
            )
        )


def _check_alone(query_type: QueryType, request: QueryRequest) -> None:
    """Whether such filters stand for themselves. Raises CannotAnswer."""
    for field in query_type.alone:
        given = [item for item in filters.flatten_filters(request.filters) if item.field == field]
        own = [item for item in request.filters if isinstance(item, Filter) and item.field == field]
        if len(given) > 1 or given != own or any(item.op not in {"eq", "in"} for item in own):
            raise CannotAnswer(
                _("{name} supports one filter {field}, with eq or in and outside of groups").format(
                    name=query_type.name, field=field
                )
            )


def _by_number(reads: ReadScope, item: Filter) -> Filter:
    """Filters on websites by the numbers that the facts know them by; the empty id is the organization itself."""
    if item.field not in {"website_id", "client_id"}:
        return item
    if item.op not in {"eq", "ne", "in", "not_in"}:
        raise CannotAnswer(_("{field} can only be compared with eq, ne, in and not_in").format(field=item.field))
    numbers = tuple(str(reads.ids.get(value, -1) if value else reads.owner or -1) for value in item.values)
    return Filter(item.field, item.op, numbers)


def _having(counted: tuple[Filter, ...], query_type: QueryType) -> tuple[Having, ...]:
    """Filters on counters (wire 1.11)."""
    found = []
    for item in counted:
        if item.op not in {"eq", "ne", "in", "not_in"}:
            raise CannotAnswer(_("{field} can only be compared with eq, ne, in and not_in").format(field=item.field))
        try:
            numbers = tuple(float(value) for value in item.values)
        except ValueError as wrong:
            raise CannotAnswer(_("Send a number as the value of {field}").format(field=item.field)) from wrong
        counter = next(column.sort for column in query_type.columns if column.output.name == item.field)
        found.append(Having(str(counter), numbers, item.op in {"ne", "not_in"}))
    return tuple(found)
