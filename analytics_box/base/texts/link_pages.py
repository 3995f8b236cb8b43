"""The pages of short links: the list, the clicks on a link, imports, folders and domains."""

from collections.abc import Mapping
from typing import ClassVar, Final, NamedTuple


class ConfirmationTexts(NamedTuple):
    """Before something goes: what is asked, what would become of it, and the button that does it."""

    title: str
    text: str
    submit: str


class LinkTexts:
    """The list of links, what surrounds it, and what all these pages share."""

    short = "Links"
    title = "Links"
    lead = "Short URLs that redirect to long ones, and count the clicks."
    add = "New link"
    bulk = "Import"
    folders = "Folders"
    domains = "Domains"
    export = "Export"
    export_as: ClassVar[Mapping[str, str]] = {"csv": "As CSV", "json": "As JSON"}
    tools = "More about links"
    find = "Find links"
    search = "Search"
    search_hint = "Name, slug or target"
    folder = "Folder"
    any_folder = "All folders"
    no_folder = "In no folder"
    tag = "Tag"
    any_tag = "All tags"
    sort = "Order"
    sorts: ClassVar[Mapping[str, str]] = {
        "newest": "Newest first",
        "oldest": "Oldest first",
        "clicks": "Most clicks first",
        "last-click": "Last click first",
        "name-asc": "Name, A to Z",
        "name-desc": "Name, Z to A",
    }
    submit = "Show"
    clear = "Clear"
    counted: ClassVar[Mapping[bool, str]] = {True: "1 link", False: "{count} links"}
    range = "{first}–{last} of {count}"
    clicks: ClassVar[Mapping[bool, str]] = {True: "click", False: "clicks"}
    last = "Last {when}"
    never = "No click yet"
    leads_to = "Redirects to"
    copy = "Copy {name}"
    edit = "Edit"
    delete_it = "Delete"
    cancel = "Cancel"
    save = "Save"
    later = "Next page"
    earlier = "Previous page"
    pages = "Pages of the list"
    empty_title = "No links yet"
    empty = "Create a short URL for a long one, share it, and see the clicks here."
    empty_viewer = "Nobody in this organization has created a link yet."
    empty_search_title = "No matching links"
    empty_search = "No link of this organization matches. Remove a filter."
    states: ClassVar[Mapping[str, str]] = {
        "expired": "Expired",
        "full": "Click limit reached",
        "ends": "Until {when}",
        "limit": "{clicks} of {most} clicks",
        "password": "Password",
        "rules": "Rules",
        "test": "A/B test",
        "app": "Opens {app}",
    }
    done: ClassVar[Mapping[str, str]] = {
        "deleted": "The link is deleted, and its clicks with it.",
        "created": "The link works now.",
        "saved": "Saved. The next click uses the new settings.",
        "folder-made": "The folder is created.",
        "folder-named": "The folder has its new name.",
        "folder-deleted": "The folder is deleted. Its links are kept, in no folder.",
        "domain-added": "Links can live on this domain now.",
        "domain-saved": "Saved.",
        "domain-removed": "Short links are no longer served on this domain.",
    }
    delete: Final = ConfirmationTexts(
        "Delete {name}?",
        "{address} stops working at once: further clicks on it are orphan clicks. Its clicks are removed. "
        "This cannot be undone.",
        "Delete {name}",
    )


class LinkStats:
    """A link's own page: the clicks on it."""

    title = "{name} · Links"
    metrics: ClassVar[Mapping[str, str]] = {
        "clicks": "Clicks",
        "visitors": "Visitors",
        "sessions": "Visits that followed",
        "others": "Not counted",
    }
    other_metrics: ClassVar[Mapping[str, str]] = {"clicks": "Requests", "visitors": "Different senders"}
    # what a share is of
    shares: ClassVar[Mapping[str, str]] = {
        "clicks": "Share of all clicks in this range.",
        "": "Share of the rows in this list.",
    }
    filters: ClassVar[Mapping[str, str]] = {"variant": "Variant", "rule": "Rule"}
    people = "Clicks of visitors"
    only = "Not counted"
    about_kind = "The figures are about"
    helps: ClassVar[Mapping[str, str]] = {
        "sessions": "on websites of this box",
        "others": "bots, previews, prefetches",
    }
    fresh_title = "No clicks yet"
    fresh = (
        "Share its short URL or its QR code. From the first click on you see here when visitors click, from where and "
        "with what."
    )
    fresh_over = "It has expired, so nobody is redirected: change its expiry, or create another link."
    about = "About this link"
    facts: ClassVar[Mapping[str, str]] = {
        "target": "Target URL",
        "rules": "Rules",
        "variants": "A/B test",
        "ios": "iPhones, iPads",
        "android": "Android",
        "app": "Opens",
        "utm": "Campaign",
        "forwarding": "Parameters",
        "status": "Redirect",
        "expires": "Expires",
        "most": "Click limit",
        "expired": "Target after that",
        "password": "Password",
        "folder": "Folder",
        "tags": "Tags",
        "external": "External ID",
        "created": "Created",
        "changed": "Changed",
    }
    asked = "required"
    and_ = " and "
    all_time: ClassVar[Mapping[bool, str]] = {True: "1 click in all", False: "{count} clicks in all"}
    tabs: ClassVar[Mapping[str, str]] = {
        "sources": "Sources",
        "countries": "Countries",
        "regions": "Regions",
        "cities": "Cities",
        "map": "Map",
        "devices": "Devices",
        "browsers": "Browsers",
        "systems": "Systems",
        "languages": "Languages",
        "variants": "A/B test",
        "rules": "Rules",
        "kinds": "Not counted",
        "bots": "Bots",
    }
    empty: ClassVar[Mapping[str, str]] = {
        "": "No clicks in this range.",
        "kinds": "No bot, preview or prefetch in this range.",
        "bots": "No bot in this range.",
    }
    kinds: ClassVar[Mapping[str, str]] = {
        "bot": "Bots",
        "preview": "Link previews",
        "prefetch": "Browser prefetches",
        "head": "Checks without a redirect (HEAD)",
    }
    rule_names: ClassVar[Mapping[str, str]] = {
        "": "No rule",
        "iosUrl": "iPhones and iPads",
        "androidUrl": "Android",
    }
    no_variant = "No variant"
    devices: ClassVar[Mapping[str, str]] = {"desktop": "Desktop", "mobile": "Mobile", "tablet": "Tablet"}


class LinkImport:
    """Many links at once."""

    title = "Import links"
    lead = (
        "A CSV or JSON file of up to {most} links. It is checked first. Nothing is imported until you confirm. A row "
        "with a mistake does not stop the others."
    )
    form = "A sheet needs a first line with names of columns. One has to be {target}; further ones may be {others}."
    again = "A row whose externalId a link has changes that link. Folders that do not exist are created."
    file = "File"
    paste = "Or paste it"
    paste_help = "CSV or JSON, up to some hundred rows; more of them as a file."
    check = "Check the file"
    check_text = "Check the text"
    example = "An example"
    example_label = "A sheet of two links"
    no_file = "Choose a file, or paste its text"
    not_text = "The file is no text in UTF-8: line {line} is not. In a spreadsheet, save it as “CSV UTF-8”"
    workbook = "This is a workbook, or another packed file. Open it and save it as “CSV UTF-8”"
    too_large = "The file is larger than {most} MB; split it"
    states: ClassVar[Mapping[str, str]] = {
        "checking": "Checking",
        "checked": "Checked: nothing is imported yet",
        "importing": "Importing",
        "done": "Imported",
        "failed": "The import failed",
    }
    progress = "{done} of {total} rows"
    no_rows = "Reading the file"
    reload = "Refresh"
    counts: ClassVar[Mapping[str, str]] = {
        "created": "new",
        "updated": "changed",
        "unchanged": "unchanged",
        "failed": "with mistakes",
    }
    ignored = "Unknown columns, which are ignored:"
    would: ClassVar[Mapping[bool, str]] = {True: "Of 1 row there would be", False: "Of {total} rows there would be"}
    was: ClassVar[Mapping[bool, str]] = {True: "Of 1 row there was", False: "Of {total} rows there were"}
    run: ClassVar[Mapping[bool, str]] = {True: "Import 1 link", False: "Import {count} links"}
    run_rest: ClassVar[Mapping[bool, str]] = {
        True: "Import 1 link, skip the mistakes",
        False: "Import {count} links, skip the mistakes",
    }
    other_domains = "Links on other domains"
    other_domains_help = (
        "Some links are on domains that are not link domains of this organization. To keep their addresses, add the "
        "domain under Domains. Otherwise, select a domain for them. Their slugs stay the same."
    )
    place = "Domain for these links"
    own_host = "{host}/l/"
    check_again = "Check again"
    services = "You can import exports of Bitly, Dub, Kutt, Shlink and YOURLS unchanged. Slugs are kept."
    another = "Choose another file"
    to_list = "Go to the links"
    nothing = "There is nothing to import: every row has a mistake, or is there already."
    wrong_rows = "Rows with mistakes"
    row = "Row"
    field = "Field"
    problem = "Mistake"
    more_rows = "And {count} more."


class LinkPlaceTexts:
    """Folders and domains of links."""

    folders_title = "Folders"
    folders_lead = "A link is in one folder or in none."
    new_folder = "New folder"
    folder_name = "Name"
    add_folder = "Add the folder"
    no_folders_title = "No folders yet"
    no_folders = "Folders keep the links of a campaign or a team together."
    delete_folder: Final = ConfirmationTexts(
        "Delete the folder {name}?", "Its links stay, in no folder.", "Delete {name}"
    )
    domains_title = "Domains of short links"
    domains_lead = (
        "On a domain of your own, links are at its root: https://go.example/spring. Its DNS and your proxy have to "
        "point to this box."
    )
    add_domain = "Serve links on a domain"
    domain = "Domain"
    home = "Target of the bare domain"
    home_help = "Empty: a page of this box that says that this is a domain of short links."
    missing = "Target of unknown slugs"
    missing_help = "Empty: a page of this box that says that there is no such link."
    submit_domain = "Serve links there"
    none_proven = "Verify a domain first."
    prove = "Go to the domains of the organization"
    no_domains_title = "Links are on the box's own host"
    no_domains = "They are under {prefix}. A domain of your own makes them shorter."
    remove = "Stop serving links"
    remove_domain: Final = ConfirmationTexts(
        "Stop serving links on {name}?",
        "Nothing answers there any more. The domain has to be without links first.",
        "Stop serving links on {name}",
    )
    read_only = "Admins of the organization can change this."
    orphans_title = "Orphan clicks (404)"
    orphans_lead = (
        "Short URLs without a link that were clicked in the last 30 days. Create the link, or correct the URL where it "
        "is used."
    )
    asked = "Clicks: {count}, last on {day}"
    long_name = "The name of a folder can have up to {most} characters"
    others = "Other URLs"
    make = "Create this link"
