"""The procedures preferences.* (wire 10.5), for signed-in people only."""

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from analytics_box.base import errors
from analytics_box.base.identity import DateFormat, SignedInPerson, TimeFormat, WeekStart
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.tenants.accounts import preferences
from analytics_box.tenants.accounts.preferences import Preferences
from analytics_box.web.call import Call


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
    return _preferences_answer(await call.read(lambda db: preferences.find(db, person.user_id)))


async def update_user_preferences(call: Call, given: UpdatePreferences) -> PreferencesAnswer:
    """preferences.updateUserPreferences: update the caller's preferences and return all of them. Raises BadRequest for
    an unknown time zone."""
    person = _person(call)

    def write(db: Connection) -> Preferences:
        wanted = before = preferences.find(db, person.user_id)
        if given.timezone is not UNSET:
            wanted = preferences.with_zone(wanted, given.timezone)
        wanted = replace(
            wanted,
            date_format=before.date_format if given.dateFormat is UNSET else given.dateFormat,
            time_format=before.time_format if given.timeFormat is UNSET else given.timeFormat,
            week_start=before.week_start if given.weekStart is UNSET else given.weekStart,
        )
        preferences.store(db, person.user_id, wanted, organization_id=person.organization_id, by=call.by)
        return wanted

    return _preferences_answer(await call.write(write))


def _preferences_answer(found: Preferences) -> PreferencesAnswer:
    return PreferencesAnswer(found.zone_shown, found.date_format, found.time_format, found.week_start)


def _person(call: Call) -> SignedInPerson:
    if call.identity.person is None:
        raise errors.Forbidden(_("Sign in to do this. API keys are not accepted"))
    return call.identity.person
