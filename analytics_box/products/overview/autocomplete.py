"""autocomplete.get (wire 10.5): the values that a website's events have. Keys need read:data."""

from typing import Final

from msgspec import Struct, structs

from analytics_box.base import errors
from analytics_box.base.cache import BoundedCache
from analytics_box.base.clock import Clock
from analytics_box.base.errors import BadRequest, InvalidQuery
from analytics_box.figures.asking import PageQuery, UnansweredQuery
from analytics_box.products.overview.board import WEBSITE
from analytics_box.query import ranges
from analytics_box.query.ranges import DayRange
from analytics_box.query.run import QueryRunner
from analytics_box.tenants.tenancy.messages import Text
from analytics_box.tenants.websites.reach import own
from analytics_box.web.call import Call

KEPT_SECONDS = 1_800.0
MOST_KEPT = 100
MOST_LETTERS = 2_000_000  # of all that is kept: what strangers call their pages may be long
MOST_VALUES = 1_000  # of each list
# Each list: its query type, and the field of a row that names the value.
_LISTS: Final = {
    "customEvents": ("custom_events", "name"),
    "pagePaths": ("top_pages", "path"),
    "browsers": ("browser_name", "name"),
    "operatingSystems": ("os_name", "name"),
    "countries": ("country", "name"),
    "deviceTypes": ("device_types", "name"),
    "utmSources": ("utm_sources", "name"),
    "utmMediums": ("utm_mediums", "name"),
    "utmCampaigns": ("utm_campaigns", "name"),
}


class AutocompleteInput(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of autocomplete.get: days as YYYY-MM-DD, both inclusive; without them the last 30."""

    websiteId: Text
    startDate: Text | None = None
    endDate: Text | None = None


class Suggestions(Struct, frozen=True):
    """Output of autocomplete.get: of each the most frequent first, at most 1,000."""

    customEvents: list[str]
    pagePaths: list[str]
    browsers: list[str]
    operatingSystems: list[str]
    countries: list[str]
    deviceTypes: list[str]
    utmSources: list[str]
    utmMediums: list[str]
    utmCampaigns: list[str]


class KeptSuggestions:
    """Answers of the last half hour, by site number, days and time zone."""

    def __init__(self, clock: Clock) -> None:
        self.answers: BoundedCache[tuple[int, DayRange, str], Suggestions] = BoundedCache(
            MOST_KEPT,
            most_weight=MOST_LETTERS,
            weigh=lambda _, found: sum(len(text) for texts in structs.astuple(found) for text in texts),
            largest=MOST_LETTERS,
            seconds=KEPT_SECONDS,
            clock=clock,
        )


async def get(call: Call, given: AutocompleteInput) -> Suggestions:
    """autocomplete.get: return suggestions for filter values. Raises NotFound, BadRequest or Unavailable.

    They are up to 30 minutes old.
    """
    website, kept = own(call, given.websiteId), call.parts[KeptSuggestions]
    person = call.identity.person
    zone = ranges.zone(person.time_zone if person is not None else "UTC")
    try:
        days = ranges.of_preset("last_30d", call.now, zone)
        if given.startDate is not None or given.endDate is not None:
            first = given.startDate or days.first.isoformat()
            days = ranges.of_dates(first[:10], (given.endDate or days.last.isoformat())[:10])
    except InvalidQuery as wrong:
        raise BadRequest.about(wrong.details[0].field, wrong.message) from wrong
    key = website.site, days, zone.key
    found = kept.answers.get(key)
    if found is None:
        asking = PageQuery(call.parts[QueryRunner], website.site, WEBSITE, days, zone, call.now)
        try:
            lists = await asking.rows([name for name, _ in _LISTS.values()], limit=MOST_VALUES)
        except UnansweredQuery as refused:
            raise errors.Unavailable(str(refused)) from refused
        named = zip(_LISTS.items(), lists, strict=True)
        found = Suggestions(**{name: [row[field] for row in rows if row[field]] for (name, (_, field)), rows in named})
        kept.answers.put(key, found)
    return found
