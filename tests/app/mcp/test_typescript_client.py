"""The official TypeScript client against a real server."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from analytics_box.app.mcp.tools import TOOLS
from tests.running import UNLIMITED, running_box

pytestmark = pytest.mark.node

NODE = shutil.which("node")
PACKAGE = Path(__file__).parents[3] / "web" / "node_modules" / "@modelcontextprotocol" / "sdk"


def test_client_calls_every_tool_resource_and_prompt(tmp_path: Path) -> None:
    if NODE is None or not PACKAGE.exists():
        pytest.skip(f"{PACKAGE} or Node.js is missing: run npm ci in web/ (packaging/test.sh does it)")
    with running_box(tmp_path / "data", **UNLIMITED) as box:
        script = str(Path(__file__).with_name("client.mjs"))
        command = (NODE, script, f"{box.url}/v1/mcp", box.account.api_key, box.account.website_id)
        ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert set(found["results"]) == set(TOOLS)
    unknown = {name for name, text in found["results"].items() if text.startswith("NOT_FOUND")}
    assert unknown == {"change_flag"}, found["results"]
    done = {name for name, text in found["results"].items() if text == "done"}
    assert done == {"save_link", "create_note", "create_monitor"}
    assert {text for name, text in found["results"].items() if name not in unknown | done} == {"ok"}
    assert (found["server"], found["resources"], found["prompts"]) == ("analytics-box", 3, 4)
    assert found["completed"] == ["last_7d"]
    assert "401" in found["refused"] or "Authentication" in found["refused"]
