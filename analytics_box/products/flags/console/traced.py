"""The explanation of an outcome, in sentences. Pure."""

from typing import Any, Final

import msgspec
from msgspec import Struct

from analytics_box.base.texts import FlagTester, figures
from analytics_box.products.flags.evaluation.bucketing import ANONYMOUS
from analytics_box.products.flags.evaluation.tracing import Draw, EvaluationTrace, TraceCheck, TraceStep
from analytics_box.products.flags.sentences import Sentence, SentencePart, comparison_sentence, percent, value_text

_TREES: Final = {"all": FlagTester.all_of, "any": FlagTester.any_of, "none": FlagTester.none_of}
LONGEST_FOUND: Final = 200  # bytes of JSON that is shown of a value


class CheckText(Struct, frozen=True):
    """A comparison with its actual value; `inside` are the parts of several."""

    parts: Sentence
    matched: bool
    inside: "tuple[CheckText, ...]" = ()


class StepText(Struct, frozen=True):
    """Something that the flag looked at. `decided` is the last one."""

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
    words = FlagTester
    subject = SentencePart(figures.visible(who), "value") if who else SentencePart(words.anonymous)
    if trace.flag is None or trace.reason is None:
        return TraceText((subject, SentencePart(words.gets_nothing)), words.no_flag, (), "FLAG_NOT_FOUND")
    steps = tuple(_step(one, decided=one is trace.steps[-1]) for one in trace.steps)
    return TraceText((subject, SentencePart(words.gets), *_outcome(trace)), _because(trace), steps, trace.reason)


def _outcome(trace: EvaluationTrace) -> Sentence:
    words = FlagTester
    if trace.variant:
        return (SentencePart(words.variant), SentencePart(figures.visible(trace.variant), "variant"))
    return (SentencePart(words.on, "on"),) if trace.enabled else (SentencePart(words.off, "off"),)


def _because(trace: EvaluationTrace) -> str:
    last, reason = trace.steps[-1], trace.reason or ""
    share = last.draw.end if last.draw is not None else 0
    text = FlagTester.reasons[reason]
    step = _rule_name(last.at, last.name)
    return text.format(step=step[:1].lower() + step[1:], name=figures.visible(last.name), percent=percent(share))


def _step(step: TraceStep, *, decided: bool) -> StepText:
    checks = (_check(step.check),) if step.check is not None else ()
    draw = _draw(step.draw) if step.draw is not None else ""
    return StepText(_title(step), step.matched, decided, checks, draw)


def _title(step: TraceStep) -> Sentence:
    words, name = FlagTester, SentencePart(figures.visible(step.name), "value")
    match step.kind:
        case "dependency":
            return (name, SentencePart(words.needed_active if step.matched else words.needed_inactive))
        case "prerequisite":
            if not step.gave:
                return (name, SentencePart(words.needed_inactive))
            gave = {"true": words.on, "false": words.off}.get(step.gave, figures.visible(step.gave))
            rest = words.needed_gives_not if step.matched else words.needed_wrong
            return (name, SentencePart(words.needed_gives), SentencePart(gave, "value"), SentencePart(rest))
        case "rule":
            return (SentencePart(_rule_name(step.at, step.name)),)
        case "target_group":
            return (SentencePart(words.group_rule.format(name=name.text, number=_number(step.at))),)
        case "variant":
            return (SentencePart(words.variants),)
        case "rollout":
            return (SentencePart(words.rollout),)
        case "off":
            return (SentencePart(words.off_value),)
    return (SentencePart(words.default),)


def _rule_name(at: str, name: str) -> str:
    step = FlagTester.rule.format(number=_number(at))
    return FlagTester.named.format(step=step, name=figures.visible(name)) if name else step


def _number(at: str) -> int:
    """The number of a rule, counted from 1, in a path such as `targetGroupIds[0].rules[2]`; 1 if it has none."""
    last = at.rpartition("[")[2].rstrip("]")
    return int(last) + 1 if last.isdecimal() else 1


def _check(check: TraceCheck) -> CheckText:
    words, inside = FlagTester, tuple(_check(one) for one in check.inside)
    match check.what:
        case "compare":
            asked = comparison_sentence(check.attribute, check.operator or "equals", check.wanted)
            return CheckText((*asked, *_value_sentence(check.found)), check.matched)
        case "group":
            return CheckText(
                (SentencePart(words.group), SentencePart(figures.visible(check.group), "value")), check.matched, inside
            )
        case "nothing":
            return CheckText((SentencePart(words.nothing),), check.matched)
    return CheckText((SentencePart(_TREES[check.what]),), check.matched, inside)


def _value_sentence(found: Any) -> Sentence:
    if found is None:
        return (SentencePart(FlagTester.not_given),)
    if isinstance(found, str | int | float):
        return (SentencePart(FlagTester.it_is), SentencePart(value_text(found) or "“”", "value"))
    text = msgspec.json.encode(found).decode(errors="replace")
    return (SentencePart(FlagTester.it_is), SentencePart(figures.visible(text[:LONGEST_FOUND]), "value"))


def _draw(draw: Draw) -> str:
    words = FlagTester
    who = words.nobody if draw.identity == ANONYMOUS else figures.visible(draw.identity)
    if draw.of != 100:
        return words.drawn_place.format(who=who, place=round(draw.drawn) + 1, of=round(draw.of))
    drawn = words.drawn.format(who=who, drawn=_plain(draw.drawn))
    text = words.drawn_inside if draw.inside else words.drawn_outside
    return text.format(drawn=drawn, start=_plain(draw.start), end=_plain(draw.end))


def _plain(number: float) -> str:
    return f"{round(number, 4):.10g}"
