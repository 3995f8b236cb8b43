"""The page of a website's notes: viewers read them, members write them."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from functools import partial
from typing import Final
from zoneinfo import ZoneInfo

from analytics_box.base.clock import iso_day
from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _
from analytics_box.products.notes import calls, change
from analytics_box.products.notes.annotation import USUAL_COLOR, Annotation
from analytics_box.products.notes.draft import WRITE_A_TIME
from analytics_box.products.notes.messages import ChangedAnnotation, NewAnnotation, OneAnnotation
from analytics_box.products.notes.on_charts import line
from analytics_box.query import ranges
from analytics_box.query.ranges import zone as zone_of
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.rules import Website
from analytics_box.tenants.websites.shell import site_shell
from analytics_box.web.page.dates import formats_of
from analytics_box.web.page.edits import shown_version
from analytics_box.web.page.questions import ConfirmationTexts, back_of, short_name
from analytics_box.web.page.resource_form import DeletePages, DeleteQuestion, Form, FormPages
from analytics_box.web.page.visit import Again, Page, PageRequest

_DELETE_NOTE = ConfirmationTexts(_("Delete the note {name}?"), _("It is removed from all charts."), _("Delete {name}"))
_DONE = {"added": _("Note added."), "saved": _("Saved."), "deleted": _("Note deleted.")}


# The fields of the form; those that are days are named as the wire names what they become.
FIELDS: Final = ("text", "xValue", "time", "xEndValue", "endTime", "color", "public", "back", "zone")


def new_of(form: Mapping[str, str], website_id: str, zone: ZoneInfo) -> NewAnnotation:
    """The input for a new note from its form. Raises BadRequest."""
    return NewAnnotation(
        websiteId=website_id,
        text=form.get("text", ""),
        xValue=_instant(form, "xValue", "time", zone) or None,
        xEndValue=_instant(form, "xEndValue", "endTime", zone) or None,
        color=form.get("color") or None,
        isPublic="public" in form,
    )


def change_of(form: Mapping[str, str], annotation_id: str, zone: ZoneInfo) -> ChangedAnnotation:
    """The input for a changed note from its form. Raises BadRequest."""
    when = _instant(form, "xValue", "time", zone)
    if not when:
        raise BadRequest.about("xValue", _("Choose a day"))
    return ChangedAnnotation(
        id=annotation_id,
        text=form.get("text", ""),
        xValue=when,
        xEndValue=_instant(form, "xEndValue", "endTime", zone) or None,
        color=form.get("color", ""),
        isPublic="public" in form,
    )


def values_of(note: Annotation, zone: ZoneInfo) -> dict[str, str]:
    """A stored note as its form shows it."""
    day, clock = _date_and_time(note.at, note.content.days, zone)
    end_day, end_clock = ("", "") if note.until is None else _date_and_time(note.until, note.content.days, zone)
    return {
        "text": note.content.text,
        "xValue": day,
        "time": clock,
        "xEndValue": end_day,
        "endTime": end_clock,
        "color": note.content.color,
        "public": "on" if note.content.public else "",
    }


def _date_and_time(at: int, days: bool, zone: ZoneInfo) -> tuple[str, str]:
    """The day and the time of day of an instant, as inputs of forms take them."""
    if days:
        return iso_day(at), ""
    local = datetime.fromtimestamp(at / 1000, zone)
    return local.date().isoformat(), local.time().isoformat("seconds" if local.second else "minutes")


def _instant(form: Mapping[str, str], day_field: str, time_field: str, zone: ZoneInfo) -> str:
    """A day, or a time with its offset, of two fields; empty if both are. Raises BadRequest."""
    day, clock = form.get(day_field, "").strip(), form.get(time_field, "").strip()
    if not clock:
        return day
    if not day:
        raise BadRequest.about(day_field, _("Choose a day"))
    try:
        local = datetime.combine(date.fromisoformat(day), time.fromisoformat(clock), zone)
        return local.astimezone(UTC).isoformat()
    except (ValueError, OverflowError) as refused:
        raise BadRequest.about(day_field, WRITE_A_TIME) from refused


OF_A_PAGE = 100


def _zone(visit: PageRequest, named: str = "") -> ZoneInfo:
    """The time zone that a form names, else the person's."""
    return zone_of(named or visit.person.time_zone)


async def _find(visit: PageRequest) -> tuple[Website, Annotation | None]:
    """A website, and its note that the address names; None for a new one. Raises NotFound."""
    website, note_id = own(visit.call, visit.path("website_id")), visit.path("note_id")
    if not note_id:
        return website, None
    return website, await visit.call.read(partial(change.existing, website=website, annotation_id=note_id))


def _fill(visit: PageRequest, _website: Website, note: Annotation | None) -> Form:
    """The values of the form; a new note is of ?day= or today, and either leads to ?back=."""
    zone, back = _zone(visit), {"back": visit.asked("back")}
    if note is not None:
        return values_of(note, zone) | back
    return {"color": USUAL_COLOR, "xValue": visit.asked("day") or ranges.today(visit.call.now, zone).isoformat()} | back


async def _save(visit: PageRequest, website: Website, note: Annotation | None, form: Form) -> str:
    if note is None:
        await calls.add(visit.call, new_of(form, website.id, _zone(visit, form.get("zone", ""))))
    else:
        await calls.alter(visit.call, change_of(form, note.id, _zone(visit)))
    return _after(website, form, "added" if note is None else "saved")


def _after(website: Website, form: Form, done: str) -> str:
    home = f"/sites/{website.id}"
    return back_of(form.get("back", ""), home) or f"{home}/notes?done={done}"


def _question(visit: PageRequest, website: Website, note: Annotation) -> DeleteQuestion:
    home = f"/sites/{website.id}"
    back = back_of(visit.asked("back"), home)
    shell, name = site_shell(visit, "overview", website), short_name(note.content.text)
    return DeleteQuestion(_DELETE_NOTE, shell, name, back or f"{home}/notes", fields={"back": back})


async def _show(visit: PageRequest, website: Website, note: Annotation | None, again: Again) -> Page:
    """The form of a note, or all notes, the latest first, with the form of a new one."""
    if note is not None:
        return _edit(visit, website, note, again)
    person, asked = visit.person, visit.asked("page")
    number = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 4 else 0
    found = await visit.call.read(
        partial(
            change.between,
            website_id=website.id,
            first=calls.FIRST,
            last=calls.LAST,
            most=OF_A_PAGE + 1,
            skip=number * OF_A_PAGE,
        )
    )
    zone, home = _zone(visit), f"/sites/{website.id}/notes"
    return visit.show(
        "notes.html",
        site_shell(visit, "overview", website),
        again,
        site=website,
        home=home,
        notes=[line(note, zone, formats_of(person)) for note in found[:OF_A_PAGE]],
        later=f"{home}?page={number - 1}" if number else "",
        earlier=f"{home}?page={number + 1}" if len(found) > OF_A_PAGE else "",
        may_write=person.may("member"),
        zone=zone.key,
        url=visit.parts.settings.public_url,
        done=_DONE.get(visit.asked("done"), ""),
    )


def _edit(visit: PageRequest, website: Website, note: Annotation, again: Again) -> Page:
    zone = _zone(visit)
    return visit.show(
        "note.html",
        site_shell(visit, "overview", website),
        again,
        site=website,
        note=line(note, zone, formats_of(visit.person)),
        version=shown_version(note, again.values),
        back=back_of(again.values.get("back", ""), f"/sites/{website.id}"),
        zone=zone.key,
    )


NOTE: Final = FormPages(
    find=_find,
    fill=_fill,
    show=_show,
    save=_save,
    deletion=DeletePages(
        find=_find,
        question=_question,
        delete=lambda visit, _website, note: calls.delete(visit.call, OneAnnotation(note.id)),
        after=lambda website, form: _after(website, form, "deleted"),
    ),
)
