"""The frame around pages of one website, and the websites in the navigation."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import Struct

from analytics_box.base.cache import BoundedCache
from analytics_box.base.identity import SignedInPerson
from analytics_box.base.translation import _
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.reach import all_own
from analytics_box.tenants.websites.rules import LOCAL, Website
from analytics_box.web.page.shell import Here, Shell, WebsitePlace, about, frame

if TYPE_CHECKING:
    from analytics_box.web.page.visit import PageRequest

OTHERS: Final = 12
MOST_USERS: Final = 10_000


class WebsiteNavigation:
    """The website that each user looked at last, in memory: pages of the organization keep it in the navigation."""

    def __init__(self, directory: Directory) -> None:
        self._directory = directory
        self._last: BoundedCache[str, str] = BoundedCache(MOST_USERS)

    def complete_frame(self, frame: Shell) -> Shell:
        """The frame with its website; else with the one that the user looked at last, or the organization's oldest."""
        if frame.website is not None:
            self._last.put(frame.user_id, frame.website.id)
            return frame
        known, resources = self._directory.of(frame.organization_id), frame.resources
        websites = [one for one in known if resources is None or one.id in resources]
        if not websites:
            return frame
        last = self._last.get(frame.user_id)
        current = next((website for website in websites if website.id == last), websites[0])
        return about(frame, place(current), other_places(current, websites), frame.role)


def other_places(website: Website, websites: Sequence[Website]) -> tuple[WebsitePlace, ...]:
    """The first other websites, for the switcher."""
    return tuple(place(other) for other in websites if other.id != website.id)[:OTHERS]


def place(website: Website) -> WebsitePlace:
    """The address of a website's dashboard."""
    return WebsitePlace(website.id, website.name, f"/sites/{website.id}")


class SnippetOption(NamedTuple):
    """An option of the tracking script that the snippet page offers, and whether it is selected at first."""

    id: str
    attribute: str
    label: str
    help: str
    selected: bool = False


OPTIONS: Final = (
    SnippetOption(
        "outgoing", "data-track-outgoing-links", _("Outgoing links"), _("Clicks on links to other websites"), True
    ),
    SnippetOption(
        "downloads", "data-track-downloads", _("File downloads"), _("PDF, ZIP, DMG and 40 other file types"), True
    ),
    SnippetOption(
        "not-found", "data-track-not-found", _("404 pages"), _("Missing pages and the pages that link to them"), True
    ),
    SnippetOption("search", "data-track-search", _("Site search"), _("Search terms in ?q=, ?query=, ?s= and ?search=")),
    SnippetOption("errors", "data-track-errors", _("Errors"), _("JavaScript errors with the page and browser")),
    SnippetOption(
        "vitals", "data-track-web-vitals", _("Performance"), _("Loading and interaction times of real visits")
    ),
    SnippetOption(
        "interactions",
        "data-track-interactions",
        _("Engagement"),
        _("Rage clicks, dead clicks and forms, never typed text"),
    ),
    SnippetOption("forms", "data-track-forms", _("Form submissions"), _("Submitted forms, never their contents")),
    SnippetOption("hash", "data-track-hash-changes", _("Hash routes"), _("For apps that change the URL after the #")),
)


# The guides of the manual for systems that a website can be built with, by their addresses.
GUIDES: Final = (
    ("wordpress", "WordPress"),
    ("ghost", "Ghost"),
    ("hugo", "Hugo"),
    ("shopify", "Shopify"),
    ("google-tag-manager", "Google Tag Manager"),
    ("next-js", "Next.js"),
    ("nuxt", "Nuxt"),
    ("astro", "Astro"),
    ("sveltekit", "SvelteKit"),
    ("rails", "Rails"),
    ("django", "Django"),
    ("laravel", "Laravel"),
)
# The guides for serving the script from the website's own domain.
OWN_DOMAIN_GUIDES: Final = (
    ("nginx", "nginx"),
    ("caddy", "Caddy"),
    ("cloudflare-workers", "Cloudflare Workers"),
    ("vercel", "Vercel"),
    ("netlify", "Netlify"),
)


class Snippet(NamedTuple):
    """The tag to paste, in parts: the page puts the options of its tick boxes between them.

    `own_script` is the address of the script on a path of the website itself; empty for a website on localhost.
    """

    script: str
    own_script: str
    start: str
    options: tuple[SnippetOption, ...]
    end: str
    guides: tuple[tuple[str, str], ...] = GUIDES
    own_domain_guides: tuple[tuple[str, str], ...] = OWN_DOMAIN_GUIDES

    @property
    def text(self) -> str:
        """The tag with the options that are selected at first."""
        chosen = "".join(f" {option.attribute}" for option in self.options if option.selected)
        return f'<script src="{self.script}{self.start}{chosen}{self.end}'


class WebsiteHeader(Struct, frozen=True):
    """A website on its own page. `live` is the address that says who is there now, `online` how many that are."""

    name: str
    domain: str
    href: str
    live: str
    online: str
    snippet: Snippet
    local: bool
    public: bool = False


def shell(
    person: SignedInPerson,
    here: Here,
    *,
    website: Website | None = None,
    websites: Sequence[Website] = (),
) -> Shell:
    """The frame of a page about `website`, with some others of `websites` to switch to."""
    if website is None:
        return frame(person, here)
    return about(frame(person, here), place(website), other_places(website, websites), person.role)


def site_shell(visit: "PageRequest", here: Here, website: Website) -> Shell:
    """The frame of a page about a website."""
    return shell(visit.person, here, website=website, websites=all_own(visit.call))


def website_shown(website: Website, *, online: str, script: str) -> WebsiteHeader:
    """`script` is the absolute address of the tracker; `online` is who is there now, in words (semantics 9)."""
    href = f"/sites/{website.id}"
    return WebsiteHeader(
        name=website.name,
        domain=website.domain,
        href=href,
        live=f"{href}/live",
        online=online,
        snippet=snippet(website, script),
        local=website.domain in LOCAL,
        public=website.is_public,
    )


def snippet(website: Website, script: str) -> Snippet:
    """Return the tag to paste. For a website on localhost it makes the script track there."""
    is_local = website.domain in LOCAL
    local = " data-track-localhost" if is_local else ""
    return Snippet(
        script=script,
        own_script="" if is_local else f"https://{website.domain}/stats/script.js",
        start=f'" data-client-id="{website.client_id}"{local}',
        options=OPTIONS,
        end=" defer></script>",
    )
