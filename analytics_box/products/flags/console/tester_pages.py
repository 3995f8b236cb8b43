"""The tester of a flag, under /flags/{id}/test: the outcome for a user, with its explanation. The address contains the
user.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from litestar.params import FromPath
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.translation import _
from analytics_box.products.flags.console.traced import TraceText, trace_text
from analytics_box.products.flags.console.typed import json_text
from analytics_box.products.flags.directory import Flags
from analytics_box.products.flags.evaluation.compiling import Ruleset, compile_ruleset
from analytics_box.products.flags.evaluation.context import EvaluationContext
from analytics_box.products.flags.evaluation.tracing import EvaluationTrace, trace
from analytics_box.products.flags.page_frame import FlagPageView, open_flag
from analytics_box.web.page.visit import Again, Page, Visitor

LONGEST: Final = 500  # Characters of an id.
LONGEST_PROPERTIES: Final = 8_192  # Characters: URLs cannot be much longer.
_NAMES: Final = ("userId", "email", "organizationId", "teamId", "properties", "environment")
_PROPERTIES: Final = msgspec.json.Decoder(dict[str, Any])


async def tester(visit: Visitor, flag_id: FromPath[str]) -> Page:
    """GET /flags/{id}/test, with ?userId= &email= &organizationId= &teamId= &properties= &environment=.

    Raises NotFound or Forbidden.
    """
    page = await open_flag(visit, flag_id)
    given = {name: visit.asked(name).strip() for name in _NAMES if name in visit.request.query_params}
    wrong, properties = _read_fields(given)
    values = {"environment": page.flag.environment or "", "userId": page.flag.user_id or "", **given}
    found = _trace(page, values, properties) if given and not wrong else None
    return page.show(
        "flag_test.html",
        "test",
        again=Again(400 if wrong else 200, values, wrong),
        environments=_environments(page),
        **(_answer_context(page, values, found) if found is not None else {"answer": None}),
    )


def _read_fields(given: Mapping[str, str]) -> tuple[dict[str, str], Mapping[str, Any]]:
    """Errors by field, and the properties."""
    wrong = {
        name: _("Enter a shorter value")
        for name, text in given.items()
        if len(text) > (LONGEST_PROPERTIES if name == "properties" else LONGEST)
    }
    text = given.get("properties", "")
    if not text or wrong:
        return wrong, {}
    try:
        return wrong, _PROPERTIES.decode(text)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return {
            "properties": _('Write a JSON object with quotes around names and texts, for example {"plan": "pro"}')
        }, {}


def _trace(page: FlagPageView, given: Mapping[str, str], properties: Mapping[str, Any]) -> EvaluationTrace:
    context = EvaluationContext(
        user_id=given.get("userId", ""),
        email=given.get("email", ""),
        organization_id=given.get("organizationId", ""),
        team_id=given.get("teamId", ""),
        properties=properties,
    )
    return trace(_ruleset(page, given["environment"] or None), page.flag.key, context)


def _ruleset(page: FlagPageView, environment: str | None) -> Ruleset:
    """The rules of the environment; the flag itself as if it was active."""
    if page.flag.definition.status == "active":
        return page.visit.parts[Flags].ruleset(page.scope, environment)
    active = replace(page.flag, definition=replace(page.flag.definition, status="active"))
    flags = [active if one.id == active.id else one for one in page.scope.flags]
    return compile_ruleset((one for one in flags if one.environment == environment), page.scope.groups)


def _answer_context(page: FlagPageView, given: Mapping[str, str], found: EvaluationTrace) -> dict[str, Any]:
    who = given.get("userId") or given.get("email") or ""
    answer: TraceText = trace_text(found, who)
    same = found.flag is None or found.flag.id == page.flag.id
    is_active = page.flag.definition.status == "active"
    return {
        "answer": answer,
        "value": json_text(found.value) if found.flag is not None else "",
        "payload": json_text(found.payload),
        "note": _("Another flag with the same key applies to this user.")
        if not same
        else ""
        if is_active or found.flag is None
        else _("The flag is not active. This is the value that the user gets if you activate it."),
    }


def _environments(page: FlagPageView) -> list[tuple[str, str]]:
    """The environments with a flag of this key."""
    names = {one.environment or "" for one in page.scope.flags if one.key == page.flag.key}
    return [(one, figures.visible(one) if one else _("None")) for one in sorted(names)]
