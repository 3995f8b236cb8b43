"""The file of a backup: a tar, packed with gzip, sealed where a passphrase is given; never in memory whole.

The manifest comes first, then the files that it names, in its order. Loaded with the first backup, for what it imports
takes half a megabyte.
"""

import gzip
import hashlib
import io
import tarfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

import msgspec

from analytics_box.base.backup import manifest as manifests
from analytics_box.base.backup.failures import GoingOn, NotABackup
from analytics_box.base.backup.manifest import BackupPart, Manifest
from analytics_box.base.backup.places import Sink
from analytics_box.base.backup.sealing import MAGIC, OpenedBackup, Sealer
from analytics_box.base.translation import _

_PIECE: Final = 1 << 20
_LONGEST_HEADER: Final = 65_536  # bytes
_LEVEL: Final = 1  # of gzip: more costs three times the time for a tenth less
_GZIP: Final = b"\x1f\x8b"


def part_of(name: str, path: Path, going_on: GoingOn) -> BackupPart:
    """A file as the manifest names it."""
    sum_, size = hashlib.sha256(), 0
    with path.open("rb") as content:
        while piece := content.read(_PIECE):
            going_on()
            sum_.update(piece)
            size += len(piece)
    return BackupPart(name, size, sum_.hexdigest())


def pack(manifest: Manifest, files: Mapping[str, Path], sink: Sink, passphrase: bytes, going_on: GoingOn) -> None:
    """Write a backup of these files, which the manifest names, to `sink`."""
    sealer = Sealer(sink.write, passphrase) if passphrase else None
    target = cast(BinaryIO, _Writable(sealer or sink))
    with (
        gzip.GzipFile(fileobj=target, mode="wb", compresslevel=_LEVEL, filename="", mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w|", format=tarfile.PAX_FORMAT) as tar,
    ):
        content = msgspec.json.format(msgspec.json.encode(manifest))
        tar.addfile(_info(manifests.NAME, len(content), manifest.moment), io.BytesIO(content))
        for part in manifest.parts:
            with files[part.name].open("rb") as file:
                watched = cast(BinaryIO, _CancellableReader(file, going_on))
                tar.addfile(_info(part.name, part.bytes, manifest.moment), watched)
    if sealer:
        sealer.close()


def _info(name: str, size: int, moment: int) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size, info.mode, info.mtime = size, 0o600, moment // 1000
    return info


class _Writable:
    """A sink as gzip wants it."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink

    def write(self, content: Any) -> int:
        self._sink.write(bytes(content))
        return len(content)

    def flush(self) -> None:
        """Nothing waits here."""


class _CancellableReader:
    """A file to read, with a look at whether to go on before each piece."""

    def __init__(self, file: BinaryIO, going_on: GoingOn) -> None:
        self._file, self._going_on = file, going_on

    def read(self, size: int = -1) -> bytes:
        self._going_on()
        return self._file.read(size)


def unpack(
    source: BinaryIO,
    passphrase: bytes,
    wanted: Callable[[Manifest], Path | None],
    going_on: GoingOn,
) -> Manifest:
    """Read a backup and hold it against its own sums. Raises NotABackup.

    `wanted` sees the manifest before anything else is read; it says into which folder the files go, or none where only
    the sums are looked at, and raises what speaks against it.
    """
    with _pack(source, passphrase) as packed, _in_words():
        tar = tarfile.open(fileobj=packed, mode="r|", tarinfo=_Header)  # noqa: SIM115  nothing of it is open
        manifest = _manifest(tar)
        folder = wanted(manifest)
        for part in manifest.parts:
            _take(tar, part, folder / part.name if folder else None, going_on)
        if tar.next() is not None:
            raise NotABackup(_("This backup was modified: it contains files that are not in its manifest"))
        while packed.read(_PIECE):  # up to the checksum at the end
            pass
        return manifest


@contextmanager
def _pack(source: BinaryIO, passphrase: bytes) -> Iterator[BinaryIO]:
    buffered = source if isinstance(source, io.BufferedReader) else io.BufferedReader(cast(Any, source), _PIECE)
    start = buffered.peek(len(MAGIC))[: len(MAGIC)]
    opened: BinaryIO = buffered
    if start.startswith(MAGIC):
        if not passphrase:
            raise NotABackup(_("This backup is encrypted. Pass its passphrase with --passphrase-file"))
        buffered.read(len(MAGIC))
        opened = io.BufferedReader(OpenedBackup(buffered, passphrase), _PIECE)
    elif not start.startswith(_GZIP):
        raise NotABackup("This is not a backup of Analytics Box" + ("" if start else ": it is empty"))
    with gzip.GzipFile(fileobj=opened, mode="rb") as packed:
        yield cast(BinaryIO, packed)


@contextmanager
def _in_words() -> Iterator[None]:
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile, tarfile.TarError) as broken:
        raise NotABackup(_("This backup was modified or truncated ({broken})").format(broken=broken)) from broken


class _Header(tarfile.TarInfo):
    """The header of a file, never longer than ours are: tarfile reads it whole into memory."""

    def _proc_member(self, tar: tarfile.TarFile) -> tarfile.TarInfo:
        if self.type not in tarfile.REGULAR_TYPES and self.size > _LONGEST_HEADER:
            raise tarfile.ReadError("a header is too long")
        return super()._proc_member(tar)  # type: ignore[misc, no-any-return]  # tarfile says to override it, its types do not know it


def _manifest(tar: tarfile.TarFile) -> Manifest:
    first = tar.next()
    content = tar.extractfile(first) if first is not None and first.isreg() else None
    if first is None or content is None or first.name != manifests.NAME or first.size > manifests.MOST_BYTES:
        raise NotABackup(_("This is not a backup of Analytics Box: it does not begin with a manifest"))
    return manifests.decode_manifest(content.read())


def _take(tar: tarfile.TarFile, part: BackupPart, path: Path | None, going_on: GoingOn) -> None:
    found = tar.next()
    content = tar.extractfile(found) if found is not None and found.isreg() else None
    if found is None or content is None or (found.name, found.size) != (part.name, part.bytes):
        raise NotABackup(
            _("This backup was modified or truncated: {name} is missing or misplaced").format(name=part.name)
        )
    sum_ = hashlib.sha256()
    with _new(path) as file:
        while piece := content.read(_PIECE):
            going_on()
            sum_.update(piece)
            file.write(piece)
    if sum_.hexdigest() != part.sha256:
        raise NotABackup(_("This backup is damaged: the checksum of {name} does not match").format(name=part.name))


@contextmanager
def _new(path: Path | None) -> Iterator[Sink]:
    if path is None:
        yield _Nowhere()
        return
    with path.open("xb") as file:
        yield file


class _Nowhere:
    """Takes bytes and keeps none."""

    def write(self, _content: bytes) -> None:
        """Forget them."""
