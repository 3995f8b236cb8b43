"""The npm packages of Plausible and Umami, unchanged, in Node against a real server."""

import json
import shutil
import subprocess
from pathlib import Path

import httpx
import pytest

from tests.inprocess import BROWSER
from tests.running import UNLIMITED, running_box

pytestmark = pytest.mark.node

SCRIPT = Path(__file__).with_name("script_clients.mjs")
PACKAGE = Path(__file__).parents[2] / "web" / "node_modules" / "plausible-tracker"
NODE = shutil.which("node")
UUID = "0e2f6a4c-8a1d-4f0e-9c55-1d2b3a4c5d6e"


def test_events_of_unchanged_npm_packages_are_stored(tmp_path: Path) -> None:
    if NODE is None or not PACKAGE.exists():
        pytest.skip(f"{PACKAGE} or Node.js is missing: run npm ci in web/ (packaging/test.sh does it)")
    with running_box(tmp_path / "data", **UNLIMITED) as box:
        named = {"id": box.account.website_id, "settings": {"aliases": ["example.com", UUID]}}
        headers = {"x-api-key": box.account.api_key}
        assert httpx.post(f"{box.url}/websites/updateSettings", json=named, headers=headers).status_code == 200
        arguments = (box.url, "example.com", UUID, BROWSER)
        ended = subprocess.run((NODE, str(SCRIPT), *arguments), capture_output=True, text=True, check=False, timeout=60)
        assert ended.returncode == 0, ended.stderr
        assert json.loads(ended.stdout) == [
            *[["/api/event", 202, "stored=1"]] * 4,
            *[["/api/send", 200, "stored=1"]] * 2,
        ]
