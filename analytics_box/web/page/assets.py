"""Files for browsers, each with a hash of its contents."""

from functools import cached_property
from pathlib import Path, PurePosixPath

from msgspec import Struct

from analytics_box.web.page.joined import join_files, tag

_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".txt": "text/plain"}
_TEXTS = ("text/", "image/svg+xml", "application/json")
_TINY = 300  # bytes


class StaticFile(Struct, frozen=True):
    """A file as it is served."""

    content: bytes
    type: str
    tag: str  # start of its SHA-256

    @property
    def shrinks(self) -> bool:
        """Whether compressing it is worth the while: it is text, and not tiny."""
        return len(self.content) > _TINY and self.type.startswith(_TEXTS)


class Assets:
    """All files below a folder and those joined from them, read when one of them is first asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @cached_property
    def files(self) -> dict[str, StaticFile]:
        """The files by their path in the folder."""
        return {name: _file(name, content) for name, content in join_files(self._read).items()}

    @cached_property
    def parts_tag(self) -> str:
        """The tag of all parts of the tracker together."""
        return tag(b"".join(content for name, content in self._read.items() if name.startswith("tracker/parts/")))

    def url(self, name: str) -> str:
        """The address of this file for pages; it changes with the content. Raises KeyError for an unknown name."""
        return f"/static/{name}?v={self.files[name].tag}"

    @property
    def _read(self) -> dict[str, bytes]:
        return {
            path.relative_to(self._folder).as_posix(): path.read_bytes()
            for path in sorted(self._folder.rglob("*"))
            if path.is_file() and not path.name.startswith(".")
        }


def _file(name: str, content: bytes) -> StaticFile:
    kind = _TYPES.get(PurePosixPath(name).suffix, "application/octet-stream")
    return StaticFile(content, kind, tag(content))
