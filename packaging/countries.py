"""Copy the pinned country database to where the box looks for it.

    python packaging/countries.py            copies it from web/node_modules (`npm ci` in web/)
    python packaging/countries.py --check    copies nothing; fails when the committed file differs

Raise the version in web/package.json to take a newer one.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "web/node_modules/@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb"
TARGET = ROOT / "analytics_box/web/recognition/data/countries.mmdb"


def main(check: bool) -> None:
    """Write TARGET, or compare it with SOURCE. Exits with a message when they differ or npm has not run."""
    if not SOURCE.is_file():
        sys.exit("countries.py: run `npm ci` in web/ first")
    wanted = SOURCE.read_bytes()
    if not check:
        TARGET.write_bytes(wanted)
    elif not TARGET.is_file() or TARGET.read_bytes() != wanted:
        sys.exit(f"{TARGET.name} differs from its source: run python packaging/countries.py")


if __name__ == "__main__":
    main("--check" in sys.argv[1:])
