"""Every room says in one sentence what it is, and stands on the map."""

import ast
import re
from fnmatch import fnmatch
from pathlib import Path

import analytics_box

HOUSE = Path(analytics_box.__file__).parent


def test_every_room_opens_with_a_sentence() -> None:
    silent = [
        folder.parent.relative_to(HOUSE).as_posix()
        for folder in HOUSE.rglob("__init__.py")
        if not (ast.get_docstring(ast.parse(folder.read_text(encoding="utf-8"))) or "")
        .partition("\n")[0]
        .endswith((".", ":"))
    ]
    assert silent == []


def test_every_room_stands_on_the_map_and_nothing_else() -> None:
    map_of_floors = (HOUSE / "README.md").read_text(encoding="utf-8").partition("| floor |")[2].partition("\n\n")[0]
    named = {name.rstrip("/") for name in re.findall(r"`([^`]+)`", map_of_floors)}
    rooms = {file.stem for file in HOUSE.glob("*.py")} | {file.parent.name for file in HOUSE.glob("*/__init__.py")}
    rooms.remove("__init__")
    assert [room for room in sorted(rooms) if not any(fnmatch(room, name) for name in named)] == []
    assert [name for name in sorted(named) if not any(fnmatch(room, name) for room in rooms)] == []


def test_nobody_becomes_the_command_line_by_a_request() -> None:
    """An identity that may do in an organization what an admin may is made in one place, which no request reaches."""
    root = Path(analytics_box.__file__).parent
    makers = [path for path in sorted(root.rglob("*.py")) if "Operator(" in path.read_text(encoding="utf-8")]
    assert [path.relative_to(root).as_posix() for path in makers] == ["admin/asking.py", "identity.py"]
