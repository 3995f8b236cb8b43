"""Warnings for administrators before something breaks, as one literal table. The page, /metrics, `check` and `doctor`
all
ask this one function. Pure.
"""

from collections.abc import Callable
from typing import Final, Literal

from msgspec import Struct

from analytics_box.base.clock import DAY, MINUTE
from analytics_box.base.translation import _, ngettext

_BACKUPS = {
    "failed": _("The last backup failed. See Settings → Server for the reason."),
    "never": _("This server has never been backed up."),
    "overdue": _("The last backup is too old."),
}
_WITHOUT_CLICKHOUSE = {
    "sqlite": _("SQLite answers queries in the meantime, which takes longer."),
    "nothing": _("Queries fail until it is back, because it has the events of all machines. No event is lost."),
    "unasked": _("Events are kept on this machine until it is back."),
}


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
    text = _("Damaged: {files}. Stop the server and restore a backup of both databases.").format(
        files=" and ".join(seen.damaged)
    )
    return Warning("damage", "bad", text, "production#damage-while-the-server-runs") if seen.damaged else None


def _trouble(seen: WarningInputs) -> Warning | None:
    if not seen.trouble or seen.damaged:  # The warning of damage says it already.
        return None
    return Warning("not_ready", "bad", _("The server is not healthy: {why}.").format(why=seen.trouble))


def _disk(seen: WarningInputs) -> Warning | None:
    manual = "production#disk-space"
    if seen.free is not None and seen.free < 2 * seen.least_free:
        level: Level = "bad" if seen.free < seen.least_free else "warn"
        text = _("Only {free} MB of disk space are left. Below {least} MB, events are rejected. Free up space.").format(
            free=_megabytes(seen.free), least=_megabytes(seen.least_free)
        )
        return Warning("disk", level, text, manual)
    if seen.days_left is None or seen.days_left >= _SOON:
        return None
    level = "bad" if seen.days_left < _VERY_SOON else "warn"
    return Warning(
        "disk",
        level,
        ngettext(
            "At the current rate, the disk will be full within a day. Free up space or shorten the retention.",
            "At the current rate, the disk will be full in {count} days. Free up space or shorten the retention.",
            round(seen.days_left),
        ).format(count=round(seen.days_left)),
        manual,
    )


def _clock(seen: WarningInputs) -> Warning | None:
    return (
        Warning(
            "clock",
            "warn",
            _(
                "The clock jumped ahead within the last day, so no old data is removed for a day. Set the clock "
                "if it is wrong."
            ),
        )
        if seen.clock_doubted
        else None
    )


def _folder(seen: WarningInputs) -> Warning | None:
    text = _("Other users of this machine can read the data directory. Set its mode to 0700.")
    return Warning("open_folder", "warn", text, "production#the-data-directory") if seen.open_folder else None


def _untrusted_proxy(seen: WarningInputs) -> Warning | None:
    text = _about_proxy(
        seen,
        _(
            "The proxy {proxy} sends client addresses but is not trusted, so all its "
            "visitors share its IP address. Add it to trusted_proxies."
        ),
        seen.untrusted_proxy,
    )
    return Warning("proxy", "warn", text, _PROXIES) if text else None


def _unreadable_proxy(seen: WarningInputs) -> Warning | None:
    text = _about_proxy(
        seen,
        _(
            "The proxy {proxy} does not send IP addresses for all clients, so some "
            "visitors share its IP address. Configure it to send the client's address in "
            "X-Forwarded-For or Forwarded."
        ),
        seen.unreadable_proxy,
    )
    return Warning("proxy_unreadable", "warn", text, _PROXIES) if text else None


def _certificate(seen: WarningInputs) -> Warning | None:
    manual = "proxies#use-tls-without-a-proxy"
    if seen.certificate is None:
        return None
    if seen.certificate.ends is None:
        return Warning("certificate", "bad", _("The certificate of tls_certificate cannot be read."), manual)
    days = (seen.certificate.ends - seen.now) / DAY
    if days <= 0:
        return Warning(
            "certificate",
            "bad",
            _("The TLS certificate has expired, and browsers refuse to connect. Renew it."),
            manual,
        )
    if days >= 2 * _VERY_SOON:
        return None
    level: Level = "bad" if days < _VERY_SOON else "warn"
    return Warning(
        "certificate",
        level,
        ngettext(
            "The TLS certificate expires in a day. Renew it.",
            "The TLS certificate expires in {count} days. Renew it.",
            int(days),
        ).format(count=int(days)),
        manual,
    )


def _backup(seen: WarningInputs) -> Warning | None:
    return Warning("backup", "warn", _BACKUPS[seen.backup], "backup") if seen.backup else None


def _network(seen: WarningInputs) -> Warning | None:
    minutes = _minutes(seen, seen.cut_off_since)
    return (
        None
        if minutes is None
        else Warning(
            "network",
            "bad",
            ngettext(
                "The server has been cut off from the internet or a private network for a minute. "
                "Checks of monitors there are unknown, and no alerts are sent.",
                "The server has been cut off from the internet or a private network for {count} "
                "minutes. Checks of monitors there are unknown, and no alerts are sent.",
                minutes,
            ).format(count=minutes),
        )
    )


def _clickhouse(seen: WarningInputs) -> Warning | None:
    minutes = _minutes(seen, seen.clickhouse_away_since)
    if seen.clickhouse_lacks:
        text = _(
            "ClickHouse cannot be used: {what}. Restore your ClickHouse backup. Until then, queries only cover "
            "recent events."
        ).format(what=seen.clickhouse_lacks)
        return Warning("clickhouse", "bad", text, "clickhouse#keep-old-events-in-clickhouse-only")
    if not minutes:
        return None
    away = ngettext(
        "ClickHouse has been unavailable for a minute. See the log for the reason.",
        "ClickHouse has been unavailable for {count} minutes. See the log for the reason.",
        minutes,
    ).format(count=minutes)
    text = " ".join((away, _WITHOUT_CLICKHOUSE[seen.without_clickhouse]))
    return Warning("clickhouse", "warn", text, "clickhouse#when-clickhouse-is-away")


def _machines(seen: WarningInputs) -> Warning | None:
    numbers = ", ".join(map(str, seen.silent_machines))
    text = ngettext(
        "Ingest machine {numbers} does not respond. Its events may be missing from figures.",
        "Ingest machines {numbers} do not respond. Their events may be missing from figures.",
        len(seen.silent_machines),
    ).format(count=len(seen.silent_machines), numbers=numbers)
    return Warning("machines", "bad", text, "several-machines#when-a-machine-is-away") if numbers else None


def _channels(seen: WarningInputs) -> Warning | None:
    text = ngettext(
        "An alert channel has failed for 15 minutes or longer, so alerts are not "
        "delivered. See Integrations for the error.",
        "{count} alert channels have failed for 15 minutes or longer, so alerts are "
        "not delivered. See Integrations for the errors.",
        seen.failing_channels,
    ).format(count=seen.failing_channels)
    return Warning("channels", "bad", text, "integrations#alert-channels") if seen.failing_channels else None


def _subscribers(seen: WarningInputs) -> Warning | None:
    text = ngettext(
        "Emails to a subscriber of a status page have failed for 15 minutes or longer. Check the mail server.",
        "Emails to {count} subscribers of status pages have failed for 15 minutes or longer. Check the mail server.",
        seen.failing_mailboxes,
    ).format(count=seen.failing_mailboxes)
    return (
        Warning("subscribers", "warn", text, "status-pages#let-visitors-subscribe") if seen.failing_mailboxes else None
    )


def _refused_monitors(seen: WarningInputs) -> Warning | None:
    text = ngettext(
        "A monitor checks a private network that is not open to its organization. Open "
        "it under Settings, Organization, Private networks.",
        "{count} monitors check private networks that are not open to their "
        "organization. Open them under Settings, Organization, Private networks.",
        seen.refused_monitors,
    ).format(count=seen.refused_monitors)
    return Warning("refused_monitors", "warn", text, "settings#private-networks") if seen.refused_monitors else None


def _log(seen: WarningInputs) -> Warning | None:
    text = _(
        "A write-ahead log has grown to {size} MB because a program keeps a database open for reading. Find and "
        "stop that program."
    ).format(size=_megabytes(seen.log_bytes))
    return Warning("log", "warn", text, "production#the-data-directory") if seen.log_bytes > _LONG_LOG else None


def _jobs(seen: WarningInputs) -> Warning | None:
    named = ", ".join(f"{name} ({times} times)" for name, times in seen.failing_jobs if times >= _FAILED_AGAIN)
    return (
        Warning("jobs", "warn", _("These jobs failed repeatedly: {jobs}. See the log.").format(jobs=named))
        if named
        else None
    )


def _minutes(seen: WarningInputs, since: int | None) -> int | None:
    """Whole minutes since an instant (UTC ms)."""
    return None if since is None else max(seen.now - since, 0) // MINUTE


def _megabytes(size: int) -> str:
    return f"{size / MEGABYTE:,.0f}"


def _about_proxy(seen: WarningInputs, words: str, sighting: Sighting | None) -> str:
    """Words about a proxy that was seen within a day; empty if there is none."""
    if sighting is None or seen.now - sighting[1] > _LATELY:
        return ""
    return words.format(proxy=sighting[0] or _("at the Unix socket"))


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
