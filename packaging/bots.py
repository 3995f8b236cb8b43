"""Turn two public lists of programs, and a few words of our own, into the data file that the box loads.

    python packaging/bots.py > analytics_box/web/recognition/data/bots.json

Reads `isbot` (Unlicense) and `crawler-user-agents` (MIT) from web/node_modules, where `npm ci` in web/ puts the pinned
versions. Needs Node.js, because isbot gives its list as a JavaScript module.

The patterns are sorted by how they are looked for: plain words and plain names are found without a regular expression.
`shapes` are patterns of isbot that tell how a user agent is written, or that hold a word which is also a name of
devices; they do not count for what names a handset, a television or a console.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

PACKAGES = Path(__file__).resolve().parent.parent / "web" / "node_modules"

# Patterns of isbot that need a second look, by what they are: the form alone, …
FORMS = (
    *(r"\b\w+/1\.0;", r"\(\)", r"\|", r";\s\w+;$", r"\.com\b", r"@[a-z][\w-]+\.", r"(?<!lib)http", r"24x7", r"^\d+\b"),
    *(r"^[<\(;]", r"^[\w \.\-\(?:\):%]+(?:/v?\d+(?:\.\d+)?(?:\.\d{1,10})*?)?(?:,|$)", r"^[\w\-]+/[\w]+$"),
    *(r"^[^ ]{50,}$", r"^\w+/[\w\(\)]*$", r"^\w+/\d\.\d\s\([\w@]+\)$"),
)
# … or words that are also models, apps, browsers and what their makers call their parts.
ORDINARY = (
    *(r"(?:^|[^g])news(?!sapphire)", r"(?<! channel/|google/)google(?!(?:wv|app|/google| pixel))", r"java(?!;)"),
    *(
        "discovery",
        "radar",
        "catch",
        "^yahoo",
        r"agent\b",
        "download",
        "server",
        "proxy",
        "tools",
        "capture",
        "library",
    ),
    *("chromeframe", "^reed", "virtuoso", "url", "firephp", "advisor", "browsex", "offbyone", "sogou"),
)
# Patterns of crawler-user-agents that are left out: each stands in what real people's browsers say.
DEVICES = {
    r"AP3A\.240617\.008": "a build of Android 15 that many phones have",
    r"008\/": "ends the names of several phones",
    "Sonic": "ViewSonic",
    "Butterfly": "HTC Butterfly",
    "Viber": "its browser inside the app",
    "Fever": "a phone of Wiko",
    "Fluid": "a browser of macOS",
    "Expanse": "a phone",
    "Sogou": "Sogou Mobile Browser; isbot's own pattern stands for its spider",
}
# What both lists lack or know in one spelling only: words that no browser of a person says.
MORE = ("amazon-kendra", "assetnote", "duplexweb-google", "google-amphtml", "google-publisher-plugin", "prerender")
_PLAIN = re.compile(r"(?:[\w ;:!,'@-]|\\[/.:+()!-]|/)+")
_WORD = re.compile(r"[\w/ -]+")
_START = re.compile(r"\^[\w/ -]+")
SHORTEST_NAME = 4  # characters; names are found by their first four


def main() -> None:
    """Print {versions, words, starts, patterns, shapes, names, named}."""
    generic, crawlers = isbot(), crawler_user_agents()
    missing = [pattern for pattern in (*FORMS, *ORDINARY) if pattern not in generic]
    missing += [pattern for pattern in DEVICES if pattern not in crawlers]
    if missing:
        sys.exit(f"The lists no longer have these patterns; look at what took their place: {missing}")
    second_look = {*FORMS, *ORDINARY}
    sure = [pattern for pattern in generic if pattern not in second_look]
    named = [pattern for pattern in crawlers if pattern not in DEVICES]
    plain = [pattern for pattern in named if _PLAIN.fullmatch(pattern) and len(unescaped(pattern)) >= SHORTEST_NAME]
    found = {
        "versions": {"isbot": version("isbot"), "crawler-user-agents": version("crawler-user-agents")},
        "words": sorted({*MORE, *(pattern for pattern in sure if _WORD.fullmatch(pattern))}),
        "starts": sorted(pattern[1:] for pattern in sure if _START.fullmatch(pattern)),
        "patterns": sorted(
            python(pattern) for pattern in sure if not _WORD.fullmatch(pattern) and not _START.fullmatch(pattern)
        ),
        "shapes": sorted(python(pattern) for pattern in second_look),
        "names": sorted({unescaped(pattern) for pattern in plain}),
        "named": sorted(python(pattern) for pattern in named if pattern not in plain),
    }
    json.dump(found, sys.stdout, ensure_ascii=False, indent=0)
    sys.stdout.write("\n")


def isbot() -> list[str]:
    """Its patterns; they are meant without regard to case."""
    code = "import('isbot').then(({ list }) => console.log(JSON.stringify(list)))"
    command = ["node", "-e", code]
    ran = subprocess.run(command, cwd=PACKAGES.parent, check=True, capture_output=True, text=True)  # noqa: S603  fixed
    return [str(pattern) for pattern in json.loads(ran.stdout)]


def crawler_user_agents() -> list[str]:
    """Its patterns; they are meant as they are written."""
    entries = json.loads((PACKAGES / "crawler-user-agents" / "crawler-user-agents.json").read_text("utf-8"))
    return [str(entry["pattern"]) for entry in entries]


def version(package: str) -> str:
    return str(json.loads((PACKAGES / package / "package.json").read_text("utf-8"))["version"])


def unescaped(pattern: str) -> str:
    return re.sub(r"\\(.)", r"\1", pattern)


def python(pattern: str) -> str:
    """A pattern of JavaScript as one of Python: no slash needs escaping, a class ends its ranges, and what is looked
    behind for has one length."""
    pattern = pattern.replace("\\/", "/").replace(r"[\w\d-.]", r"[\w\d.-]")
    behind = re.match(r"\(\?<!([^()|]+\|[^()]+)\)", pattern)
    if behind:
        each = "".join(f"(?<!{alternative})" for alternative in behind[1].split("|"))
        pattern = each + pattern[behind.end() :]
    re.compile(pattern)
    return pattern


if __name__ == "__main__":
    main()
