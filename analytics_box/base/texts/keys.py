"""API keys."""

from collections.abc import Mapping
from typing import ClassVar

from analytics_box.base.identity import Scope


class ApiKeys:
    """The list of API keys, their form, and what happens at their end."""

    title = "API keys"
    lead = "Programs use them to send events and to ask questions. Give each program its own, with only what it needs."
    add = "New key"
    empty_title = "No API keys yet"
    empty = "Create one to send events from a server, or to read your numbers from a program."
    name = "Name"
    name_help = "The program that will use it."
    description = "Notes"
    tags = "Tags"
    tags_help = "Words to find it by, with commas between them. Up to ten."
    type = "Used by"
    types: ClassVar[Mapping[str, str]] = {"user": "A person", "sdk": "An SDK", "automation": "An automation"}
    types_help: ClassVar[Mapping[str, str]] = {
        "user": "Somebody at a terminal, or a program that acts for them.",
        "sdk": "A client library inside your website or application.",
        "automation": "A job, a pipeline, another service.",
    }
    type_fixed = "Used by: {type}. Chosen when the key was made."
    may = "May"
    everything = "Everything that keys may do"
    where = "On"
    further = "On {where} also"
    rate = "at most {most} requests in {window} s"
    everywhere = "all websites"
    gone = "a website that is gone"
    made = "Made {when}"
    used = "Last used {when}"
    unused = "Never used"
    ends = "Ends {when}"
    ended = "Ended {when}"
    endless = "No end"
    revoked_at = "Revoked {when}"
    states: ClassVar[Mapping[str, str]] = {
        "works": "Works",
        "expired": "Expired",
        "disabled": "Switched off",
        "revoked": "Revoked",
    }
    edit = "Edit"
    edit_title = "Edit API key"
    new_title = "New API key"
    new_lead = "You will see its secret once, on the next page."
    new_submit = "Create key"
    edit_submit = "Save"
    cancel = "Cancel"
    scopes_title = "What it may do"
    groups: ClassVar[tuple[tuple[str, tuple[Scope, ...]], ...]] = (
        ("Analytics", ("read:data", "track:events")),
        ("Websites and settings", ("manage:websites", "manage:config", "manage:flags")),
        ("Links", ("read:links", "write:links")),
        ("Monitors", ("read:monitors", "write:monitors")),
        ("Status pages", ("read:status_pages", "write:status_pages")),
    )
    scopes: ClassVar[Mapping[str, str]] = {
        "read:data": "Read analytics",
        "track:events": "Send events",
        "read:links": "See short links",
        "write:links": "Change short links",
        "read:monitors": "See monitors",
        "write:monitors": "Change monitors",
        "read:status_pages": "See status pages",
        "write:status_pages": "Change status pages",
        "manage:websites": "Add, change and delete websites",
        "manage:flags": "Change feature flags",
        "manage:config": "Change settings of the organization",
    }
    reach = "Where"
    all_websites = "All websites of the organization, also later ones"
    some_websites = "Only these websites:"
    own = "More on single websites"
    own_help = "What is ticked here it may do on that website, beside what it may do anyway."
    own_unreached = "Tick a website above before you give more on it, or choose all websites."
    limits = "Limits"
    expires = "Last day"
    expires_help = "It stops working at the end of this day, in {zone}. Empty: no end."
    expires_at = "Until"
    expires_at_help = "Empty: midnight."
    most = "Requests"
    most_help = "At most so many in these seconds. Empty: {usual} in a minute."
    window = "Seconds"
    unlimited = "Do not apply this limit for now"
    no_scope = "Choose at least one scope."
    no_website = "Choose at least one website, or all of them."
    no_number = "Write whole numbers."
    no_date = "Write a day like 2027-01-31, and a time like 18:00 or none."
    closed = "Owners and admins can give this."
    made_title = "Your new API key"
    rotated_title = "The new secret"
    secret = "Secret of {name}"
    secret_once = "It is shown only now. Keep it in a safe place; the box does not know it any more."
    example_track = "Send an event"
    example_query = "Ask for the last seven days"
    back = "Back to the keys"
    endings: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "rotate": {
            "button": "Rotate",
            "title": "Rotate {name}?",
            "text": "It gets a new secret. Programs that use the old one are refused from that moment on.",
            "submit": "Rotate {name}",
        },
        "revoke": {
            "button": "Revoke",
            "title": "Revoke {name}?",
            "text": "Programs that use it are refused from that moment on. This cannot be undone.",
            "submit": "Revoke {name}",
        },
        "delete": {
            "button": "Delete",
            "title": "Delete {name}?",
            "text": "It stops working and goes from this list. The audit log still knows of it.",
            "submit": "Delete {name}",
        },
    }
    switches: ClassVar[Mapping[str, str]] = {"disable": "Switch off", "enable": "Switch on"}
    done: ClassVar[Mapping[str, str]] = {
        "updated": "The key is changed.",
        "disabled": "The key is switched off. Programs that use it are refused until you switch it on again.",
        "enabled": "The key is switched on again.",
        "revoked": "The key is revoked.",
        "deleted": "The key is deleted.",
    }
