"""Questions of every kind about a story, for the tests that hold answers against each other."""

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

from hypothesis import strategies as st

from analytics_box.query.access import ReadScope
from analytics_box.query.catalog import registry  # what may be asked is all that is taken from it
from analytics_box.query.catalog.types import QueryType
from analytics_box.query.catalog.values import id_text
from analytics_box.query.run import ParameterAnswer
from tests.query import calendars
from tests.query.brute import happened
from tests.query.brute.facts import Facts, Filter, Group, Question, counted, with_flags
from tests.query.brute.filters import COLUMN, IDS, holds
from tests.query.happenings import one_of
from tests.query.stories import TEXTS, WORDS, Story
from tests.query.world import is_for_both

_OPERATORS = (
    *("eq", "ne", "in", "not_in", "contains", "not_contains", "starts_with", "not_starts_with", "ends_with", "regex"),
    *("is_set", "is_not_set"),
)
# What a session keeps from its first event on (semantics 15).
OF_A_SESSION = {
    *("country", "region", "city", "timezone", "language", "device_type", "browser_name", "os_name", "referrer"),
    *("utm_source", "utm_medium", "utm_campaign", "channel", "entry_page"),
    *happened.FIELDS,
}
# Types that also look at facts which the filters do not ask for.
WITHOUT_GROUPS = {
    *("new_vs_returning", "returning_visitors", "error_route_continuation_comparison", "retention"),
    *("revenue_overview", "failed_payments"),
}
_SPELLED = {
    "verified": ("0", "1"),
    "event_property": ("k", "plan", "k=x", "plan=1", "ü=true", "k=", "nothing"),
    "scroll": ("1", "25", "99", "100"),
    "engaged": ("1", "10", "13", "7200"),
    "viewed_page": (*WORDS["path"], "/a/"),
    "exit_page": (*WORDS["path"], "/a/"),
    "outgoing_link": WORDS["href"],
    "outgoing_domain": WORDS["domain"],
    "error": WORDS["message"],
}
_OF_IDS = ("eq", "ne", "in", "not_in")


@dataclass(frozen=True)
class Asked:
    """A question about a story, the way in which its answer is wanted, and whom it is about."""

    type: str
    question: Question
    scope: ReadScope
    sort_by: str | None = None
    descending: bool = True
    limit: int = 10_000
    page: int = 1
    groups: tuple[Group, ...] = ()

    def body(self) -> dict[str, Any]:
        """As clients write it."""
        made: dict[str, Any] = {
            "parameters": [self.type],
            "startDate": self.question.first.isoformat(),
            "endDate": self.question.last.isoformat(),
            "timeZone": self.question.tz.key,
            "granularity": "hourly" if self.question.hourly else "daily",
            "limit": self.limit,
            "page": self.page,
            "filters": [given(item) for item in self.question.filters] + [given(group) for group in self.groups],
        }
        if self.sort_by is not None:
            made |= {"sortBy": self.sort_by, "sortOrder": "desc" if self.descending else "asc"}
        return made

    @property
    def looked_at(self) -> Question:
        """The question with the range that its type looks at."""
        known = registry.TYPES[self.type]
        today = calendars.shown(self.question.now, self.question.tz).date()
        if known.today:
            return replace(self.question, first=today, last=today)
        return replace(self.question, lately=known.recent)

    def facts(self, story: Story) -> Facts:
        """What it is about; groups of filters only ask for what all facts of a session have."""
        facts = counted(story.facts(self.scope, owner=registry.TYPES[self.type].organization), self.question)
        facts = happened.with_sessions(with_flags(facts, self.looked_at))
        if not self.groups:
            return facts
        return {
            # Requests of AI agents are of no session.
            table: [row for row in rows if table == "ai_requests" or all(holds(row, group) for group in self.groups)]
            for table, rows in facts.items()
        }


def ask(story: Story, asked: Asked, *, both: bool | None = None) -> ParameterAnswer:
    """The box's answer, given at the instant of the question, which `both` engines are asked, or some of those that are
    drawn (world.is_for_both)."""
    body, clock = asked.body(), story.world.clock
    clock.advance(seconds=(asked.question.now - clock.now()) / 1000)
    both = is_for_both(body) if both is None else both
    (entry,) = story.world.entries(body, asked.scope, now=clock.now(), both=both)
    assert entry.success, (asked, entry.error)
    return entry


def given(item: Filter | Group) -> dict[str, Any]:
    """A filter or a group as clients write it."""
    if len(item) == 2:
        return {item[0]: [given(part) for part in item[1]]}
    name, operator, values = item
    if operator in {"is_set", "is_not_set"}:
        return {"field": name, "op": operator}
    return {"field": name, "op": operator, "value": values if operator in {"in", "not_in"} else values[0]}


def questions(story: Story, name: str) -> st.SearchStrategy[Asked]:
    """What may be asked of a type about a story: ranges, granularities, filters, sorts and pages."""
    return _questions(story, name)


@st.composite
def _questions(draw: st.DrawFn, story: Story, name: str) -> Asked:
    known = registry.TYPES[name]
    tz = ZoneInfo(story.zone)
    first = calendars.shown(story.around, tz).date() + timedelta(days=draw(st.sampled_from((-1, 0, 0, 0, 1))))
    scope = story.scope(draw(st.sampled_from((1, 1, 2))), owner=draw(st.booleans()))
    needed = draw(_needed(story, known)) if known.needs else []
    question = Question(
        first,
        first + timedelta(days=draw(st.integers(0, 2))),
        tz,
        tuple(needed + draw(_some_filters(story, name))),
        hourly=known.series and draw(st.booleans()),
        now=story.around + draw(st.integers(0, 100)) * calendars.MINUTE,
    )
    paged = draw(st.sampled_from((False, False, True)))
    grouped = set(known.filters) & OF_A_SESSION and name not in WITHOUT_GROUPS and draw(st.integers(0, 3)) == 0
    return Asked(
        name,
        question,
        scope,
        sort_by=draw(st.sampled_from((None, None, *known.sortable))),
        descending=draw(st.booleans()),
        limit=draw(st.integers(1, 4)) if paged else 10_000,
        page=draw(st.integers(1, 3)) if paged else 1,
        groups=(draw(_groups(story, name)),) if grouped else (),
    )


@st.composite
def _groups(draw: st.DrawFn, story: Story, name: str, depth: int = 1) -> Group:
    """Any or all of some filters, of which some are groups, too."""
    allowed = [item for item in registry.TYPES[name].filters if item in OF_A_SESSION]
    items: list[Filter | Group] = []
    for _ in range(draw(st.integers(1, 3))):
        nested = depth < 3 and draw(st.integers(0, 3)) == 0
        items.append(draw(_groups(story, name, depth + 1) if nested else _filters(story, allowed)))
    return draw(one_of(("any", "all"))), tuple(items)


def _needed(story: Story, known: QueryType) -> st.SearchStrategy[list[Filter]]:
    """One of the filters that a type needs; those of a study all."""
    each = [[(name, "eq", [value]) for value in values(story, name)] for name in known.needs]
    if known.study:
        return st.tuples(*map(st.sampled_from, each)).map(list)
    return st.sampled_from([item for items in each for item in items]).map(lambda item: [item])


def _some_filters(story: Story, name: str) -> st.SearchStrategy[list[Filter]]:
    most = st.sampled_from((0, 0, 1, 2) if registry.TYPES[name].filters else (0,))
    return most.flatmap(lambda most: st.lists(filters(story, name), max_size=most) if most else st.just([]))


def filters(story: Story, name: str) -> st.SearchStrategy[Filter]:
    """A filter that a type allows; what it needs is not asked twice."""
    known = registry.TYPES[name]
    allowed = [
        item
        for item in known.filters
        if item in {*COLUMN, *IDS, *happened.FIELDS, "flag", "conversion"} and item not in {*known.needs, *known.having}
    ]
    return _filters(story, allowed)


@st.composite
def _filters(draw: st.DrawFn, story: Story, allowed: list[str]) -> Filter:
    name = draw(one_of(tuple(allowed)))
    operator = draw(one_of(_OF_IDS if name in {"website_id", "client_id", *IDS} else _OPERATORS))
    if name == "conversion":
        operator = draw(one_of(("eq", "in")))
    if name in happened.NUMBERS:
        operator = draw(one_of((*_OF_IDS, "is_set", "is_not_set")))
    if operator in {"is_set", "is_not_set"}:
        return name, operator, []
    if operator == "regex":
        return name, operator, [draw(one_of(("a", "^a$", "o+", "[bn]", "^$")))]
    listed = [draw(one_of(values(story, name))) for _ in range(draw(st.integers(1, 2)))]
    return name, operator, listed if operator in {"in", "not_in"} else listed[:1]


def values(story: Story, name: str) -> tuple[str, ...]:
    """Values that a story may have under a field, and others."""
    if name in {"website_id", "client_id"}:
        return "first", "second", "", "neither"
    if name == "session_id":
        return "s1", "nobody"
    if name == "funnel":
        return ("f",)
    if name == "horizon_days":
        return "7", "30"
    if name == "observation_end":
        near = calendars.shown(story.around, ZoneInfo("UTC")).date()
        return tuple((near + timedelta(days=days)).isoformat() for days in (-1, 0, 7, 40))
    if name == "flag":
        return *WORDS["flag"], "new=a", "price=b", "price=", "other", "other=a"
    if name in {"conversion", "event", "activation_event", "return_event"}:
        return *WORDS["name"], "screen_view"
    if name in _SPELLED:
        return _SPELLED[name]
    if name == "anonymous_id":
        return "ann", "bea", "nobody", *(id_text(site * 16 + who) for site in story.websites for who in (1, 2))
    return (*WORDS.get(COLUMN[name], TEXTS), "Unknown")
