"""Planned maintenance under /monitors/maintenance. It does what the procedures do."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.identity import SignedInPerson
from analytics_box.base.translation import _, ngettext
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.monitor import HOME, MonitorOrganizationInput
from analytics_box.products.monitors.page_frame import DONE, frame
from analytics_box.products.monitors.window import MaintenanceWindow, is_on, spans
from analytics_box.products.monitors.windows import calls as procedures
from analytics_box.products.monitors.windows.fields import (
    creation_input,
    fields_of,
    new_fields,
    read_fields,
    update_input,
)
from analytics_box.products.monitors.windows.messages import MaintenanceShown, OneMaintenance
from analytics_box.resource.reach import check, find_in_reach
from analytics_box.tenants.accounts.preferences import zone_groups
from analytics_box.tenants.tenancy.messages import millis
from analytics_box.web.page import dates
from analytics_box.web.page.dates import USUAL, WEEKDAYS, Formats, formats_of
from analytics_box.web.page.edits import shown_version
from analytics_box.web.page.questions import ConfirmationTexts
from analytics_box.web.page.resource_form import DeletePages, DeleteQuestion, Form, FormPages
from analytics_box.web.page.visit import Again, Next, Page, PageRequest, Visitor

_DELETE = ConfirmationTexts(
    _("Delete {name}?"),
    _("Checks during this time count toward uptime again, and alerts are sent."),
    _("Delete {name}"),
)
_STATES = {"active": _("Now"), "scheduled": _("Planned"), "over": _("Ended")}


WEEKS: Final = 5
MOST: Final = 6  # on a day


class CalendarEntry(Struct, frozen=True):
    """A maintenance on a day. `begins` and `ends` are local times; empty if it began before or ends later."""

    id: str
    name: str
    begins: time | None
    ends: time | None


class MaintenanceDay(Struct, frozen=True):
    """A day of the calendar; `more` is how many maintenances it has beyond those that are listed."""

    date: date
    is_today: bool
    entries: tuple[CalendarEntry, ...]
    more: int


def weeks(
    windows: Iterable[MaintenanceWindow], now: int, zone: str, formats: Formats = USUAL
) -> tuple[tuple[MaintenanceDay, ...], ...]:
    """Five weeks from the first day of this one on."""
    place = ZoneInfo(zone)
    today = datetime.fromtimestamp(now / 1000, place).date()
    first = today - timedelta(days=formats.week.index(today.weekday()))
    days = [first + timedelta(days=number) for number in range(7 * WEEKS)]
    found: dict[date, list[CalendarEntry]] = {day: [] for day in days}
    start, end = _instant(days[0], place), _instant(days[-1] + timedelta(days=1), place)
    for window in windows:
        for span in spans(window, start, end):
            _enter(found, window, span.start, span.end, place)
    made = [_day(day, today, found[day]) for day in days]
    return tuple(tuple(made[number : number + 7]) for number in range(0, len(made), 7))


def _enter(
    found: dict[date, list[CalendarEntry]], window: MaintenanceWindow, start: int, end: int, place: ZoneInfo
) -> None:
    begins, ends = (datetime.fromtimestamp(instant / 1000, place) for instant in (start, end))
    last = (ends - timedelta(microseconds=1)).date()
    for day, entries in found.items():
        if begins.date() <= day <= last:
            entry = CalendarEntry(
                window.id,
                window.name,
                begins.time() if begins.date() == day else None,
                ends.time() if ends.date() == day else None,
            )
            entries.append(entry)


def _day(day: date, today: date, entries: list[CalendarEntry]) -> MaintenanceDay:
    ordered = sorted(entries, key=lambda one: (one.begins or time.min, one.name))
    return MaintenanceDay(day, day == today, tuple(ordered[:MOST]), max(len(ordered) - MOST, 0))


def _instant(day: date, place: ZoneInfo) -> int:
    """The start of a local day, in UTC ms."""
    return round(datetime.combine(day, time(), place).timestamp() * 1000)


PLACE: Final = f"{HOME}/maintenance"
_ON_PAGE: Final = "/status-pages/{}/incidents/{}"
MOST_MONITORS: Final = 500  # to choose from; more are selected by groups or tags


class MaintenanceWindowLine(Struct, frozen=True):
    """A maintenance in the list."""

    name: str
    href: str
    now: bool
    state: str
    what: str
    when: str
    next: str


class CalendarDay(Struct, frozen=True):
    """A day of the calendar; an entry is the path of a maintenance, its name and its times."""

    label: str
    is_today: bool
    entries: tuple[tuple[str, str, str], ...]
    more: str


async def maintenance_list(visit: Visitor) -> Page:
    """GET /monitors/maintenance."""
    found = await procedures.list_maintenances(visit.call, MonitorOrganizationInput())
    return visit.pages.show(
        "maintenance.html",
        shell=frame(visit.person),
        windows=[_line(visit, one) for one in found],
        announced=[
            _announced_line(visit, *one) for one in visit.parts[Monitors].announcements(visit.person.organization_id)
        ],
        weeks=_weeks(visit),
        weekdays=[WEEKDAYS[day] for day in formats_of(visit.person).week],
        editable=visit.person.may("member"),
        done=DONE.get(visit.asked("done"), ""),
    )


async def end(visit: Visitor, maintenance_id: FromPath[str]) -> Next:
    """POST /monitors/maintenance/{id}/end. Raises NotFound or BadRequest."""
    await procedures.end_maintenance(visit.call, OneMaintenance(maintenance_id))
    return visit.go(f"{PLACE}?done=maintenance-ended")


async def _find(visit: PageRequest) -> tuple[str, MaintenanceWindow | None]:
    """The window that an address names, and its organization; None for a new one. Raises NotFound."""
    wanted = visit.path("maintenance_id")
    if not wanted:
        return visit.person.organization_id, None
    own, found = find_in_reach(visit.call, visit.parts[Monitors].window(wanted), "maintenance", wanted)
    await visit.call.read(lambda db: check(db, own, "viewer"))
    return found.organization_id, found


def _fill(visit: PageRequest, _organization: str, found: MaintenanceWindow | None) -> Form:
    zone = visit.person.time_zone
    return new_fields(visit.call.now, zone) if found is None else fields_of(found, zone)


async def _show(visit: PageRequest, organization_id: str, found: MaintenanceWindow | None, again: Again) -> Page:
    return visit.show(
        "maintenance_form.html",
        frame(visit.person),
        again,
        name=figures.visible(found.name) if found is not None else "",
        action=f"{PLACE}/{found.id}" if found is not None else f"{PLACE}/new",
        back=PLACE,
        version=shown_version(found, again.values) if found is not None else "",
        monitors=_monitors(visit, organization_id),
        weekdays=[(str(day + 1), WEEKDAYS[day]) for day in formats_of(visit.person).week],
        zones=zone_groups(again.values.get("zone", ""), visit.person.time_zone),
    )


async def _save(visit: PageRequest, _organization: str, found: MaintenanceWindow | None, form: Form) -> str:
    fields = read_fields(form)
    if found is None:
        await procedures.create_maintenance(visit.call, creation_input(fields))
        return f"{PLACE}?done=maintenance-made"
    await procedures.update_maintenance(visit.call, update_input(fields, found))
    return f"{PLACE}?done=maintenance-saved"


WINDOW: Final = FormPages(
    find=_find,
    fill=_fill,
    show=_show,
    save=_save,
    names={"covers": "all", "repeat.time": "time", "repeat.minutes": "minutes"},
    deletion=DeletePages(
        find=_find,
        question=lambda visit, _organization, found: DeleteQuestion(_DELETE, frame(visit.person), found.name, PLACE),
        delete=lambda visit, _organization, found: procedures.delete_maintenance(visit.call, OneMaintenance(found.id)),
        after=lambda _organization, _form: f"{PLACE}?done=maintenance-deleted",
    ),
)


def _monitors(visit: PageRequest, organization_id: str) -> list[tuple[str, str]]:
    own = visit.parts[Monitors].of(organization_id)
    return sorted(((one.id, figures.visible(one.called)) for one in own), key=lambda one: one[1].casefold())[
        :MOST_MONITORS
    ]


def _weeks(visit: PageRequest) -> list[list[CalendarDay]]:
    """The calendar; none where nothing is planned."""
    person, monitors = visit.person, visit.parts[Monitors]
    announced = monitors.announcements(person.organization_id)
    planned = [*monitors.windows(person.organization_id), *(window for _page, window in announced)]
    hrefs = {window.id: _ON_PAGE.format(page_id, window.id) for page_id, window in announced}
    made = weeks(planned, visit.call.now, person.time_zone, formats_of(person)) if planned else ()
    return [[_calendar_day(day, person, hrefs) for day in week] for week in made]


def _calendar_day(day: MaintenanceDay, person: SignedInPerson, hrefs: Mapping[str, str]) -> CalendarDay:
    return CalendarDay(
        label=dates.short_day_text(day.date, person.date_format),
        is_today=day.is_today,
        entries=tuple(
            (hrefs.get(one.id, f"{PLACE}/{one.id}"), figures.visible(one.name), _times(one, person))
            for one in day.entries
        ),
        more=_("and {count} more").format(count=day.more) if day.more else "",
    )


def _times(entry: CalendarEntry, person: SignedInPerson) -> str:
    """From when to when on that day; open where it goes on before or after."""
    begins, ends = (
        dates.time_text(datetime.combine(date.min, one), person.time_format) if one is not None else ""
        for one in (entry.begins, entry.ends)
    )
    return f"{begins}–{ends}" if begins or ends else _("all day")


def _line(visit: PageRequest, one: MaintenanceShown) -> MaintenanceWindowLine:
    person = visit.person
    following = ""
    if one.status == "active" and one.current_ends_at is not None:
        following = _("until {when}").format(when=dates.moment(millis(one.current_ends_at), person))
    elif one.next_starts_at is not None and one.repeat is not None:
        following = _("Next: {when}").format(when=dates.moment(millis(one.next_starts_at), person))
    return MaintenanceWindowLine(
        name=figures.visible(one.name),
        href=f"{PLACE}/{one.id}",
        now=one.status == "active",
        state=_STATES[one.status],
        what=_("All monitors")
        if one.covers.all
        else ngettext("1 monitor", "{count} monitors", one.monitors).format(count=one.monitors),
        when=_when(one, person),
        next=following,
    )


def _announced_line(visit: PageRequest, page_id: str, one: MaintenanceWindow) -> MaintenanceWindowLine:
    """Maintenance of a status page, which is edited there."""
    person, monitors = visit.person, len(one.covers.monitor_ids)
    is_now = is_on(one, visit.call.now)
    return MaintenanceWindowLine(
        name=figures.visible(one.name),
        href=_ON_PAGE.format(page_id, one.id),
        now=is_now,
        state=_STATES["active" if is_now else "scheduled"],
        what=ngettext("1 monitor", "{count} monitors", monitors).format(count=monitors),
        when=f"{dates.moment(one.starts_at, person)} – {dates.moment(one.ends_at, person)}",
        next="",
    )


def _when(one: MaintenanceShown, person: SignedInPerson) -> str:
    repeat = one.repeat
    if repeat is None:
        ends = dates.moment(millis(one.ends_at), person) if one.ends_at is not None else ""
        return f"{dates.moment(millis(one.starts_at), person)} – {ends}"
    days = ", ".join(WEEKDAYS[day - 1] for day in repeat.weekdays)
    every = {"day": _("Every day"), "week": days, "month": _of_month(one)}[repeat.every]
    return _("{every} at {time} ({zone}), for {lasts}").format(
        every=every, time=repeat.time, zone=repeat.zone, lasts=figures.duration(repeat.minutes * 60)
    )


def _of_month(one: MaintenanceShown) -> str:
    repeat = one.repeat
    if repeat is None or repeat.day is None:
        return _("Every month")
    return _("On day {day} of each month").format(day=repeat.day)
