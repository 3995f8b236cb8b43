"""The percentage rollout of a flag, under /flags/{id}/rollout: the people affected by another percentage, and scheduled
changes.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from litestar.params import FromPath
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.errors import BadRequest, Conflict
from analytics_box.base.identity import SignedInPerson
from analytics_box.base.translation import _, ngettext
from analytics_box.products.flags.access import find_flag
from analytics_box.products.flags.comparing import RecentPeople
from analytics_box.products.flags.editing import change
from analytics_box.products.flags.editing.messages import UpdateFlag
from analytics_box.products.flags.evaluation.compiling import Ruleset, compile_ruleset
from analytics_box.products.flags.evaluation.outcome import EvaluationContext
from analytics_box.products.flags.flag import LONGEST_DESCRIPTION, Flag, FlagDefinition, TargetGroup
from analytics_box.products.flags.page_frame import DONE, FlagPageView, open_flag
from analytics_box.products.flags.saving import save
from analytics_box.products.flags.schedules import calls, planning
from analytics_box.products.flags.schedules.messages import CreateFlagSchedule, DeleteFlagSchedule, FlagSchedule
from analytics_box.products.flags.sentences import percent
from analytics_box.resource import forms
from analytics_box.tenants.tenancy.messages import message_of
from analytics_box.web.page import dates
from analytics_box.web.page.edits import EditConflict, check_version, shown_version, version_of
from analytics_box.web.page.templates import field_errors
from analytics_box.web.page.visit import Again, Answer, Page, Visitor

EVERY_LABELS = {"10": _("10 minutes"), "60": _("Hour"), "360": _("6 hours"), "1440": _("Day"), "10080": _("Week")}
KIND_LABELS = {
    "enable": _("Activate the flag"),
    "disable": _("Deactivate the flag"),
    "update_rollout": _("Percentage rollout"),
}
_SHARE_OF = {
    "user": _("Percentage of users"),
    "organization": _("Percentage of organizations"),
    "team": _("Percentage of teams"),
}
_DONE = {"scheduled": _("Change scheduled."), "cancelled": _("Schedule canceled. Changes already made stay.")}


_OF_FORM: Final[Mapping[str, Mapping[str, str]]] = {
    "switch": {"scheduledAt": "switch-at"},
    "step": {"rolloutSteps": "step-at", "rolloutSteps[0].value": "step-percentage", "scheduledAt": "step-at"},
    "ramp": {
        "ramp.from": "ramp-from",
        "ramp.to": "ramp-to",
        "ramp.startsAt": "ramp-starts",
        "ramp.endsAt": "ramp-ends",
        "ramp.everyMinutes": "ramp-every",
        "rolloutSteps": "ramp-starts",
    },
}


def schedule_values(form: Mapping[str, str], zone: str) -> dict[str, Any]:
    """The schedule in a form, as API input. Raises BadRequest, by field of the form."""
    reading = _ScheduleFormReader(form, ZoneInfo(zone))
    match form.get("kind", ""):
        case "step":
            step = {"scheduledAt": reading.instant("step-at"), "value": reading.number("step-percentage")}
            found: dict[str, Any] = {"type": "update_rollout", "rolloutSteps": [step]}
        case "ramp":
            every = form.get("ramp-every", "")
            ramp = {
                "from": reading.number("ramp-from"),
                "to": reading.number("ramp-to"),
                "startsAt": reading.instant("ramp-starts"),
                "endsAt": reading.instant("ramp-ends"),
                "everyMinutes": int(every) if every in EVERY_LABELS else 60,
            }
            found = {"type": "update_rollout", "ramp": ramp}
        case _:
            what = "disable" if form.get("what") == "disable" else "enable"
            found = {"type": what, "scheduledAt": reading.instant("switch-at")}
    reading.check()
    return found


class _ScheduleFormReader:
    def __init__(self, form: Mapping[str, str], zone: ZoneInfo) -> None:
        self._form = form
        self._zone = zone
        self._wrong: dict[str, str] = {}

    def instant(self, name: str) -> str:
        """A local time of the form as an instant."""
        try:
            local = datetime.fromisoformat(self._form.get(name, "")).replace(tzinfo=self._zone)
            return local.astimezone(UTC).isoformat()
        except (ValueError, OverflowError):
            self._wrong[name] = _("Enter a time")
            return ""

    def number(self, name: str) -> float:
        """A percentage of the form."""
        try:
            found = float(self._form.get(name, "").strip().replace(",", ".").removesuffix("%"))
        except ValueError:
            found = -1
        if not 0 <= found <= 100:
            self._wrong[name] = _("Enter a number from 0 to 100")
        return found

    def check(self) -> None:
        """Raises BadRequest for all that is wrong."""
        forms.refuse(self._wrong)


class ScheduleLine(Struct, frozen=True):
    """A schedule; `note` says how far it is or how it ended."""

    id: str
    version: str
    what: str
    note: str
    pending: bool
    is_bad: bool


def lines(schedules: Iterable[FlagSchedule], person: SignedInPerson) -> list[ScheduleLine]:
    """The schedules in words: pending ones, then finished ones."""
    return [_line(one, person) for one in schedules]


def _line(one: FlagSchedule, person: SignedInPerson) -> ScheduleLine:
    pending = one.next_at is not None
    return ScheduleLine(one.id, version_of(one), _what(one, person), _note(one, person), pending, bool(one.error))


def _what(one: FlagSchedule, person: SignedInPerson) -> str:
    if not one.steps:
        return f"{dates.moment(one.scheduled_at, person)}: {KIND_LABELS[one.type]}"
    first, last = one.steps[0], one.steps[-1]
    if first is last:
        text = f"{KIND_LABELS[one.type]} {percent(first.percentage)}"
        return f"{dates.moment(first.at, person)}: {text}"
    return _("{steps} steps from {start} at {first} to {end} at {last}").format(
        steps=len(one.steps),
        start=percent(first.percentage),
        first=dates.moment(first.at, person),
        end=percent(last.percentage),
        last=dates.moment(last.at, person),
    )


def _note(one: FlagSchedule, person: SignedInPerson) -> str:
    if one.next_at is None:
        text = _("Ended {at}. {error}") if one.error else _("Done {at}")
        return text.format(at=dates.moment(one.ended_at or one.last_at, person), error=one.error)
    done = sum(step.doneAt is not None for step in one.steps)
    if not done:
        return ""
    waiting = next(step for step in one.steps if step.doneAt is None)
    next_said = f"{dates.moment(waiting.at, person)}: {percent(waiting.percentage)}"
    return _("{done} of {steps} done, next {next}").format(done=done, steps=len(one.steps), next=next_said)


class Gains(Struct, frozen=True):
    """The number of people compared, the number who have the flag before and after, and the people who change."""

    people: int
    before: int
    after: int
    gained: tuple[str, ...]
    lost: tuple[str, ...]


def compare(
    flag: Flag,
    changed: FlagDefinition,
    others: Iterable[Flag],
    groups: Sequence[TargetGroup],
    people: Iterable[EvaluationContext],
) -> Gains:
    """Compare the people who get the flag now and with the changed definition, as if the flag was active in both.

    `others` are the flags of its scope, of which those of its environment may be needed.
    """
    neighbors = [one for one in others if one.environment == flag.environment and one.id != flag.id]
    now = _compile_active(flag, flag.definition, neighbors, groups)
    then = _compile_active(flag, changed, neighbors, groups)
    looked = had = has = 0
    gained: list[str] = []
    lost: list[str] = []
    for person in people:
        was, is_on = (_is_on(ruleset, flag.key, person) for ruleset in (now, then))
        looked, had, has = looked + 1, had + was, has + is_on
        if was != is_on:
            (gained if is_on else lost).append(person.user_id)
    return Gains(looked, had, has, tuple(gained), tuple(lost))


def _compile_active(
    flag: Flag, definition: FlagDefinition, neighbors: Sequence[Flag], groups: Sequence[TargetGroup]
) -> Ruleset:
    active = replace(flag, definition=replace(definition, status="active"))
    return compile_ruleset((*neighbors, active), groups)


def _is_on(ruleset: Ruleset, key: str, person: EvaluationContext) -> bool:
    outcome = ruleset.one(key, person)
    return outcome is not None and outcome.enabled


MOST_SAMPLES: Final = 12  # Affected users that are named.
LABELS: Final[Mapping[str, str]] = {
    "percentage": _("Percentage of users"),
    "switch-at": _("Time"),
    "step-at": _("Time"),
    "step-percentage": _("Percentage"),
    "ramp-from": _("From percent"),
    "ramp-to": _("To percent"),
    "ramp-starts": _("Starts"),
    "ramp-ends": _("Ends"),
    "ramp-every": _("Interval"),
}


class PersonSample(Struct, frozen=True):
    """A person who gains or loses the flag, with a link to the tester, which explains the outcome."""

    name: str
    href: str


class AffectedPeople(Struct, frozen=True):
    """People who gain or lose the flag; `more` is the number of those not named."""

    title: str
    count: str
    samples: tuple[PersonSample, ...]
    more: str


class RolloutPreview(Struct, frozen=True):
    """The people who gain or lose a flag, among recently identified people, in words. `note` is the reason why they are
    unknown.
    """

    note: str = ""
    about: str = ""
    now: str = ""
    would: str = ""
    then: str = ""
    changing: tuple[AffectedPeople, ...] = ()


async def rollout(visit: Visitor, flag_id: FromPath[str]) -> Page:
    """GET /flags/{id}/rollout, with ?percentage= to see who changes by it. Raises NotFound or Forbidden."""
    page, wrong = await open_flag(visit, flag_id), dict[str, str]()
    given = visit.asked("percentage")
    if given and _share(given) is None:
        wrong["percentage"] = _("Enter a number from 0 to 100")
    return await _page(page, Again(400 if wrong else 200, {"percentage": given} if given else {}, wrong))


async def save_share(visit: Visitor, flag_id: FromPath[str]) -> Answer:
    """POST /flags/{id}/rollout: change the percentage. Raises NotFound or Forbidden."""
    page, form = await open_flag(visit, flag_id), await visit.form()
    own, flag = find_flag(visit.call, flag_id)
    try:
        visit.saves()
        share = _share(form.get("percentage", ""))
        if share is None or flag.definition.type != "rollout":
            raise BadRequest.about("percentage", _("Enter a number from 0 to 100"))
        check_version(form, flag)
        note = form.get("note", "").strip()[:LONGEST_DESCRIPTION]
        given = {"id": flag.id, "rolloutPercentage": share, "version": flag.version, "note": note}
        message = message_of(given, UpdateFlag)
        await save(visit.parts, own.scope, lambda db: change.update(db, own, message), adds=True)
    except (BadRequest, Conflict) as wrong:
        return await _page(page, _again(wrong, form, field_errors(wrong)), wrong)
    return visit.go(f"{page.href}/rollout?done=saved")


async def schedule(visit: Visitor, flag_id: FromPath[str]) -> Answer:
    """POST /flags/{id}/schedules: schedule a change. Raises NotFound or Forbidden."""
    page, form = await open_flag(visit, flag_id), await visit.form()
    try:
        visit.saves()
        # A schedule is planned for the flag with the schedules that the page showed.
        check_version(form, [page.flag, *await _schedules(page)])
        given = schedule_values(form, page.visit.person.time_zone) | {"flagId": page.flag.id}
        await calls.create(visit.call, message_of(given, CreateFlagSchedule))
    except (BadRequest, Conflict) as wrong:
        errors = {
            _OF_FORM.get(form.get("kind", ""), {}).get(name, name): text for name, text in field_errors(wrong).items()
        }
        return await _page(page, _again(wrong, form, errors), wrong)
    return visit.go(f"{page.href}/rollout?done=scheduled")


async def cancel(visit: Visitor, flag_id: FromPath[str]) -> Answer:
    """POST /flags/{id}/schedules/cancel: cancel a scheduled change. Raises NotFound or Forbidden."""
    page, form = await open_flag(visit, flag_id), await visit.form()
    schedules = {one.id: one for one in await _schedules(page)}
    try:
        check_version(form, schedules.get(form.get("id", "")))
    except EditConflict as changed:
        return await _page(page, Again(changed.status, general=changed.message))
    await calls.delete(visit.call, message_of({"id": form.get("id", "")}, DeleteFlagSchedule))
    return visit.go(f"{page.href}/rollout?done=cancelled")


def _again(wrong: BadRequest | Conflict, form: Mapping[str, str], errors: Mapping[str, str]) -> Again:
    """The page after a refusal; an error that concerns none of its fields is shown at the top."""
    own = {name: text for name, text in errors.items() if name in LABELS}
    return Again(wrong.status, form, own, "" if own else wrong.message)


async def _schedules(page: FlagPageView) -> list[FlagSchedule]:
    return await page.visit.call.read(lambda db: planning.of_flag(db, page.flag.id))


async def _page(page: FlagPageView, again: Again, refused: Exception | None = None) -> Page:
    flag, visit = page.flag, page.visit
    now = flag.definition.rolloutPercentage
    wanted = _share(again.values.get("percentage", "")) if not again.values.get("kind") else now
    share = now if wanted is None else wanted
    found = await _schedules(page)
    shown = {} if again.values.get("kind") else again.values
    planned = again.values if again.values.get("kind") else {}
    return page.show(
        "flag_rollout.html",
        "rollout",
        again=again,
        is_rollout=flag.definition.type == "rollout",
        is_archived=flag.definition.status == "archived",
        version=shown_version(flag, shown, refused),
        planned_version=shown_version([flag, *found], planned, refused),
        labels=LABELS,
        share=f"{share:.10g}",
        share_said=percent(share),
        now_said=_("Now {percent}").format(percent=percent(now)),
        whose=_SHARE_OF[flag.definition.rolloutBy],
        step="1" if float(now).is_integer() and float(share).is_integer() else "0.01",
        who=await _who(page, share) if flag.definition.type == "rollout" else None,
        schedules=lines(found, visit.person),
        zone=visit.person.time_zone,
        done=_DONE.get(visit.asked("done"), "") or DONE.get(visit.asked("done"), ""),
        every_labels=EVERY_LABELS,
        kind_labels=KIND_LABELS,
    )


async def _who(page: FlagPageView, share: float) -> RolloutPreview:
    """The people who would gain or lose the flag, for users who may see people."""
    flag = page.flag
    if not page.editable:
        return RolloutPreview(_("Members of this organization can preview which users are affected."))
    if flag.definition.rolloutBy != "user":
        return RolloutPreview(
            _(
                "No preview for flags that use a percentage of organizations or teams: the server "
                "does not know which users belong to them."
            )
        )
    people = await page.visit.parts[RecentPeople].of(flag)
    if not people:
        return RolloutPreview(
            _(
                "No identified visitors yet. To see who is affected, call identify with the user "
                "ID that your app uses for flags."
            )
        )
    changed = replace(flag.definition, rolloutPercentage=share)
    gains = await asyncio.to_thread(compare, flag, changed, page.scope.flags, page.groups, people)
    return _preview_text(page, gains, share)


def _preview_text(page: FlagPageView, gains: Gains, share: float) -> RolloutPreview:
    flag = page.flag
    where = _("the website") if flag.website_id is not None else _("your websites")
    about = ngettext(
        "Based on 1 visitor that {where} identified recently.",
        "Based on {count} visitors that {where} identified recently.",
        gains.people,
    ).format(count=figures.count(gains.people), where=where)
    kinds = ((_("Turned on"), gains.gained), (_("Turned off"), gains.lost))
    return RolloutPreview(
        note=_("The flag is not active. This preview shows its values if you activate it.")
        if flag.definition.status != "active"
        else "",
        about=about,
        now=figures.count(gains.before),
        would=_("With {percent}").format(percent=percent(share)),
        then=figures.count(gains.after),
        changing=tuple(_changing(page, title, ids) for title, ids in kinds if ids),
    )


def _changing(page: FlagPageView, title: str, ids: tuple[str, ...]) -> AffectedPeople:
    samples = tuple(
        PersonSample(figures.visible(one), f"{page.href}/test?{urlencode({'userId': one})}")
        for one in ids[:MOST_SAMPLES]
    )
    left = len(ids) - len(samples)
    more = _("and {count} more").format(count=figures.count(left)) if left else ""
    return AffectedPeople(title, figures.count(len(ids)), samples, more)


def _share(text: str) -> float | None:
    """A percentage as a user types it; None if it is invalid."""
    try:
        found = float(text.strip().replace(",", ".").removesuffix("%"))
    except ValueError:
        return None
    return found if 0 <= found <= 100 else None
