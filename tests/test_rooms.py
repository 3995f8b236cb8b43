"""Every room says in one sentence what it is."""

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
