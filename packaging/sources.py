"""Turn the CC0 lists of known referrers into the data file that the box loads.

    python packaging/sources.py FOLDER > analytics_box/ingest/data/sources.json

FOLDER holds SearchEngines.yml, Socials.yml and AIAssistants.yml of
github.com/matomo-org/searchengine-and-social-list. Needs PyYAML.
"""

import json
import re
import sys
from pathlib import Path
from urllib.parse import unquote

import yaml  # type: ignore[import-untyped]  # only this script needs it

SEARCH_LABELS = {
    "search",
    "suche",
    "recherche",
    "buscar",
    "busca",
    "buscador",
    "szukaj",
    "poisk",
    "find",
    "zoek",
    "sok",
}


def main(folder: Path) -> None:
    """Print {kind: {name: [host, …]}}; a host may end in .{} for any top-level domain."""
    search = yaml.safe_load((folder / "SearchEngines.yml").read_text("utf-8"))
    known: dict[str, dict[str, list[str]]] = {"search": {}, "social": {}, "ai": {}}
    for name, entries in search.items():
        hosts = [url for entry in entries for url in entry["urls"]]
        known["search"][str(name)] = [host for host in clean(hosts) if is_engine(str(name), host)]
    for kind, file in (("social", "Socials.yml"), ("ai", "AIAssistants.yml")):
        for name, hosts in yaml.safe_load((folder / file).read_text("utf-8")).items():
            known[kind][unquote(str(name))] = clean(hosts)
    json.dump(known, sys.stdout, ensure_ascii=False, indent=0, sort_keys=True)
    sys.stdout.write("\n")


def clean(hosts: list[str]) -> list[str]:
    """Lower-case hosts without www. and without entries that need a path."""
    return sorted({host.lower().removeprefix("www.") for host in hosts if "/" not in host})


def is_engine(name: str, host: str) -> bool:
    """Whether the host itself is the engine, not a portal that shows its results under some path (cnn.com)."""
    word = re.sub(r"[^a-z0-9]", "", name.lower())
    labels = set(re.split(r"[.-]", host))
    return word[:5] in re.sub(r"[^a-z0-9]", "", host) or bool(labels & SEARCH_LABELS)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
