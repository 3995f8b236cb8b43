"""Prompts: ways of working with the tools that people choose, with arguments; and the completion of arguments."""

from typing import Any, Final

import msgspec
from msgspec import Struct

from analytics_box.app.mcp.caller import Caller
from analytics_box.app.mcp.protocol import INVALID_PARAMS, ProtocolError
from analytics_box.base.translation import _
from analytics_box.query import ranges

_ARGUMENTS: Final = msgspec.json.Decoder(dict[str, str])
_LONGEST: Final = 255  # Characters of an argument.


class PromptArgument(Struct, frozen=True):
    """An argument of a prompt."""

    name: str
    description: str
    required: bool = False


class Prompt(Struct, frozen=True):
    """A prompt. `text` has its arguments in braces; one that is left out has the value in `usual`."""

    name: str
    title: str
    description: str
    arguments: tuple[PromptArgument, ...]
    text: str
    usual: dict[str, str] = {}


_WEBSITE: Final = PromptArgument("websiteId", _("The website's id"), required=True)
_PRESET: Final = PromptArgument("preset", _("The range, such as last_7d"))

_PROMPTS: Final = {
    prompt.name: prompt
    for prompt in (
        Prompt(
            "weekly-report",
            _("Weekly report"),
            _("Summarize a website's week for a team"),
            (_WEBSITE, PromptArgument("timeZone", _("An IANA time zone, such as Europe/Berlin"))),
            "Write a weekly report for the website {websiteId} in the time zone {timeZone}.\n"
            "1. Call compare with preset last_week and against previous_period.\n"
            "2. Call ask for summary_metrics, top_pages, top_referrers and channels of last_week.\n"
            "3. Call get_conversions and list_errors for last_week.\n"
            "Then write at most 300 words: the three figures that matter with their change, what explains the change "
            "(movers, notes, incidents), goals, errors to look at, and one suggestion. Say the dates and the time "
            "zone. Say so if a difference is too small to mean anything.",
            {"timeZone": "UTC"},
        ),
        Prompt(
            "triage-errors",
            _("Triage errors"),
            _("Rank JavaScript errors by their effect on visitors"),
            (_WEBSITE, _PRESET),
            "Triage the JavaScript errors of the website {websiteId} in {preset}.\n"
            "1. Call list_errors.\n"
            "2. For each of the five with the most affected visitors call list_errors with its fingerprint.\n"
            "Then list them by urgency: message, affected visitors, first seen, release, pages and browsers, the "
            "likely cause from the stack, and the next step. Separate new errors from old ones and our code from "
            "extensions.",
            {"preset": "last_7d"},
        ),
        Prompt(
            "funnel-health",
            _("Funnel health"),
            _("Find where visitors leave a funnel, and why"),
            (_WEBSITE, PromptArgument("funnelId", _("The funnel's id; all funnels without it")), _PRESET),
            "Check the funnel {funnelId} of the website {websiteId} in {preset}.\n"
            "1. Call get_conversions, with funnelId if it is an id.\n"
            "2. For the step with the largest drop-off call ask with page_performance, errors_by_page and "
            "device_types, filtered by the page of that step.\n"
            "3. Call get_behavior with kind journeys and the setting from_page of that page.\n"
            "Then say which step loses most visitors, what they do instead, whether speed, errors or a device explain "
            "it, and what to try first.",
            {"funnelId": "(all funnels)", "preset": "last_30d"},
        ),
        Prompt(
            "rollout-check",
            _("Rollout check"),
            _("Decide whether a feature flag's rollout should go on"),
            (
                _WEBSITE,
                PromptArgument("key", _("The flag's key"), required=True),
                PromptArgument("conversion", _("The custom event that counts as a conversion")),
            ),
            "Check the rollout of the feature flag {key} of the website {websiteId}.\n"
            "1. Call list_flags with the key, and with the conversion {conversion} if it is an event.\n"
            "2. Call list_errors for last_7d, and ask for error_summary and vitals_overview filtered by the flag.\n"
            "Then say: state and percentage, results by variant with intervals, whether the difference is "
            "statistically significant, new errors, and whether to go on, hold or roll back. Do not change the flag "
            "unless I ask for it.",
            {"conversion": "(none)"},
        ),
    )
}


LISTED: Final[list[dict[str, Any]]] = [
    {
        "name": one.name,
        "title": one.title,
        "description": one.description,
        "arguments": msgspec.to_builtins(one.arguments),
    }
    for one in _PROMPTS.values()
]


def fill(name: str, arguments: bytes) -> dict[str, Any]:
    """A prompt with its arguments. Raises ProtocolError."""
    prompt = _PROMPTS.get(name)
    if prompt is None:
        raise ProtocolError(INVALID_PARAMS, _("Unknown prompt: {name}").format(name=name[:100]))
    try:
        given = _ARGUMENTS.decode(arguments)
    except (msgspec.MsgspecError, RecursionError) as wrong:
        raise ProtocolError(INVALID_PARAMS, _("The arguments must be texts: {why}").format(why=wrong)) from wrong
    values = dict(prompt.usual)
    for argument in prompt.arguments:
        value = " ".join(given.get(argument.name, "").split())[:_LONGEST]
        if value:
            values[argument.name] = value
        elif argument.required:
            text = _("The prompt needs the argument {name}").format(name=argument.name)
            raise ProtocolError(INVALID_PARAMS, text)
    content = {"type": "text", "text": prompt.text.format(**values)}
    return {"description": prompt.description, "messages": [{"role": "user", "content": content}]}


async def complete(caller: Caller, argument: dict[str, Any], context: dict[str, Any]) -> list[str]:
    """The values of an argument that begin with, or whose names contain, what was typed."""
    typed = str(argument.get("value") or "").lower()
    arguments = context.get("arguments")
    website = str(arguments.get("websiteId") or "") if isinstance(arguments, dict) else ""
    match argument.get("name"):
        case "websiteId" if caller.refusal("websites.list") is None:
            found = [(one["id"], f"{one['name']} {one['domain']}") for one in await caller.call("websites.list")]
        case "funnelId" if website and caller.refusal("funnels.list") is None:
            found = [(one["id"], one["name"]) for one in await caller.call("funnels.list", websiteId=website)]
        case "key" if website and caller.refusal("flags.list") is None:
            found = [(one["key"], one["name"] or "") for one in await caller.call("flags.list", websiteId=website)]
        case "preset":
            found = [(one, "") for one in ranges.PRESETS]
        case _:
            return []
    return [value for value, name in found if typed in value.lower() or typed in name.lower()]
