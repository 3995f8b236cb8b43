"""Texts of automatic incidents. Pure."""

from collections.abc import Sequence
from typing import Final

from analytics_box.base.texts import StatusIncidents as Words
from analytics_box.products.status_pages.incident import LONGEST_TITLE, AffectedComponent

_LONGEST_NAME: Final = 80  # characters of a title
_NAMED: Final = 10  # in a message


def title(affected: Sequence[AffectedComponent]) -> str:
    """The title of an incident, after the components that are down."""
    names = [one.name[:_LONGEST_NAME] for one in affected]
    said = names[0]
    if len(names) == 2:
        said = Words.two.format(first=names[0], last=names[1])
    elif len(names) > 2:
        said = Words.more.format(first=names[0], count=len(names) - 1)
    pattern = Words.down_title if _is_down(affected) else Words.degraded_title
    return pattern.format(names=said)[:LONGEST_TITLE]


def opening_message(affected: Sequence[AffectedComponent]) -> str:
    """The first update."""
    return (Words.down if _is_down(affected) else Words.degraded).format(names=_names(affected))


def joining_message(affected: Sequence[AffectedComponent]) -> str:
    """The text of an update: further components are down."""
    return Words.joined.format(names=_names(affected))


def partial_recovery_message(affected: Sequence[AffectedComponent]) -> str:
    """The text of an update: these components have recovered, others have not."""
    return Words.some_recovered.format(names=_names(affected))


def _is_down(affected: Sequence[AffectedComponent]) -> bool:
    return any(one.impact == "down" for one in affected)


def _names(affected: Sequence[AffectedComponent]) -> str:
    names = [one.name for one in affected]
    if len(names) > _NAMED:
        return Words.more.format(first=", ".join(names[:_NAMED]), count=len(names) - _NAMED)
    if len(names) == 1:
        return names[0]
    return Words.two.format(first=", ".join(names[:-1]), last=names[-1])
