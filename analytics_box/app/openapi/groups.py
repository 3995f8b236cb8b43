"""The groups of the document, by what people call things, in a reader's order: what an API is asked for first."""

import re

# the tag of a route or the router of a procedure → its group; others come last, each a group of its own
GROUPS = {
    "Queries": "Queries",
    "Events": "Events",
    "websites": "Websites",
    "autocomplete": "Websites",
    "segments": "Segments",
    "questions": "Saved questions",
    "annotations": "Notes on charts",
    "links": "Short links",
    "linkFolders": "Short links",
    "Short URLs": "Short links",
    "uptime": "Monitors",
    "statusPage": "Status pages",
    "flags": "Feature flags",
    "flagSchedules": "Feature flags",
    "targetGroups": "Feature flags",
    "profiles": "People",
    "organizations": "Organizations and members",
    "apikeys": "API keys",
    "alarms": "Alert rules",
    "config": "Alert channels, domains and defaults",
    "boxSettings": "Server settings",
    "preferences": "Preferences",
    "audit": "Audit log",
    "Box": "Health and metrics",
    "Files": "Script and files",
    "Discovery": "Discovery",
    "Pages": "Pages",
}


def group_of(tag: str) -> str:
    """The group of a tag or router; without a line above it is called by its own words."""
    return GROUPS.get(tag) or re.sub(r"(?=[A-Z])", " ", tag).strip().capitalize()
