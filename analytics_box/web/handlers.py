"""Handlers by their names, for tables: the module of one is loaded when it is first needed."""

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple


class NamedHandler(NamedTuple):
    """A function of a module."""

    module: str
    name: str

    def load(self) -> Callable[..., Any]:
        """The function."""
        found: Callable[..., Any] = getattr(import_module(self.module), self.name)
        return found


class Handlers:
    """A module of handlers: its attributes are their names."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> NamedHandler:
        return NamedHandler(self._module, name)
