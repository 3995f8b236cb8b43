"""The WordPress plugin in PHP, over a stand-in for WordPress that records what it prints."""

import io
import json
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

from analytics_box.app.docs.install_pages import plugin_archive
from analytics_box.app.parts import web_dir

pytestmark = pytest.mark.skipif(shutil.which("php") is None, reason="php is missing")

WORDPRESS = Path(__file__).with_name("wordpress.php")
WEBSITE = {"server": "https://stats.example.com", "website_id": "id-of-the-website"}
ORDER = {"id": 17, "number": "2026-17", "status": "processing", "total": "12.50", "currency": "EUR"}


def unpacked(folder: Path, website: dict[str, str] | None) -> Path:
    with zipfile.ZipFile(io.BytesIO(plugin_archive(web_dir() / "wordpress", website))) as opened:
        opened.extractall(folder)
    return folder / "analytics-box"


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a plugin that was downloaded from a server."""
    return unpacked(tmp_path_factory.mktemp("plugin"), WEBSITE)


def run(folder: Path, **request: Any) -> Any:
    command = ("php", "-d", "error_reporting=-1", "-d", "display_errors=stderr", str(WORDPRESS), str(folder))
    ended = subprocess.run(command, input=json.dumps(request), capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    return json.loads(ended.stdout)


def saved(**settings: Any) -> dict[str, Any]:
    return {"analytics_box": settings}


def test_every_file_of_the_plugin_is_valid(plugin: Path) -> None:
    for file in plugin.glob("*.php"):
        subprocess.run(("php", "-l", str(file)), check=True, capture_output=True)


def test_downloaded_plugin_adds_the_script_of_its_website_without_settings(plugin: Path) -> None:
    (script,) = run(plugin)["scripts"]
    assert script == {
        "src": "https://stats.example.com/script.js",
        "data-client-id": "id-of-the-website",
        "defer": True,
        "data-track-outgoing-links": True,
        "data-track-downloads": True,
        "data-track-not-found": True,
        "data-track-search": "s",
    }


def test_plugin_that_is_not_set_up_adds_nothing(tmp_path: Path) -> None:
    assert run(unpacked(tmp_path, None))["scripts"] == []


@pytest.mark.parametrize(
    "request_of",
    [
        {"roles": ["editor"]},
        {"on": ["admin"]},
        {"on": ["preview"]},
        {"on": ["customizer"]},
        {"options": saved(server="", website_id="")},
    ],
)
def test_views_that_are_not_visits_get_no_script_and_no_purchase(plugin: Path, request_of: dict[str, Any]) -> None:
    assert run(plugin, **request_of, order=ORDER)["scripts"] == []


def test_signed_in_customer_is_tracked_and_so_is_an_editor_if_the_settings_say_so(plugin: Path) -> None:
    assert len(run(plugin, roles=["customer"])["scripts"]) == 1
    assert len(run(plugin, roles=["editor"], options=saved(skipped=[]))["scripts"]) == 1


def test_script_path_of_the_website_replaces_the_server(plugin: Path) -> None:
    (script,) = run(plugin, options=saved(path="/stats", track=["errors"]))["scripts"]
    assert script["src"] == "/stats/script.js"
    assert [name for name in script if name.startswith("data-track")] == ["data-track-errors"]


def test_order_is_a_purchase_with_amount_and_currency_that_counts_once(plugin: Path) -> None:
    _script, code = run(plugin, order=ORDER, loads=3)["scripts"]
    assert '.track("purchase", {"amount":12.5,"currency":"EUR","order_id":"2026-17"})' in code


def test_order_number_cannot_end_the_script(plugin: Path) -> None:
    _script, code = run(plugin, order=ORDER | {"number": "</script><b>"})["scripts"]
    assert "<" not in code


@pytest.mark.parametrize("change", [{"order": ORDER | {"status": "failed"}}, {"options": saved(woocommerce=False)}])
def test_failed_order_and_disabled_option_send_no_purchase(plugin: Path, change: dict[str, Any]) -> None:
    assert len(run(plugin, **{"order": ORDER, **change})["scripts"]) == 1


def test_form_saves_what_it_shows_and_saving_twice_changes_nothing(plugin: Path) -> None:
    form = {"server": " https://other.example.com/ ", "website_id": "abc", "path": "stats/", "track": ["errors"]}
    first = run(plugin, hook="admin_init", form=form, order=ORDER)
    assert first["errors"] == []
    assert first["saved"] == {
        "server": "https://other.example.com",
        "website_id": "abc",
        "path": "/stats",
        "track": ["errors"],
        "skipped": [],
        "woocommerce": False,
    }
    assert run(plugin, hook="admin_init", form=first["saved"], order=ORDER)["saved"] == first["saved"]


def test_hostile_values_of_the_form_are_refused_and_the_former_ones_stay(plugin: Path) -> None:
    form = {"server": 'https://x"><script>', "website_id": '"><b>', "path": "//evil.example/../x", "track": "<b>"}
    result = run(plugin, hook="admin_init", form=form)
    assert sorted(result["errors"]) == ["path", "server", "website_id"]
    assert {name: result["saved"][name] for name in WEBSITE} == WEBSITE
    assert result["saved"]["path"] == ""


def test_settings_page_shows_the_values_escaped(plugin: Path) -> None:
    page = run(plugin, hook="admin_menu", options=saved(server='https://"quoted', skipped=["subscriber"]))["html"]
    assert 'value="https://&quot;quoted"' in page
    assert 'value="subscriber" checked' in page
    assert 'value="administrator">' in page


def test_deleting_the_plugin_removes_its_settings(plugin: Path) -> None:
    assert run(plugin, options=saved(server="x"), uninstall=True)["options"] == []
