"""The demo's website as data: a small note-taking product, its pages, and how people read them.

Weights are relative; they need not add up to anything.
"""

from typing import Literal, NamedTuple

DOMAIN = "inkwell.example"
NAME = "Inkwell"

Section = Literal["home", "pricing", "docs", "blog", "download", "signup", "about"]


class SamplePage(NamedTuple):
    """A page of the site. Views of it are sent with its `properties`."""

    section: Section
    path: str
    title: str
    properties: dict[str, str] | None = None


_AUTHORS = ("Mara Lind", "Jo Okafor", "Tim Brandt")
# Pages that links lead to, although they are gone.
MISSING = ("/docs/sync-setup", "/blog/inkwell-1", "/download/linux-arm", "/pricing/students")
# Paths and titles by section, the most read ones first; readers thin out as 1, 1/2, 1/3 …
_LISTED: dict[Section, tuple[tuple[str, str], ...]] = {
    "home": (("/", "Inkwell: notes that stay yours"),),
    "pricing": (("/pricing", "Pricing"), ("/pricing/teams", "Inkwell for teams")),
    "docs": (
        ("/docs/getting-started", "Getting started"),
        ("/docs/install", "Install Inkwell"),
        ("/docs/sync", "Sync between devices"),
        ("/docs/markdown", "Markdown reference"),
        ("/docs/import", "Import your notes"),
        ("/docs/self-hosting", "Self-hosting"),
        ("/docs/shortcuts", "Keyboard shortcuts"),
        ("/docs/api", "API"),
        ("/docs/encryption", "How encryption works"),
        ("/docs/plugins", "Plugins"),
        ("/docs/export", "Export"),
        ("/docs/troubleshooting", "Troubleshooting"),
    ),
    "blog": (
        ("/blog/sqlite-is-enough", "SQLite is enough"),
        ("/blog/why-we-built-inkwell", "Why we built Inkwell"),
        ("/blog/inkwell-2", "Inkwell 2 is here"),
        ("/blog/offline-first", "Offline first, in practice"),
        ("/blog/plain-text-forever", "Plain text, for ever"),
        ("/blog/a-year-of-inkwell", "A year of Inkwell"),
        ("/blog/faster-search", "Search that keeps up"),
    ),
    "download": (("/download", "Download"),),
    "signup": (("/signup", "Create your account"),),
    "about": (("/about", "About us"), ("/changelog", "Changelog"), ("/contact", "Contact"), ("/privacy", "Privacy")),
}

PAGES: dict[Section, tuple[SamplePage, ...]] = {
    section: tuple(
        SamplePage(section, path, title, {"author": _AUTHORS[at % 3], "kind": "post"} if section == "blog" else None)
        for at, (path, title) in enumerate(listed)
    )
    for section, listed in _LISTED.items()
}
TALKED_ABOUT = PAGES["blog"][0]  # by Hacker News, on the day of the spike

# Where readers go next, by the section that they are on.
NEXT: dict[Section, dict[Section, float]] = {
    "home": {"pricing": 28, "docs": 24, "download": 22, "blog": 12, "about": 8, "signup": 6},
    "pricing": {"signup": 34, "home": 18, "docs": 20, "download": 18, "about": 10},
    "docs": {"docs": 70, "home": 12, "download": 10, "pricing": 8},
    "blog": {"home": 44, "blog": 34, "docs": 10, "pricing": 6, "about": 6},
    "download": {"docs": 58, "home": 20, "pricing": 14, "about": 8},
    "signup": {"docs": 40, "pricing": 30, "home": 30},
    "about": {"home": 46, "blog": 22, "docs": 18, "pricing": 14},
}

# The chance that a reader goes on to another page, and the median time on a page in seconds.
GOES_ON: dict[Section, float] = {
    "home": 0.62,
    "pricing": 0.58,
    "docs": 0.5,
    "blog": 0.26,
    "download": 0.5,
    "signup": 0.4,
    "about": 0.4,
}
READING: dict[Section, float] = {
    "home": 18,
    "pricing": 30,
    "docs": 62,
    "blog": 85,
    "download": 16,
    "signup": 24,
    "about": 20,
}
