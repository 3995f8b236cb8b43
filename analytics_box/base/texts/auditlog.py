"""The page of the audit log."""

from collections.abc import Mapping
from typing import ClassVar


class AuditLog:
    """The page of the audit log."""

    title = "Audit log"
    lead = "Every change to keys, websites, members and settings. Nothing can be changed or removed here."
    who = "Who"
    what = "What"
    subject = "Of"
    first = "From"
    last = "To"
    any = "All"
    filter = "Show"
    clear = "Show everything"
    newest = "Newest"
    older = "Older"
    became = "became"
    yes = "yes"
    no = "no"
    nothing = "nothing"
    by_key = "API key {name}"
    by_invitation = "An invitation"
    by_nobody = "Somebody who is gone"
    empty_title = "No entries"
    empty = "Nothing has been changed yet."
    empty_filtered = "No change matches these filters."
    others: ClassVar[Mapping[str, str]] = {
        "command line": "Command line",
        "setup link": "First setup",
        "forgotten password": "Somebody who has forgotten the password",
        "reset link": "Link for a new password",
        "demo": "The demonstration",
        "the box": "The box itself",
    }
    actions: ClassVar[Mapping[str, str]] = {
        "created": "created",
        "updated": "changed",
        "rotated": "rotated",
        "revoked": "revoked",
        "deleted": "deleted",
    }
    subjects: ClassVar[Mapping[str, str]] = {
        "api_key": "API key",
        "preferences": "own preferences",
        "person": "what was known of a person",
        "person_export": "an export of a person’s data",
        "monitor_export": "an export of monitors with their secrets",
        "incident": "incident or maintenance of a status page",
        "incident_template": "template for incidents",
        "subscriber": "subscriber of a status page",
        "subscriber_export": "an export of a status page’s subscribers",
        "events": "events of a website",
        "channel": "alert channel",
        "defaults": "defaults of new websites and invitations",
    }
