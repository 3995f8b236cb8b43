"""Every room says in one sentence what it is, and stands on the map."""

import ast
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


def test_the_map_names_every_folder_and_room() -> None:
    text = (HOUSE / "README.md").read_text(encoding="utf-8")
    folders = {file.parent.name for file in HOUSE.glob("*/__init__.py")}
    assert len(folders) <= 9
    assert [name for name in sorted(folders) if f"`{name}/`" not in text] == []
    rooms = {file.parent.name for file in HOUSE.glob("*/*/__init__.py")}
    assert [name for name in sorted(rooms) if f"`{name}/`" not in text and f"/{name}/" not in text] == []


def test_the_map_is_short() -> None:
    lines = (HOUSE / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 120
    assert [line for line in lines if len(line) > 200] == []


def test_no_request_can_act_as_the_command_line() -> None:
    """An identity that may do in an organization what an admin may is made in one place, which no request reaches."""
    root = Path(analytics_box.__file__).parent
    makers = [path for path in sorted(root.rglob("*.py")) if "Operator(" in path.read_text(encoding="utf-8")]
    assert [path.relative_to(root).as_posix() for path in makers] == ["app/admin/commands.py", "base/identity.py"]
