"""The form of a flag: /flags/new and /flags/{id}/edit. Its buttons work by posting the whole form."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.errors import BadRequest, Conflict
from analytics_box.base.translation import _, ngettext
from analytics_box.products.flags.access import FlagReach, find_flag, reach
from analytics_box.products.flags.console.buttons import after_button
from analytics_box.products.flags.console.definition import definition_of, new_key, opened_where_wrong, reading_of
from analytics_box.products.flags.console.fields import FlagFormState, read_state
from analytics_box.products.flags.console.filled import new_state, state_of
from analytics_box.products.flags.console.flag_pages import ALGORITHM_LABELS, done_key
from analytics_box.products.flags.console.wrong_fields import form_field, labels, rule_labels
from analytics_box.products.flags.directory import Flags
from analytics_box.products.flags.editing import change
from analytics_box.products.flags.editing.messages import CreateFlag, UpdateFlag
from analytics_box.products.flags.flag import INDEPENDENT, Flag, FlagScope
from analytics_box.products.flags.page_frame import HOME, STATUS_LABELS, flag_title, frame, open_flag, owners
from analytics_box.products.flags.saving import save as saved
from analytics_box.tenants.tenancy.messages import message_of
from analytics_box.web.page.edits import check_version, shown_version
from analytics_box.web.page.templates import field_errors
from analytics_box.web.page.visit import Answer, Page, PageRequest, Visitor

SAVE: Final = "save"  # All other buttons of the form show it again.
READ: Final = "read"  # The form requests its preview.
LARGEST_FORM: Final = 1_048_576  # Bytes of a posted flag.
MOST_FIELDS: Final = 5_000  # Twice the number of fields that a flag can need.
MOST_NAMED: Final = 500  # Suggested flags, folders and environments.
_GIVEN: Final = ("of", "key", "name", "type", "environment", "folder")
# The advanced settings are open while one of these fields or buttons has the focus.
_FOLDED: Final = ("groups", "needs", "add-group", "add-need")
# Fields that the form shows above its advanced settings.
_ABOVE: Final = frozenset(
    ("name", "key", "of", "type", "variants", "rules", "defaultValue", "rolloutPercentage", "rolloutBy", "note")
)


class AdvancedSettings(Struct, frozen=True):
    """The folded part of the form: `summary` names the settings that differ from the defaults."""

    open: bool
    summary: str


async def new_form(visit: Visitor) -> Page:
    """GET /flags/new, with ?of= &key= &name= &type= &environment= &folder= filled in."""
    given = {name: visit.asked(name)[:255] for name in _GIVEN}
    given["of"] = owner_of(visit, given["of"])
    return _page(visit, new_state(given), None)


async def add(visit: Visitor) -> Answer:
    """POST /flags/new: create the flag, or show the form after one of its buttons."""
    form = await visit.form(limit=LARGEST_FORM, most_fields=MOST_FIELDS)
    state, do = read_state(form), form.get("do", SAVE)
    if do != SAVE:
        return _after(visit, state, None, do)
    try:
        visit.saves()
        own = form_reach(visit, state.fields.get("of", ""))
        found = {"key": new_key(state), "userId": _or_none(state, "userId")}
        message = message_of(_form_values(state, None) | found, CreateFlag)
        made = await saved(visit.parts, own.scope, lambda db: change.create(db, own, message), adds=True)
    except (BadRequest, Conflict) as wrong:
        return _page(visit, state, None, wrong=wrong)
    return visit.go(f"{HOME}/{made.flag.id}?done={'created-inactive' if made.inactive_dependencies else 'created'}")


async def edit_form(visit: Visitor, flag_id: FromPath[str]) -> Page:
    """GET /flags/{id}/edit. Raises NotFound or Forbidden."""
    flag = (await open_flag(visit, flag_id)).flag
    return _page(visit, state_of(flag), flag)


async def save(visit: Visitor, flag_id: FromPath[str]) -> Answer:
    """POST /flags/{id}/edit: save the flag, or show the form after one of its buttons. Raises NotFound or Forbidden."""
    form = await visit.form(limit=LARGEST_FORM, most_fields=MOST_FIELDS)
    own, flag = find_flag(visit.call, flag_id)
    state, do = read_state(form), form.get("do", SAVE)
    if do != SAVE:
        return _after(visit, state, flag, do)
    try:
        visit.saves()
        check_version(form, flag)
        found = _form_values(state, flag) | {"id": flag.id, "version": flag.version}
        message = message_of(found, UpdateFlag)
        done = await saved(visit.parts, own.scope, lambda db: change.update(db, own, message), adds=True)
    except (BadRequest, Conflict) as wrong:
        return _page(visit, state, flag, wrong=wrong)
    return visit.go(f"{HOME}/{flag.id}?done={done_key(done, 'saved')}")


def _form_values(state: FlagFormState, flag: Flag | None) -> dict[str, Any]:
    return definition_of(state, flag.definition if flag is not None else None) | {
        "environment": _or_none(state, "environment"),
        "note": state.fields.get("note", "").strip(),
    }


def _after(visit: PageRequest, state: FlagFormState, flag: Flag | None, do: str) -> Page:
    """The form after a button, or only its live preview if that is requested."""
    if do != READ or "hx-request" not in visit.request.headers:
        return _page(visit, after_button(state, do), flag)
    scope = scope_of(visit, flag.scope if flag is not None else owner_of(visit, state.fields.get("of", "")))
    reading = reading_of(state, flag.definition if flag is not None else None, scope.groups)
    return visit.pages.show("flag_reading.html", state=state, reading=reading, is_flag=True)


def _page(
    visit: PageRequest, state: FlagFormState, flag: Flag | None, *, wrong: BadRequest | Conflict | None = None
) -> Page:
    """The form of a new flag, or of one that there is."""
    errors = _wrong_fields(wrong, state) if wrong is not None else {}
    state = opened_where_wrong(state, errors)
    scope = scope_of(visit, flag.scope if flag is not None else owner_of(visit, state.fields.get("of", "")))
    return visit.pages.show(
        "flag_form.html",
        code=wrong.status if wrong is not None else 200,
        shell=frame(visit.person),
        name=flag_title(flag) if flag is not None else "",
        action=f"{HOME}/{flag.id}/edit" if flag is not None else f"{HOME}/new",
        back=f"{HOME}/{flag.id}" if flag is not None else HOME,
        state=state,
        version=shown_version(flag, state.fields, wrong) if flag is not None else "",
        reading=reading_of(state, flag.definition if flag is not None else None, scope.groups),
        errors=errors,
        algorithms=list(ALGORITHM_LABELS.items()),
        advanced=_advanced_settings(state, errors),
        labels=labels(state) | rule_labels(errors),
        general=wrong.message if wrong is not None and not errors else "",
        gives=gives_of(state),
        focusing="data-focus" if "hx-request" in visit.request.headers else "autofocus",
        owners=list(owners(visit).items()),
        groups=[(one.id, figures.visible(one.name)) for one in scope.groups],
        keys=_names(one.key for one in scope.flags if flag is None or one.id != flag.id),
        folders=_names(one.definition.folder for one in scope.flags),
        environments=_names(one.environment or "" for one in scope.flags),
    )


def _advanced_settings(state: FlagFormState, errors: Mapping[str, str]) -> AdvancedSettings:
    """The advanced settings, open if one of them is wrong or has the focus."""
    given, groups, needs = state.fields, len(state.groups), len(state.needs)
    named = {
        _("Description"): given.get("description"),
        _("Status: {status}").format(status=STATUS_LABELS.get(given.get("status", ""), "")): given.get("status")
        != "active",
        _("Off value"): given.get("off") or given.get("offValue"),
        _("Folder: {name}").format(name=figures.visible(given.get("folder", ""))): given.get("folder"),
        _("Environment: {name}").format(name=figures.visible(given.get("environment", ""))): given.get("environment"),
        _("User ID"): given.get("userId"),
        ngettext("1 target group", "{count} target groups", groups).format(count=figures.count(groups)): groups,
        ngettext("1 required flag", "{count} required flags", needs).format(count=figures.count(needs)): needs,
        _("Payload"): given.get("payload"),
        _("Bucketing"): given.get("algorithm") != INDEPENDENT
        or any(given.get(name) for name in ("salt", "variantSalt", "attribute", "persistAcrossAuth")),
    }
    is_open = any(name.split(".")[0] not in _ABOVE for name in errors) or state.focus.startswith(_FOLDED)
    return AdvancedSettings(is_open, " · ".join(label for label, differs in named.items() if differs))


def gives_of(state: FlagFormState) -> list[tuple[str, str]]:
    """The outcomes that a rule can have: on, off, or a variant in the form."""
    found = [("on", _("On")), ("off", _("Off"))]
    if state.fields.get("type") == "multivariant":
        keys = dict.fromkeys(one.key.strip() for one in state.variants if one.key.strip())
        found += [(f"variant:{key}", _("Variant {key}").format(key=figures.visible(key))) for key in keys]
    return found


def _names(names: Iterable[str]) -> list[str]:
    """Names to suggest while the user types."""
    return sorted({name for name in names if name})[:MOST_NAMED]


def _wrong_fields(wrong: BadRequest | Conflict, state: FlagFormState) -> dict[str, str]:
    """Errors by field of the form."""
    return {form_field(name, state): message for name, message in field_errors(wrong).items() if name != "version"}


def scope_of(visit: PageRequest, scope_id: str) -> FlagScope:
    """The flags of the scope."""
    return visit.parts[Flags].scope(scope_id) or FlagScope(scope_id, visit.person.organization_id, None)


def owner_of(visit: PageRequest, asked: str) -> str:
    """The owner of a new flag: as requested, if that is possible; else the first website, else the organization."""
    named = list(owners(visit))
    return asked if asked in named else named[min(1, len(named) - 1)]


def form_reach(visit: PageRequest, of: str) -> FlagReach:
    """The scope of a new flag or group: a website, or the organization. Raises NotFound or Forbidden."""
    return reach(visit.call, None, of) if of == visit.person.organization_id else reach(visit.call, of)


def _or_none(state: FlagFormState, name: str) -> str | None:
    return state.fields.get(name, "").strip() or None
