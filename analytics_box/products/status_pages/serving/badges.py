"""Badges: the status of a page or a component as a small picture for other websites. Pure."""

import re
from collections.abc import Callable
from typing import Final

from analytics_box.base.translation import _
from analytics_box.products.status_pages.seen import PageSeen
from analytics_box.products.status_pages.serving import shown
from analytics_box.products.status_pages.serving.shown import COMPONENT_LABELS, Look

_BADGES = {
    "up": _("operational"),
    "degraded": _("degraded"),
    "down": _("outage"),
    "maintenance": _("maintenance"),
    "unknown": _("unknown"),
}


_NO_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def clean(text: str) -> str:
    """Text without the characters that XML does not have."""
    return _NO_XML.sub("", text)


Render = Callable[..., str]

_COLOURS: Final[dict[Look, str]] = {
    "up": "#1a7f37",
    "degraded": "#8a5d00",
    "down": "#b3261e",
    "maintenance": "#2b5fb8",
    "unknown": "#6b665d",
}
_LONGEST: Final = 40  # characters of a name
_PADDING: Final = 6
_NARROW, _WIDE = frozenset("iljtfIr.,:;'|!()[] "), frozenset("mwMW@%")


def of_page(render: Render, seen: PageSeen) -> str:
    """The badge of the whole page."""
    look = shown.look_of(seen)
    return badge(render, seen.name, _BADGES[look], look)


def of_component(render: Render, seen: PageSeen, component_id: str) -> str | None:
    """The badge of a component; None for one that is not on the page."""
    found = next((one for one in seen.components if one.id == component_id), None)
    if found is None:
        return None
    look = shown.LOOKS[found.status]
    return badge(render, found.name, COMPONENT_LABELS[found.status].lower(), look)


def badge(render: Render, label: str, value: str, look: Look) -> str:
    """Two words on two colours; their widths are set, so that every font fits."""
    label = clean(label)
    label = label if len(label) <= _LONGEST else f"{label[: _LONGEST - 1]}…"
    left, right = _width(label), _width(value)
    return render(
        "status/badge.svg", label=label, value=value, colour=_COLOURS[look], left=left, right=right, padding=_PADDING
    )


def _width(text: str) -> int:
    """About as wide as Verdana in 11 px is."""
    return round(sum(4.2 if letter in _NARROW else 10.2 if letter in _WIDE else _usual(letter) for letter in text))


def _usual(letter: str) -> float:
    if not letter.isascii():
        return 11.0
    return 7.8 if letter.isupper() else 6.8
