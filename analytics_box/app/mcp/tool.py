"""The declaration of a tool, and the answer of one that changes something."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from analytics_box.app.mcp.caller import Caller
from analytics_box.app.mcp.confirmations import SECONDS, Confirmations
from analytics_box.base.errors import Conflict
from analytics_box.base.translation import _


def pick(item: dict[str, Any], *names: str) -> dict[str, Any]:
    """Select fields of an answer; an assistant needs no others."""
    return {name: item[name] for name in names if item.get(name) is not None}


class Tool(Struct, frozen=True):
    """A tool for models. `needs` are procedures of which the key must be able to call one."""

    name: str
    title: str
    description: str
    input: type[Struct]
    output: type[Struct]
    run: Callable[[Caller, Any], Awaitable[Any]]
    needs: tuple[str, ...]
    changes: bool = False
    destructive: bool = False
    idempotent: bool = False


CONFIRM: Final = (
    " Call it first without confirm: it changes nothing and returns a plan with a token. Show the plan to the user. If "
    f"they agree, call it again with the same arguments and the token as confirm, within {SECONDS // 60} minutes."
)

Confirm = Annotated[str, Meta(max_length=200, description="The token of the plan. Leave it out to get the plan.")]


class ChangeAnswer(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The plan of a change with the token that confirms it, or what was done."""

    done: bool
    plan: list[str]
    confirm: str | None = None
    result: dict[str, Any] | None = None
    notes: list[str] = []


class Change(Struct, frozen=True):
    """A change: its plan in words, the procedure with its input, and the fields of the output to show."""

    plan: list[str]
    procedure: str
    fields: dict[str, Any]
    shown: tuple[str, ...]


async def confirm_change(caller: Caller, given: Struct, change: Change) -> ChangeAnswer:
    """The plan, or the change if the arguments have the token of this very plan. Raises Conflict for another token,
    BadRequest for wrong input."""
    await caller.call(change.procedure, checks_only=True, **change.fields)
    arguments = {**msgspec.to_builtins(given), "confirm": None}
    signed = msgspec.json.encode([arguments, change.plan], order="sorted")
    confirmations, token = caller.parts[Confirmations], getattr(given, "confirm", None)
    if not token:
        token = confirmations.token(caller.key.id, caller.tool, signed)
        note = _("Nothing has changed yet. Ask the user before you confirm.")
        return ChangeAnswer(done=False, plan=change.plan, confirm=token, notes=[note])
    if not confirmations.redeem(token, caller.key.id, caller.tool, signed):
        raise Conflict(
            _(
                "This token does not confirm this plan: it was used, is older than {minutes} minutes, or the arguments "
                "or the resource changed since. Call the tool without confirm for a new plan"
            ).format(minutes=SECONDS // 60)
        )
    output = await caller.call(change.procedure, **change.fields)
    return ChangeAnswer(done=True, plan=change.plan, result=pick(output, *change.shown))
