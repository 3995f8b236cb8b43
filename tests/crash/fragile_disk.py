"""A disk that loses power: an apsw VFS that knows what of each file would survive, and takes pictures of it.

The files themselves hold what the operating system would show a running process. Beside that the disk remembers
what was synced, and every write, truncation and deletion since. In a picture of a power cut, each of those may or
may not have reached the platter, in any combination, and writes may be torn between sectors of 512 bytes.
"""

import random
import threading
import uuid
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

import apsw

SECTOR = 512  # bytes that reach the platter whole or not at all


class Write(NamedTuple):
    offset: int
    data: bytes


class Truncation(NamedTuple):
    size: int


class Deletion(NamedTuple):
    """The name is gone, or not yet."""


Change = Write | Truncation | Deletion
Picture = dict[str, bytes]  # file name → content after the power came back


class Platter:
    """What one file would be after a power cut. `synced` is None for a file that may not exist."""

    def __init__(self, synced: bytes | None) -> None:
        self.synced = None if synced is None else bytearray(synced)
        self.pending: list[Change] = []

    def sync(self) -> None:
        """Everything so far is safe."""
        for change in self.pending:
            self.synced = apply(change, self.synced)
        self.pending = []

    def settle_name(self) -> None:
        """Its directory was synced: a deletion cannot come undone any more."""
        deletions = [nth for nth, change in enumerate(self.pending) if isinstance(change, Deletion)]
        if deletions:
            self.synced, self.pending = None, self.pending[deletions[-1] + 1 :]

    def after_power_cut(self, chance: random.Random) -> bytes | None:
        """One of the many contents that the file may have; None where it does not exist."""
        if self.synced is None and chance.random() < 0.5:
            return None
        content = None if self.synced is None else bytearray(self.synced)
        kept = chance.choice((0.0, 0.3, 0.7, 0.95, 1.0))  # a power cut may find much or little of it written
        for change in self.pending:
            for part in sectors(change) if isinstance(change, Write) else [change]:
                if chance.random() < kept:
                    content = apply(part, content)
        return None if content is None else bytes(content)


def apply(change: Change, content: bytearray | None) -> bytearray | None:
    """The content of a file after this change; the old content is used up."""
    if isinstance(change, Deletion):
        return None
    after = bytearray() if content is None else content
    match change:
        case Write(offset, data):
            after.extend(bytes(max(0, offset - len(after))))
            after[offset : offset + len(data)] = data
        case Truncation(size):
            after.extend(bytes(max(0, size - len(after))))
            del after[size:]
    return after


def sectors(write: Write) -> list[Write]:
    """The write in the parts that the disk writes whole."""
    parts, at, end = [], write.offset, write.offset + len(write.data)
    while at < end:
        following = min(end, (at // SECTOR + 1) * SECTOR)
        parts.append(Write(at, write.data[at - write.offset : following - write.offset]))
        at = following
    return parts


class FragileDisk(apsw.VFS):
    """Name it as the `vfs` of a Db. Before some changes, chosen by `seed`, `on_power_cut` gets a picture.

    With `lies` it answers every sync at once and does nothing, like a drive that ignores its flush command.
    """

    def __init__(self, seed: int, on_power_cut: Callable[[Picture], None], *, often: float, lies: bool) -> None:
        self.name = f"fragile-{uuid.uuid4().hex}"
        self._chance = random.Random(seed)
        self._on_power_cut = on_power_cut
        self._often = often
        self._lies = lies
        self._platters: dict[Path, Platter] = {}
        self._lock = threading.Lock()
        super().__init__(self.name, "")

    def __enter__(self) -> "FragileDisk":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, at: TracebackType | None
    ) -> None:
        self.unregister()

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802  SQLite's name
        assert name is not None, "a temporary file, but the writer keeps them in memory, and no read here is long"
        path = Path(name.filename() if isinstance(name, apsw.URIFilename) else name)
        with self._lock:
            if path not in self._platters:
                self._platters[path] = Platter(path.read_bytes() if path.exists() else None)
        return FragileFile(self, path, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802  SQLite's name
        self.change(Path(filename), Deletion())
        super().xDelete(filename, syncdir)
        if syncdir:
            self.sync(Path(filename))

    def change(self, path: Path, change: Change) -> None:
        """Remember a change that is not yet safe; the power may go just before it."""
        with self._lock:
            if self._chance.random() < self._often:
                self._on_power_cut(self._picture())
            self._platters[path].pending.append(change)

    def sync(self, path: Path) -> None:
        """Make a file safe; the power may go just before that."""
        with self._lock:
            if self._chance.random() < self._often:
                self._on_power_cut(self._picture())
            if self._lies:
                return
            is_new = self._platters[path].synced is None
            self._platters[path].sync()
            if is_new:  # SQLite syncs the directory with the first sync of a file that it made
                for platter in self._platters.values():
                    platter.settle_name()

    def _picture(self) -> Picture:
        found = {path.name: platter.after_power_cut(self._chance) for path, platter in self._platters.items()}
        return {name: content for name, content in found.items() if content is not None}


class FragileFile(apsw.VFSFile):
    """One open file on that disk."""

    def __init__(self, disk: FragileDisk, path: Path, name: str | apsw.URIFilename, flags: list[int]) -> None:
        self._disk = disk
        self._path = path
        super().__init__("", name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802  SQLite's name
        self._disk.change(self._path, Write(offset, bytes(data)))
        super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802  SQLite's name
        self._disk.change(self._path, Truncation(newsize))
        super().xTruncate(newsize)

    def xSync(self, _flags: int) -> None:  # noqa: N802  SQLite's name
        self._disk.sync(self._path)  # the real disk need not sync: its power stays on
