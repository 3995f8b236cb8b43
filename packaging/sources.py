"""Turn the CC0 lists of known referrers into the data file that the box loads.

    python packaging/sources.py FOLDER > analytics_box/web/recognition/data/sources.json

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
# Corrections of the lists. Names that we write differently, that the list misspells, or that are more than a search:
# who writes "orange" or "web.de" into utm_source does not mean the search of that provider.
NAMES = {
    "Bluewin": "Bluewin Search",
    "Free": "Free Search",
    "Haboo": "Habbo",
    "Mailru": "Mail.ru Search",
    "Orange": "Orange Search",
    "Ozone": "Qzone",
    "Rakuten": "Rakuten Search",
    "T-Online": "T-Online Search",
    "Vkontakte": "VK",
    "Web.de": "WEB.DE Search",
    "reddit": "Reddit",
    "tumblr": "Tumblr",
}
# What is left out: …
ELSEWHERE = {
    "search": {
        "ChatGPT": "an AI assistant, and listed there",
        "Facebook": "a social network, and listed there",
        "FriendFeed": "closed in 2015",
        "Google Translations": "shows pages in other languages and searches nothing",
        "ICQ": "a messenger, closed in 2024",
        "Inbox": "web mail",
        "MySpace": "a social network, and listed there",
        "Perplexity": "an AI assistant, and listed there",
        "You": "an AI assistant, and listed there",
    },
    "social": {
        "Tagged": "the host that is listed only signs in",
        "Windows Live Spaces": "closed in 2011; its host is where everybody signs in to Microsoft",
    },
    "ai": {},
}
# … and what is of another kind.
MOVED = {"Digg": ("search", "social")}


def main(folder: Path) -> None:
    """Print {kind: {name: [host, …]}}; `{}` in a host is a country, at its end with or without a second level."""
    search = yaml.safe_load((folder / "SearchEngines.yml").read_text("utf-8"))
    known: dict[str, dict[str, list[str]]] = {"search": {}, "social": {}, "ai": {}}
    for name, entries in search.items():
        hosts = [url for entry in entries for url in entry["urls"]]
        known["search"][str(name)] = [host for host in clean(hosts) if is_engine(str(name), host)]
    for kind, file in (("social", "Socials.yml"), ("ai", "AIAssistants.yml")):
        for name, hosts in yaml.safe_load((folder / file).read_text("utf-8")).items():
            known[kind][unquote(str(name))] = clean(hosts)
    correct(known)
    json.dump(known, sys.stdout, ensure_ascii=False, indent=0, sort_keys=True)
    sys.stdout.write("\n")


def correct(known: dict[str, dict[str, list[str]]]) -> None:
    """Apply the corrections; each has to find what it corrects, so that none outlives its reason."""
    for kind, names in ELSEWHERE.items():
        for name in names:
            del known[kind][name]
    for name, (kind, other) in MOVED.items():
        known[other][name] = known[kind].pop(name)
    for listed, name in NAMES.items():
        (kind,) = (kind for kind, names in known.items() if listed in names)
        known[kind][name] = known[kind].pop(listed)


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
