"""What the box says of monitors that are down. Pure."""

from collections.abc import Sequence
from typing import Final

from analytics_box.base.texts import StatusIncidents as Words
from analytics_box.products.status_pages.incident import LONGEST_TITLE, Affected

_LONGEST_NAME: Final = 80  # characters of a title
_NAMED: Final = 10  # in a message


def title(affected: Sequence[Affected]) -> str:
    """What an incident is called after the components that are down."""
    names = [one.name[:_LONGEST_NAME] for one in affected]
    said = names[0]
    if len(names) == 2:
        said = Words.two.format(first=names[0], last=names[1])
    elif len(names) > 2:
        said = Words.more.format(first=names[0], count=len(names) - 1)
    pattern = Words.down_title if _is_down(affected) else Words.degraded_title
    return pattern.format(names=said)[:LONGEST_TITLE]


def opened(affected: Sequence[Affected]) -> str:
    """The first update."""
    return (Words.down if _is_down(affected) else Words.degraded).format(names=_names(affected))


def joined(affected: Sequence[Affected]) -> str:
    """These are down, too."""
    return Words.joined.format(names=_names(affected))


def some_recovered(affected: Sequence[Affected]) -> str:
    """These are back, others are not."""
    return Words.some_recovered.format(names=_names(affected))


def _is_down(affected: Sequence[Affected]) -> bool:
    return any(one.impact == "down" for one in affected)


def _names(affected: Sequence[Affected]) -> str:
    names = [one.name for one in affected]
    if len(names) > _NAMED:
        return Words.more.format(first=", ".join(names[:_NAMED]), count=len(names) - _NAMED)
    if len(names) == 1:
        return names[0]
    return Words.two.format(first=", ".join(names[:-1]), last=names[-1])
