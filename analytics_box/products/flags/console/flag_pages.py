"""The page of a flag under /flags/{id}: its decisions in sentences, and the buttons that change its status."""

from typing import Final, get_args

from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.errors import BadRequest, Conflict
from analytics_box.base.translation import _, ngettext
from analytics_box.products.flags.access import find_flag
from analytics_box.products.flags.console.fields import json_text
from analytics_box.products.flags.console.list_pages import stale_text
from analytics_box.products.flags.editing import change
from analytics_box.products.flags.editing.change import FlagChange
from analytics_box.products.flags.editing.messages import CopyFlag
from analytics_box.products.flags.flag import Flag, Status
from analytics_box.products.flags.history import reading
from analytics_box.products.flags.history import rows as history_rows
from analytics_box.products.flags.page_frame import HOME, FlagPageView, flag_title, frame, open_flag
from analytics_box.products.flags.saving import save
from analytics_box.products.flags.sentences import DecisionLine, flag_lines, percent, weights
from analytics_box.products.flags.usage.counts import FlagUsage, used
from analytics_box.tenants.tenancy.messages import message_of
from analytics_box.web.page import dates
from analytics_box.web.page.questions import ConfirmationTexts
from analytics_box.web.page.resource_form import DeletePages, DeleteQuestion
from analytics_box.web.page.templates import field_errors
from analytics_box.web.page.visit import Again, Answer, Next, Page, PageRequest, Visitor

ALGORITHM_LABELS = {
    "flagd": _("Independent (flagd)"),
    "default": _("Original (not independent of other flags)"),
    "unleash": _("Unleash"),
    "growthbook_v1": _("GrowthBook, hash version 1"),
    "growthbook_v2": _("GrowthBook, hash version 2"),
    "flagd_v3": _("flagd, fractional version 3"),
    "launchdarkly": _("LaunchDarkly"),
}


class VariantLine(Struct, frozen=True):
    """A variant with its value as text; `bar` is the CSS class of its percentage bar."""

    key: str
    value: str
    share: str
    bar: str
    description: str


class Other(Struct, frozen=True):
    """Another flag to go to."""

    name: str
    href: str


class FlagOverview(Struct, frozen=True):
    """A flag on its own page."""

    description: str
    lines: tuple[DecisionLine, ...]
    variants: tuple[VariantLine, ...]
    payload: str
    needed_by: tuple[Other, ...]
    facts: tuple[tuple[str, str], ...]
    changed: str
    stale: str
    status: str
    dependent: bool  # True for the original hash, whose buckets are related across flags.


async def flag_page(visit: Visitor, flag_id: FromPath[str]) -> Page:
    """GET /flags/{id}. Raises NotFound or Forbidden."""
    page = await open_flag(visit, flag_id)
    found = await used(visit.parts, page.scope, (page.flag,))
    latest = await visit.call.read(lambda db: history_rows.latest(db, page.flag.id, before=None, limit=1))
    by = reading.actor_name(latest[0]) if latest else ""
    return page.show("flag.html", "now", flag=_flag_overview(page, found[page.flag.id], by))


def needed_by(page: FlagPageView) -> list[Flag]:
    """The flags that need this flag, in the same environment."""
    own = page.flag
    return [
        one
        for one in page.scope.flags
        if one.environment == own.environment
        and one.id != own.id
        and (own.key in one.definition.dependencies or own.key in {each.key for each in one.definition.prerequisites})
    ]


def _flag_overview(page: FlagPageView, uses: FlagUsage, by: str) -> FlagOverview:
    flag, given = page.flag, page.flag.definition
    return FlagOverview(
        description=given.description,
        lines=flag_lines(given, page.groups, user_id=flag.user_id),
        variants=_variants(flag),
        payload=json_text(given.payload),
        needed_by=tuple(Other(flag_title(one), f"{HOME}/{one.id}") for one in needed_by(page)),
        facts=_facts(page, uses),
        changed=_("Version {number}, changed {moment} by {name}").format(
            number=figures.count(flag.version), moment=dates.moment(flag.updated_at, page.visit.person), name=by
        )
        if by
        else "",
        stale=stale_text(uses, page.visit.person),
        status=given.status,
        dependent=_draws(flag) and given.bucketing.algorithm == "default",
    )


def _variants(flag: Flag) -> tuple[VariantLine, ...]:
    given = flag.definition.variants
    if flag.definition.type != "multivariant" or not given:
        return ()
    return tuple(
        VariantLine(
            key=figures.visible(one.key),
            value=one.value if isinstance(one.value, str) and one.type == "string" else json_text(one.value),
            share=percent(round(weight, 2)),
            bar=figures.bar_width(weight, 100),
            description=figures.visible(one.description),
        )
        for one, weight in zip(given, weights(given), strict=True)
    )


def _facts(page: FlagPageView, uses: FlagUsage) -> tuple[tuple[str, str], ...]:
    flag, person = page.flag, page.visit.person
    facts = [
        (_("Last evaluated"), dates.ago(uses.last_at, page.visit.call.now) if uses.last_at is not None else _("Never")),
        (_("Created"), dates.moment(flag.created_at, person)),
    ]
    if _draws(flag):
        facts.append((_("Bucketing"), ALGORITHM_LABELS[flag.definition.bucketing.algorithm]))
    return tuple(facts)


def _draws(flag: Flag) -> bool:
    """Return whether the flag buckets users by its bucketing."""
    given = flag.definition
    return given.type in {"rollout", "multivariant"} or any(one.percentage is not None for one in given.rules)


_DELETE = ConfirmationTexts(
    _("Delete {name}?"),
    _(
        "Apps that request {key} use the default in their code. "
        "{needed} You can restore it for some days through the API (flags.undelete). If you might need it again, "
        "archive it instead."
    ),
    _("Delete {name}"),
)


_STATUSES: Final = {str(status): status for status in get_args(Status)}


async def set_status(visit: Visitor, flag_id: FromPath[str]) -> Next:
    """POST /flags/{id}/status: activate, deactivate or archive it. Raises NotFound, Forbidden or BadRequest."""
    own, flag = find_flag(visit.call, flag_id)
    status: Status | None = _STATUSES.get((await visit.form()).get("status", ""))
    if status is None:
        raise BadRequest(_("Select active, inactive or archived"))
    adds = status == "active"  # A flag can be turned off while the disk is full.
    done = await save(visit.parts, own.scope, lambda db: change.set_status(db, own, flag.id, status), adds=adds)
    return visit.go(f"{HOME}/{flag.id}?done={done_key(done, status)}")


def done_key(changed: FlagChange, usual: str) -> str:
    """The confirmation after a change, by its name in FlagList.done: dependencies between flags can change it."""
    if changed.inactive_dependencies:
        return "stays-inactive"
    return "needed" if changed.dependents else usual


async def _find(visit: PageRequest) -> tuple[FlagPageView, Flag]:
    page = await open_flag(visit, visit.path("flag_id"))
    return page, page.flag


def _question(visit: PageRequest, page: FlagPageView, flag: Flag) -> DeleteQuestion:
    others = [flag_title(one) for one in needed_by(page)]
    needed = ngettext("{names} requires it and will be off.", "{names} require it and will be off.", len(others))
    facts = {"key": flag.key, "needed": needed.format(names=", ".join(others)) if others else ""}
    return DeleteQuestion(_DELETE, frame(visit.person), flag_title(flag), page.href, facts)


async def _delete(visit: PageRequest, _page: FlagPageView, flag: Flag) -> None:
    own, _flag = find_flag(visit.call, flag.id)
    await save(visit.parts, own.scope, lambda db: change.delete(db, own, flag.id))


DELETION: Final = DeletePages(
    find=_find, question=_question, delete=_delete, after=lambda _page, _form: f"{HOME}?done=deleted"
)


async def copy_form(visit: Visitor, flag_id: FromPath[str]) -> Page:
    """GET /flags/{id}/copy. Raises NotFound or Forbidden."""
    return _copy_page(await open_flag(visit, flag_id), Again())


async def copy(visit: Visitor, flag_id: FromPath[str]) -> Answer:
    """POST /flags/{id}/copy: the flag in another environment. Raises NotFound or Forbidden."""
    page, form = await open_flag(visit, flag_id), await visit.form()
    own, flag = find_flag(visit.call, flag_id)
    try:
        found = {"id": flag.id, "environment": form.get("environment", "").strip() or None}
        message = message_of(found, CopyFlag)
        made = await save(visit.parts, own.scope, lambda db: change.copy(db, own, message), adds=True)
    except (BadRequest, Conflict) as wrong:
        errors = field_errors(wrong)
        return _copy_page(page, Again(wrong.status, form, errors, "" if errors else wrong.message))
    return visit.go(f"{HOME}/{made.flag.id}?done=copied")


def _copy_page(page: FlagPageView, again: Again) -> Page:
    environments = sorted({one.environment for one in page.scope.flags if one.environment})
    return page.show("flag_copy.html", "now", again=again, environments=environments)
