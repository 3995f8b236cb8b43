"""The list of websites, their settings, and the line to paste."""

from collections.abc import Mapping
from typing import ClassVar


class Sites:
    """The list of websites and the page that adds one."""

    title = "Websites"
    add = "Add website"
    visitors = "visitors"
    visitors_one = "visitor"
    range = "last 7 days"
    sparkline = "Visitors per day, last 7 days"
    search = "Search websites"
    search_submit = "Search"
    clear = "Show all"
    sort = "Sort by"
    sorts: ClassVar[Mapping[str, str]] = {
        "visitors": "Visitors",
        "change": "Change",
        "online": "Online now",
        "name": "Name",
        "newest": "Newest",
    }
    total = "{total} websites"
    found = "{found} of {total} websites"
    found_none_title = "No website has this name or domain"
    found_none = "Search for a part of either, or show all."
    change_help = "Against the week before, up to the same time of day"
    unchanged = "as the week before"
    young = "no week before yet"
    pages = "Further websites"
    earlier = "Previous page"
    later = "Next page"
    waiting = "Waiting for the first event"
    empty_title = "No websites yet"
    empty = "Add one, paste a line of HTML into its pages, and see its visitors here."
    empty_member = "Admins and owners of your organization can add one."
    new_title = "Add a website"
    new_lead = "You will get one line of HTML to paste into its pages."
    name_help = "What you call it."
    new_submit = "Add website"
    cancel = "Cancel"


class SiteSettings:
    """The settings of a website."""

    short = "Website settings"
    in_bar = "Settings"
    dropped_in_bar = "Dropped"
    heading = "Website settings"
    title = "{site} · {tab}"
    general = "General"
    tracking = "Tracking"
    dropped = "Dropped traffic"
    bots = "Bots"
    sharing = "Sharing"
    danger = "Danger"
    saved = "Saved."
    save = "Save changes"
    name_and_domain = "Name and domain"
    website_id = "Website id"
    website_id_of = "Website id of {site}"
    website_id_help = "How the API calls this website."
    read_only = "Admins and owners of your organization can change these."
    domain_help = "Pages of this domain and its subdomains may send events."
    public = "Anybody may see its figures"
    sharing_lead = "Nobody but your organization sees its figures unless you share them here."
    public_help = (
        "Anybody who knows its id can ask for totals and for names of pages, sources and events, never for single "
        "visits. Off unless you want that."
    )
    public_values = "Publish what its events carried, too"
    public_values_help = (
        "Anybody can then also read the values of event properties, the messages of errors, and the addresses and "
        "texts of outgoing links. Where your pages put e-mail addresses or names there, you publish them. Counts only "
        "together with the box above."
    )
    what_counts = "What counts"
    tracking_help = "One entry per line. An empty field has no effect."
    lists: ClassVar[Mapping[str, tuple[str, str, str]]] = {
        "allowedOrigins": (
            "Further origins that may send",
            "Other places your pages are shown, like https://app.example.net or *.example.net. With any entry here, "
            "events have to come from a browser page: those without an Origin header are refused.",
            "https://app.example.net",
        ),
        "allowedIps": (
            "Only these IP addresses may send",
            "Addresses or ranges like 203.0.113.0/24. Everybody else is refused, so this suits an intranet.",
            "203.0.113.0/24",
        ),
        "ignoredIps": (
            "Ignored IP addresses",
            "Visits from here are not counted: your office, your own connection.",
            "203.0.113.7",
        ),
        "ignoredPaths": (
            "Ignored paths",
            "Pages that are not counted. A star stands for anything: /admin/* is /admin and all below it.",
            "/admin/*",
        ),
        "ignoredTrackingOrigins": (
            "Ignored origins",
            "Copies of your site that are not counted, like a staging server.",
            "https://staging.example.com",
        ),
    }
    visitor_ids = "Visitor ids"
    visitor_modes: ClassVar[Mapping[str, tuple[str, str]]] = {
        "auto": (
            "Take the id that a client sends",
            "The script sends none, so its visitors are distinguished by a hash that is new each day. Your own code "
            "may send one.",
        ),
        "cookieless": (
            "Cookieless only",
            "Ids of visitors and sessions that clients send are dropped when they arrive.",
        ),
    }
    retention = "Keep events for"
    retention_help = (
        "Days. Older events are removed within a few hours and cannot be brought back. Empty keeps them for ever."
    )
    number_wrong: ClassVar[Mapping[str, str]] = {
        "dataRetentionDays": "Write a number of days from 1 to {most}, or leave it empty",
        "hourlyTexts": "Write a number of texts from 1 to {most}, or leave it empty",
        "hourlyMegabytes": "Write a number of megabytes from 1 to {most}, or leave it empty",
    }
    hourly_texts = "New texts per hour"
    hourly_texts_help = (
        "New paths, titles, event names and the like that visitors may bring in an hour. Events beyond that count, and "
        "what is new in them is (other). One address may bring a fifth. Empty: {usual}."
    )
    hourly_megabytes = "Megabytes per hour"
    hourly_megabytes_help = "The same in megabytes of new texts and of properties. Empty: {usual}."
    unlimited = "no bound"
    client_id = "Client id"
    snippet = "Snippet"
    snippet_help = "The line for your pages. Its client id is the name under which the script sends events."
    rotated = "The client id is new. Paste the line below into your pages in place of the old one."
    rotate = "Rotate client id"
    rotate_help = (
        "If somebody sends false events under your client id, give your pages a new one. The old one is accepted for "
        "{days} more days, so that you have time to change your pages. Keys and addresses of the API stay as they are."
    )
    old = "Old client ids"
    old_accepted = "accepted until {day}"
    old_ended = "not accepted since {day}"
    old_seen = "last used {time}"
    old_unseen = "not used since the rotation"
    delete = "Delete website"
    delete_help = (
        "It stops taking events at once. For {days} days you can restore it from the list of websites; "
        "then its events are removed for good."
    )
    delete_help_now = "It stops taking events at once, and its events are removed for good within the hour."
    delete_confirm = "Type {name} to confirm"
    delete_wrong = "Type the website's name, {name}, exactly as it is"
    transfer = "Transfer website"
    transfer_title = "{site} · Transfer"
    transfer_help = "Give it to another organization of yours, with its settings and all its events."
    transfer_lead = "It moves at once, with its settings and all its events."
    transfer_consequences = (
        "Trackers go on sending; nothing on your pages has to change.",
        "Members of the other organization see its figures, and members of this one no longer do.",
        "API keys of this organization do not reach it any more.",
    )
    transfer_to = "Goes to"
    transfer_confirm = "Type {domain} to confirm"
    transfer_confirmation = "Confirmation"
    transfer_wrong = "Type the website's domain, {domain}, exactly as it is"
    transfer_unchosen = "Choose an organization in which you are an admin or owner"
    transfer_nowhere_title = "There is nowhere to go"
    transfer_nowhere = (
        "A website can go to another organization in which you are an admin or owner, and there is none yet. "
        "You can create one in the settings."
    )
    transfer_nowhere_link = "Organizations"
    transfer_cancel = "Cancel"
    moved = "The website belongs to {organization} now."
    moved_switch = "Switch to {organization}"
    deleted = "Deleted websites"
    deleted_until = "can be restored until {day}"
    restore = "Restore"


class Snippet:
    """The line to paste, and the wait for the first event."""

    title = "Paste this line into your pages"
    lead = "Put it into the <head> of every page of {domain}. It sets no cookie and stores nothing in the browser."
    label = "Snippet for {domain}"
    waiting = "Waiting for the first event"
    waiting_help = "Open a page that has the line. This page turns into the overview by itself."
    waiting_plain = "Open a page that has the line, then reload this page."
    local = "Visits from localhost are counted, because this website's domain is localhost."
    summary = "Snippet to paste"
    meanwhile = "Meanwhile"
    example = "Look around in an example"
    example_help = "It adds a website with 90 days of made-up visits, which you can delete whenever you like."
    import_links = "Import short links"
