"""The form of a monitor: /monitors/new and /monitors/{id}/edit. Its buttons work by posting the whole form."""

from collections.abc import Mapping
from typing import Final, get_args

import msgspec
from litestar.params import FromPath
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.errors import BadRequest, Conflict
from analytics_box.base.identity import SignedInPerson
from analytics_box.base.translation import _, ngettext
from analytics_box.products.monitors import calls
from analytics_box.products.monitors.access import viewable_monitor
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.editing import calls as procedures
from analytics_box.products.monitors.editing.messages import CreateMonitor
from analytics_box.products.monitors.editing.shown import AssertionAnswer, CheckAnswer
from analytics_box.products.monitors.figures.view import PHASE_LABELS, assertion_text
from analytics_box.products.monitors.form.fields import MonitorFormState, after_button, new_state, read_state, state_of
from analytics_box.products.monitors.form.message import creation_input, form_field, trial_input, update_input
from analytics_box.products.monitors.monitor import HOME, Method, Monitor, MonitorSecrets, RecordType
from analytics_box.products.monitors.page_frame import (
    COMPARISON_LABELS,
    EVERY_LABELS,
    KIND_LABELS,
    SUBJECT_LABELS,
    frame,
)
from analytics_box.products.monitors.result import Outcome
from analytics_box.tenants.tenancy.messages import millis
from analytics_box.tenants.websites.reach import all_own, own
from analytics_box.web.page import dates
from analytics_box.web.page.edits import check_version, shown_version
from analytics_box.web.page.templates import field_errors
from analytics_box.web.page.visit import Answer, Next, Page, PageRequest, Visitor

_LABELS = {
    "url": _("URL or host"),
    "name": _("Name"),
    "granularity": _("Interval"),
    "timeout": _("Timeout (seconds)"),
    "headers": _("Headers"),
    "body": _("Body"),
    "user": _("User"),
    "password": _("Password"),
    "bearer": _("Bearer token"),
    "failuresToDown": _("Failed checks before down"),
    "successesToUp": _("Passed checks before up"),
    "parentId": _("Depends on"),
    "group": _("Group"),
    "tags": _("Tags"),
    "grace": _("Grace period (seconds)"),
    "server": _("Name server"),
    "websiteId": _("Website"),
    "json": _("JSON values"),
    "method": _("Method"),
    "redirects": _("Redirects to follow"),
    "cacheBust": _("Cache busting"),
    "send": _("Text to send"),
}


class Phase(Struct, frozen=True):
    """A phase of a check; `width` is a class w0 … w100, its share of the whole check."""

    key: str

    name: str
    duration: str
    width: str


class AssertionLine(Struct, frozen=True):
    """An assertion, whether it held, and what it saw."""

    text: str
    held: bool
    level: str
    seen: str


class Trial(Struct, frozen=True):
    """The result of a test check."""

    outcome: Outcome
    code: str
    total: str
    time: str
    error: str
    phases: tuple[Phase, ...]
    facts: tuple[str, ...]
    held: tuple[AssertionLine, ...]


def trial(check: CheckAnswer, person: SignedInPerson, now: int) -> Trial:
    """The result of a check of a monitor as it is typed."""
    return Trial(
        outcome=check.outcome,
        code=str(check.http_code or ""),
        time=dates.brief(now, now, person),
        total=figures.milliseconds(check.total_ms) if check.total_ms is not None else "",
        error=figures.visible(check.error),
        phases=_phases(check),
        facts=tuple(_facts(check, person)),
        held=tuple(_assertion_line(one) for one in check.assertions),
    )


def _phases(check: CheckAnswer) -> tuple[Phase, ...]:
    measured = {name: getattr(check.phases, name) for name in PHASE_LABELS}
    whole = sum(one for one in measured.values() if one is not None)
    return tuple(
        Phase(name, label, figures.milliseconds(taken), figures.bar_width(taken, whole))
        for name, label in PHASE_LABELS.items()
        if (taken := measured[name]) is not None
    )


def _facts(check: CheckAnswer, person: SignedInPerson) -> list[str]:
    found = []
    if check.ssl_expiry is not None:
        ends = dates.day(millis(check.ssl_expiry), person)
        found.append(_("Certificate valid until {when}").format(when=ends))
    if check.address:
        found.append(_("Answered from {address}").format(address=check.address))
    return found


def _assertion_line(one: AssertionAnswer) -> AssertionLine:
    said = _("Was {seen}").format(seen=figures.visible(one.seen)) if one.seen else ""
    return AssertionLine(figures.visible(assertion_text(one)), one.held, one.level, said)


SAVE: Final = "save"  # every other button of the form shows it again
TRY: Final = "try"
# Errors are shown next to their fields, so the whole form is swapped.
_WHOLE: Final = {"hx-retarget": "#monitor-form", "hx-reselect": "#monitor-form"}
MOST_PARENTS: Final = 500  # monitors to choose from


async def new_form(visit: Visitor) -> Page:
    """GET /monitors/new, with ?url= &kind= &name= &websiteId= filled in."""
    given = {name: visit.asked(name) for name in ("url", "kind", "name", "websiteId")}
    return await _page(visit, new_state(given), None)


async def add(visit: Visitor) -> Answer:
    """POST /monitors/new: make the monitor, or show the form after one of its buttons."""
    form = await visit.form()
    state, do = read_state(form), form.get("do", SAVE)
    if do != SAVE:
        return await _after(visit, state, None, do, form)
    try:
        visit.saves()
        made = await procedures.create_schedule(visit.call, creation_input(state))
    except (BadRequest, Conflict) as wrong:
        return await _page(visit, state, None, wrong=wrong)
    return visit.go(f"{HOME}/{made.schedule_id}?done=created")


async def edit_form(visit: Visitor, monitor_id: FromPath[str]) -> Page:
    """GET /monitors/{id}/edit. Raises NotFound."""
    monitor = await viewable_monitor(visit.call, monitor_id)
    return await _page(visit, state_of(monitor), monitor)


async def save(visit: Visitor, monitor_id: FromPath[str]) -> Answer:
    """POST /monitors/{id}/edit: save the monitor, or show the form after one of its buttons. Raises NotFound."""
    form, monitor = await visit.form(), await viewable_monitor(visit.call, monitor_id)
    state, do = read_state(form, monitor.kind), form.get("do", SAVE)
    if do != SAVE:
        return await _after(visit, state, monitor, do, form)
    try:
        visit.saves()
        check_version(form, monitor)
        await procedures.update_schedule(visit.call, update_input(state, monitor.id))
    except (BadRequest, Conflict) as wrong:
        return await _page(visit, state, monitor, form=form, wrong=wrong)
    return visit.go(f"{HOME}/{monitor.id}?done=saved")


async def of_website(visit: Visitor, website_id: FromPath[str]) -> Next:
    """POST /sites/{id}/monitor: watch a website with one click. Raises NotFound or Conflict."""
    website = own(visit.call, website_id)
    given = {
        "url": f"https://{website.domain}",
        "name": website.name,
        "websiteId": website.id,
        "granularity": "five_minutes",
    }
    made = await procedures.create_schedule(visit.call, msgspec.convert(given, CreateMonitor))
    return visit.go(f"{HOME}/{made.schedule_id}?done=created")


async def _after(
    visit: PageRequest, state: MonitorFormState, monitor: Monitor | None, do: str, form: Mapping[str, str]
) -> Page:
    """The form after a button: with another row, or with what a check found."""
    if do != TRY:
        return await _page(visit, after_button(state, do), monitor, form=form)
    try:
        visit.saves()
        check = await calls.try_check(visit.call, trial_input(state, monitor.id if monitor is not None else None))
    except (BadRequest, Conflict) as wrong:
        return await _page(visit, state, monitor, form=form, wrong=wrong)
    found = trial(check, visit.person, visit.call.now)
    return await _page(visit, replace(state, focus=TRY), monitor, form=form, found=found)


async def _page(
    visit: PageRequest,
    state: MonitorFormState,
    monitor: Monitor | None,
    *,
    form: Mapping[str, str] | None = None,
    wrong: BadRequest | Conflict | None = None,
    found: Trial | None = None,
) -> Page:
    """The form of a new monitor, or of one that there is."""
    errors = {form_field(name): message for name, message in field_errors(wrong).items()} if wrong is not None else {}
    swaps = wrong is not None and "hx-request" in visit.request.headers
    organization_id = monitor.organization_id if monitor is not None else visit.person.organization_id
    secrets = monitor.secrets if monitor is not None else None
    return visit.pages.show(
        "monitor_form.html",
        code=wrong.status if wrong is not None and not swaps else 200,
        headers=_WHOLE if swaps else None,
        shell=frame(visit.person),
        name=figures.visible(monitor.called) if monitor is not None else "",
        action=f"{HOME}/{monitor.id}/edit" if monitor is not None else f"{HOME}/new",
        back=f"{HOME}/{monitor.id}" if monitor is not None else HOME,
        state=state,
        version=shown_version(monitor, form, wrong) if monitor is not None else "",
        errors=errors,
        changed=_difference_labels(state, secrets),
        kind_label=KIND_LABELS[state.kind],
        labels=_labels(state),
        general=wrong.message if wrong is not None and not errors else "",
        monitors=_parents(visit, organization_id, monitor),
        websites=[(one.id, figures.visible(one.name)) for one in all_own(visit.call, organization_id)],
        records=[(one, one) for one in get_args(RecordType)],
        methods=[(one, one) for one in get_args(Method)],
        has_headers=bool(secrets and secrets.headers),
        has_body=bool(secrets and secrets.body),
        has_auth=bool(secrets and (secrets.user or secrets.bearer)),
        trial=found,
        focusing="data-focus" if "hx-request" in visit.request.headers else "autofocus",
        comparison_labels=COMPARISON_LABELS,
        every_labels=EVERY_LABELS,
        kind_labels=KIND_LABELS,
        subject_labels=SUBJECT_LABELS,
    )


def _parents(visit: PageRequest, organization_id: str, monitor: Monitor | None) -> list[tuple[str, str]]:
    """The monitors that this one may depend on."""
    reaches = visit.call.identity.reaches
    known = [one for one in visit.parts[Monitors].of(organization_id) if reaches(one.id, one.website_id)]
    others = [one for one in known if monitor is None or one.id != monitor.id]
    named = sorted(((one.id, figures.visible(one.called)) for one in others), key=lambda one: one[1].casefold())
    return named[:MOST_PARENTS]


def _difference_labels(state: MonitorFormState, secrets: MonitorSecrets | None) -> list[str]:
    """The labels of advanced settings that differ from their defaults, as the summary of the form names them."""
    found = [_LABELS[name] for name in state.differences]
    if state.assertions:
        count = len(state.assertions)
        found.insert(0, ngettext("1 condition", "{count} conditions", count).format(count=count))
    for name in ("headers", "body"):
        if secrets is not None and getattr(secrets, name) and name not in state.differences:
            found.append(_LABELS[name])
    if state.kind in {"http", "tls"} and not state.fields.get("verify"):
        found.append(_("Certificate not verified"))
    return found


def _labels(state: MonitorFormState) -> dict[str, str]:
    """The names of all fields of the form, in its order, for the list of what is wrong."""
    labels = dict(_LABELS)
    for number in range(len(state.assertions)):
        where = _("Condition {number}").format(number=number + 1)
        labels |= {f"assertions.{number}.{name}": where for name in ("subject", "property", "comparison", "value")}
    return labels
