"""Every room says in one sentence what it is, and stands on the map."""

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
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


def test_each_module_can_be_imported_first() -> None:
    """Modules that import each other only work in one order; those that are loaded late would fail in a running box."""
    files = {".".join(file.relative_to(HOUSE.parent).with_suffix("").parts): file for file in HOUSE.rglob("*.py")}
    modules = {name.removesuffix(".__init__"): file for name, file in files.items()}
    imports = {name: {*_imports(file, modules)} for name, file in modules.items()}
    assert sum(map(len, imports.values())) > len(modules)
    TopologicalSorter(imports).prepare()  # Raises CycleError, which names the modules of a circle.


def _imports(file: Path, modules: dict[str, Path]) -> Iterator[str]:
    """The modules that a module imports while it is loaded."""
    for node in _statements(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            names = (f"{node.module}.{alias.name}" for alias in node.names)
            yield from (name if name in modules else str(node.module) for name in names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """The statements that run while a module is loaded: none of functions, and none for type checkers only."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        yield child
        yield from _statements(child)
