"""Pages load a few files made of many, and name each by what is in it."""

import hashlib
import re
from pathlib import Path

import pytest

from analytics_box.web.page import assets
from analytics_box.web.page.assets import Assets

WEB = Path(__file__).parents[1] / "web" / "static"


def served(files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, **parts: tuple[str, ...]) -> dict[str, bytes]:
    """What is made of files when these are joined."""
    monkeypatch.setattr(assets, "JOINED", {name.replace("_", "."): names for name, names in parts.items()})
    return assets.join_files(files)


def test_style_sheets_keep_their_order_and_lose_their_comments(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"one.css": b"/* a\n b */\na {}\n", "two.css": b"a { color: red } /* why */\n"}
    assert served(files, monkeypatch, all_css=("two.css", "one.css"))["all.css"] == b"a { color: red } \na {}\n"


def test_modules_share_imports_and_no_names(monkeypatch: pytest.MonkeyPatch) -> None:
    tool = b"export const say = () => {};\nexport const hide = () => {};\n"
    one = b'// why\nimport { say } from "./tool.js";\nconst open = "// not a comment";\n'
    two = b'import { hide, say } from "./tool.js";\nconst open = 2;\n'
    files = {"js/tool.js": tool, "js/one.js": one, "js/two.js": two}
    monkeypatch.setattr(assets, "JOINED", {"js/all.js": ("js/one.js", "js/two.js")})
    tag = hashlib.sha256(tool).hexdigest()[:12].encode()
    said = (
        b'import { say, hide } from "./tool.js?v=%s";\n{\nconst open = "// not a comment";\n}\n{\nconst open = 2;\n}\n'
    )
    assert assets.join_files(files)["js/all.js"] == said % tag


def test_a_module_that_loads_a_changed_one_has_another_address(monkeypatch: pytest.MonkeyPatch) -> None:
    def tag(far: bytes) -> str:
        near = b'const later = () => import("./far.js");\n'
        return assets.tag(served({"js/far.js": far, "js/near.js": near}, monkeypatch)["js/near.js"])

    assert tag(b"1") == tag(b"1") != tag(b"2")


def test_vendored_files_are_served_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"vendor/library.js": b"// licence\n1\n", "tracker/script.js": b"// kept\n", "notes.txt": b"// no script\n"}
    assert served(files, monkeypatch) == files


def test_every_module_of_ours_is_named_with_the_hash_that_it_is_served_under() -> None:
    files = Assets(WEB).files
    named = [
        name.decode().partition("?v=")
        for path, file in files.items()
        if path.startswith("js/")
        for name in re.findall(rb'(?:from |import\()"\./([^"]+)"', file.content)
    ]
    assert named
    assert all(files[f"js/{module}"].tag == tag for module, _, tag in named)


def test_nothing_of_ours_imports_a_name_twice_or_behind_its_start() -> None:
    for path, file in Assets(WEB).files.items():
        if path.startswith("js/"):
            lines = re.findall(rb"^import \{ (.+) \}", file.content, re.MULTILINE)
            names = [name for line in lines for name in line.split(b", ")]
            assert len(names) == len(set(names)), path
            assert b"\nimport " not in file.content.partition(b"{\n")[2], path
