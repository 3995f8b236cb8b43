"""Backups in storage that speaks S3, by obstore, which is an extra.

The address and the credentials are in the settings, or else in the environment, as for other programs:
AWS_ENDPOINT_URL, AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY. The operator chose the address, so it can be
private.
"""

import io
import os
import queue
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

from analytics_box.base import later
from analytics_box.base.backup import manifest as manifests
from analytics_box.base.backup.failures import BackupFailed, NotReached
from analytics_box.base.backup.places import Sink
from analytics_box.base.settings import Settings
from analytics_box.base.translation import _
from analytics_box.base.urls import url_parts

if TYPE_CHECKING:
    from obstore.store import S3Store

_PIECE: Final = 8 << 20  # of an upload, which has 10,000 at most: 80 GB
_AT_ONCE: Final = 2
_MOST_WORDS: Final = 300
# The library asks the machine's provider for a role if it has no key.
_MACHINE_ROLES: Final = "//169.254.169.254/"
_ANSWER: Final = re.compile(r"<Message>([^<]+)</Message>")
_STEPS: Final = re.compile(r"Generic S3 error: |Error performing \w+ \S+ in \S+( after \d+ retries[^-]*)? - ")
_GIVE_UP: Final = 5.0  # seconds to tell the storage that an upload has ended early
_RETRY: Final = timedelta(seconds=20)  # in which a request is tried again


class BucketPlace:
    """A prefix in a bucket, named as s3://bucket/prefix. Raises BackupFailed where the library is missing."""

    def __init__(self, address: str, settings: Settings) -> None:
        try:
            import obstore  # noqa: PLC0415  an extra, and 15 MB
            from obstore.store import S3Store  # noqa: PLC0415  as above
        except ImportError as absent:
            raise BackupFailed(
                _("s3:// needs a library that is not installed: {missing}").format(missing=later.missing("s3"))
            ) from absent
        parts = url_parts(address)
        if not parts.netloc or parts.query or "@" in parts.netloc:
            raise BackupFailed(
                _("{scheme}://…: enter s3://bucket/prefix. Set keys in their own settings").format(scheme=parts.scheme)
            )
        self._obstore = obstore
        self.shown = address.rstrip("/")
        with self._in_words():
            self._store: S3Store = S3Store(
                parts.netloc,
                prefix=parts.path.strip("/") or None,
                config=_config(settings),
                client_options={
                    "allow_http": (settings.s3_endpoint or _endpoint()).startswith("http://"),
                    "timeout": "120s",
                },
                retry_config={"max_retries": 5, "retry_timeout": _RETRY},
            )

    @contextmanager
    def writing(self, name: str) -> Iterator[Sink]:
        """An upload in pieces, which the storage makes a file of when the last has come; none of it stays otherwise."""
        upload = _Upload(self._obstore, self._store, name)
        try:
            yield upload
        except BaseException as broken:
            upload.end(broken)
            raise
        with self._in_words():
            upload.end()

    @contextmanager
    def reading(self, name: str) -> Iterator[BinaryIO]:
        """A file of the storage, some megabytes at a time."""
        with self._in_words():
            opened = self._obstore.open_reader(self._store, name, buffer_size=_PIECE)
            yield cast(BinaryIO, io.BufferedReader(_Download(opened), _PIECE))

    def look(self) -> None:
        """Check that the storage responds."""
        self.names()

    def names(self) -> list[str]:
        """The names directly under the prefix."""
        with self._in_words():
            found = self._obstore.list_with_delimiter(self._store)["objects"]
        names = [str(one["path"]).rpartition("/")[2] for one in found]
        return [name for name in names if manifests.is_name(name)]

    def remove(self, name: str) -> None:
        """Delete it."""
        with self._in_words():
            self._obstore.delete(self._store, name)

    def full_name(self, name: str) -> str:
        """Its address."""
        return f"{self.shown}/{name}"

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        from obstore.exceptions import BaseError  # noqa: PLC0415  as above

        try:
            yield
        except FileNotFoundError as missing:
            raise NotReached(_("{shown}: there is no such bucket or backup").format(shown=self.shown)) from missing
        except (BaseError, OSError) as broken:
            reason = _reason(" ".join(str(broken).partition("Debug source")[0].split()))
            raise NotReached(_("{shown} cannot be used: {reason}").format(shown=self.shown, reason=reason)) from broken


def _reason(library: str) -> str:
    """The reason in a message of the library, without its own steps and addresses."""
    if _MACHINE_ROLES in library:
        return _("no access key is set. Set s3_access_key and s3_secret_key")
    if answer := _ANSWER.search(library):
        return answer[1][:_MOST_WORDS]
    return _STEPS.sub("", library)[:_MOST_WORDS]


def _config(settings: Settings) -> Any:
    """The options that the settings give; the library reads the rest from the environment."""
    given = {
        "endpoint": settings.s3_endpoint,
        "region": settings.s3_region,
        "access_key_id": settings.s3_access_key,
        "secret_access_key": settings.s3_secret_key,
    }
    # Not every storage supports bulk deletion.
    return {"disable_bulk_delete": True} | {name: value for name, value in given.items() if value}


def _endpoint() -> str:
    names = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")
    return next((os.environ[name] for name in names if name in os.environ), "")


class _Upload:
    """Bytes that are written here, handed in pieces to a thread that sends them."""

    def __init__(self, obstore: Any, store: "S3Store", name: str) -> None:
        self._pieces: queue.Queue[bytes | BaseException | None] = queue.Queue(_AT_ONCE)
        self._waiting, self._failed = bytearray(), list[BaseException]()
        self._thread = threading.Thread(target=self._send, args=(obstore, store, name), daemon=True)
        self._thread.start()

    def write(self, content: bytes) -> None:
        """Take bytes; waits while the storage is slower than they come."""
        self._waiting += content
        if len(self._waiting) >= _PIECE:
            self._hand_over(bytes(self._waiting))
            self._waiting.clear()

    def end(self, broken: BaseException | None = None) -> None:
        """Send what is left, or give it up. Raises what the storage refused."""
        if broken is not None:
            self._hand_over(broken, quietly=True)
            self._thread.join(_GIVE_UP)  # nobody waits for a storage that hangs
            return
        if self._waiting:
            self._hand_over(bytes(self._waiting))
        self._hand_over(None)
        self._thread.join()
        if self._failed:
            raise self._failed[0]

    def _hand_over(self, piece: bytes | BaseException | None, *, quietly: bool = False) -> None:
        while self._thread.is_alive():
            try:
                self._pieces.put(piece, timeout=0.5)
            except queue.Full:
                continue
            return
        if self._failed and not quietly:
            raise self._failed[0]

    def _send(self, obstore: Any, store: "S3Store", name: str) -> None:
        try:
            obstore.put(store, name, self._given(), use_multipart=True, chunk_size=_PIECE, max_concurrency=_AT_ONCE)
        except BaseException as refused:
            self._failed.append(refused)

    def _given(self) -> Iterator[bytes]:
        while (piece := self._pieces.get()) is not None:
            if isinstance(piece, BaseException):
                raise piece
            yield piece


class _Download(io.RawIOBase):
    """A file of the storage as Python reads files."""

    def __init__(self, opened: Any) -> None:
        self._opened = opened

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:
        """Fill a buffer; 0 at the end."""
        found = memoryview(self._opened.read(len(into)))
        into[: len(found)] = found
        return len(found)
