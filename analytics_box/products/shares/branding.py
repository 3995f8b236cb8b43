"""The colors of a share: a stylesheet that replaces the accent of the box, readable in light and in dark mode. Pure."""

from collections.abc import Sequence
from typing import Final

Color = tuple[float, float, float]  # red, green, blue from 0 to 1

_LEAST_CONTRAST: Final = 4.5  # WCAG 2.2, 1.4.3
_STEPS: Final = 50
_BLACK: Final[Color] = (0.0, 0.0, 0.0)
_WHITE: Final[Color] = (1.0, 1.0, 1.0)
_LIGHT: Final = "#f7f6f3"  # --bg in web/static/app.css
_DARK: Final = "#232321"  # --raised


def stylesheet(accent: str) -> str:
    """The rules for an accent color, given as #rrggbb. It is darkened or lightened until it is readable."""
    light, dark = _readable(accent, _LIGHT, _BLACK), _readable(accent, _DARK, _WHITE)
    strong = _readable(light, light, _BLACK, 1.3), _readable(dark, dark, _WHITE, 1.3)
    return (
        f":root {{ --accent: light-dark({light}, {dark}); --accent-strong: light-dark({strong[0]}, {strong[1]}); "
        "--on-accent: light-dark(#ffffff, #131312); "
        "--accent-soft: color-mix(in srgb, var(--accent) 16%, var(--surface)); "
        "--accent-fade: color-mix(in srgb, var(--accent) 8%, transparent); }\n"
    )


def contrast(first: str, second: str) -> float:
    """The contrast of two colors, from 1 to 21 (WCAG)."""
    lighter, darker = sorted((_luminance(_color(first)), _luminance(_color(second))), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _readable(accent: str, ground: str, end: Color, least: float = _LEAST_CONTRAST) -> str:
    """The color, mixed with as little of `end` as it takes to be readable on the ground."""
    color = _color(accent)
    for step in range(_STEPS + 1):
        mixed = _text([part + (goal - part) * step / _STEPS for part, goal in zip(color, end, strict=True)])
        if contrast(mixed, ground) >= least:
            return mixed
    return _text(end)


def _color(text: str) -> Color:
    red, green, blue = (int(text[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return red, green, blue


def _text(color: Sequence[float]) -> str:
    return "#" + "".join(f"{round(part * 255):02x}" for part in color)


def _luminance(color: Color) -> float:
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
