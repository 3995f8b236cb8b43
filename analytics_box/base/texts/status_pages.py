"""The pages in which an organization keeps its status pages, incidents and maintenances."""

from collections.abc import Mapping
from typing import ClassVar, Final

from analytics_box.base.texts.link_pages import ConfirmationTexts


class StatusPageList:
    """The list of status pages, and what all these pages share."""

    short = "Status"
    title = "Status pages"
    add = "New status page"
    cancel = "Cancel"
    open_public = "Open the page"
    tabs: ClassVar[Mapping[str, str]] = {
        "now": "Now",
        "components": "Components",
        "maintenances": "Maintenance",
        "history": "History",
        "subscribers": "Subscribers",
        "settings": "Settings",
    }
    tabs_label = "Parts of this status page"
    counted: ClassVar[Mapping[bool, str]] = {True: "1 component", False: "{count} components"}
    open_incidents: ClassVar[Mapping[bool, str]] = {True: "1 open incident", False: "{count} open incidents"}
    drafts: ClassVar[Mapping[bool, str]] = {True: "1 draft", False: "{count} drafts"}
    planned: ClassVar[Mapping[bool, str]] = {True: "1 planned maintenance", False: "{count} planned maintenances"}
    protected = "Password"
    not_indexed = "Not in search engines"
    report = "Report an incident"
    states: ClassVar[Mapping[str, str]] = {
        "operational": "Operational",
        "degraded_performance": "Degraded",
        "partial_outage": "Partial outage",
        "major_outage": "Major outage",
        "under_maintenance": "Maintenance",
        "unknown": "Unknown",
    }
    component_states: ClassVar[Mapping[str, str]] = {
        "operational": "Operational",
        "degraded_performance": "Degraded",
        "partial_outage": "Partial outage",
        "major_outage": "Down",
        "under_maintenance": "Maintenance",
        "unknown": "Unknown",
    }
    empty_title = "No status pages yet"
    empty = (
        "A status page shows your users how your services are, from your monitors, and what you do about it when "
        "something breaks."
    )
    empty_viewer = "Nobody in this organization has set up a status page yet."
    wrong = "This cannot be taken: {message}"
    done: ClassVar[Mapping[str, str]] = {
        "created": "The status page is online.",
        "saved": "Saved. The public page shows it now.",
        "deleted": "The status page is deleted.",
        "added": "Added. The public page shows it now.",
        "removed": "Removed from the page.",
        "moved": "Moved.",
        "published": "Published. The public page shows it now.",
        "drafted": "Saved as a draft. Nobody outside sees it.",
        "held": "The box does not publish it. You still can.",
        "updated": "The update is on the public page now.",
        "corrected": "Corrected. What it said before is kept here.",
        "incident-deleted": "The incident is deleted, and its updates with it.",
        "planned": "The maintenance is planned. The public page announces it.",
        "maintenance-saved": "The maintenance is saved.",
        "maintenance-cancelled": "The maintenance is cancelled. The page says so.",
        "subscribed": "A confirmation was sent. Messages come once it is confirmed.",
        "unsubscribed": "Removed. They get no more messages.",
        "template-saved": "The template is saved.",
        "template-deleted": "The template is deleted.",
        "uploaded": "The picture is on the public page now.",
        "picture-removed": "The picture is removed.",
        "transferred": "The status page belongs to the other organization now.",
    }


class StatusPageForm:
    """A new status page, and the settings of one with its preview."""

    new_title = "New status page"
    new_lead = "Give it a name and choose what it shows. Everything can be changed later."
    submit_new = "Create status page"
    submit = "Save"
    name = "Name"
    name_help = "As your users know you"
    slug = "Address"
    slug_help = "Small letters, digits and hyphens. Your page is at {address}"
    description = "Description"
    description_help = "A sentence or two above the components"
    monitors = "What it shows"
    monitors_help = "These monitors become components of the page."
    no_monitors = "You have no monitors yet. You can add components later and set their status by hand."
    look = "Look"
    theme = "Colours"
    themes: ClassVar[Mapping[str, str]] = {"": "As the visitor's device", "light": "Light", "dark": "Dark"}
    website = "Your website"
    website_help = "Linked at the top of the page; always https"
    support = "Support"
    support_help = "Where people get help; always https"
    zone = "Time zone"
    zone_help = "In which days begin and times are written. Days that are over stay as they were."
    pictures = "Pictures"
    logo = "Logo"
    logo_help = "PNG, JPEG or WebP. Shown 32 pixels high in place of the name."
    favicon = "Icon"
    favicon_help = "PNG. Shown in the tab of the browser."
    upload = "Upload"
    remove_picture = "Remove"
    who = "Who sees it"
    password = "Password"
    password_help = "Whoever looks has to type it. Programs send it with HTTP Basic."
    password_kept = "A password is set. Leave this empty to keep it."
    password_forget = "Remove the password, so that everybody can look"
    indexed = "Search engines may list this page"
    subscribable = "Visitors can subscribe to updates"
    domain = "Your own domain"
    domain_help = "A proven domain of your organization that leads to this box"
    no_domain = "None: it is at {address}"
    no_domains = "Verify a domain first, then the page can be there."
    prove = "Domains"
    automatic = "When a monitor goes down"
    automatic_label = "What the box does"
    automatic_help = "Monitors that this page shows, and whose outage is confirmed"
    policies: ClassVar[Mapping[str, str]] = {
        "off": "Do nothing by itself",
        "draft": "Write a draft, for you to publish",
        "publish": "Publish an incident after",
    }
    minutes = "Minutes until it is published"
    minutes_help = "An outage that is over sooner is not published. 0 publishes at once."
    no_minutes = "Write the minutes as a whole number from 0 to 1440"
    no_file = "Choose a picture"
    no_kind = "A page has a logo and a favicon"
    preview = "Preview"
    preview_show = "Show preview"
    preview_label = "The public page with what the form says"
    labels: ClassVar[Mapping[str, str]] = {
        "name": "Name",
        "slug": "Address",
        "description": "Description",
        "theme": "Colours",
        "websiteUrl": "Your website",
        "supportUrl": "Support",
        "timeZone": "Time zone",
        "logo": "Logo",
        "favicon": "Icon",
        "password": "Password",
        "domain": "Your own domain",
        "automaticIncidents": "What the box does",
        "publishAfterMinutes": "Minutes until it is published",
        "organization": "Organization",
    }
    more = "Transfer and delete"
    transfer = "Transfer to another organization"
    transfer_help = (
        "The other organization gets the addresses of all subscribers with the page. Monitors that belong to a website "
        "or are on another page cannot go along."
    )
    transfer_monitors = "Take the monitors along"
    transfer_submit = "Transfer"
    delete_it = "Delete this page"
    delete: Final = ConfirmationTexts(
        "Delete {name}?",
        "{url} answers no more. Its incidents, maintenances and subscribers are removed. This cannot be undone.",
        "Delete {name}",
    )


class StatusComponents:
    """The components of a status page, in their order."""

    title = "Components"
    lead = "What the page shows, from top to bottom."
    add = "Add"
    add_title = "Add to the page"
    add_monitor = "A monitor"
    add_manual = "A component without a monitor"
    add_manual_help = "You say how it is"
    add_group = "A group"
    choose = "Choose a monitor"
    all_shown = "All monitors are on the page."
    up = "Move {name} up"
    down = "Move {name} down"
    edit = "Edit"
    no_group = "No group"
    manual = "Set by hand"
    monitor = "Monitor"
    hidden = "Not shown: its monitor is gone"
    edit_title = "Edit {name}"
    edit_group_title = "Edit the group {name}"
    name = "Name"
    name_help = "Empty: as its monitor is called"
    description = "Description"
    group = "Group"
    status = "How it is now"
    shows = "What visitors see"
    show_url = "The host that is checked"
    show_uptime = "Uptime in percent"
    show_latency = "Response times"
    only_if_degraded = "Show it only while something is wrong with it"
    submit = "Save"
    remove = "Remove"
    remove_component: Final = ConfirmationTexts(
        "Remove {name} from the page?",
        "Visitors see it no more, and its days on this page are forgotten. Its monitor stays. Past incidents keep its "
        "name.",
        "Remove {name}",
    )
    remove_group: Final = ConfirmationTexts(
        "Remove the group {name}?", "Its components stay, in no group.", "Remove {name}"
    )
    labels: ClassVar[Mapping[str, str]] = {
        "name": "Name",
        "description": "Description",
        "group": "Group",
        "status": "How it is now",
        "monitor": "Monitor",
    }
    empty_title = "Nothing on the page yet"
    empty = "Add a monitor, or a component whose status you set by hand."


class IncidentConsole:
    """Current problems, and the updates about them."""

    title = "Now"
    components = "Components"
    open_title = "Open incidents"
    drafts_title = "Drafts"
    drafts_lead = "Only your organization sees these."
    nothing_title = "No open incidents"
    nothing = "When something breaks, tell your users here."
    in_trouble = "Not well, and no incident says so"
    report = "Report an incident"
    report_this = "Report"
    new_title = "Report an incident"
    what = "What is wrong"
    title_label = "Title"
    title_one = "{name} is not available"
    title_slow = "{name} is slow"
    title_some = "Problems with {names}"
    title_many = "Problems with several services"
    title_plain = "Problems with our service"
    message = "What do you want to say?"
    message_help = "Markdown works."
    empty_says = "Leave it empty to say: “{words}”"
    affected = "What is affected"
    affected_none = "All components are well. Choose what is affected."
    other_affected = "Something else as well?"
    nothing_affected = "The page has no components."
    impacts: ClassVar[Mapping[str, str]] = {
        "": "Not affected",
        "degraded": "Degraded",
        "partial": "Partial outage",
        "down": "Down",
    }
    more_fields = "Affected components, severity, title"
    affected_after = "How they are from now on. Once it is resolved, all are operational again."
    after_impacts: ClassVar[Mapping[str, str]] = {
        "": "Not affected",
        "operational": "Operational again",
        "degraded": "Degraded",
        "partial": "Partial outage",
        "down": "Down",
    }
    severity = "How bad it is"
    severities: ClassVar[Mapping[str, str]] = {"minor": "Minor", "major": "Major", "critical": "Critical"}
    severity_notes: ClassVar[Mapping[str, str]] = {
        "minor": "Some users notice",
        "major": "Many users notice",
        "critical": "The page says “outage”",
    }
    template = "Start from a template"
    use = "Use"
    none_written = "Your own words"
    publish = "Publish"
    save_draft = "Save as draft"
    notify = "Tell subscribers"
    told: ClassVar[Mapping[bool, str]] = {True: "1 subscriber is told.", False: "{count} subscribers are told."}
    not_told_now = "Nobody is told by message. The page shows it at once."
    nobody_told = "Nobody has subscribed, so nobody is told by message. The page shows it at once."
    more = "More"
    statuses: ClassVar[Mapping[str, str]] = {
        "investigating": "Investigating",
        "identified": "Identified",
        "monitoring": "Monitoring",
        "resolved": "Resolved",
        "postmortem": "Postmortem",
        "scheduled": "Planned",
        "in_progress": "In progress",
        "verifying": "Verifying",
        "completed": "Completed",
    }
    next_step = "What is next"
    next_help: ClassVar[Mapping[str, str]] = {
        "investigating": "We look for the cause",
        "identified": "We know the cause",
        "monitoring": "It works again, we watch it",
        "resolved": "It is over",
        "postmortem": "What happened and what we learned",
        "in_progress": "It has begun",
        "verifying": "Done, we check it",
        "completed": "It is over",
        "scheduled": "It is announced",
    }
    usual_words: ClassVar[Mapping[str, str]] = {
        "investigating": "We are looking into this. The next update follows here.",
        "identified": "We know the cause and are working on it.",
        "monitoring": "It works again. We keep watching it.",
        "resolved": "This is over. Everything works again.",
        "postmortem": "",
        "in_progress": "The maintenance has begun.",
        "verifying": "The work is done. We are checking that everything works.",
        "completed": "The maintenance is over.",
        "scheduled": "We will carry out maintenance in this time.",
    }
    say_more = "Another update"
    update = "Update"
    reopen = "Reopen"
    reopen_help = "It is back, within a day after it was resolved"
    updates = "What was said"
    by_box = "by the box"
    by = "by {who}"
    authors: ClassVar[Mapping[str, str]] = {
        "user": "somebody who has left",
        "apikey": "an API key",
        "demo": "the demo",
        "command line": "the command line",
    }
    change_draft = "Change it before you publish it"
    go_on = "Reopen it, or write a postmortem"
    sent: ClassVar[Mapping[bool, str]] = {True: "sent to 1 subscriber", False: "sent to {count} subscribers"}
    sending = "waiting to be sent to subscribers"
    reached_nobody = "no subscribers notified"
    not_sent = "not sent to subscribers"
    began = "since {when} ({duration})"
    ended = "{when}, lasted {duration}"
    draft = "Draft"
    draft_publishes = "The box publishes this at {when} unless the monitor is up again before."
    hold = "Do not publish it"
    draft_lead = "Only your organization sees this. Nobody is told until you publish it."
    from_monitor = "Opened by a monitor"
    correct = "Correct"
    correct_title = "Correct an update"
    correct_lead = "The page shows the new text at once. Nobody is told again, and the earlier text is kept here."
    correct_submit = "Save the correction"
    earlier = "Earlier texts"
    earlier_until = "until {when}"
    delete_it = "Delete"
    delete: Final = ConfirmationTexts(
        "Delete {name}?",
        "It disappears from the page with all its updates, as if it had never been. To end it, resolve it instead.",
        "Delete {name}",
    )
    comma = ", "
    affected_is = "{name}: {impact}"
    corrected = "corrected"
    impact_names: ClassVar[Mapping[str, str]] = {
        "operational": "operational",
        "degraded": "degraded",
        "partial": "partial outage",
        "down": "down",
        "maintenance": "maintenance",
    }
    from_monitor_button = "Report an incident"
    from_monitor_open = "See the incident"
    on_page = "{label} on {page}"
    history_title = "Past incidents"
    history_empty = "No incident yet."
    history_older = "All of it on the public page"
    history_more = "On the public page"
    templates_title = "Templates"
    templates_lead = "Words that are ready when something breaks. They fill in the form; you can still change them."
    template_name = "Name"
    template_title = "Title of the incident"
    template_message = "Message"
    template_add = "New template"
    template_submit = "Save template"
    template_edit_title = "Edit {name}"
    delete_template: Final = ConfirmationTexts(
        "Delete the template {name}?", "Incidents stay as they are.", "Delete {name}"
    )
    labels: ClassVar[Mapping[str, str]] = {
        "title": "Title",
        "message": "What do you want to say?",
        "severity": "How bad it is",
        "affected": "What is affected",
        "status": "What is next",
        "name": "Name",
    }


class MaintenancePlanner:
    """Maintenances that a status page announces."""

    title = "Maintenance"
    lead = (
        "The page announces it, says when it begins and ends by the clock, and shows the components as in maintenance."
    )
    add = "Plan maintenance"
    new_title = "Plan maintenance"
    edit_title = "Maintenance"
    name = "Title"
    name_hint = "Database upgrade"
    message = "What users should know"
    message_help = "Markdown works. Say what will not work, and for how long. Leave it empty to say: “{words}”"
    start = "Begins"
    end = "Ends"
    zone_note = "In the time zone of the page, {zone}"
    affected = "What is affected"
    notify = "Tell subscribers"
    submit = "Announce"
    save = "Save"
    current = "Now"
    planned = "Planned"
    past = "Over"
    when = "{start} – {end}"
    cancel_it = "Cancel the maintenance"
    cancel: Final = ConfirmationTexts(
        "Cancel {name}?", "The page and its subscribers are told that it is not going to be.", "Cancel the maintenance"
    )
    empty_title = "No maintenance planned"
    empty = "Plan the times in which you work on what the page shows. Visitors see it beforehand."
    monitors_note = "Alarms of monitors know nothing of this. Silence them under"
    monitors_link = "maintenance of monitors"
    labels: ClassVar[Mapping[str, str]] = {
        "title": "Title",
        "message": "What users should know",
        "start": "Begins",
        "end": "Ends",
        "affected": "What is affected",
    }
    no_date = "Write a date and a time"


class SubscriberPages:
    """The subscribers of a status page."""

    title = "Subscribers"
    lead = "They are told of each update that you publish, about the components they chose."
    counted: ClassVar[Mapping[bool, str]] = {True: "1 subscriber", False: "{count} subscribers"}
    waiting: ClassVar[Mapping[bool, str]] = {True: "1 has not confirmed yet", False: "{count} have not confirmed yet"}
    address = "E-mail address or webhook"
    kinds: ClassVar[Mapping[str, str]] = {"email": "E-mail", "webhook": "Webhook"}
    kind = "By"
    everything = "All components"
    states: ClassVar[Mapping[bool, str]] = {True: "Confirmed", False: "Not confirmed yet"}
    since = "Since"
    about = "About"
    add = "Add"
    add_title = "Add a subscriber"
    add_help = "They get a message and have to confirm it."
    add_address = "E-mail address, or URL of a webhook"
    remove = "Remove"
    this_one = "this subscriber"
    waits: ClassVar[Mapping[bool, str]] = {True: "1 message waits", False: "{count} messages wait"}
    later = "Next page"
    secret = "The secret with which messages to this webhook are signed. It is not shown again once it has confirmed."
    export = "Export as CSV"
    empty_title = "Nobody has subscribed yet"
    empty = "Visitors subscribe on the public page, by e-mail or webhook."
    off = "Visitors cannot subscribe: it is switched off in the settings of the page."
    remove_one: Final = ConfirmationTexts(
        "Remove {name}?", "They get no more messages. They can subscribe again on the page.", "Remove {name}"
    )
    labels: ClassVar[Mapping[str, str]] = {"address": "E-mail address, or URL of a webhook"}
