"""The manual for programs: a list of its pages, all of it, and each page as Markdown."""

from collections.abc import Iterator

import pytest

from analytics_box.app.docs.manual import PAGES
from tests.inprocess import WholeBox, whole_box


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("box") / "data") as made:
        yield made


@pytest.mark.parametrize("path", ["/llms.txt", "/docs/llms.txt"])
def test_list_of_pages_leads_to_each_of_them(box: WholeBox, path: str) -> None:
    answer = box.get(path)
    text = answer.body.decode()
    assert answer.headers["content-type"] == "text/markdown; charset=utf-8"
    assert text.startswith("# Analytics Box\n\n> ")
    for name in PAGES:
        assert f"{box.box.settings.public_url}/docs/{name}.md):" in text, name


@pytest.mark.parametrize("name", PAGES)
def test_each_page_is_markdown_with_the_address_of_this_server(box: WholeBox, name: str) -> None:
    text = box.get(f"/docs/{name}.md").body.decode()
    assert text.startswith("# ")
    assert "<!--" not in text


def test_tables_of_settings_are_in_the_markdown(box: WholeBox) -> None:
    assert "| Setting | Default | Description |" in box.get("/docs/settings.md").body.decode()


def test_unknown_page_answers_404(box: WholeBox) -> None:
    assert box.get("/docs/nothing.md").status == box.get("/docs/.md").status == 404


def test_whole_manual_has_every_page_but_the_changelog(box: WholeBox) -> None:
    text = box.get("/docs/llms-full.txt").body.decode()
    assert all(
        box.get(f"/docs/{name}.md").body.decode().split("\n")[0] in text for name in PAGES if name != "changelog"
    )
