"""The tester of a flag, under /flags/{id}/test: the outcome for a user, with its explanation. The address contains the
user.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from litestar.params import FromPath
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.translation import _
from analytics_box.products.flags.console.fields import json_text
from analytics_box.products.flags.directory import Flags
from analytics_box.products.flags.evaluation.bucketing import ANONYMOUS
from analytics_box.products.flags.evaluation.compiling import Ruleset, compile_ruleset
from analytics_box.products.flags.evaluation.outcome import EvaluationContext
from analytics_box.products.flags.evaluation.tracing import Draw, EvaluationTrace, TraceCheck, TraceStep, trace
from analytics_box.products.flags.page_frame import FlagPageView, open_flag
from analytics_box.products.flags.sentences import Sentence, SentencePart, comparison_sentence, percent, value_text
from analytics_box.web.page.visit import Again, Page, Visitor

_REASONS = {
    "DEPENDENCY_NOT_SATISFIED": _("because a required flag does not match."),
    "USER_RULE_MATCH": _("because {step} matches."),
    "TARGET_GROUP_MATCH": _("because a rule of the target group {name} matches."),
    "MULTIVARIANT_EVALUATED": _("because no rule matches, and bucketing selects this variant."),
    "ROLLOUT_ENABLED": _("because no rule matches, and the user is in the {percent} rollout."),
    "ROLLOUT_DISABLED": _("because no rule matches, and the user is not in the {percent} rollout."),
    "BOOLEAN_DEFAULT": _("because no rule matches, and this is the default rule."),
    "DEFAULT_VALUE": _("because the flag is inactive, and this is its off value."),
}


_TREES: Final = {"all": _("All of these"), "any": _("Any of these"), "none": _("None of these")}
LONGEST_FOUND: Final = 200  # Bytes of JSON that are shown of a value.


class CheckText(Struct, frozen=True):
    """A comparison with its actual value; `inside` are the parts of several."""

    parts: Sentence
    matched: bool
    inside: "tuple[CheckText, ...]" = ()


class StepText(Struct, frozen=True):
    """A step of the evaluation; `decided` marks the last one."""

    title: Sentence
    matched: bool
    decided: bool
    checks: tuple[CheckText, ...] = ()
    draw: str = ""


class TraceText(Struct, frozen=True):
    """The outcome for a user, explained. `because` and `steps` are empty if there is no flag for the user."""

    gets: Sentence
    because: str
    steps: tuple[StepText, ...]
    reason: str


def trace_text(trace: EvaluationTrace, who: str) -> TraceText:
    """A trace in sentences; `who` is the name of the user, or empty."""
    subject = SentencePart(figures.visible(who), "value") if who else SentencePart(_("Unknown user"))
    if trace.flag is None or trace.reason is None:
        return TraceText(
            (subject, SentencePart(_(" gets no answer"))),
            _("No active flag with this key matches the user in this environment. Apps use the default in their code."),
            (),
            "FLAG_NOT_FOUND",
        )
    steps = tuple(_step(one, decided=one is trace.steps[-1]) for one in trace.steps)
    return TraceText((subject, SentencePart(_(" gets → ")), *_outcome(trace)), _because(trace), steps, trace.reason)


def _outcome(trace: EvaluationTrace) -> Sentence:
    if trace.variant:
        return (SentencePart(_("variant ")), SentencePart(figures.visible(trace.variant), "variant"))
    return (SentencePart(_("on"), "on"),) if trace.enabled else (SentencePart(_("off"), "off"),)


def _because(trace: EvaluationTrace) -> str:
    last, reason = trace.steps[-1], trace.reason or ""
    share = last.draw.end if last.draw is not None else 0
    text = _REASONS[reason]
    step = _rule_name(last.at, last.name)
    return text.format(step=step[:1].lower() + step[1:], name=figures.visible(last.name), percent=percent(share))


def _step(step: TraceStep, *, decided: bool) -> StepText:
    checks = (_check(step.check),) if step.check is not None else ()
    draw = _draw(step.draw) if step.draw is not None else ""
    return StepText(_title(step), step.matched, decided, checks, draw)


def _title(step: TraceStep) -> Sentence:
    name = SentencePart(figures.visible(step.name), "value")
    match step.kind:
        case "dependency":
            return (name, SentencePart(_(" is active") if step.matched else _(" is not active, but must be")))
        case "prerequisite":
            if not step.gave:
                return (name, SentencePart(_(" is not active, but must be")))
            gave = {"true": _("on"), "false": _("off")}.get(step.gave, figures.visible(step.gave))
            rest = _(", as required") if step.matched else _(", which does not match")
            return (name, SentencePart(_(" gives ")), SentencePart(gave, "value"), SentencePart(rest))
        case "rule":
            return (SentencePart(_rule_name(step.at, step.name)),)
        case "target_group":
            return (
                SentencePart(_("Target group {name}, rule {number}").format(name=name.text, number=_number(step.at))),
            )
        case "variant":
            return (SentencePart(_("Variants")),)
        case "rollout":
            return (SentencePart(_("Percentage rollout")),)
        case "off":
            return (SentencePart(_("Off value")),)
    return (SentencePart(_("Default rule")),)


def _rule_name(at: str, name: str) -> str:
    step = _("Rule {number}").format(number=_number(at))
    return f"{step} ({figures.visible(name)})" if name else step


def _number(at: str) -> int:
    """The number of a rule, counted from 1, in a path such as `targetGroupIds[0].rules[2]`; 1 if it has none."""
    last = at.rpartition("[")[2].rstrip("]")
    return int(last) + 1 if last.isdecimal() else 1


def _check(check: TraceCheck) -> CheckText:
    inside = tuple(_check(one) for one in check.inside)
    match check.what:
        case "compare":
            asked = comparison_sentence(check.attribute, check.operator or "equals", check.wanted)
            return CheckText((*asked, *_value_sentence(check.found)), check.matched)
        case "group":
            return CheckText(
                (SentencePart(_("Is in the target group ")), SentencePart(figures.visible(check.group), "value")),
                check.matched,
                inside,
            )
        case "nothing":
            return CheckText((SentencePart(_("Invalid filter")),), check.matched)
    return CheckText((SentencePart(_TREES[check.what]),), check.matched, inside)


def _value_sentence(found: Any) -> Sentence:
    if found is None:
        return (SentencePart(_(" · not set")),)
    if isinstance(found, str | int | float):
        return (SentencePart(_(" · actual value: ")), SentencePart(value_text(found) or "“”", "value"))
    text = msgspec.json.encode(found).decode(errors="replace")
    return (SentencePart(_(" · actual value: ")), SentencePart(figures.visible(text[:LONGEST_FOUND]), "value"))


def _draw(draw: Draw) -> str:
    who = _("Anonymous") if draw.identity == ANONYMOUS else figures.visible(draw.identity)
    if draw.of != 100:
        return _("{who} is in bucket {place} of {of}").format(who=who, place=round(draw.drawn) + 1, of=round(draw.of))
    drawn = _("{who} is in position {drawn} of 100").format(who=who, drawn=_plain(draw.drawn))
    text = (
        _("{drawn}, inside the range {start} to {end}")
        if draw.inside
        else _("{drawn}, outside the range {start} to {end}")
    )
    return text.format(drawn=drawn, start=_plain(draw.start), end=_plain(draw.end))


def _plain(number: float) -> str:
    return f"{round(number, 4):.10g}"


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
