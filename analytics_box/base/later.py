"""Modules that are loaded with their first use, so that a start does not wait for what an event does not need."""

from importlib import import_module
from types import ModuleType
from typing import Any


class Later:
    """A module that is loaded when one of its names is first used.

    Type checkers and the rules of imports get the import itself:

        if TYPE_CHECKING:
            import litestar
        else:
            litestar = Later("litestar")
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._module: ModuleType | None = None

    def __getattr__(self, name: str) -> Any:
        if self._module is None:
            self._module = import_module(self._name)
        return getattr(self._module, name)
