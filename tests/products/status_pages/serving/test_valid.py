"""The HTML of every public page is valid."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.products.status_pages.serving.all_pages import all_pages

COMMAND = Path(__file__).parents[4] / "web" / "node_modules" / "html-validate" / "bin" / "html-validate.mjs"
RULES = {"extends": ["html-validate:standard", "html-validate:a11y"], "root": True}


@pytest.mark.node
def test_every_page_is_valid(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None or not COMMAND.exists():
        pytest.skip(f"{COMMAND} is missing: run npm ci in web/ (packaging/test.sh does it)")
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / ".htmlvalidate.json").write_text(json.dumps(RULES))
    for name, page in all_pages(tmp_path).items():
        (folder / f"{name.replace('/', ' ')}.html").write_text(page)
    (folder / "broken.html").write_text("<!doctype html><title>x</title><ul><p id=a id=a></ul>")
    ran = subprocess.run([node, str(COMMAND), "--formatter", "json", str(folder)], check=False, capture_output=True)
    found = {Path(each["filePath"]).name: each["messages"] for each in json.loads(ran.stdout)}
    assert found.pop("broken.html", []), "it looks at the files"
    assert {name: messages for name, messages in found.items() if messages} == {}
