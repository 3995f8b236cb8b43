"""The secrets of a monitor, sealed as they are stored (security: encryption at rest)."""

import logging
from collections.abc import Iterable

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.monitors.monitor import Monitor, Secrets
from analytics_box.monitors.rows import Stored
from analytics_box.store.seal import Seal, SealBroken

log = logging.getLogger(__name__)

NONE = Secrets()


class Opened(Struct, frozen=True):
    """Monitors with their secrets, and the numbers of those whose secrets cannot be read any more."""

    monitors: tuple[Monitor, ...] = ()
    unreadable: frozenset[int] = frozenset()


def sealed(seal: Seal, monitor: Monitor) -> bytes | None:
    """A monitor's secrets as they may be stored; None where it has none."""
    if monitor.secrets == NONE:
        return None
    return seal.seal(msgspec.json.encode(monitor.secrets), owner=_owner(monitor))


def opened(seal: Seal, stored: Stored) -> Monitor:
    """A stored monitor with its secrets. Raises SealBroken."""
    if stored.sealed is None:
        return stored.monitor
    content = seal.open(stored.sealed, owner=_owner(stored.monitor))
    return replace(stored.monitor, secrets=msgspec.json.decode(content, type=Secrets))


def open_all(seal: Seal, stored: Iterable[Stored]) -> Opened:
    """All that are stored; it is logged how many have lost what they were sealed with."""
    monitors, unreadable = [], set()
    for one in stored:
        try:
            monitors.append(opened(seal, one))
        except SealBroken:
            monitors.append(one.monitor)
            unreadable.add(one.monitor.number)
    if unreadable:
        log.error(
            "The secrets of %d monitors cannot be read with this secret.key; they are not checked until they get new "
            "ones",
            len(unreadable),
        )
    return Opened(tuple(monitors), frozenset(unreadable))


def _owner(monitor: Monitor) -> str:
    return f"monitor:{monitor.id}"
