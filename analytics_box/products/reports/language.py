"""The languages of reports: their words, numbers and dates. Pure.

Content is made in English, and put into the language of its report when it is sent. Messages are in `locale/`, one
catalogue a language (CONTRIBUTING.md). What people wrote, such as names of pages, goals and notes, stays as it is.
"""

import re
from datetime import date, datetime
from functools import lru_cache
from gettext import NullTranslations, translation
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.identity import Language
from analytics_box.figures.periods import imported_message, time_words
from analytics_box.products.reports.content import (
    ReportContent,
    ReportFigure,
    ReportRemark,
    ReportTable,
    period_words,
)
from analytics_box.web.page.dates import MONTHS, WEEKDAYS, Formats, day_text, time_text

# Each in itself, as its readers look for it.
LANGUAGE_NAMES: Final[dict[Language, str]] = {
    "en": "English",
    "de": "Deutsch",
    "es": "Español",
    "fr": "Français",
    "it": "Italiano",
    "nl": "Nederlands",
    "pt": "Português",
}
# The separators of thousands and of decimals.
_SEPARATORS: Final[dict[Language, tuple[str, str]]] = {
    "en": (",", "."),
    "de": (".", ","),
    "es": (".", ","),
    "fr": ("\N{NARROW NO-BREAK SPACE}", ","),
    "it": (".", ","),
    "nl": (".", ","),
    "pt": (".", ","),
}
_NAMES: Final = re.compile(rf"\b(?:{'|'.join((*MONTHS, *WEEKDAYS))})\b")
# Sections whose rows have names of the product: a country, a device, a source such as "Direct".
_NAMED_BY_US: Final = frozenset({"sources", "countries", "devices"})
UNKNOWN: Final = "Unknown"


class ReportWords:
    """The words of one language."""

    def __init__(self, language: Language) -> None:
        self.language = language
        folder = Path(__file__).with_name("locale")
        self.catalogue = NullTranslations() if language == "en" else translation("reports", folder, [language])
        self._separators = str.maketrans(dict(zip(",.", _SEPARATORS[language], strict=True)))

    def text(self, message: str) -> str:
        """A message; one that is not in the catalogue, or empty, as it is."""
        return self.catalogue.gettext(message) if message else ""

    def number(self, text: str) -> str:
        """A number as pages show it, such as "8,214" or "10.1 pt", in the separators and units of the language."""
        parts = text.translate(self._separators).split(figures.NBSP)
        return figures.NBSP.join(self.text(part) if part.isalpha() else part for part in parts)

    def change(self, text: str) -> str:
        """A change, such as "↑ 10.1 %" or "= No change"."""
        arrow, space, amount = text.partition(figures.NBSP)
        known = self.text(amount)
        return f"{arrow}{space}{known}" if known != amount else self.text(text) if not space else self.number(text)

    def dates(self, text: str) -> str:
        """Dates, with the names of their months and days."""
        return _NAMES.sub(lambda found: self.text(found[0]), text)


# The words of a language.
words_of: Final = lru_cache(ReportWords)


def for_reader(content: ReportContent, formats: Formats, words: ReportWords) -> ReportContent:
    """A report in a language, with its dates and times in a reader's formats."""
    against = content.compared_first, content.compared_last
    compared = period_words(*against, formats, weekday=False) if content.compared_first else content.compared
    lead, visitors = content.lead, content.visitors
    if visitors is not None:
        ngettext = words.catalogue.ngettext
        count = ngettext("1 visitor", "{count} visitors", int(visitors.number or 0))
        lead = count.format(count=words.number(visitors.value))
        lead += f", {words.change(visitors.change)}" if visitors.change else ""
    moved = content.moved
    if content.difference:
        _ = words.text
        moved = _("{change} visitors").format(change=words.number(content.difference))
    zone = ZoneInfo(content.time_zone)
    return replace(
        content,
        kind=words.text(content.kind),
        period=words.dates(period_words(content.first_day, content.last_day, formats)),
        compared=words.dates(compared),
        lead=lead,
        imported=_imported_text(content, formats, words) if content.imported_first else content.imported,
        figures=tuple(_figure(one, words) for one in content.figures),
        bars=tuple(replace(one, label=words.text(one.label)) for one in content.bars),
        moved=moved,
        movers=tuple(_figure(one, words) for one in content.movers),
        tables=tuple(_table(one, words) for one in content.tables),
        remarks=tuple(_remark(one, zone, formats, words) for one in content.noted) or content.remarks,
        others=tuple(for_reader(one, formats, words) for one in content.others),
    )


def _figure(one: ReportFigure, words: ReportWords, *, is_named_by_us: bool = True) -> ReportFigure:
    name = words.text(one.name) if is_named_by_us else one.name
    return replace(one, name=name, value=words.number(words.text(one.value)), change=words.change(one.change))


def _table(table: ReportTable, words: ReportWords) -> ReportTable:
    ours = table.section in _NAMED_BY_US
    return replace(
        table,
        title=words.text(table.title),
        counted=words.text(table.counted),
        empty=words.text(table.empty),
        rows=tuple(_figure(one, words, is_named_by_us=ours or one.name == UNKNOWN) for one in table.rows),
    )


def _remark(one: ReportRemark, zone: ZoneInfo, formats: Formats, words: ReportWords) -> str:
    """The line about an outage or a note."""
    if one.text:
        time = words.dates(time_words(one.at, one.until, zone, formats, days=one.days))
        return f"{time}: {figures.visible(one.text)}"
    _, local = words.text, datetime.fromtimestamp(one.at / 1000, zone)
    return _("Down for {duration}, from {start}.").format(
        duration=figures.duration(((one.until or one.at) - one.at) / 1000),
        start=f"{words.text(WEEKDAYS[local.weekday()])} {time_text(local, formats.time)}",
    )


def _imported_text(content: ReportContent, formats: Formats, words: ReportWords) -> str:
    message = imported_message(filtered=content.filtered)
    first, last = (
        words.dates(day_text(date.fromisoformat(day), formats.date))
        for day in (content.imported_first, content.imported_last)
    )
    return words.text(message).format(first=first, last=last)
