"""Target groups under /flags/groups: the list, the form of one, and deleting it."""

from typing import Any, Final

from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.errors import BadRequest, Conflict
from analytics_box.base.translation import _, ngettext
from analytics_box.products.flags.access import find_target_group
from analytics_box.products.flags.console.buttons import after_button
from analytics_box.products.flags.console.definition import Reading, opened_where_wrong, rule_sentences, rules_of
from analytics_box.products.flags.console.fields import OF_GROUP, FlagFormState, read_state
from analytics_box.products.flags.console.filled import state_of_group
from analytics_box.products.flags.console.form_pages import (
    LARGEST_FORM,
    MOST_FIELDS,
    READ,
    SAVE,
    form_reach,
    owner_of,
    scope_of,
)
from analytics_box.products.flags.console.wrong_fields import form_field, group_labels
from analytics_box.products.flags.directory import Flags
from analytics_box.products.flags.editing import group_change
from analytics_box.products.flags.editing.group_change import CreateTargetGroup, UpdateTargetGroup
from analytics_box.products.flags.flag import FlagScope, TargetGroup
from analytics_box.products.flags.page_frame import HOME, done_message, flag_title, frame, owner_name, owners
from analytics_box.products.flags.saving import save as saved
from analytics_box.products.flags.sentences import Sentence, rule_sentence
from analytics_box.resource import forms
from analytics_box.tenants.tenancy.messages import date, message_of
from analytics_box.web.page.edits import check_version, shown_version
from analytics_box.web.page.questions import ConfirmationTexts, ask
from analytics_box.web.page.templates import field_errors
from analytics_box.web.page.visit import Answer, Page, PageRequest, Visitor

_DELETE = ConfirmationTexts(
    _("Delete the target group {name}?"), _("{used} Its rules are removed. This cannot be undone."), _("Delete {name}")
)
COLOR_LABELS = {
    "": _("None"),
    "#2563eb": _("Blue"),
    "#16a34a": _("Green"),
    "#d97706": _("Orange"),
    "#dc2626": _("Red"),
    "#9333ea": _("Purple"),
    "#64748b": _("Gray"),
}


GROUPS: Final = f"{HOME}/groups"
MOST_SAID: Final = 5  # Rules of a group that the list names.


class GroupLine(Struct, frozen=True):
    """A target group in the list."""

    name: str
    href: str
    description: str
    color: str
    color_name: str
    owner: str
    rules: tuple[Sentence, ...]
    more: str
    used: str


async def group_list(visit: Visitor) -> Page:
    """GET /flags/groups."""
    organization_id = visit.person.organization_id
    scopes = visit.parts[Flags].of(organization_id)
    lines = [_line(visit, group, scope) for scope in scopes for group in scope.groups]
    return visit.pages.show(
        "flag_groups.html",
        shell=frame(visit.person),
        lines=sorted(lines, key=lambda one: one.name.casefold()),
        editable=visit.person.may("member"),
        done=done_message(visit),
    )


async def new_form(visit: Visitor) -> Page:
    """GET /flags/groups/new, with ?of= filled in."""
    state = FlagFormState({"of": owner_of(visit, visit.asked("of")[:64])})
    return _page(visit, after_button(state, "add-rule"), None)


async def add(visit: Visitor) -> Answer:
    """POST /flags/groups/new: create the group, or show the form after one of its buttons."""
    form = await visit.form(limit=LARGEST_FORM, most_fields=MOST_FIELDS)
    state, do = read_state(form, OF_GROUP), form.get("do", SAVE)
    if do != SAVE:
        return _after(visit, state, None, do)
    own = form_reach(visit, state.fields.get("of", ""))
    try:
        visit.saves()
        message = message_of(_form_values(state, None), CreateTargetGroup)
        await saved(visit.parts, own.scope, lambda db: group_change.create(db, own, message), adds=True)
    except (BadRequest, Conflict) as wrong:
        return _page(visit, state, None, wrong=wrong)
    return visit.go(f"{GROUPS}?done=group-created")


async def edit_form(visit: Visitor, group_id: FromPath[str]) -> Page:
    """GET /flags/groups/{id}. Raises NotFound."""
    _rest, group = find_target_group(visit.call, group_id)
    return _page(visit, state_of_group(group), group)


async def save(visit: Visitor, group_id: FromPath[str]) -> Answer:
    """POST /flags/groups/{id}: save the group, or show the form after one of its buttons. Raises NotFound or
    Forbidden."""
    form = await visit.form(limit=LARGEST_FORM, most_fields=MOST_FIELDS)
    own, group = find_target_group(visit.call, group_id)
    state, do = read_state(form, OF_GROUP), form.get("do", SAVE)
    if do != SAVE:
        return _after(visit, state, group, do)
    try:
        visit.saves()
        check_version(form, group)
        found = _form_values(state, group) | {"id": group.id, "updatedAt": date(group.updated_at)}
        message = message_of(found, UpdateTargetGroup)
        await saved(visit.parts, own.scope, lambda db: group_change.update(db, own, message), adds=True)
    except (BadRequest, Conflict) as wrong:
        return _page(visit, state, group, wrong=wrong)
    return visit.go(f"{GROUPS}?done=group-saved")


async def delete_form(visit: Visitor, group_id: FromPath[str]) -> Page:
    """GET /flags/groups/{id}/delete: are you sure? Raises NotFound."""
    _rest, group = find_target_group(visit.call, group_id)
    using = group_change.uses(scope_of(visit, group.scope), group.id)
    names = ", ".join(flag_title(one) for one in using)
    used = _("{names} will no longer use it.").format(names=names) if using else _("No flags use it.")
    here = f"{GROUPS}/{group.id}"
    return ask(visit, frame(visit.person), _DELETE, group.name, action=f"{here}/delete", back=here, used=used)


async def delete(visit: Visitor, group_id: FromPath[str]) -> Answer:
    """POST /flags/groups/{id}/delete. Raises NotFound or Forbidden."""
    own, group = find_target_group(visit.call, group_id)
    try:
        await saved(visit.parts, own.scope, lambda db: group_change.delete(db, own, group.id))
    except Conflict as wrong:
        return _page(visit, state_of_group(group), group, wrong=wrong)
    return visit.go(f"{GROUPS}?done=group-deleted")


def _form_values(state: FlagFormState, group: TargetGroup | None) -> dict[str, Any]:
    wrong: dict[str, str] = {}
    return forms.read(state.fields, TargetGroup, "UTC", group, wrong) | {
        "rules": rules_of(state, group.rules if group is not None else ())
    }


def _after(visit: PageRequest, state: FlagFormState, group: TargetGroup | None, do: str) -> Page:
    """The form after a button, or only its live preview if that is requested."""
    if do != READ or "hx-request" not in visit.request.headers:
        return _page(visit, after_button(state, do), group)
    reading = _reading(visit, state, group)
    return visit.pages.show("flag_reading.html", state=state, reading=reading, is_flag=False)


def _page(
    visit: PageRequest, state: FlagFormState, group: TargetGroup | None, *, wrong: BadRequest | Conflict | None = None
) -> Page:
    given = field_errors(wrong) if wrong is not None else {}
    errors = {form_field(name, state): text for name, text in given.items() if name != "updatedAt"}
    state = opened_where_wrong(state, errors)
    return visit.pages.show(
        "flag_group_form.html",
        code=wrong.status if wrong is not None else 200,
        shell=frame(visit.person),
        name=figures.visible(group.name) if group is not None else "",
        action=f"{GROUPS}/{group.id}" if group is not None else f"{GROUPS}/new",
        state=state,
        version=shown_version(group, state.fields, wrong) if group is not None else "",
        reading=_reading(visit, state, group),
        errors=errors,
        labels=group_labels(errors),
        general=wrong.message if wrong is not None and not errors else "",
        gives=[("on", _("On")), ("off", _("Off"))],
        focusing="data-focus" if "hx-request" in visit.request.headers else "autofocus",
        owners=list(owners(visit).items()),
        groups=[],
        color_labels=COLOR_LABELS,  # Rules of a target group cannot use other groups.
    )


def _line(visit: PageRequest, group: TargetGroup, scope: FlagScope) -> GroupLine:
    names = {one.id: one.name for one in scope.groups}
    count = len(group_change.uses(scope, group.id))
    left = len(group.rules) - MOST_SAID
    return GroupLine(
        name=figures.visible(group.name),
        href=f"{GROUPS}/{group.id}",
        description=figures.visible(group.description),
        color=group.color,
        color_name=COLOR_LABELS.get(group.color, _("Another color")) if group.color else "",
        owner=owner_name(visit, group.scope),
        rules=tuple(rule_sentence(one, names) for one in group.rules[:MOST_SAID]),
        more=ngettext("and 1 more rule", "and {count} more rules", left).format(count=figures.count(left))
        if left > 0
        else "",
        used=ngettext("Used by 1 flag", "Used by {count} flags", count).format(count=figures.count(count))
        if count
        else _("Not used by a flag"),
    )


def _reading(visit: PageRequest, state: FlagFormState, group: TargetGroup | None) -> Reading:
    """The rules of a form as sentences."""
    groups = scope_of(visit, group.scope if group is not None else owner_of(visit, state.fields.get("of", ""))).groups
    return Reading(rule_sentences(state.rules, group.rules if group is not None else (), groups))
