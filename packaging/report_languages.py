"""Compile the catalogues of reports, with names of countries from Unicode CLDR, as Babel has them.

    pip install babel==2.19.0
    python packaging/report_languages.py            writes them
    python packaging/report_languages.py --check    writes nothing; fails when a committed file differs

Translators edit `reports.po`. The server reads `reports.mo` next to it.
"""

import io
import json
import sys
from datetime import UTC, datetime
from pathlib import Path

from babel import Locale
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

BOX = Path(__file__).resolve().parent.parent / "analytics_box"
CATALOGUES = BOX / "products/reports/locale"
COUNTRIES = BOX / "web/recognition/data/countries.json"


def countries() -> dict[str, str]:
    """The English names of countries by their codes."""
    found: dict[str, str] = json.loads(COUNTRIES.read_text("utf-8"))
    return found


def compile_catalogue(path: Path, named: dict[str, str]) -> bytes:
    """The catalogue of a language in the format of GNU gettext. Messages come before countries of the same name."""
    catalogue = read_po(path.open("rb"))
    territories = Locale(path.parent.parent.name).territories
    for code, name in named.items():
        if name not in catalogue and code in territories:
            catalogue.add(name, territories[code])
    # The same messages make the same bytes.
    catalogue.creation_date = catalogue.revision_date = datetime(2026, 1, 1, tzinfo=UTC)
    made = io.BytesIO()
    write_mo(made, catalogue)
    return made.getvalue()


def main(check: bool) -> None:
    """Write the compiled catalogues, or compare them with what they should be. Exits with a message when they
    differ."""
    named = countries()
    for path in sorted(CATALOGUES.glob("*/LC_MESSAGES/reports.po")):
        wanted, target = compile_catalogue(path, named), path.with_suffix(".mo")
        if not check:
            target.write_bytes(wanted)
        elif not target.is_file() or target.read_bytes() != wanted:
            sys.exit(f"{target} differs from its source: run python packaging/report_languages.py")


if __name__ == "__main__":
    main("--check" in sys.argv[1:])
