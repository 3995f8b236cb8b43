"""The filters of a page of figures as chips, each with the way out, and the kinds that it can be about. Pure."""

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.translation import _
from analytics_box.figures.narrowing import EXACT, Alternative, Match, Narrow
from analytics_box.figures.narrowing_question import problems
from analytics_box.figures.view import View
from analytics_box.query.named import GOAL

_MATCHES = {"all": _("All filters"), "any": _("Any filter")}
FIELD_LABELS = {
    "referrer": _("Source"),
    "channel": _("Channel"),
    "utm_campaign": _("Campaign"),
    "utm_source": _("UTM source"),
    "utm_medium": _("UTM medium"),
    "utm_term": _("UTM term"),
    "utm_content": _("UTM content"),
    "path": _("Page"),
    "entry_page": _("Entry page"),
    "country": _("Country"),
    "region": _("Region"),
    "city": _("City"),
    "browser_name": _("Browser"),
    "os_name": _("System"),
    "device_type": _("Device"),
    "language": _("Language"),
    "flag": _("Flag"),
    "exit_page": _("Exit page"),
    "event": _("Event"),
    "outgoing_link": _("Outgoing link"),
    "outgoing_domain": _("Outgoing domain"),
    "error": _("Error"),
    "event_property": _("Property of an event"),
    "viewed_page": _("Page seen in the session"),
    "scroll": _("Scroll depth (at least %)"),
    "engaged": _("Engaged time (at least s)"),
    "link": _("Short link (slug)"),
    "reached_goal": _("Reached goal"),
    "funnel_dropoff": _("Dropped out of funnel"),
}


MOST_NAMED = 3  # values of one chip


class Chip(Struct, frozen=True):
    """A filter. `label` says of what and how, `href` is the page without it, `problem` why it does not count."""

    id: str
    label: str
    value: str
    href: str
    problem: str = ""


class ChipGroup(Struct, frozen=True):
    """Filters that stand together, with the word between them; and the word between them and those before."""

    chips: tuple[Chip, ...]
    within: str = ""
    before: str = ""


class ChipChoice(Struct, frozen=True):
    """A subject that the page can have, or a way to add a filter."""

    name: str
    label: str
    href: str
    selected: bool


def chips(view: View) -> tuple[ChipGroup, ...]:
    """The filters of an address in their order, the segment and the kind at the ends."""
    wrong = problems(view.filters, view.goal_ids)
    every = view.filters.match == "all"
    between = "" if every else _("or")
    parts = [
        ChipGroup(
            tuple(_chip(view, item, wrong) for item in part),
            within=(_("or") if every else _("and")) if len(part) > 1 else "",
            before=between if at else "",
        )
        for at, part in enumerate(view.filters.parts)
    ]
    return (*_segment(view), *parts, *_kind(view), *_goal(view))


def _goal(view: View) -> tuple[ChipGroup, ...]:
    """The goal that is chosen: it narrows nothing, but counts in every list."""
    if view.aim is None:
        return ()
    return (ChipGroup((Chip("chip-goal", _("Goal"), view.aim.name, view.without_goal().link()),)),)


def words(view: View, part: Alternative) -> str:
    """A part of the filters as one line."""
    return _between(part, view).join(f"{_label(view, item)}: {_values(view, item)}" for item in part)


def _between(part: Alternative, view: View) -> str:
    if len(part) <= 1:
        return ""
    between = _("or") if view.filters.match == "all" else _("and")
    return f" {between} "


def _chip(view: View, item: Narrow, wrong: Mapping[Narrow, str]) -> Chip:
    href = replace(view, filters=view.filters.without(item)).link()
    return Chip(
        f"chip-{item.name.replace('.', '-')}", _label(view, item), _values(view, item), href, wrong.get(item, "")
    )


def _label(view: View, item: Narrow) -> str:
    name = view.of.words.filters[item.field]
    return name if item.op == "is" else f"{name} {view.of.words.operators[item.op]}"


def _values(view: View, item: Narrow) -> str:
    """Whole values as lists write them; parts and patterns as they were typed, because they are looked for so."""
    said = [view.called(item.field, value) if item.op in EXACT else value for value in item.values]
    labels = [figures.visible(value) for value in said]
    if len(labels) <= 1:
        return "".join(labels)
    named, more = labels[:MOST_NAMED], len(labels) - MOST_NAMED
    if more > 0:
        return _("{values} and {more} more").format(values=", ".join(named), more=more)
    return " ".join((", ".join(named[:-1]), _("or"), named[-1]))


def _segment(view: View) -> tuple[ChipGroup, ...]:
    segment = view.segment
    if segment is None:
        return ()
    problem = "" if segment.name else _("this segment no longer exists")
    if any(item.field == GOAL for item in problems(segment.filters, view.goal_ids)):
        problem = _("a condition about a goal that no longer exists")
    chip = Chip("chip-segment", _("Segment"), figures.visible(segment.name or segment.id), "", problem)
    return (ChipGroup((replace(chip, href=replace(view, segment=None).link()),)),)


def _kind(view: View) -> tuple[ChipGroup, ...]:
    kinds = view.of.kinds
    if kinds is None or not view.kind:
        return ()
    href = replace(view, kind="").link()
    return (ChipGroup((Chip(f"chip-{kinds.field}", kinds.chip, figures.visible(kinds.names[view.kind]), href),)),)


def kinds(view: View) -> tuple[ChipChoice, ...]:
    """The subjects that the page can have, the usual one first; empty without a choice."""
    offered = view.of.kinds
    if offered is None:
        return ()
    usual, label = offered.usual
    others = (
        ChipChoice(name, label, replace(view, kind=name).link(), name == view.kind)
        for name, label in offered.names.items()
    )
    return (ChipChoice(usual, label, replace(view, kind="").link(), not view.kind), *others)


def matches(view: View) -> tuple[ChipChoice, ...]:
    """Whether all filters must hold, or any; nothing with less than two."""
    filters = view.filters
    if len(filters.parts) < 2:
        return ()
    ways: tuple[Match, ...] = ("all", "any")
    return tuple(
        ChipChoice(
            way,
            _MATCHES[way],
            replace(view, filters=filters.matching(way)).link(),
            filters.match == way,
        )
        for way in ways
    )


def joins(view: View) -> tuple[tuple[str, str], ...]:
    """The parts of the filters that one more can be added to, by number, in words."""
    word = _("or") if view.filters.match == "all" else _("and")
    return tuple(
        (str(at), _("{word}, with {filters}").format(word=word, filters=words(view, part)))
        for at, part in enumerate(view.filters.parts)
    )
