"""The manifest of a backup, which is its first file, and the names of backups. Pure."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

from analytics_box.base.backup.failures import NotABackup
from analytics_box.base.translation import _

FORMAT: Final = 1
NAME: Final = "manifest.json"
MOST_BYTES: Final = 1 << 20

Kind = Literal["command", "scheduled", "upgrade"]
Key = Literal["here", "left out", "none"]  # secret.key: in the backup, wanted elsewhere, or there was none

KEY_IN_CLEAR: Final = (
    "This backup contains secret.key unencrypted. Anyone who has the backup can read all stored secrets. Set "
    "backup_passphrase_file to encrypt backups."
)
_SHAPE: Final = re.compile(r"analytics-box-(?P<box>[0-9a-z]{8})-(?P<moment>\d{8}T\d{6}Z)(?P<rest>(-[0-9a-z-]+)?)")
_SUFFIXES: Final = (".tar.gz", ".tar.gz.sealed")


class BackupPart(Struct, frozen=True):
    """A file of a backup: its bytes and their SHA-256 in hexadecimal."""

    name: Annotated[str, Meta(pattern=r"^[a-z][a-z0-9.-]{0,63}$")]
    bytes: Annotated[int, Meta(ge=0)]
    sha256: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]


class BackedUpTable(Struct, frozen=True):
    """The contents of a table: its rows, and the highest number of its column `id`, if it has one."""

    rows: int
    last: int | None = None


class Manifest(Struct, frozen=True):
    """The content of a backup. `moment` is the time of its data, in UTC ms; `steps` and `tables` are by file. `notice`
    warns people who find it."""

    format: int
    version: str
    kind: Kind
    box: str
    moment: int
    steps: dict[str, list[str]]
    tables: dict[str, dict[str, BackedUpTable]]
    key: Key
    parts: list[BackupPart]
    notice: str = ""

    @property
    def bytes(self) -> int:
        """Bytes of its files once they are unpacked."""
        return sum(part.bytes for part in self.parts)

    def rows(self, file: str, table: str) -> int:
        """Rows of a table; 0 where there was none."""
        held = self.tables.get(file, {}).get(table)
        return held.rows if held else 0

    def has(self, name: str) -> bool:
        """Whether a file is in it."""
        return any(part.name == name for part in self.parts)


def decode_manifest(content: bytes) -> Manifest:
    """Read a manifest. Raises NotABackup."""
    try:
        made_by = msgspec.json.decode(content, type=_ManifestMaker)
        if made_by.format > FORMAT:
            raise NotABackup(
                _("This backup was made by a newer version of Analytics Box ({version}). Install that version").format(
                    version=made_by.version
                )
            )
        return msgspec.json.decode(content, type=Manifest)
    except msgspec.DecodeError as broken:
        raise NotABackup(
            _("This is not a backup of Analytics Box: its manifest cannot be read ({broken})").format(broken=broken)
        ) from broken


class _ManifestMaker(Struct):
    format: int
    version: str


def name_of(box: str, moment: int, *, sealed: bool, rest: str = "") -> str:
    """The file name of a backup; names of one box sort by time."""
    when = datetime.fromtimestamp(moment / 1000, UTC)
    return f"analytics-box-{_short(box)}-{when:%Y%m%dT%H%M%SZ}{rest and f'-{rest}'}{_SUFFIXES[sealed]}"


def is_name(name: str) -> bool:
    """Whether a file is called as backups are."""
    stem = next((name.removesuffix(suffix) for suffix in reversed(_SUFFIXES) if name.endswith(suffix)), "")
    return _SHAPE.fullmatch(stem) is not None


def newest(names: Iterable[str], box: str = "") -> str:
    """The backup of the latest moment among these names: of this box, or of the only one that has any.

    Empty where there is none. Raises NotABackup where those of several boxes lie together, and none is of this one.
    """
    shapes = {name: shape for name in names if is_name(name) and (shape := _SHAPE.match(name))}
    own = {name: shape for name, shape in shapes.items() if box and shape["box"] == _short(box)} or shapes
    if len({shape["box"] for shape in own.values()}) > 1:
        raise NotABackup(_("There are backups of several servers. Select a single file"))
    return max(own, key=lambda name: own[name]["moment"], default="")


def too_many(names: Iterable[str], box: str, keep: int, *, rest: str = "") -> list[str]:
    """The oldest backups of a box beyond those that are kept; none where all are (0)."""
    shapes = {name: _SHAPE.match(name) for name in names if is_name(name)}
    own = sorted(
        name
        for name, shape in shapes.items()
        if shape and shape["box"] == _short(box) and bool(shape["rest"]) == bool(rest)
    )
    return own[:-keep] if keep else []


def _short(box: str) -> str:
    return box[:8] or "00000000"
