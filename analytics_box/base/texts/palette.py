"""The palette: one field that finds everything."""

from collections.abc import Mapping
from typing import ClassVar


class PaletteTexts:
    """Its dialog and its page."""

    title = "Search"
    open = "Search"
    label = "Search websites, goals, segments, links, monitors, flags, pages and actions"
    placeholder = "Where to?"
    submit = "Search"
    recent = "Recent"
    results = "Results"
    none = "Nothing here is called “{asked}”. Try a part of the name."
    lost = "The box cannot be reached. Check your connection and type again."
    signed_out = "You are signed out. Reload the page to sign in again."
    count = "{count} results"
    one = "1 result"
    hint = "↑ ↓ choose · Enter opens · Esc closes"
    key = "Search websites, links, monitors, pages and actions"
    kinds: ClassVar[Mapping[str, str]] = {
        "here": "This website",
        "website": "Websites",
        "goal": "Goals",
        "segment": "Segments",
        "question": "Saved questions",
        "link": "Short links",
        "monitor": "Monitors",
        "status": "Status pages",
        "flag": "Feature flags",
        "page": "Pages",
        "action": "Actions",
        "manual": "Manual",
    }
    also_add = "new add create make"
    add_website = "Add website"
    create_link = "Create link"
    import_links = "Import links"
    create_monitor = "Create monitor"
    plan_maintenance = "Plan maintenance"
    create_status_page = "Create status page"
    create_flag = "Create flag"
    create_group = "Create target group"
    create_key = "Create API key"
    create_alarm = "Create alarm"
    invite = "Invite a member"
    switch_theme = "Switch theme"
    also_theme = "light dark mode colours"
    add_note = "Add a note"
    link_folders = "Folders of links"
    link_domains = "Domains of links"
    maintenance = "Maintenance"
    flag_groups = "Target groups"
    api = "API reference"
    page_of = "{website}: {page}"
