"""The address of a website's goals, the permission to change them, and the format of their sums. Pure."""

from typing import Final
from urllib.parse import urlencode

from analytics_box.base import figures
from analytics_box.tenants.websites.rules import Website

WRITER: Final = "member"


def home(website: Website) -> str:
    """The address of a website's goals."""
    return f"/sites/{website.id}/goals"


def address(path: str, **given: str) -> str:
    """A path with those of these values that are there."""
    query = urlencode({name: value for name, value in given.items() if value})
    return f"{path}?{query}" if query else path


def amount(value: float) -> str:
    """A sum: with two decimals unless it is whole."""
    return figures.count(value) if value == round(value) else f"{value:,.2f}".replace("-", figures.MINUS)
