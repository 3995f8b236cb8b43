"""The page of programs."""

from collections.abc import Mapping
from typing import ClassVar


class Bots:
    """Events that were held because a program seems to have sent them."""

    title = "Programs: {site}"
    heading = "Programs"
    lead = (
        "What seems to come from crawlers, monitors and scripts counts nowhere. It is kept here for 30 days, so that "
        "you can look at it and correct it."
    )
    held = "Held in the last 30 days"
    total = "{total} events"
    program = "Program"
    events = "Events"
    last = "Last seen"
    decide = "Decision"
    nameless = "Without a name"
    are_people = "These are people"
    are_people_label = "{name}, {reason}: these are people"
    empty_title = "Nothing is held"
    empty = "No program has sent events to {site} in the last 30 days, or none that this box knows."
    people = "Counted as people"
    people_lead = "Events of these count like everybody's. Taking one back holds what comes from then on."
    since = "Since"
    take_back = "Take back"
    take_back_label = "{name}, {reason}: take back"
    data_centres = "Data centres"
    data_centres_label = "Hold events from the addresses of data centres"
    data_centres_help = (
        "Servers are there rather than people, but some companies and private networks send their people through "
        "them. Seventeen large providers are known."
    )
    save = "Save"
    counted = "Held events that count from now on: {count}. What comes next counts, too."
    done: ClassVar[Mapping[str, str]] = {
        "refused": "Taken back. What comes from now on is held; what was counted stays counted.",
        "options": "Saved. It holds for events that come from now on.",
    }
    link = "Programs: look at what is held, and correct it"
    not_counted = "Everything that was not counted"
    back = "Back to {site}"
