"""The command `analytics-box doctor`: the support bundle, without names of the machine, of users, or of folders.

A subject that cannot be looked at says so by the kind of the error.
"""

import io
import os
import platform
import resource
import sys
import tarfile
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any, Final, Literal, get_args, get_origin

import click
import msgspec
from msgspec import Struct

import analytics_box
from analytics_box.app.admin import channel
from analytics_box.app.cli.options import AS_JSON, read_settings, report_refusals, show, with_settings
from analytics_box.app.watch.state import seen_without_a_box
from analytics_box.app.watch.warnings import warnings
from analytics_box.base.clock import SystemClock
from analytics_box.base.settings import Settings, table
from analytics_box.base.store import data_lock, integrity, schema
from analytics_box.base.store.files import write_private
from analytics_box.base.urls import url_parts

_KNOWN_FILES: Final = frozenset(
    (
        *(
            f"{name}{end}"
            for name in (schema.BOX_FILE, schema.EVENTS_FILE, "rollups.db")
            for end in ("", "-wal", "-shm")
        ),
        *("columns.duckdb", "columns.duckdb.wal", "secret.key", "salts", "reserve", "lock", "running", "unchecked"),
        *("admin.sock", "analytics-box.toml", "clickhouse.json", "demo", "backups", "backups.json", "upgrading"),
        *("copies", "restoring"),
    )
)
_LIMITS: Final = {"openFiles": resource.RLIMIT_NOFILE, "memory": resource.RLIMIT_AS, "fileSize": resource.RLIMIT_FSIZE}
_GROUPS: Final = ("memory.max", "memory.high", "memory.current", "cpu.max", "pids.max")


def about() -> dict[str, Any]:
    """The program, Python, the system, and the libraries that the program needs."""
    return {
        "version": analytics_box.__version__,
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "singleFile": bool(getattr(sys, "frozen", False)),
        "system": platform.system(),
        "release": platform.release(),
        "machine": platform.machine(),
        "libc": " ".join(platform.libc_ver()),
        "processors": os.cpu_count(),
        "timeZone": time.strftime("%z"),
        "root": os.geteuid() == 0,
        "libraries": _libraries(),
    }


def _libraries() -> dict[str, str]:
    found = {}
    for wanted in requires("analytics-box") or ():
        if ";" in wanted:
            continue
        name = next(wanted[:end] for end, letter in enumerate(f"{wanted} ") if letter in " [<>=!~(")
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "missing"
    return found


def limits() -> dict[str, Any]:
    """The limits of the process and its container."""
    return {
        **{
            name: [None if value == resource.RLIM_INFINITY else value for value in resource.getrlimit(number)]
            for name, number in _LIMITS.items()
        },
        "container": _container(),
        "controlGroup": {name: text for name in _GROUPS if (text := _line(Path("/sys/fs/cgroup") / name))},
        "memoryTotalKb": _memory("MemTotal"),
        "memoryAvailableKb": _memory("MemAvailable"),
        "load": os.getloadavg(),
    }


def _container() -> str:
    if Path("/.dockerenv").exists():
        return "docker"
    if Path("/run/.containerenv").exists():
        return "podman"
    if os.environ.get("KUBERNETES_SERVICE_HOST"):
        return "kubernetes"
    return "systemd" if os.environ.get("INVOCATION_ID") else "none known"


def _line(path: Path) -> str:
    try:
        text = path.read_text().strip()
    except OSError:
        return ""
    return text if text.replace(" ", "").replace("max", "").isdigit() or text == "max" else ""


def _memory(name: str) -> int | None:
    for line in Path("/proc/meminfo").read_text().splitlines() if Path("/proc/meminfo").exists() else ():
        if line.startswith(f"{name}:"):
            return int(line.split()[1])
    return None


def data_directory(directory: Path, now: int) -> dict[str, Any]:
    """Its disk and its files; those that are not ours are only counted. `now` is UTC ms."""
    disk, found = os.statvfs(directory), sorted(directory.iterdir())
    return {
        "mode": f"{directory.stat().st_mode & 0o777:04o}",
        "own": directory.stat().st_uid == os.geteuid(),
        "fileSystem": _file_system(directory),
        "free": disk.f_bavail * disk.f_frsize,
        "total": disk.f_blocks * disk.f_frsize,
        "freeInodes": disk.f_favail,
        "files": {path.name: _file(path, now) for path in found if path.name in _KNOWN_FILES},
        "others": sum(path.name not in _KNOWN_FILES for path in found),
    }


def _file(path: Path, now: int) -> dict[str, Any]:
    found = path.lstat()
    return {
        "bytes": found.st_size,
        "mode": f"{found.st_mode & 0o777:04o}",
        "secondsOld": round(now / 1000 - found.st_mtime),
        "link": path.is_symlink(),
    }


def _file_system(directory: Path) -> str:
    """The kind of file system, like ext4, from the longest mount point above the directory."""
    best, kind = -1, "not known"
    resolved = str(directory.resolve())
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        fields, _, more = line.partition(" - ")
        point = fields.split()[4].replace("\\040", " ")
        above = resolved == point or resolved.startswith(point.rstrip("/") + "/")
        if above and len(point) > best:
            best, kind = len(point), more.split()[0]
    return kind


FOLDER: Final = "analytics-box-doctor"

Section = Callable[[], object]


def _looked_at(section: Section) -> Any:
    try:
        return msgspec.to_builtins(section())
    except Exception as broken:  # a box in trouble is what it is for
        return {"error": type(broken).__name__}


def pack_bundle(found: Mapping[str, Any], now: int) -> bytes:
    """The bundle as a .tar.gz; `now` is UTC ms."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as bundle:
        for name, values in found.items():
            text = msgspec.json.format(msgspec.json.encode(values), indent=1) + b"\n"
            entry = tarfile.TarInfo(f"{FOLDER}/{name}.json")
            entry.size, entry.mode, entry.mtime = len(text), 0o600, now / 1000
            bundle.addfile(entry, io.BytesIO(text))
    return content.getvalue()


class SettingValue(Struct, frozen=True):
    """A setting, and whether it has its default."""

    value: object
    default: bool


def setting_values(settings: Settings) -> dict[str, SettingValue]:
    """All settings."""
    return {
        row.name: SettingValue(
            _value(row.type, getattr(settings, row.name)), getattr(settings, row.name) == row.default
        )
        for row in table()
    }


def _value(annotated: Any, value: object) -> object:
    if isinstance(value, int | float) or _is_choice(annotated):
        return value
    if isinstance(value, tuple):
        return f"{len(value)} entries"
    if isinstance(value, Path):
        return "a path"
    return _shape(str(value))


def _is_choice(annotated: Any) -> bool:
    kind = get_args(annotated)[0]
    return get_origin(kind) is Literal or any(get_origin(one) is Literal for one in get_args(kind))


def _shape(text: str) -> str:
    if not text:
        return ""
    if text.startswith(("https://", "http://")):
        parsed = url_parts(text)
        return f"{parsed.scheme}://…{' with a path' if parsed.path.strip('/') else ''}"
    return "is set"


@click.command()
@click.option(
    "--to",
    default="",
    help="File to write; - for standard output. [default: analytics-box-doctor-TIME.tar.gz]",
)
@AS_JSON
@with_settings()
def doctor(to: str, as_json: bool, **given: Any) -> None:
    """Create a support bundle.

    It contains versions, settings without their texts, sizes, counts, the integrity of the files, jobs, warnings and
    the last log messages. It contains no secrets, no addresses, and no names of users, websites or folders. With
    --json its content is printed instead.
    """

    def run() -> None:
        now = SystemClock().now()
        time = f"{datetime.fromtimestamp(now / 1000, UTC):%Y%m%d-%H%M%S}"
        found = {
            name: _looked_at(section)
            for name, section in _sections(read_settings(given, checked=False), now, time).items()
        }
        if as_json:
            show(found, [], as_json=True)
            return
        _write(pack_bundle(found, now), to or f"{FOLDER}-{time}.tar.gz")

    report_refusals(run)


def _sections(found: Settings, now: int, time: str) -> dict[str, Section]:
    directory = found.data_dir
    in_use = _is_served(directory)
    sections: dict[str, Section] = {
        "about": lambda: about() | integrity.libraries() | {"running": in_use, "time": time},
        "settings": lambda: setting_values(found),
        "limits": limits,
        "data-directory": lambda: data_directory(directory, now),
        "box.db": lambda: integrity.report(directory / schema.BOX_FILE, in_use=in_use),
        "events.db": lambda: integrity.report(directory / schema.EVENTS_FILE, in_use=in_use),
    }
    if in_use:
        return sections | {"running": lambda: channel.ask(directory, "report")}
    return sections | {"warnings": lambda: warnings(seen_without_a_box(found, now))}


def _is_served(directory: Path) -> bool:
    try:
        return data_lock.is_served(directory)
    except Exception:
        return False


def _write(content: bytes, to: str) -> None:
    if to == "-":
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    try:
        write_private(Path(to), content)
    except OSError as broken:
        raise click.ClickException(f"{to} cannot be written: {os.strerror(broken.errno or 0)}") from broken
    click.echo(f"{to}: {len(content) / 1000:,.1f} KB. Check its content before you send it")
