"""The AI traffic page of a website that has no requests of agents yet."""

import html
import json
import re
from pathlib import Path

from tests.inprocess import WholeBox, whole_box


def shown(box: WholeBox) -> str:
    answer = box.ask("GET", f"/sites/{box.sites['shop']}/ai-traffic", headers={"cookie": box.cookie})
    assert answer.status == 200
    return html.unescape(answer.body.decode())


def report(box: WholeBox, path: str) -> int:
    body = {"websiteId": box.sites["shop"], "host": "shop.example", "path": path, "userAgent": "GPTBot/1.2"}
    return box.ask(
        "POST", "/ai-traffic", headers={"content_type": "application/json"}, body=json.dumps(body).encode()
    ).status


def test_page_says_that_the_server_reports_agents_once_the_shown_request_has_arrived(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data") as box:
        before = shown(box)
        assert f'websiteId: "{box.sites["shop"]}"' in before
        command = re.search(r'curl -A "GPTBot/1.2" "https://shop.example(/\?check=[\w]+)"', before)
        assert command is not None
        assert command[0] in shown(box)
        missed = re.search(r'data-missed="(\d+)"', before)
        assert report(box, command[1]) == 202
        after = shown(box)
        assert "Waiting for the request" in before
        assert "Waiting for the request" not in after
        assert "Your server reports requests of AI agents" in after
        assert missed is not None
        assert f'data-missed="{int(missed[1]) + 1}"' in after, "an open page is told of it"


def test_page_shows_figures_once_an_agent_has_read_a_page(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data") as box:
        assert report(box, "/pricing") == 202
        assert "Check the setup" not in shown(box)
