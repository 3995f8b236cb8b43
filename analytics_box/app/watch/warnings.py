"""Warnings for administrators before something breaks, as one literal table. The page, /metrics, `check` and `doctor`
all
ask this one function. Pure.
"""

from collections.abc import Callable
from typing import Final, Literal

from msgspec import Struct

from analytics_box.base import texts
from analytics_box.base.clock import DAY, MINUTE

Level = Literal["bad", "warn"]
# What becomes of queries while ClickHouse is away: SQLite answers them, nothing does, or this machine is asked none.
WithoutClickHouse = Literal["sqlite", "nothing", "unasked"]
Sighting = tuple[str, int]  # A proxy's address, empty for a Unix socket, and when its header was last seen.

_SOON, _VERY_SOON = 30, 7  # Days.
_LONG_LOG = 100_000_000  # Bytes.
_FAILED_AGAIN = 3  # Times in a row.
_LATELY = DAY
_PROXIES = "proxies#requirements-for-a-proxy"
MEGABYTE: Final = 1_000_000


class WatchedCertificate(Struct, frozen=True):
    """The certificate of `tls_certificate`. `ends` is UTC ms; None if it cannot be read."""

    ends: int | None


class WarningInputs(Struct, frozen=True, kw_only=True):
    """The state to check, now (UTC ms). Values that are unknown here are None, and never warned about.

    `trouble` is the reason why the box is not ready. `days_left` is the time until the disk is full at the recent rate.
    """

    now: int
    trouble: str = ""
    free: int | None = None  # Bytes of the disk.
    least_free: int = 0  # Events are refused below these bytes.
    days_left: float | None = None
    clock_doubted: bool = False
    open_folder: bool = False
    certificate: WatchedCertificate | None = None
    backup: Literal["", "failed", "never", "overdue"] = ""
    untrusted_proxy: Sighting | None = None
    unreadable_proxy: Sighting | None = None
    damaged: tuple[str, ...] = ()  # The names of databases.
    cut_off_since: int | None = None
    clickhouse_away_since: int | None = None
    without_clickhouse: WithoutClickHouse = "sqlite"
    silent_machines: tuple[int, ...] = ()  # Their numbers.
    clickhouse_lacks: str = ""
    failing_channels: int = 0  # Alert channels, for 15 minutes or longer.
    failing_mailboxes: int = 0  # Mailboxes of subscribers, for as long.
    refused_monitors: int = 0  # Their targets are in private networks that their organization must not reach.
    log_bytes: int = 0  # The size of the longer write-ahead log.
    failing_jobs: tuple[tuple[str, int], ...] = ()  # By name: failures in a row.


class Warning(Struct, frozen=True):
    """A warning: its code for programs, its level, and what to do in words.

    The text names no person and no address of a client. `manual` is the place in the manual that says more.
    """

    code: str
    level: Level
    text: str
    manual: str = "production#monitor-the-server"


Look = Callable[[WarningInputs], Warning | None]


def warnings(seen: WarningInputs) -> list[Warning]:
    """All that is to be warned of, the worst first."""
    found = [warning for look in LOOKS if (warning := look(seen)) is not None]
    return sorted(found, key=lambda warning: warning.level != "bad")


def _damage(seen: WarningInputs) -> Warning | None:
    text = texts.Warnings.damage.format(files=" and ".join(seen.damaged))
    return Warning("damage", "bad", text, "production#damage-while-the-server-runs") if seen.damaged else None


def _trouble(seen: WarningInputs) -> Warning | None:
    if not seen.trouble or seen.damaged:  # The warning of damage says it already.
        return None
    return Warning("not_ready", "bad", texts.Warnings.trouble.format(why=seen.trouble))


def _disk(seen: WarningInputs) -> Warning | None:
    words, manual = texts.Warnings, "production#disk-space"
    if seen.free is not None and seen.free < 2 * seen.least_free:
        level: Level = "bad" if seen.free < seen.least_free else "warn"
        text = words.disk_low.format(free=_megabytes(seen.free), least=_megabytes(seen.least_free))
        return Warning("disk", level, text, manual)
    if seen.days_left is None or seen.days_left >= _SOON:
        return None
    level = "bad" if seen.days_left < _VERY_SOON else "warn"
    return Warning("disk", level, _with_count(words.disk_soon, round(seen.days_left)), manual)


def _clock(seen: WarningInputs) -> Warning | None:
    return Warning("clock", "warn", texts.Warnings.clock) if seen.clock_doubted else None


def _folder(seen: WarningInputs) -> Warning | None:
    text = texts.Warnings.open_folder
    return Warning("open_folder", "warn", text, "production#the-data-directory") if seen.open_folder else None


def _untrusted_proxy(seen: WarningInputs) -> Warning | None:
    text = _about_proxy(seen, texts.Warnings.proxy, seen.untrusted_proxy)
    return Warning("proxy", "warn", text, _PROXIES) if text else None


def _unreadable_proxy(seen: WarningInputs) -> Warning | None:
    text = _about_proxy(seen, texts.Warnings.proxy_unreadable, seen.unreadable_proxy)
    return Warning("proxy_unreadable", "warn", text, _PROXIES) if text else None


def _certificate(seen: WarningInputs) -> Warning | None:
    words, manual = texts.Warnings, "proxies#use-tls-without-a-proxy"
    if seen.certificate is None:
        return None
    if seen.certificate.ends is None:
        return Warning("certificate", "bad", words.certificate_unread, manual)
    days = (seen.certificate.ends - seen.now) / DAY
    if days <= 0:
        return Warning("certificate", "bad", words.certificate_over, manual)
    if days >= 2 * _VERY_SOON:
        return None
    level: Level = "bad" if days < _VERY_SOON else "warn"
    return Warning("certificate", level, _with_count(words.certificate_soon, int(days)), manual)


def _backup(seen: WarningInputs) -> Warning | None:
    return Warning("backup", "warn", texts.Warnings.backups[seen.backup], "backup") if seen.backup else None


def _network(seen: WarningInputs) -> Warning | None:
    minutes = _minutes(seen, seen.cut_off_since)
    return None if minutes is None else Warning("network", "bad", _with_count(texts.Warnings.network, minutes))


def _clickhouse(seen: WarningInputs) -> Warning | None:
    words, minutes = texts.Warnings, _minutes(seen, seen.clickhouse_away_since)
    if seen.clickhouse_lacks:
        text = words.clickhouse_lacks.format(what=seen.clickhouse_lacks)
        return Warning("clickhouse", "bad", text, "clickhouse#keep-old-events-in-clickhouse-only")
    if not minutes:
        return None
    text = f"{_with_count(words.clickhouse, minutes)} {words.without_clickhouse[seen.without_clickhouse]}"
    return Warning("clickhouse", "warn", text, "clickhouse#when-clickhouse-is-away")


def _machines(seen: WarningInputs) -> Warning | None:
    numbers = ", ".join(map(str, seen.silent_machines))
    text = _with_count(texts.Warnings.machines, len(seen.silent_machines), numbers=numbers)
    return Warning("machines", "bad", text, "several-machines#when-a-machine-is-away") if numbers else None


def _channels(seen: WarningInputs) -> Warning | None:
    text = _with_count(texts.Warnings.channels, seen.failing_channels)
    return Warning("channels", "bad", text, "integrations#alert-channels") if seen.failing_channels else None


def _subscribers(seen: WarningInputs) -> Warning | None:
    text = _with_count(texts.Warnings.subscribers, seen.failing_mailboxes)
    return Warning("subscribers", "warn", text, "status-pages#subscribers") if seen.failing_mailboxes else None


def _refused_monitors(seen: WarningInputs) -> Warning | None:
    text = _with_count(texts.Warnings.refused_monitors, seen.refused_monitors)
    return Warning("refused_monitors", "warn", text, "settings#private-networks") if seen.refused_monitors else None


def _log(seen: WarningInputs) -> Warning | None:
    text = texts.Warnings.log.format(size=_megabytes(seen.log_bytes))
    return Warning("log", "warn", text, "production#the-data-directory") if seen.log_bytes > _LONG_LOG else None


def _jobs(seen: WarningInputs) -> Warning | None:
    named = ", ".join(f"{name} ({times} times)" for name, times in seen.failing_jobs if times >= _FAILED_AGAIN)
    return Warning("jobs", "warn", texts.Warnings.jobs.format(jobs=named)) if named else None


def _with_count(words: tuple[str, str], count: int, **named: str) -> str:
    """Words about many things, or about one."""
    return words[count == 1].format(count=count, **named)


def _minutes(seen: WarningInputs, since: int | None) -> int | None:
    """Whole minutes since an instant (UTC ms)."""
    return None if since is None else max(seen.now - since, 0) // MINUTE


def _megabytes(size: int) -> str:
    return f"{size / MEGABYTE:,.0f}"


def _about_proxy(seen: WarningInputs, words: str, sighting: Sighting | None) -> str:
    """Words about a proxy that was seen within a day; empty if there is none."""
    if sighting is None or seen.now - sighting[1] > _LATELY:
        return ""
    return words.format(proxy=sighting[0] or texts.Warnings.socket_proxy)


# In the order in which they are told. What a room adds is a field of Seen and a line here.
LOOKS: Final[tuple[Look, ...]] = (
    _damage,
    _trouble,
    _disk,
    _network,
    _clickhouse,
    _machines,
    _channels,
    _subscribers,
    _refused_monitors,
    _backup,
    _certificate,
    _clock,
    _untrusted_proxy,
    _unreadable_proxy,
    _folder,
    _log,
    _jobs,
)
