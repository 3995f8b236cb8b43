"""Valid times of notes. Pure."""

import re
from datetime import UTC, date, datetime
from typing import Final, NamedTuple

from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _

_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d\Z")
_YEARS: Final = range(1980, 2101)
WRITE_A_TIME: Final = "Enter a day such as 2026-11-20 or a time such as 2026-11-20T14:30:00Z, from 1980 to 2100"


class NoteMoment(NamedTuple):
    """A time as it was written: UTC ms, and whether it is a whole day, which begins at midnight UTC."""

    at: int
    whole_day: bool


class NotePeriod(NamedTuple):
    """The time of a note: `until` is None for an instant; `days` marks both as whole days."""

    at: int
    until: int | None
    days: bool


def moment(text: str, field: str) -> NoteMoment:
    """Reads an ISO day or time; a time without an offset is UTC. Raises BadRequest about `field`."""
    written = text.strip()
    try:
        if _DAY.match(written):
            found, whole = datetime.combine(date.fromisoformat(written), datetime.min.time(), UTC), True
        else:
            found, whole = datetime.fromisoformat(written), False
            found = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError) as refused:
        raise BadRequest.about(field, WRITE_A_TIME) from refused
    if found.year not in _YEARS:
        raise BadRequest.about(field, WRITE_A_TIME)
    return NoteMoment(round(found.timestamp() * 1000), whole)


def period(start: NoteMoment, end: NoteMoment | None, *, ranged: bool) -> NotePeriod:
    """The time of a note; a range needs an end. Raises BadRequest about xEndValue."""
    if end is None:
        if ranged:
            raise BadRequest.about("xEndValue", _("Enter xEndValue for a range"))
        return NotePeriod(start.at, None, start.whole_day)
    if end.at < start.at:
        raise BadRequest.about("xEndValue", _("Enter an end after the start"))
    return NotePeriod(start.at, end.at, start.whole_day and end.whole_day)
