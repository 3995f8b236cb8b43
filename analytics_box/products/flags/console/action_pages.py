"""Actions on a flag: changing its status, copying it to another environment, deleting it."""

from typing import Final, get_args

from litestar.params import FromPath

from analytics_box.base.errors import BadRequest, Conflict
from analytics_box.base.translation import _, ngettext
from analytics_box.products.flags.access import find_flag
from analytics_box.products.flags.console.flag_pages import needed_by
from analytics_box.products.flags.editing import change
from analytics_box.products.flags.editing.change import FlagChange
from analytics_box.products.flags.editing.messages import CopyFlag
from analytics_box.products.flags.flag import Status
from analytics_box.products.flags.page_frame import HOME, FlagPageView, flag_title, frame, open_flag
from analytics_box.products.flags.saving import save
from analytics_box.tenants.tenancy.messages import message_of
from analytics_box.web.page.questions import ConfirmationTexts, ask
from analytics_box.web.page.templates import field_errors
from analytics_box.web.page.visit import Again, Answer, Next, Page, Visitor

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
    adds = status == "active"  # A full disk does not keep anyone from turning a flag off.
    done = await save(visit.parts, own.scope, lambda db: change.set_status(db, own, flag.id, status), adds=adds)
    return visit.go(f"{HOME}/{flag.id}?done={done_key(done, status)}")


def done_key(changed: FlagChange, usual: str) -> str:
    """The confirmation after a change, by its name in FlagList.done: dependencies between flags can change it."""
    if changed.inactive_dependencies:
        return "stays-inactive"
    return "needed" if changed.dependents else usual


async def delete_form(visit: Visitor, flag_id: FromPath[str]) -> Page:
    """GET /flags/{id}/delete: are you sure? Raises NotFound or Forbidden."""
    page = await open_flag(visit, flag_id)
    others = [flag_title(one) for one in needed_by(page)]
    needed = (
        ngettext("{names} requires it and will be off.", "{names} require it and will be off.", len(others)).format(
            names=", ".join(others)
        )
        if others
        else ""
    )
    action = f"{page.href}/delete"
    return ask(
        visit,
        frame(visit.person),
        _DELETE,
        flag_title(page.flag),
        action=action,
        back=page.href,
        key=page.flag.key,
        needed=needed,
    )


async def delete(visit: Visitor, flag_id: FromPath[str]) -> Next:
    """POST /flags/{id}/delete. Raises NotFound or Forbidden."""
    own, flag = find_flag(visit.call, flag_id)
    await save(visit.parts, own.scope, lambda db: change.delete(db, own, flag.id))
    return visit.go(f"{HOME}?done=deleted")


async def copy_form(visit: Visitor, flag_id: FromPath[str]) -> Page:
    """GET /flags/{id}/copy. Raises NotFound or Forbidden."""
    return _copy_page(await open_flag(visit, flag_id), Again())


async def copy(visit: Visitor, flag_id: FromPath[str]) -> Answer:
    """POST /flags/{id}/copy: the flag in another environment. Raises NotFound or Forbidden."""
    page, form = await open_flag(visit, flag_id), await visit.form()
    own, flag = find_flag(visit.call, flag_id)
    try:
        found = {"id": flag.id, "environment": form.get("environment", "").strip() or None}
        message = message_of(found, CopyFlag, _("This cannot be saved: {message}"))
        made = await save(visit.parts, own.scope, lambda db: change.copy(db, own, message), adds=True)
    except (BadRequest, Conflict) as wrong:
        errors = field_errors(wrong)
        return _copy_page(page, Again(wrong.status, form, errors, "" if errors else wrong.message))
    return visit.go(f"{HOME}/{made.flag.id}?done=copied")


def _copy_page(page: FlagPageView, again: Again) -> Page:
    environments = sorted({one.environment for one in page.scope.flags if one.environment})
    return page.show("flag_copy.html", "now", again=again, environments=environments)
