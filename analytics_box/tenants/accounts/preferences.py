"""A user's display preferences: time zone, formats, theme. Pure but for the list of zones and the two statements."""

from functools import lru_cache
from importlib.resources import files
from itertools import groupby
from typing import Final, get_args
from zoneinfo import ZoneInfo

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from analytics_box.base import audit, errors
from analytics_box.base.acting import By
from analytics_box.base.errors import BadRequest
from analytics_box.base.identity import DateFormat, SignedInPerson, Theme, TimeFormat, WeekStart
from analytics_box.base.store import records
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.web.call import Call

AUTO: Final = "auto"  # the zone of the browser that signed in last (wire 10.5)
DATE_FORMATS: tuple[DateFormat, ...] = get_args(DateFormat)
TIME_FORMATS: tuple[TimeFormat, ...] = get_args(TimeFormat)
THEMES: tuple[Theme, ...] = get_args(Theme)


class Preferences(Struct, frozen=True):
    """A user's preferences. `time_zone` is the zone that counts now; with `zone_is_chosen` sign-ins leave it alone."""

    time_zone: str
    zone_is_chosen: bool
    date_format: DateFormat
    time_format: TimeFormat
    theme: Theme
    week_start: WeekStart

    @property
    def zone_shown(self) -> str:
        """The chosen zone, or "auto"."""
        return self.time_zone if self.zone_is_chosen else AUTO


def with_zone(before: Preferences, zone: str) -> Preferences:
    """Preferences with this zone, or with "auto". Raises BadRequest for a name that is not in the IANA database."""
    return replace(
        before,
        time_zone=before.time_zone if zone == AUTO else known_zone(zone),
        zone_is_chosen=zone != AUTO,
    )


def known_zone(zone: str) -> str:
    """The zone, if there is one of this name. Raises BadRequest."""
    if zone not in zones():
        raise BadRequest.about("timezone", _("Enter an IANA time zone, such as Europe/Berlin"))
    return zone


@lru_cache(maxsize=1)
def zones() -> tuple[str, ...]:
    """The names of all time zones that people live in, and UTC, sorted."""
    names = (files("tzdata") / "zones").read_text("utf-8").split()
    return tuple(
        sorted({name for name in names if "/" in name and not name.startswith("Etc/") and _known_zones(name)} | {"UTC"})
    )


def zone_groups(*suggested: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """Time zones for a field: the suggested ones first, then the others with their names, by region."""
    first = [(name, name.replace("_", " ")) for name in dict.fromkeys((*suggested, "UTC")) if name]
    # One name for each place: aliases such as Asia/Calcutta work too, but make the list longer.
    table = (files("tzdata") / "zoneinfo" / "zone.tab").read_text("utf-8")
    places = {line.split("\t")[2] for line in table.splitlines() if not line.startswith("#")}
    others = [name for name in zones() if name in places and name not in dict(first)]
    return [
        (_("Suggested"), first),
        *(
            (region, [(name, name.partition("/")[2].replace("_", " ")) for name in names])
            for region, names in groupby(others, key=lambda name: name.partition("/")[0])
        ),
    ]


def _known_zones(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (ValueError, OSError, LookupError):
        return False
    return True


def find(db: Connection, user_id: str) -> Preferences:
    """A user's preferences. Raises LookupError for an unknown user."""
    found = records.one_of(
        db,
        Preferences,
        """
        -- preferences.find
        select time_zone, zone_is_chosen, date_format, time_format, theme, week_start from users where id = ?
        """,
        (user_id,),
    )
    if found is None:
        raise LookupError(user_id)
    return found


def store(db: Connection, user_id: str, wanted: Preferences, *, organization_id: str, by: By) -> None:
    """Keep a user's preferences, and note what has changed."""
    before = find(db, user_id)
    changes = {
        name: getattr(wanted, name)
        for name in Preferences.__struct_fields__
        if getattr(wanted, name) != getattr(before, name)
    }
    if not changes:
        return
    db.execute(
        """
        -- preferences.store
        update users
        set time_zone = ?, zone_is_chosen = ?, date_format = ?, time_format = ?, theme = ?, week_start = ?
        where id = ?
        """,
        (
            wanted.time_zone,
            int(wanted.zone_is_chosen),
            wanted.date_format,
            wanted.time_format,
            wanted.theme,
            wanted.week_start,
            user_id,
        ),
    )
    audit.record(db, by, organization_id, "updated", "preferences", user_id, changes)


class PreferencesAnswer(Struct, frozen=True):
    """Preferences as the wire names them; `timezone` is "auto" or an IANA name. `weekStart` is that of the user's
    pages; presets of queries always begin on Sunday."""

    timezone: str
    dateFormat: DateFormat
    timeFormat: TimeFormat
    weekStart: WeekStart


class UpdatePreferences(Struct, frozen=True, forbid_unknown_fields=True):
    """The preferences to change; the others stay."""

    timezone: str | UnsetType = UNSET
    dateFormat: DateFormat | UnsetType = UNSET
    timeFormat: TimeFormat | UnsetType = UNSET
    weekStart: WeekStart | UnsetType = UNSET


async def get_user_preferences(call: Call) -> PreferencesAnswer:
    """preferences.getUserPreferences: get the caller's preferences."""
    person = _person(call)
    return _preferences_answer(await call.read(lambda db: find(db, person.user_id)))


async def update_user_preferences(call: Call, given: UpdatePreferences) -> PreferencesAnswer:
    """preferences.updateUserPreferences: update the caller's preferences and return all of them. Raises BadRequest for
    an unknown time zone."""
    person = _person(call)

    def write(db: Connection) -> Preferences:
        wanted = before = find(db, person.user_id)
        if given.timezone is not UNSET:
            wanted = with_zone(wanted, given.timezone)
        wanted = replace(
            wanted,
            date_format=before.date_format if given.dateFormat is UNSET else given.dateFormat,
            time_format=before.time_format if given.timeFormat is UNSET else given.timeFormat,
            week_start=before.week_start if given.weekStart is UNSET else given.weekStart,
        )
        store(db, person.user_id, wanted, organization_id=person.organization_id, by=call.by)
        return wanted

    return _preferences_answer(await call.write(write))


def _preferences_answer(found: Preferences) -> PreferencesAnswer:
    return PreferencesAnswer(found.zone_shown, found.date_format, found.time_format, found.week_start)


def _person(call: Call) -> SignedInPerson:
    if call.identity.person is None:
        raise errors.Forbidden(_("Sign in to do this. API keys are not accepted"))
    return call.identity.person
