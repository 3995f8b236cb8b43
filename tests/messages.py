"""The messages of the box, as Babel extracts them for translators: `pyproject.toml` says from which files."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from babel.messages.extract import extract_from_file

ROOT: Final = Path(__file__).parent.parent
_LITERAL: Final = r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
# A call that marks one or two messages, with the messages.
MARKED: Final = re.compile(rf"(?<![\w.])(?:_|ngettext)\(\s*{_LITERAL}(?:[\s,]+{_LITERAL})*")


class Message(NamedTuple):
    """A message, or the form of one for a number, with its file and line."""

    path: str
    line: int
    text: str


def _files() -> Iterator[tuple[Path, str]]:
    """Each file that can have messages, with the method that extracts them."""
    mappings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["babel"]["mappings"]
    for mapping in mappings:
        yield from ((file, mapping["method"]) for file in sorted(ROOT.glob(mapping["pattern"])))


@cache
def messages() -> tuple[Message, ...]:
    """All messages, with each place where one is used."""
    found = []
    for file, method in _files():
        if "_(" not in file.read_text(encoding="utf-8") and "ngettext(" not in file.read_text(encoding="utf-8"):
            continue
        path = file.relative_to(ROOT).as_posix()
        for line, texts, _comments, _context in extract_from_file(method, file, options={"silent": "false"}):
            forms = (texts,) if isinstance(texts, str) else texts
            found += [Message(path, line, text) for text in forms if text]
    return tuple(found)


def without_messages(source: str) -> str:
    """The text of a module or a template without the messages in it."""
    return MARKED.sub("", source)
