"""Alarms: their pages, and the words of their messages."""

from collections.abc import Mapping
from typing import ClassVar


class Alarms:
    """The pages of alarms, and what channels are told."""

    title = "Alarms"
    lead = "What this box tells you on its own: outages of monitors, and traffic that is not as usual."
    add = "New alarm"
    empty_title = "No alarms yet"
    empty = "Create one to hear when a monitor is down, or when the traffic of a website rises or falls."
    empty_channels = "Add an alert channel first: e-mail, a chat or a webhook. Then choose here what it is told."
    add_channel = "Add a channel"
    read_only = "Owners and admins can create and change alarms."
    open_title = "Going on now"
    since = "{name}. Since {when}, for {duration}."
    acknowledge = "Acknowledge"
    acknowledged = "Acknowledged {when}: no reminders, no escalation."
    on = "On"
    off = "Off"
    switch_on = "Switch on"
    switch_off = "Switch off"
    edit = "Edit"
    test = "Send a test"
    delete = "Delete"
    never = "Nothing was told yet."
    last = "Last told {when}."
    to = "Tells {channels}"
    to_nobody = "No channel is left: choose where it leads."
    escalates = "after {duration} also {channels}"
    channel_off = "{name} (switched off)"
    channels_link = "Alert channels"
    cancel = "Cancel"
    new_title = "New alarm"
    edit_title = "Edit alarm"
    new_submit = "Create alarm"
    edit_submit = "Save"
    name = "Name"
    name_help = "How you will recognize it, such as “Shop is down”."
    description = "Description"
    trigger = "What should it tell?"
    trigger_help = "For each kind, only the fields of its own part below count."
    website = "Website"
    any_website = "All websites"
    website_help = "Of monitors: only those that belong to this website."
    uptime = "Monitors"
    uptime_help = (
        "Without a choice it is about all monitors. Else about each that is ticked, or in a group, or has a tag."
    )
    monitors_more = "Only the first {count} monitors are listed; use groups or tags for the others."
    monitors_none = "There are no monitors yet."
    groups = "Groups"
    tags = "Tags"
    commas = "Separated by commas."
    there_are = "There are:"
    events = "Tell when a monitor"
    traffic = "Traffic"
    threshold = "Threshold in percent"
    threshold_help = (
        "Spike: by how much more (usually 100). Drop: by how much less (50). Errors: share of sessions (5)."
    )
    minutes = "Window in minutes"
    minutes_help = "15 to 1440; 60 if left empty."
    min_visitors = "At least so many visitors"
    min_visitors_help = "Fewer say too little: 30 if left empty. Of error rates: sessions."
    silence = "Hours of silence"
    silence_help = "Before a first event; 24 if left empty."
    destinations = "Where to"
    no_channels = "There is no alert channel yet."
    at_once = "At once"
    on_escalation = "On escalation"
    not_told = "Not told"
    while_it_lasts = "While it lasts"
    reminder = "Remind every … minutes"
    reminder_help = "Until it is over or somebody acknowledges it. Empty for no reminders."
    escalate = "Escalate after … minutes"
    escalate_help = "Then the channels of the escalation are told, too."
    quiet = "Quiet hours"
    quiet_help = "Nothing is sent then. What happened is told when they end; what is over by then in one line."
    start = "From"
    end = "To"
    zone = "Time zone"
    zone_help = "Like Europe/Berlin."
    days = "On these days only"
    through_down = "Outages are told all the same"
    number_wrong = "Write a whole number from {least} to {most}, or leave it empty"
    percent_wrong = "Write a number of percent above 0 and up to {most}, such as 5 or 12.5, or leave it empty"
    escalate_wrong = "Say after how many minutes the channels of the escalation are told"
    events_wrong = "Tick at least one"
    clock_wrong = "Write a time of day such as 22:00, in both fields"
    zone_wrong = "This time zone is not known; write it like Europe/Berlin"
    list_wrong = "At most 100 names of at most 100 characters"
    website_gone = "A website that is gone"
    delete_title = "Delete alarm"
    delete_text = "{name} tells nobody any more. Its channels stay."
    tested = "The test arrived: {channels}."
    test_failed = "The test did not arrive. {errors}"
    test_title = "Test alert from Analytics Box"
    test_text = "This is a test of the alert rule “{name}”. Nothing has happened."
    done: ClassVar[Mapping[str, str]] = {
        "created": "The alarm was created. Send a test to see whether it arrives.",
        "saved": "Saved.",
        "on": "The alarm is switched on.",
        "off": "The alarm is switched off.",
        "deleted": "The alarm was deleted.",
        "acknowledged": "Acknowledged: nobody is reminded of it any more.",
    }
    triggers: ClassVar[Mapping[str, str]] = {
        "uptime": "Outages of monitors",
        "traffic_spike": "Traffic spike",
        "traffic_drop": "Traffic drop",
        "error_rate": "Error rate",
        "first_event": "First event after silence",
    }
    triggers_help: ClassVar[Mapping[str, str]] = {
        "uptime": "A monitor is down, or up again.",
        "traffic_spike": "Many more visitors than usual at this time.",
        "traffic_drop": "Far fewer visitors than usual at this time.",
        "error_rate": "Too many sessions meet an error.",
        "first_event": "A website sends events again, or for the first time.",
    }
    whats: ClassVar[Mapping[str, str]] = {
        "down": "is down",
        "recovered": "is up again",
        "degraded": "is degraded",
        "flapping": "goes up and down all the time",
        "stable": "is stable again",
        "certificate": "has a certificate near its end",
        "domain": "has a domain whose registration ends",
    }
    day_names: ClassVar[Mapping[str, str]] = {
        "mon": "Mon",
        "tue": "Tue",
        "wed": "Wed",
        "thu": "Thu",
        "fri": "Fri",
        "sat": "Sat",
        "sun": "Sun",
    }
    limits: ClassVar[Mapping[str, str]] = {
        "traffic_spike": "{threshold} % more than usual in {window}",
        "traffic_drop": "{threshold} % less than usual in {window}",
        "error_rate": "more than {threshold} % of the sessions of {window}",
    }
    after_silence = "after {duration} without an event"
    of_all = "all monitors"
    of_some = "{count} monitors"
    of_one = "1 monitor"
    of_group = "group {names}"
    of_tag = "tag {names}"

    # messages
    reminder_title = "Still going on: {title}"
    escalation_title = "Escalated: {title}"
    resolved_title = "Over: {title}"
    lasts = "It has lasted for {duration}."
    days_text = "{count} d"
    hours_text = "{count} h"
    minutes_text = "{count} min"
    quiet_title = "{count} things happened during the quiet hours of {name}"
    quiet_title_one = "Over already: 1 thing happened during the quiet hours of {name}"
    still = "Still going on, since {at}: {title}"
    over = "Over, {at} to {until}: {title}"
    happened = "At {at}: {title}"
    more = "And {count} more"
    spike_title = "More traffic than usual: {website}"
    spike_text = "{visitors} visitors in the last {window}; {expected} are usual at this time."
    drop_title = "Less traffic than usual: {website}"
    drop_text = "{visitors} visitors in the last {window}; {expected} are usual at this time."
    errors_title = "Many errors: {website}"
    errors_text = "{share} % of {sessions} sessions met an error in the last {window}; {threshold} % are the limit."
    first_title = "Events arrive again: {website}"
    first_text = "The first event after more than {hours} hours without one."
    first_ever_title = "The first event has arrived: {website}"
    first_ever_text = "The website sends events now."
    visitors_field = "Visitors"
    usual_field = "Usual"
    share_field = "Sessions with errors"
