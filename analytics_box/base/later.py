"""Modules that are loaded with their first use, so that a start does not wait for what an event does not need."""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any, Final, Literal

Extra = Literal["brotli", "zstd", "s3", "clickhouse"]

# By extra, as `pyproject.toml` has them.
LIBRARIES: Final[dict[Extra, str]] = {
    "brotli": "brotli>=1.2,<2",
    "zstd": "backports-zstd>=1.2,<2",
    "s3": "obstore>=0.12,<1",
    "clickhouse": "clickhouse-connect>=1.12,<2",
}


def missing(extra: Extra) -> str:
    """Return what to do about a library that is not installed, in the words for this installation."""
    if getattr(sys, "frozen", False):
        return f"this build of the server does not contain {LIBRARIES[extra].partition('>')[0]}; use one that does"
    return f"run {sys.executable} -m pip install '{LIBRARIES[extra]}' and restart the server"


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
