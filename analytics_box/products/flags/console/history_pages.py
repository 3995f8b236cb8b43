"""The history of a flag, under /flags/{id}/history: its versions, the differences between two, and restoring one."""

from collections.abc import Iterable
from typing import Final

from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.errors import BadRequest, Conflict, NotFound
from analytics_box.base.translation import _
from analytics_box.products.flags.history import calls, reading, words
from analytics_box.products.flags.history.calls import RestoreFlag
from analytics_box.products.flags.history.difference import DefinitionChange, difference
from analytics_box.products.flags.history.rows import Version
from analytics_box.products.flags.page_frame import FlagPageView, frame, open_flag
from analytics_box.tenants.tenancy.messages import message_of
from analytics_box.web.page import dates
from analytics_box.web.page.questions import ConfirmationTexts, ask
from analytics_box.web.page.visit import Again, Answer, Page, Visitor

_QUESTION = ConfirmationTexts(
    _("Restore {name}?"),
    _(
        "Changes: {changes} Apps receive them within 30 seconds. This creates a new version; later versions stay in "
        "the history."
    ),
    _("Restore {name}"),
)
_ACTIONS = {
    "created": _("Created"),
    "updated": _("Changed"),
    "deleted": _("Deleted"),
    "restored": _("Restored"),
    "scheduled": _("Changed by schedule"),
    "imported": _("Imported"),
    "copied": _("Copied"),
}


AT_ONCE: Final = 30  # Versions on a page.
MOST_CHANGES: Final = 5  # Changes that a confirmation names.


class VersionLine(Struct, frozen=True):
    """A version in the list."""

    number: int
    action: str
    by: str
    note: str
    changes: tuple[str, ...]
    is_current: bool
    is_first: bool


class VersionComparison(Struct, frozen=True):
    """The differences between two versions."""

    title: str
    changes: tuple[str, ...]


async def history(visit: Visitor, flag_id: FromPath[str]) -> Page:
    """GET /flags/{id}/history, with ?before= for older versions and ?from= &to= for the differences between two.

    Raises NotFound or Forbidden.
    """
    return await _page(await open_flag(visit, flag_id), Again())


async def restore_form(visit: Visitor, flag_id: FromPath[str]) -> Page:
    """GET /flags/{id}/restore?version=: are you sure? Raises NotFound or Forbidden."""
    page, number = await open_flag(visit, flag_id), _number(visit.asked("version"))
    if number is None:
        raise NotFound(_("This version is no longer stored"))
    flag = page.flag
    then = await visit.call.read(lambda db: reading.existing(db, flag.id, number))
    said = _change_lines(page, difference(flag.definition, then.definition))[:MOST_CHANGES]
    return ask(
        visit,
        frame(visit.person),
        _QUESTION,
        _("Version {number}").format(number=number).lower(),
        action=f"{page.href}/restore",
        back=f"{page.href}/history",
        fields={"version": str(number), "current": str(flag.version)},
        changes="; ".join(said) + "." if said else _("none."),
    )


async def restore(visit: Visitor, flag_id: FromPath[str]) -> Answer:
    """POST /flags/{id}/restore: the flag as it was in a version. Raises NotFound or Forbidden."""
    page, form = await open_flag(visit, flag_id), await visit.form()
    given = {
        "flagId": page.flag.id,
        "version": _number(form.get("version", "")),
        "current": _number(form.get("current", "")),
    }
    try:
        done = await calls.restore(visit.call, message_of(given, RestoreFlag))
    except (BadRequest, Conflict) as wrong:
        return await _page(page, Again(wrong.status, general=wrong.message))
    name = "stays-inactive" if done.inactiveDependencies else "needed" if done.dependents else "restored"
    return visit.go(f"{page.href}?done={name}")


async def _page(page: FlagPageView, again: Again) -> Page:
    visit, flag = page.visit, page.flag
    before = _number(visit.asked("before"))
    found, more = await visit.call.read(lambda db: reading.history(db, flag.id, before=before, limit=AT_ONCE))
    lines = [_line(page, one, changes) for one, changes in found]
    picked = _selected_versions(page, [one.number for one in lines])
    compared, wrong = await _comparison(page), ""
    if compared is None and _requested_versions(page) is not None:
        wrong = _("This version is no longer stored")
    return page.show(
        "flag_history.html",
        "history",
        again=again if not wrong else Again(404, general=wrong),
        versions=lines,
        picked=picked,
        compared=compared,
        earlier=f"{page.href}/history" if before is not None else "",
        later=f"{page.href}/history?before={lines[-1].number}" if more and lines else "",
    )


async def _comparison(page: FlagPageView) -> VersionComparison | None:
    """The comparison that the address requests; None if it requests none, or a version that is gone."""
    asked = _requested_versions(page)
    if asked is None:
        return None
    first, second = asked
    try:
        found = await page.visit.call.read(lambda db: reading.between(db, page.flag.id, first, second))
    except NotFound:
        return None
    return VersionComparison(
        _("Version {before} → version {after}").format(before=first, after=second), _change_lines(page, found)
    )


def _requested_versions(page: FlagPageView) -> tuple[int, int] | None:
    first, second = (_number(page.visit.asked(name)) for name in ("from", "to"))
    return (first, second) if first is not None and second is not None else None


def _selected_versions(page: FlagPageView, numbers: list[int]) -> tuple[int, int]:
    """The two selected versions: as requested, else the newest one and the one before it."""
    first, second = _requested_versions(page) or (0, 0)
    newest = numbers[0] if numbers else 0
    usual = numbers[1] if len(numbers) > 1 else newest
    return (first if first in numbers else usual, second if second in numbers else newest)


def _line(page: FlagPageView, one: Version, changes: Iterable[DefinitionChange]) -> VersionLine:
    return VersionLine(
        number=one.version,
        action=_ACTIONS.get(one.action, figures.visible(one.action)),
        by=f"{reading.actor_name(one)}, {dates.moment(one.at, page.visit.person)}",
        note=figures.visible(one.note),
        changes=_change_lines(page, changes),
        is_current=one.version == page.flag.version,
        is_first=one.version == 1,
    )


def _change_lines(page: FlagPageView, changes: Iterable[DefinitionChange]) -> tuple[str, ...]:
    names = {one.id: one.name for one in page.groups}
    return tuple(words.line(one, names) for one in changes)


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and 0 < len(text) < 10 and int(text) else None
