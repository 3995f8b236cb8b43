"""The memory limit of the column replica if a container limits the whole box."""

from functools import cache
from pathlib import Path

MB = 1_000_000
_REST = 192 * MB  # what the box and DuckDB itself take next to the memory of queries
_LEAST = 64 * MB  # with less nothing can be built
_SMALL = 384 * MB  # a container with less does without a replica
_UNITS = {"MB": MB, "GB": 1_000 * MB}


@cache
def limit(system: Path = Path("/")) -> int | None:
    """Bytes that this process and its neighbours in the cgroup, or in one around it, may take; None without a limit.

    They are what they were when it was first asked.
    """
    try:
        lines = (system / "proc/self/cgroup").read_text("ascii").splitlines()
    except OSError:
        return None
    found = []
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers in {"", "memory"}:
            found += _limits(system / "sys/fs/cgroup" / controllers, path, "limit_in_bytes" if controllers else "max")
    return min(found, default=None)


def _limits(root: Path, path: str, name: str) -> list[int]:
    """The limits of a group and of those around it; inside a container its own stands at the root."""
    group = root / path.strip("/")
    groups = (group, *(around for around in group.parents if around.is_relative_to(root)))
    return [value for one in groups if (value := _number(one / f"memory.{name}")) is not None]


def _number(file: Path) -> int | None:
    try:
        text = file.read_text("ascii").strip()
    except OSError:
        return None
    return int(text) if text.isdecimal() and int(text) < 1 << 60 else None  # no limit: "max", or a huge number


def is_small(limited: int | None) -> bool:
    """Whether a replica would take too much of the container's memory."""
    return limited is not None and limited < _SMALL


def cap_memory(wanted: str, limited: int | None) -> str:
    """The memory that was wanted, like 256MB, or what the container has for it."""
    if limited is None:
        return wanted
    given = int(wanted[:-2]) * _UNITS[wanted[-2:]]
    return f"{min(given, max((limited - _REST) // 2, _LEAST)) // MB}MB"


def half(wanted: str) -> str:
    """Half of an amount like 256MB, unless a replica needs more."""
    size = int(wanted[:-2]) * _UNITS[wanted[-2:]]
    return f"{min(size, max(size // 2, _LEAST)) // MB}MB"
