"""Completes a list of parts (SBOM, CycloneDX) that cyclonedx-py has made of the packages the box runs with.

`python packaging/sbom.py FILE`: pip and setuptools, which only install, go; Python itself, which the packed kinds
carry, and what web/ and the lists for recognition were made from come in.
"""

import json
import platform
import re
import ssl
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
INSTALLERS = ("pip", "setuptools")
# Packages of npm of which something is in the box.
FROM_NPM = (
    "@ip-location-db/geo-whois-asn-country-mmdb",
    "crawler-user-agents",
    "htmx.org",
    "isbot",
    "uplot",
    "web-vitals",
    "world-atlas",
)


def main(file: Path) -> None:
    """Rewrite the file in place."""
    told = json.loads(file.read_text(encoding="utf-8"))
    about = (ROOT / "analytics_box" / "__init__.py").read_text(encoding="utf-8")
    told["metadata"]["component"]["version"] = re.findall(r'^__version__ = "(.*)"$', about, re.MULTILINE)[0]
    gone = {part["bom-ref"] for part in told["components"] if part["name"] in INSTALLERS}
    told["components"] = [part for part in told["components"] if part["bom-ref"] not in gone] + beyond()
    told["dependencies"] = [
        entry | ({"dependsOn": [ref for ref in entry["dependsOn"] if ref not in gone]} if "dependsOn" in entry else {})
        for entry in told["dependencies"]
        if entry["ref"] not in gone
    ]
    file.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def beyond() -> list[dict[str, Any]]:
    """What pip knows nothing of."""
    versions = json.loads((ROOT / "web" / "package.json").read_text(encoding="utf-8"))["devDependencies"]
    python, openssl = platform.python_version(), ssl.OPENSSL_VERSION.split()[1]
    return [
        part("library", name, versions[name], f"pkg:npm/{name.replace('@', '%40')}@{versions[name]}")
        for name in FROM_NPM
    ] + [
        part("platform", "cpython", python, f"pkg:generic/cpython@{python}"),
        part("library", "openssl", openssl, f"pkg:generic/openssl@{openssl}"),
    ]


def part(kind: str, name: str, version: str, purl: str) -> dict[str, Any]:
    """One component."""
    return {"type": kind, "bom-ref": purl, "name": name, "version": version, "purl": purl}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
