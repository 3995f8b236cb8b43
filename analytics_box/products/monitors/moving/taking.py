"""A mapping of another program, read value by value."""

from collections.abc import Mapping
from typing import Any


class Taking:
    """A mapping of another program, of which it is known what has been taken: the rest is not supported here."""

    def __init__(self, given: Mapping[Any, Any]) -> None:
        self._given = {str(name): value for name, value in given.items()}
        self.taken: list[str] = []

    def take(self, name: str) -> Any:
        """A value, which is taken with it; None for one that is not there."""
        value = self._given.get(name)
        if not _is_blank(value) and name not in self.taken:
            self.taken.append(name)
        return value

    def text(self, name: str) -> str:
        """A value as text; empty for one that is not there."""
        value = self.take(name)
        return "" if value is None or isinstance(value, dict | list) else str(value).strip()

    def listed(self, name: str) -> list[Any]:
        """A value as a list; empty for what is none."""
        value = self.take(name)
        return value if isinstance(value, list) else []

    def number(self, name: str) -> float | None:
        """A value as a number; None for one that is none."""
        value = self.take(name)
        if isinstance(value, bool):
            return None
        try:
            found = float(value) if isinstance(value, int | float | str) and value != "" else None
        except (ValueError, OverflowError):
            return None
        return found if found is not None and abs(found) < 1e12 else None

    def is_on(self, name: str) -> bool:
        """Whether a value is true, or what stands for it."""
        return self.take(name) in (True, "1", "true")

    def rest(self, passed: frozenset[str]) -> list[str]:
        """The names of what has not been taken and says something; those in `passed` say nothing."""
        return [
            name
            for name, value in self._given.items()
            if name not in self.taken and name not in passed and not _is_blank(value)
        ]


def _is_blank(value: object) -> bool:
    return value in (None, "", False, 0) or value in ([], {})
