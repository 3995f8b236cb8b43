"""Reports in the languages of their readers."""

import runpy
import string
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import pytest
from babel.messages.pofile import read_po
from msgspec.structs import replace

from analytics_box.base.figures import NBSP
from analytics_box.products.reports.language import LANGUAGE_NAMES, ReportWords, for_reader, words_of
from analytics_box.products.reports.report import LANGUAGES, SECTIONS
from analytics_box.web.page.dates import USUAL
from tests.products.reports.test_mail import hostile_content
from tests.products.reports.world import STRANGER, World, part_of, world_in

TOOL = runpy.run_path("packaging/report_languages.py")
CATALOGUES = sorted(TOOL["CATALOGUES"].glob("*/LC_MESSAGES/reports.po"))


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with world_in(tmp_path_factory.mktemp("reports")) as world:
        yield world


@contextmanager
def missing_messages() -> Iterator[set[str]]:
    """Collects the messages that no catalogue has."""
    missing: set[str] = set()
    find = ReportWords.text

    def text(words: ReportWords, message: str) -> str:
        if message and words.catalogue._catalog.get(message) is None:  # type: ignore[attr-defined]
            missing.add(message)
        return find(words, message)

    with patch.object(ReportWords, "text", text):
        yield missing


def test_each_language_has_a_catalogue_and_a_name() -> None:
    assert {path.parent.parent.name for path in CATALOGUES} == {*LANGUAGES} - {"en"}
    assert {*LANGUAGE_NAMES} == {*LANGUAGES}


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.parent.parent.name)
def test_catalogue_is_compiled_whole_and_keeps_the_fields_of_messages(path: Path) -> None:
    with path.open("rb") as file:
        catalogue = read_po(file)
    messages = {message.id for message in catalogue if message.id}
    with CATALOGUES[0].open("rb") as first:
        assert messages == {message.id for message in read_po(first) if message.id}
    for message in catalogue:
        written = [*message.id] if isinstance(message.id, tuple | list) else [message.id]
        texts = [*message.string] if isinstance(message.string, tuple | list) else [message.string]
        assert all(texts), written
        assert not written[0] or _fields(str(texts[-1])) == _fields(str(written[-1])), written
    assert path.with_suffix(".mo").read_bytes() == TOOL["compile_catalogue"](path, TOOL["countries"]())


def _fields(text: str) -> set[str]:
    return {name for _text, name, _format, _conversion in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("chosen", [one for one in LANGUAGES if one != "en"])
def test_report_with_all_sections_has_no_words_of_another_language(here: World, chosen: str) -> None:
    made = here.report(name=chosen, language=chosen, sections=list(SECTIONS), exports=["email"])
    with missing_messages() as missing:
        shown = here.call("reports.preview", id=made["id"])
    # What is left are numbers, and names that people or other products have.
    tables = [one for one in shown["report"]["tables"] if one["section"] not in {"countries", "devices"}]
    known = {row["name"] for one in tables for row in one["rows"]} | {one["name"] for one in shown["report"]["movers"]}
    assert {one for one in missing if not _is_number(one)} <= known - {"Direct"}
    assert f'<html lang="{chosen}">' in shown["html"]


def _is_number(text: str) -> bool:
    return all(part in {"h", "m", "s"} or not part.isalpha() for part in text.split(NBSP))


def test_german_report_reads_as_one(tmp_path: Path) -> None:
    with world_in(tmp_path) as here:
        here.report(name="Montag", language="de", sections=["figures", "countries", "uptime", "errors"])
        here.pass_days(7)
        (mail,) = here.mails()
    text = part_of(mail)
    assert "Wochenbericht: 15 – 21 Juni 2026" in text
    assert "Verglichen mit 8 – 14 Juni 2026" in text
    assert "Absprungrate: " in text
    assert "Deutschland" in text
    assert "Neue Fehler (Besucher)" in text
    assert "Abbestellen: http" in text


def test_stranger_is_asked_in_the_language_of_the_report(here: World) -> None:
    here.report(name="Lundi", language="fr", recipients=[STRANGER])
    here.send()
    (mail,) = [one for one in here.mails() if one["To"] == STRANGER]
    assert "Ouvrez le lien dans les 7 jours." in part_of(mail)
    assert '<html lang="fr">' in part_of(mail, "text/html")


def test_numbers_have_the_separators_and_units_of_their_language() -> None:
    german, french = words_of("de"), words_of("fr")
    assert german.number("8,214") == "8.214"
    assert german.number(f"10.1{NBSP}pt") == f"10,1{NBSP}Pp."
    assert french.number(f"1,234.5{NBSP}%") == f"1\N{NARROW NO-BREAK SPACE}234,5{NBSP}%"
    assert german.change(f"↑{NBSP}10.1{NBSP}%") == f"↑{NBSP}10,1{NBSP}%"
    assert german.change(f"={NBSP}No change") == f"={NBSP}Unverändert"
    assert german.change("new") == "neu"
    assert words_of("en").number("8,214.5") == "8,214.5"


def test_names_of_strangers_are_not_translated() -> None:
    content = hostile_content()
    table = content.tables[0]
    named = replace(table, rows=(replace(table.rows[0], name="Direct"),))
    shown = for_reader(replace(content, tables=(named,)), USUAL, words_of("de"))
    assert shown.tables[0].title == "Seiten"
    assert shown.tables[0].rows[0].name == "Direct"


def test_unknown_language_is_refused_with_those_that_work(here: World) -> None:
    answer = here.box.post(
        "/reports/create", {"websiteId": here.box.sites["shop"], "name": "x", "language": "tlh"}, key="all"
    )
    assert answer.status == 400
    assert "'de'" in answer.body.decode() or "de" in answer.json["error"]
