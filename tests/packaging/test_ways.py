"""The files that packages, the image and the service are made from agree with each other and with the box."""

import configparser
import importlib.util
import json
import re
import shutil
import ssl
import subprocess
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from analytics_box import __version__
from analytics_box.base import settings

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"
SYSTEM = PACKAGING / "system"
UNIT = SYSTEM / "analytics-box.service"
MOST_EXPOSED = 20  # tenths of what systemd-analyze gives a service that is not closed at all: 10.0


def module(name: str) -> ModuleType:
    """A program of packaging/, which is no package."""
    spec = importlib.util.spec_from_file_location(name, PACKAGING / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def service() -> configparser.SectionProxy:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[method-assign, assignment]  # names keep their capitals
    unit.read(UNIT)
    return unit["Service"]


def contents() -> dict[str, dict[str, Any]]:
    """What the packages hold, by its place in them."""
    return {entry["dst"]: entry for entry in yaml.safe_load((PACKAGING / "nfpm.yaml").read_text())["contents"]}


def test_the_packages_hold_files_that_are_there_and_the_configuration_is_the_operators() -> None:
    held = contents()
    assert [
        dst for dst, entry in held.items() if not (ROOT / entry["src"]).exists() and "build/" not in entry["src"]
    ] == []
    assert held["/etc/analytics-box/analytics-box.toml"]["type"] == "config|noreplace"


def test_the_service_and_the_command_start_what_the_package_holds_with_the_same_settings() -> None:
    program = service()["ExecStart"].split()[0]
    assert Path(program).parent.as_posix() in contents()
    wrapper = (SYSTEM / "analytics-box.sh").read_text()
    assert program in wrapper
    name, _, file = service()["Environment"].partition("=")
    assert (name, file) == (settings.CONFIG_VARIABLE, "/etc/analytics-box/analytics-box.toml")
    assert f'{name}="${{{name}:-{file}}}"' in wrapper


def test_the_packages_settings_can_be_read_also_where_they_are_only_suggested() -> None:
    text = (SYSTEM / "analytics-box.toml").read_text()
    suggested = re.sub(r"^# (?=\w+ = )", "", text, flags=re.MULTILINE)
    known = {row.name for row in settings.table()}
    assert tomllib.loads(text) == {"data_dir": f"/var/lib/{service()['StateDirectory']}"}
    assert {"base_url", "trusted_proxies"} < set(tomllib.loads(suggested)) <= known


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is missing")
def test_the_service_is_closed() -> None:
    analyze = ("systemd-analyze", "security", "--offline=yes", "--no-pager", f"--threshold={MOST_EXPOSED}", str(UNIT))
    ended = subprocess.run(analyze, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout.splitlines()[-1:]


def test_the_image_copies_what_is_sent_to_its_builder() -> None:
    copied = re.findall(r"^COPY (?!--)(.*) \S+$", (PACKAGING / "Dockerfile").read_text(), flags=re.MULTILINE)
    wanted = {name for names in copied for name in names.split()}
    sent = set(re.findall(r"^!(\S+)$", (ROOT / ".dockerignore").read_text(), flags=re.MULTILINE))
    assert wanted == sent
    assert [name for name in sorted(wanted) if not (ROOT / name).exists()] == []


def test_compose_starts_this_version_and_believes_only_its_own_proxy() -> None:
    services = yaml.safe_load((PACKAGING / "compose.yaml").read_text())["services"]
    box, caddy = services["box"], services["caddy"]
    assert box["image"] == f"analytics-box:${{ANALYTICS_BOX_VERSION:-{__version__}}}"
    assert box["environment"]["ANALYTICS_BOX_TRUSTED_PROXIES"] == caddy["networks"]["inside"]["ipv4_address"]
    assert "ports" not in box
    variables = {row.variable for row in settings.table()}
    assert set(box["environment"]) <= variables
    assert box["read_only"] is True


def test_a_frozen_box_finds_the_certificates_of_this_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    launch = module("launch")
    known = tmp_path / "known.pem"
    nowhere = ssl.DefaultVerifyPaths("", "", "SSL_CERT_FILE", "", "SSL_CERT_DIR", "")
    monkeypatch.setattr(launch, "CERTIFICATES", (str(tmp_path / "other.pem"), str(known)))
    monkeypatch.setenv("SSL_CERT_FILE", "")  # so that it is as it was afterwards, whatever is set meanwhile
    monkeypatch.delenv("SSL_CERT_FILE")
    monkeypatch.setattr(ssl, "get_default_verify_paths", lambda: nowhere)
    launch.trust_this_machine()
    assert "SSL_CERT_FILE" not in launch.os.environ
    known.touch()
    launch.trust_this_machine()
    assert launch.os.environ["SSL_CERT_FILE"] == str(known)
    monkeypatch.setenv("SSL_CERT_FILE", "/the/operators.pem")
    monkeypatch.setattr(ssl, "get_default_verify_paths", lambda: nowhere._replace(cafile="/the/operators.pem"))
    launch.trust_this_machine()
    assert launch.os.environ["SSL_CERT_FILE"] == "/the/operators.pem"


def test_the_list_of_parts_has_what_pip_knows_nothing_of_and_not_what_only_installs(tmp_path: Path) -> None:
    parts = ["apsw", "pip", "setuptools"]
    told = {
        "metadata": {"component": {"name": "analytics-box"}},
        "components": [{"bom-ref": f"{name}==1", "name": name, "version": "1"} for name in parts],
        "dependencies": [{"ref": "root", "dependsOn": ["apsw==1", "pip==1"]}, {"ref": "apsw==1"}, {"ref": "pip==1"}],
    }
    file = tmp_path / "sbom.json"
    file.write_text(json.dumps(told))
    module("sbom").main(file)
    told = json.loads(file.read_text())
    names = [part["name"] for part in told["components"]]
    assert {"apsw", "htmx.org", "uplot", "world-atlas", "cpython", "openssl"} <= set(names)
    assert not {"pip", "setuptools"} & set(names)
    assert told["dependencies"] == [{"ref": "root", "dependsOn": ["apsw==1"]}, {"ref": "apsw==1"}]
    assert told["metadata"]["component"]["version"] == __version__
