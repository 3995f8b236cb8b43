"""Messages and the catalogues that translate them."""

from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo

from analytics_box.base.translation import _, ngettext, read_catalogue


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one catalogue, and an environment that asks for its language."""
    catalogue = Catalog("de")
    catalogue.add("Visitors", "Besucher")
    catalogue.add(("1 link", "{count} links"), ("1 Link", "{count} Links"))
    file = tmp_path / "de/LC_MESSAGES/analytics_box.mo"
    file.parent.mkdir(parents=True)
    with file.open("wb") as written:
        write_mo(written, catalogue)
    monkeypatch.setenv("LANGUAGE", "de")
    return tmp_path


def test_catalogue_of_the_environments_language_translates_messages(folder: Path) -> None:
    german = read_catalogue(folder)
    assert german.gettext("Visitors") == "Besucher"
    assert german.gettext("Sessions") == "Sessions"
    assert [german.ngettext("1 link", "{count} links", number) for number in (1, 2)] == ["1 Link", "{count} Links"]


def test_language_without_catalogue_leaves_messages_in_english(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGUAGE", "fr")
    assert read_catalogue(folder).gettext("Visitors") == "Visitors"


def test_messages_are_english_as_long_as_there_is_no_catalogue() -> None:
    assert _("Visitors") == "Visitors"
    assert [ngettext("1 link", "{count} links", number) for number in (0, 1, 2)] == [
        "{count} links",
        "1 link",
        "{count} links",
    ]
