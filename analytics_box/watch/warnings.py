"""What an administrator should know before it hurts, as one literal table. The page, /metrics, `check` and `doctor` all
ask this one function. Pure.
"""

from collections.abc import Callable
from typing import Final, Literal

from msgspec import Struct

from analytics_box import texts
from analytics_box.clock import DAY, MINUTE

Level = Literal["bad", "warn"]
# What becomes of queries while ClickHouse is away: SQLite answers them, nothing does, or this machine is asked none.
WithoutClickHouse = Literal["sqlite", "nothing", "unasked"]
Sighting = tuple[str, int]  # A proxy's address, empty for a Unix socket, and when its header was last seen.

_SOON, _VERY_SOON = 30, 7  # days
_LONG_LOG = 100_000_000  # bytes
_FAILED_AGAIN = 3  # times in a row
_LATELY = DAY
_PROXIES = "proxies#what-a-proxy-has-to-do"
MEGABYTE: Final = 1_000_000


class Certificate(Struct, frozen=True):
    """The certificate of `tls_certificate`. `ends` is UTC ms; None where it cannot be read."""

    ends: int | None


class Seen(Struct, frozen=True, kw_only=True):
    """What is looked at, now (UTC ms). What is not known from here is None, and warned of by nobody.

    `trouble` is why the box is not ready. `days_left` is when the disk will be full at the pace of late.
    """

    now: int
    trouble: str = ""
    free: int | None = None  # bytes of the disk
    least_free: int = 0  # bytes below which events are refused
    days_left: float | None = None
    clock_doubted: bool = False
    open_folder: bool = False
    certificate: Certificate | None = None
    backup: Literal["", "failed", "never", "overdue"] = ""
    untrusted_proxy: Sighting | None = None
    unreadable_proxy: Sighting | None = None
    damaged: tuple[str, ...] = ()  # databases
    cut_off_since: int | None = None
    clickhouse_away_since: int | None = None
    without_clickhouse: WithoutClickHouse = "sqlite"
    silent_machines: tuple[int, ...] = ()  # that take events, by their numbers
    clickhouse_lacks: str = ""
    failing_channels: int = 0  # alert channels, for 15 minutes or longer
    failing_mailboxes: int = 0  # of subscribers of status pages, as long
    log_bytes: int = 0  # of the longer write-ahead log
    failing_jobs: tuple[tuple[str, int], ...] = ()  # by name: how often in a row


class Warning(Struct, frozen=True):
    """A warning: its code for programs, its level, and what to do in words.

    The text names no person and no address of a client. `manual` is the place in the manual that says more.
    """

    code: str
    level: Level
    text: str
    manual: str = "running#watch-it"


Look = Callable[[Seen], Warning | None]


def warnings(seen: Seen) -> list[Warning]:
    """All that is to be warned of, the worst first."""
    found = [warning for look in LOOKS if (warning := look(seen)) is not None]
    return sorted(found, key=lambda warning: warning.level != "bad")


def _damage(seen: Seen) -> Warning | None:
    if not seen.damaged:
        return None
    text = texts.Warnings.damage.format(files=" and ".join(seen.damaged))
    return Warning("damage", "bad", text, "running#damage-while-the-box-runs")


def _trouble(seen: Seen) -> Warning | None:
    if not seen.trouble or seen.damaged:  # the warning of damage says it already
        return None
    return Warning("not_ready", "bad", texts.Warnings.trouble.format(why=seen.trouble))


def _disk(seen: Seen) -> Warning | None:
    words = texts.Warnings
    if seen.free is not None and seen.free < 2 * seen.least_free:
        free, least = (f"{size / MEGABYTE:,.0f}" for size in (seen.free, seen.least_free))
        level: Level = "bad" if seen.free < seen.least_free else "warn"
        return Warning("disk", level, words.disk_low.format(free=free, least=least), "running#disk-space")
    if seen.days_left is not None and seen.days_left < _SOON:
        level = "bad" if seen.days_left < _VERY_SOON else "warn"
        days = round(seen.days_left)
        return Warning("disk", level, words.disk_soon[days == 1].format(days=days), "running#disk-space")
    return None


def _clock(seen: Seen) -> Warning | None:
    return Warning("clock", "warn", texts.Warnings.clock) if seen.clock_doubted else None


def _folder(seen: Seen) -> Warning | None:
    if not seen.open_folder:
        return None
    return Warning("open_folder", "warn", texts.Warnings.open_folder, "running#the-data-directory")


def _untrusted_proxy(seen: Seen) -> Warning | None:
    proxy = _recent_proxy(seen, seen.untrusted_proxy)
    return Warning("proxy", "warn", texts.Warnings.proxy.format(proxy=proxy), _PROXIES) if proxy else None


def _unreadable_proxy(seen: Seen) -> Warning | None:
    proxy = _recent_proxy(seen, seen.unreadable_proxy)
    text = texts.Warnings.proxy_unreadable.format(proxy=proxy)
    return Warning("proxy_unreadable", "warn", text, _PROXIES) if proxy else None


def _recent_proxy(seen: Seen, sighting: Sighting | None) -> str:
    """The name of a proxy that was seen within a day; empty if there is none."""
    if sighting is None or seen.now - sighting[1] > _LATELY:
        return ""
    return sighting[0] or texts.Warnings.socket_proxy


def _certificate(seen: Seen) -> Warning | None:
    words, manual = texts.Warnings, "proxies#with-a-certificate-of-its-own"
    if seen.certificate is None:
        return None
    if seen.certificate.ends is None:
        return Warning("certificate", "bad", words.certificate_unread, manual)
    days = (seen.certificate.ends - seen.now) / DAY
    if days <= 0:
        return Warning("certificate", "bad", words.certificate_over, manual)
    if days >= 2 * _VERY_SOON:
        return None
    whole = int(days)
    level: Level = "bad" if days < _VERY_SOON else "warn"
    return Warning("certificate", level, words.certificate_soon[whole == 1].format(days=whole), manual)


def _backup(seen: Seen) -> Warning | None:
    if not seen.backup:
        return None
    return Warning("backup", "warn", texts.Warnings.backups[seen.backup], "backup")


def _network(seen: Seen) -> Warning | None:
    if seen.cut_off_since is None:
        return None
    minutes = max(seen.now - seen.cut_off_since, 0) // MINUTE
    return Warning("network", "bad", texts.Warnings.network[minutes == 1].format(minutes=minutes))


def _clickhouse(seen: Seen) -> Warning | None:
    if seen.clickhouse_lacks:
        text = texts.Warnings.clickhouse_lacks.format(what=seen.clickhouse_lacks)
        return Warning("clickhouse", "bad", text, "clickhouse#keep-old-events-in-clickhouse-only")
    if seen.clickhouse_away_since is None:
        return None
    minutes = (seen.now - seen.clickhouse_away_since) // MINUTE
    if minutes < 1:
        return None
    since = texts.Warnings.clickhouse[minutes == 1].format(minutes=minutes)
    text = f"{since} {texts.Warnings.without_clickhouse[seen.without_clickhouse]}"
    return Warning("clickhouse", "warn", text, "clickhouse#when-clickhouse-is-away")


def _machines(seen: Seen) -> Warning | None:
    if not seen.silent_machines:
        return None
    numbers = ", ".join(map(str, seen.silent_machines))
    text = texts.Warnings.machines[len(seen.silent_machines) == 1].format(numbers=numbers)
    return Warning("machines", "bad", text, "several-machines#when-a-machine-is-away")


def _channels(seen: Seen) -> Warning | None:
    count = seen.failing_channels
    if not count:
        return None
    text = texts.Warnings.channels[count == 1].format(count=count)
    return Warning("channels", "bad", text, "integrations#alert-channels")


def _subscribers(seen: Seen) -> Warning | None:
    count = seen.failing_mailboxes
    if not count:
        return None
    text = texts.Warnings.subscribers[count == 1].format(count=count)
    return Warning("subscribers", "warn", text, "status-pages#subscribers")


def _log(seen: Seen) -> Warning | None:
    if seen.log_bytes <= _LONG_LOG:
        return None
    text = texts.Warnings.log.format(size=f"{seen.log_bytes / MEGABYTE:,.0f}")
    return Warning("log", "warn", text, "running#the-data-directory")


def _jobs(seen: Seen) -> Warning | None:
    failing = [(name, times) for name, times in seen.failing_jobs if times >= _FAILED_AGAIN]
    if not failing:
        return None
    named = ", ".join(f"{name} ({times} times)" for name, times in failing)
    return Warning("jobs", "warn", texts.Warnings.jobs.format(jobs=named))


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
    _backup,
    _certificate,
    _clock,
    _untrusted_proxy,
    _unreadable_proxy,
    _folder,
    _log,
    _jobs,
)
