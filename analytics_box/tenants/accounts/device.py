"""A browser in plain words, for the list of sessions: no address and no whole user agent is kept."""

from analytics_box.base.texts import Security
from analytics_box.web.recognition import agent


def describe(user_agent: str) -> str:
    """A device in words, such as "Firefox on Linux" or "Chrome on Android, phone"; empty if unknown."""
    found = agent.parse(user_agent[:1_000])
    if not found.browser and not found.system:
        return ""
    words = Security.device.format(
        browser=found.browser or Security.some_browser, system=found.system or Security.some_system
    )
    kind = Security.kinds.get(found.device, "")
    text = f"{words}, {kind}" if kind else words
    return "".join(letter for letter in text if letter.isprintable())[:100]
