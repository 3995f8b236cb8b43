"""What is built from a checkout has all that the box reads while it runs."""

import os
import subprocess
import sys
import tarfile
import zipfile
import zlib
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).resolve().parents[2]
WEB = [
    path.relative_to(ROOT)
    for part in ("manual", "static", "templates", "wordpress")
    for path in (ROOT / "web" / part).rglob("*")
]
FILES = sorted(path.as_posix() for path in WEB if (ROOT / path).is_file())


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the source archive, hardly compressed, which is most of the work of a build."""
    folder, compressing = tmp_path_factory.mktemp("dist"), zlib.compressobj
    with pytest.MonkeyPatch.context() as patching:
        patching.setattr(zlib, "compressobj", lambda _level=-1, *more, **given: compressing(1, *more, **given))
        for builder in (WheelBuilder, SdistBuilder):
            assert list(builder(str(ROOT)).build(directory=str(folder)))
    return folder


def test_templates_static_files_and_the_manual_are_in_the_wheel_and_in_the_source_archive(built: Path) -> None:
    assert {"web/manual/definitions.md", "web/manual/changelog.md"} <= set(FILES)
    [wheel] = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        assert [name for name in FILES if f"analytics_box/{name}" not in opened.namelist()] == []
    [archive] = built.glob("*.tar.gz")
    with tarfile.open(archive) as sources:
        packed = {name.partition("/")[2] for name in sources.getnames()}
    assert [name for name in FILES if name not in packed] == []


def test_files_of_the_wheel_are_found_after_unpacking(built: Path, tmp_path: Path) -> None:
    [wheel] = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(tmp_path)
    program = (
        "from analytics_box.app.parts import web_dir\n"
        "from analytics_box.app.docs.manual import ManualPages\n"
        "print(web_dir(), ManualPages(web_dir() / 'manual').page('changelog').title)"
    )
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    command = (sys.executable, "-c", program)
    said = subprocess.run(
        command, env=environment, cwd=tmp_path, check=True, capture_output=True, text=True, timeout=60
    )
    assert said.stdout == f"{tmp_path / 'analytics_box' / 'web'} Changelog\n"
