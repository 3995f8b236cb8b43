"""Guides of the manual as pages of a website, and the WordPress plugin that a website downloads."""

import html
import io
import json
import re
import zipfile
from collections.abc import Iterator

import pytest

from analytics_box import __version__
from analytics_box.app.docs.install_pages import GUIDE_PAGES, OWN_DOMAIN, plugin_archive
from analytics_box.app.docs.manual import ManualPages
from analytics_box.app.parts import web_dir
from analytics_box.tenants.websites.shell import GUIDES, OWN_DOMAIN_GUIDES
from tests.inprocess import WholeBox, whole_box

PLUGIN = web_dir() / "wordpress"
ALL = (*GUIDES, *OWN_DOMAIN_GUIDES)


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("install") / "data") as inside:
        yield inside


def page(box: WholeBox, rest: str) -> str:
    answer = box.get(f"/sites/{box.sites['shop']}{rest}", cookie=box.cookie, accept="text/html")
    assert answer.status == 200, rest
    return html.unescape(answer.body.decode())


def test_every_guide_of_the_manual_is_offered_under_its_title_and_no_other() -> None:
    manual = ManualPages(web_dir() / "manual")
    sections = {name: [(part.id, part.title) for part in manual.page(name).parts] for name in GUIDE_PAGES}
    assert list(OWN_DOMAIN_GUIDES) == sections.pop(OWN_DOMAIN)
    assert list(GUIDES) == [section for name in GUIDE_PAGES if name in sections for section in sections[name]]


def test_settings_list_all_guides_and_each_has_the_id_of_the_website_filled_in(box: WholeBox) -> None:
    links = re.findall(r'href="[^"]*/settings/install/([^"]+)"', page(box, "/settings/tracking"))
    assert links == [guide for guide, _title in ALL]
    for guide, title in ALL:
        shown = page(box, f"/settings/install/{guide}")
        assert f">{title}</h2>" in shown
        assert "YOUR-WEBSITE-ID" not in shown
        assert guide == "wordpress" or box.sites["shop"] in shown
        assert "stats.example.com" not in shown, guide


def test_unknown_guide_is_not_found(box: WholeBox) -> None:
    target = f"/sites/{box.sites['shop']}/settings/install/nothing"
    assert box.get(target, cookie=box.cookie, accept="text/html").status == 404


def test_plugin_of_a_website_has_its_id_and_the_address_of_the_server(box: WholeBox) -> None:
    (link,) = re.findall(r'href="/sites/[^/]+(/settings[^"]+\.zip)"', page(box, "/settings/install/wordpress"))
    answer = box.get(f"/sites/{box.sites['shop']}{link}", cookie=box.cookie)
    assert answer.headers["content-type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(answer.body)) as opened:
        filled = json.loads(opened.read("analytics-box/website.json"))
        assert f"Version: {__version__}\n" in opened.read("analytics-box/analytics-box.php").decode()
    assert filled == {"server": box.box.settings.tracker_url, "website_id": box.sites["shop"]}


def test_released_plugin_has_all_files_and_no_website() -> None:
    with zipfile.ZipFile(io.BytesIO(plugin_archive(PLUGIN))) as opened:
        assert sorted(opened.namelist()) == [
            "analytics-box/analytics-box.php",
            "analytics-box/readme.txt",
            "analytics-box/uninstall.php",
        ]
        assert all(b"@version@" not in opened.read(name) for name in opened.namelist())
    assert plugin_archive(PLUGIN) == plugin_archive(PLUGIN)
