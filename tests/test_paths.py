"""Every path that the documentation of the repository names exists.

Prose names a path in backticks or as a link: from the root of the repository, from the folder of the file, from the
package, or shortened to what is in a folder that the same paragraph has named before.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.cases import each

ROOT: Final = Path(__file__).parent.parent
MAPS: Final = ("analytics_box/README.md", "tests/README.md")  # every path in them is one of the repository
PROSE: Final = sorted(
    path.relative_to(ROOT).as_posix()
    for pattern in ("*.md", "*/README.md", "packaging/*.md", "web/manual/*.md")
    for path in ROOT.glob(pattern)
    if path.name.lower() != "changelog.md"  # they name what was there once
)
BASES: Final = (".", "analytics_box", "web/templates", "web/static/js")
NO_FILES: Final = {"dist/", "dist/pictures"}  # what a build makes
# Names of files that rooms have in common, and of a folder's test helpers.
COMMON: Final = {"addresses.py", "board.py", "findable.py", "world.py", "calls.py", "pages.py", "rules.py", "rows.py"}
_SPAN: Final = re.compile(r"`([^`\n]+)`")
_LINK: Final = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
_PATH: Final = re.compile(r"[A-Za-z_.][\w.-]*(/[\w.-]+)*/?")
_ENDINGS: Final = (".py", ".md", ".js", ".css", ".html", ".sh", ".toml", ".json", ".yaml")


def missing(name: str) -> Iterator[str]:
    """The paths in a file's prose that do not exist."""
    file = ROOT / name
    for paragraph in re.split(r"\n\s*\n|\n(?=\|)", file.read_text(encoding="utf-8")):
        bases = dict.fromkeys([*(ROOT / base for base in BASES), file.parent])
        for path in _named(paragraph, everything=name in MAPS):
            found = [base / path for base in bases if (base / path).exists()]
            bases |= {parent: None for one in found for parent in (one, *one.parents) if ROOT in parent.parents}
            if not found and path not in NO_FILES | COMMON:
                yield path
        for target in _LINK.findall(paragraph):
            if ":" not in target and not target.startswith("/") and not _exists(file, target):
                yield target


def _exists(file: Path, target: str) -> bool:
    """Whether a link leads to a file; pages of the manual link to each other by their names."""
    return (file.parent / target).exists() or (file.parent / f"{target}.md").exists()


def _named(paragraph: str, *, everything: bool) -> Iterator[str]:
    """The paths in backticks. Outside of maps only those from the root: others are files of the reader."""
    for word in (word for span in _SPAN.findall(paragraph) for word in span.split()):
        path = word.partition(":")[0]
        if _PATH.fullmatch(path) and path.endswith((*_ENDINGS, "/") if everything else _ENDINGS):
            if everything or (ROOT / path.split("/")[0]).is_dir():
                yield path
        elif everything and "/" in path and _PATH.fullmatch(path):
            yield path


@each("name", PROSE)
def test_every_path_in_prose_exists(name: str) -> None:
    assert [*missing(name)] == []


def test_a_path_that_does_not_exist_is_found() -> None:
    assert [*_named("see `tests/nothing_here.py` and `analytics-box.toml`", everything=False)] == [
        "tests/nothing_here.py"
    ]
    assert len(PROSE) > 30
