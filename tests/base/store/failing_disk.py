"""A disk that can be told to refuse: an apsw VFS over the normal one."""

import uuid
from types import TracebackType
from typing import Literal

import apsw

Operation = Literal["write", "sync", "fold", "read"]


class FailingDisk(apsw.VFS):
    """Name it as the `vfs` of a Db. While `failure` is set, the operation `at` raises it.

    write: any write, sync: any sync, fold: writes to the database itself, but not to its log, read: any read, which
    fails with the code that SQLite has for it.
    """

    def __init__(self) -> None:
        self.name = f"failing-{uuid.uuid4().hex}"
        self.failure: type[apsw.Error] | None = None
        self.at: Operation = "write"
        super().__init__(self.name, "")

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802  SQLite's name
        return FailingFile(self, name, flags)

    def __enter__(self) -> "FailingDisk":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, at: TracebackType | None
    ) -> None:
        self.unregister()


class FailingFile(apsw.VFSFile):
    """One open file on that disk."""

    def __init__(self, disk: FailingDisk, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        self._disk = disk
        self._is_log = bool(flags[0] & apsw.SQLITE_OPEN_WAL)
        super().__init__("", name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802  SQLite's name
        if self._disk.at == "write" or (self._disk.at == "fold" and not self._is_log):
            self._fail()
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802  SQLite's name
        if self._disk.at == "sync":
            self._fail()
        super().xSync(flags)

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802  SQLite's name
        if self._disk.at == "read" and self._disk.failure is not None:
            raise apsw.exception_for(apsw.SQLITE_IOERR_READ)
        return super().xRead(amount, offset)

    def _fail(self) -> None:
        if self._disk.failure is not None:
            raise self._disk.failure("the disk refuses")
