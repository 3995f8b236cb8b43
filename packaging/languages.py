"""Make the table of English names of languages from Unicode CLDR, as Babel has it.

    pip install babel==2.18.0
    python packaging/languages.py            writes it
    python packaging/languages.py --check    writes nothing; fails when the committed file differs

The box knows languages as browsers send them, language and region (`de-AT`), so a name is made of the
two when it is shown; countries.json has the regions.
"""

import json
import sys
from pathlib import Path

from babel import Locale

DATA = Path(__file__).resolve().parent.parent / "analytics_box/web/recognition/data"
TARGET = DATA / "languages.json"
LONGEST_CODE = 3


def main(check: bool) -> None:
    """Write TARGET, or compare it with what it should be. Exits with a message when they differ."""
    names = Locale("en").languages
    found = {code: name for code, name in names.items() if len(code) <= LONGEST_CODE}
    wanted = json.dumps(dict(sorted(found.items())), ensure_ascii=False, separators=(",\n", ":")) + "\n"
    if not check:
        TARGET.write_text(wanted, "utf-8")
    elif not TARGET.is_file() or TARGET.read_text("utf-8") != wanted:
        sys.exit(f"{TARGET.name} differs from its source: run python packaging/languages.py")


if __name__ == "__main__":
    main("--check" in sys.argv[1:])
