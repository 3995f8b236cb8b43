"""A browser in plain words, for the list of sessions: no address and no whole user agent is kept."""

from analytics_box.base.translation import _
from analytics_box.web.recognition import agent

_KINDS = {"mobile": _("phone"), "tablet": _("tablet")}


def describe(user_agent: str) -> str:
    """A device in words, such as "Firefox on Linux" or "Chrome on Android, phone"; empty if unknown."""
    found = agent.parse(user_agent[:1_000])
    if not found.browser and not found.system:
        return ""
    words = _("{browser} on {system}").format(
        browser=found.browser or _("A browser"), system=found.system or _("an unknown system")
    )
    kind = _KINDS.get(found.device, "")
    text = f"{words}, {kind}" if kind else words
    return "".join(letter for letter in text if letter.isprintable())[:100]
