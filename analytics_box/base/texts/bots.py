"""The page of bots."""

from collections.abc import Mapping
from typing import ClassVar


class Bots:
    """Events that are quarantined because a bot seems to have sent them."""

    heading = "Bots"
    lead = (
        "Events of crawlers, monitors and scripts count nowhere. They are quarantined here for 30 days, so that you "
        "can look at them and correct what is wrong."
    )
    held = "Quarantined in the last 30 days"
    total = "{total} events"
    program = "Bot"
    events = "Events"
    last = "Last seen"
    decide = "Decision"
    nameless = "Without a name"
    are_people = "Not a bot"
    are_people_label = "Not a bot: {name}, {reason}"
    empty_title = "Nothing is quarantined"
    empty = "No bot that this box knows has sent events to {site} in the last 30 days."
    people = "Counted as visitors"
    people_lead = "Events of these count like everybody's. Taking one back quarantines what comes from then on."
    since = "Since"
    take_back = "Take back"
    take_back_label = "Take back: {name}, {reason}"
    data_centres = "Data centres"
    data_centres_label = "Quarantine events from IP addresses of data centres"
    data_centres_help = (
        "Servers stand there, not people, but some companies and private networks send their people through "
        "them. Seventeen large providers are known."
    )
    save = "Save"
    counted = "Quarantined events that count from now on: {count}. What comes next counts, too."
    done: ClassVar[Mapping[str, str]] = {
        "refused": "Taken back. What comes from now on is quarantined; what was counted stays counted.",
        "options": "Saved. This applies to events that come from now on.",
    }
    back = "Back to {site}"
