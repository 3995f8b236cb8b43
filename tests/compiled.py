"""Templates that were compiled, for all boxes of all processes: that is most of the work of a box's first page."""

import hashlib
import os
from pathlib import Path
from tempfile import gettempdir
from types import CodeType

import jinja2
from jinja2.bccache import Bucket

from analytics_box.web.page import templates


class Compiled(jinja2.FileSystemBytecodeCache):
    """In files beside those of the tests, and in memory."""

    def __init__(self, folder: Path, made_with: str) -> None:
        super().__init__(str(folder), f"{made_with}_%s")
        self._kept: dict[str, tuple[str, CodeType | None]] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        checksum, code = self._kept.get(bucket.key, ("", None))
        if checksum == bucket.checksum:
            bucket.code = code
        else:
            super().load_bytecode(bucket)
            self._keep(bucket)

    def dump_bytecode(self, bucket: Bucket) -> None:
        super().dump_bytecode(bucket)
        self._keep(bucket)

    def _keep(self, bucket: Bucket) -> None:
        if bucket.code is not None:
            self._kept[bucket.key] = bucket.checksum, bucket.code


def keep() -> None:
    """Let all boxes of this process and its copies use them."""
    folder = Path(gettempdir(), f"compiled-templates-of-{os.getuid()}")
    folder.mkdir(mode=0o700, exist_ok=True)
    made_with = hashlib.sha256(Path(templates.__file__).read_bytes()).hexdigest()[:16]  # the options of compiling
    templates.Pages.compiled = Compiled(folder, made_with)
