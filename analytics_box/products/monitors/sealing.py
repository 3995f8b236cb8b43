"""The secrets of a monitor, sealed as they are stored (security: encryption at rest)."""

import logging
from collections.abc import Iterable, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.outgoing.masking import HIDDEN, mask_query
from analytics_box.base.store.db import Connection
from analytics_box.base.store.seal import Seal, SealBroken
from analytics_box.products.monitors import rows
from analytics_box.products.monitors.monitor import Monitor, MonitorSecrets
from analytics_box.products.monitors.rows import StoredMonitor, stored_monitor

log = logging.getLogger(__name__)

NONE = MonitorSecrets()
_LONGEST_URL = 2_048  # characters of the column


class OpenedMonitors(Struct, frozen=True):
    """Monitors with their secrets, and the numbers of monitors whose secrets cannot be decrypted."""

    monitors: tuple[Monitor, ...] = ()
    unreadable: frozenset[int] = frozenset()


class _SealedValues(MonitorSecrets, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The secrets of a monitor with what else only its checks and its editors may read: the whole URL if a part of it
    is likely a secret, and what it sends over TCP."""

    url: str = ""
    send: str = ""


def at_rest(seal: Seal, monitor: Monitor) -> StoredMonitor:
    """A monitor as it may be stored."""
    url, send = monitor.url if mask_query(monitor.url) != monitor.url else "", monitor.options.send
    if monitor.secrets == NONE and not url and not send:
        return stored_monitor(monitor, None, monitor.url)
    plain = {name: getattr(monitor.secrets, name) for name in MonitorSecrets.__struct_fields__}
    sealed = seal.seal(msgspec.json.encode(_SealedValues(**plain, url=url, send=send)), owner=_owner(monitor))
    shown = monitor.masked
    if not url:
        return stored_monitor(shown, sealed, monitor.url)
    digest = seal.digest(url, owner="monitor url").hex()
    return stored_monitor(shown, sealed, f"{shown.url[: _LONGEST_URL - len(digest) - 1]} {digest}")


def decrypt_monitor(seal: Seal, stored: StoredMonitor) -> Monitor:
    """A stored monitor with its secrets. Raises SealBroken."""
    shown = stored.monitor
    if stored.sealed is None:
        return shown
    found = msgspec.json.decode(seal.open(stored.sealed, owner=_owner(shown)), type=_SealedValues)
    secrets = MonitorSecrets(**{name: getattr(found, name) for name in MonitorSecrets.__struct_fields__})
    options = replace(shown.options, send=found.send) if found.send else shown.options
    return replace(shown, url=found.url or shown.url, options=options, secrets=secrets)


def in_plain_text(stored: Iterable[StoredMonitor]) -> list[StoredMonitor]:
    """Monitors of which an earlier version stored secrets in plain text: parts of URLs, or what is sent over TCP."""
    return [
        one for one in stored if mask_query(one.monitor.url) != one.monitor.url or one.options.send not in {"", HIDDEN}
    ]


def seal_plain(db: Connection, seal: Seal, plain: Sequence[StoredMonitor]) -> None:
    """Seal secrets that earlier versions stored in plain text. Nothing of them stays in the file.

    A monitor whose secrets cannot be decrypted stays as it is.
    """
    db.pragma("secure_delete", True)
    try:
        for one in plain:
            try:
                rows.update(db, at_rest(seal, decrypt_monitor(seal, one)))
            except SealBroken:
                continue
    finally:
        db.pragma("secure_delete", False)


def open_all(seal: Seal, stored: Iterable[StoredMonitor]) -> OpenedMonitors:
    """All that are stored; it is logged how many have lost what they were sealed with."""
    monitors, unreadable = [], set()
    for one in stored:
        try:
            monitors.append(decrypt_monitor(seal, one))
        except SealBroken:
            monitors.append(one.monitor)
            unreadable.add(one.number)
    if unreadable:
        log.error(
            "The secrets of %d monitors cannot be read with this secret.key. They are not checked until you "
            "enter new ones",
            len(unreadable),
        )
    return OpenedMonitors(tuple(monitors), frozenset(unreadable))


def _owner(monitor: Monitor) -> str:
    return f"monitor:{monitor.id}"
