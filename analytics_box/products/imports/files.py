"""An uploaded file as the text files in it: the file itself, unpacked by gzip, or the members of a ZIP archive.

Nothing is unpacked to disk, and what comes out is bounded: a ZIP bomb ends with a clear error.
"""

import codecs
import gzip
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final, Protocol

from analytics_box.base.errors import BadRequest, PayloadTooLarge
from analytics_box.base.translation import _
from analytics_box.resource.imports import check_space

_MOST_MEMBERS: Final = 2_000
LONGEST_LINE: Final = 1 << 20
_HEAD: Final = 64 << 10
# Unpacked bytes for each byte of the largest upload.
UNPACKED: Final = 20
_OF_GZIP: Final = 8
_GZIP: Final = b"\x1f\x8b"
_ZIP: Final = b"PK\x03\x04"


class _Opener(Protocol):
    def __call__(self) -> IO[bytes]: ...


class ImportFiles:
    """The text files of an upload by their names, and how many bytes have been read of them. `most` is the number of
    unpacked bytes that may be read in all, `domain` that of the website that imports. `keep_going` raises when the
    import is to stop. `close` it at the end."""

    def __init__(
        self, path: Path, name: str, most: int, domain: str = "", keep_going: Callable[[], object] = bool
    ) -> None:
        self.path, self.most, self.domain, self.keep_going = path, most, domain, keep_going
        self._is_packed = True
        self.unpacked = 0
        # The unpacked bytes, an estimate for gzip.
        self.size = path.stat().st_size
        self._zip: zipfile.ZipFile | None = None
        self._openers: dict[str, _Opener] = {}
        with path.open("rb") as opened:
            start = opened.read(4)
        if start == _ZIP:
            self._open_zip(path)
        elif start[:2] == _GZIP:
            self.size *= _OF_GZIP
            self._openers[Path(name).name.removesuffix(".gz")] = lambda: gzip.open(path, "rb")  # type: ignore[assignment]  # noqa: SIM115
        else:
            self._is_packed = False
            self._openers[Path(name).name or "file"] = lambda: path.open("rb")

    def _open_zip(self, path: Path) -> None:
        try:
            archive = self._zip = zipfile.ZipFile(path)
            members = archive.infolist()
        except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as broken:
            raise BadRequest(_("The ZIP archive is incomplete or damaged. Upload it again")) from broken
        if len(members) > _MOST_MEMBERS:
            raise BadRequest(_("The ZIP archive has more than {most:,} files").format(most=_MOST_MEMBERS))
        for member in sorted(members, key=lambda one: one.filename):
            base = member.filename.rsplit("/", 1)[-1]
            if member.is_dir() or not base or base.startswith(".") or "__MACOSX" in member.filename:
                continue
            opener = _member(archive, member)
            if base.endswith(".gz"):
                base, opener = base.removesuffix(".gz"), _unpack_gzip(opener)
            self._openers.setdefault(base, opener)
        self.size = sum(member.file_size for member in members)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the files without their folders."""
        return tuple(self._openers)

    def head(self, name: str) -> str:
        """The beginning of a file, for recognizing its format."""
        with self._open(name) as opened:
            return opened.read(_HEAD).decode("utf-8-sig", errors="replace")

    def first_line(self, name: str) -> str:
        """The first line of a file."""
        return self.head(name).split("\n", 1)[0].rstrip("\r")

    def lines(self, name: str) -> Iterator[str]:
        """The lines of a file with their ends, as UTF-8 or UTF-16; invalid bytes become U+FFFD. Raises BadRequest for a
        damaged file or an endless line, PayloadTooLarge when too much was unpacked."""
        with self._open(name) as opened:
            start = opened.peek(2)[:2] if hasattr(opened, "peek") else b""
            if start in {b"\xff\xfe", b"\xfe\xff"}:
                yield from self._utf16(opened)
                return
            is_first = True
            while line := opened.readline(LONGEST_LINE):
                self._count(len(line))
                if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
                    raise BadRequest(_("A line of {name} is longer than 1 MB").format(name=name))
                text = line.decode("utf-8", errors="replace")
                yield text.removeprefix("\ufeff").replace("\0", "") if is_first else text.replace("\0", "")
                is_first = False

    def pieces(self, name: str) -> Iterator[str]:
        """The text of a file without regard to lines, piece by piece. Raises like `lines`."""
        decoder = codecs.getincrementaldecoder("utf-8-sig")(errors="replace")
        with self._open(name) as opened:
            while piece := opened.read(_HEAD):
                self._count(len(piece))
                yield decoder.decode(piece)

    @contextmanager
    def extract(self, name: str) -> Iterator[Path]:
        """The path of an unpacked file, for readers of databases. Raises like `lines`, and for a full disk."""
        if not self._is_packed:
            yield self.path
            return
        target = self.path.with_name("extracted")
        try:
            with self._open(name) as opened, target.open("wb") as file:
                while piece := opened.read(LONGEST_LINE):
                    self.keep_going()
                    self._count(len(piece))
                    check_space(target.parent)
                    file.write(piece)
            yield target
        finally:
            target.unlink(missing_ok=True)

    def _utf16(self, opened: IO[bytes]) -> Iterator[str]:
        decoder = codecs.getincrementaldecoder("utf-16")(errors="replace")
        rest = ""
        while piece := opened.read(_HEAD):
            self._count(len(piece))
            *whole, rest = (rest + decoder.decode(piece)).split("\n")
            yield from (f"{line}\n" for line in whole)
            if len(rest) > LONGEST_LINE:
                raise BadRequest(_("A line of {name} is longer than 1 MB").format(name=self.path.name))
        if rest:
            yield rest

    @contextmanager
    def _open(self, name: str) -> Iterator[IO[bytes]]:
        try:
            with self._openers[name]() as opened:
                yield opened
        except (
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            gzip.BadGzipFile,
            NotImplementedError,
            RuntimeError,
        ) as broken:
            raise BadRequest(
                _("{name} is incomplete, damaged or encrypted. Export it again").format(name=name)
            ) from broken

    def _count(self, size: int) -> None:
        self.unpacked += size
        if self.unpacked > self.most:
            raise PayloadTooLarge(
                _("The file unpacks to more than {most:,} bytes. Export a shorter period").format(most=self.most)
            )

    def close(self) -> None:
        """Close the archive."""
        if self._zip is not None:
            self._zip.close()


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> _Opener:
    return lambda: archive.open(member)


def _unpack_gzip(opener: _Opener) -> _Opener:
    return lambda: gzip.GzipFile(fileobj=opener())  # type: ignore[return-value]
