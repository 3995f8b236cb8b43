"""The pages of monitors: the list, one monitor, the form, and maintenance."""

from collections.abc import Mapping
from typing import ClassVar, Final

from analytics_box.base.texts.link_pages import ConfirmationTexts


class MonitorList:
    """The list of monitors, and what all these pages share."""

    short = "Monitors"
    title = "Monitors"
    add = "New monitor"
    maintenance = "Maintenance"
    alarms = "Alarms"
    moving = "Import and export"
    tools = "More about monitors"
    find = "Find monitors"
    search = "Search"
    search_hint = "Name, URL or host"
    state = "State"
    any_state = "All states"
    tag = "Tag"
    any_tag = "All tags"
    group = "Group"
    any_group = "All groups"
    no_group = "Other monitors"
    submit = "Show"
    clear = "Clear"
    counted: ClassVar[Mapping[bool, str]] = {True: "1 monitor", False: "{count} monitors"}
    range = "{first}–{last} of {count}"
    later = "Next page"
    earlier = "Previous page"
    pages = "Pages of the list"
    summary = "How they are now"
    states: ClassVar[Mapping[str, str]] = {
        "up": "Up",
        "down": "Down",
        "degraded": "Degraded",
        "verifying": "Verifying",
        "maintenance": "Maintenance",
        "paused": "Paused",
        "unknown": "Unknown",
        "new": "Waiting",
    }
    since = "for {duration}"
    uptime_day = "24 hours"
    uptime_month = "30 days"
    response = "Response"
    response_help = "Average of the last 24 hours"
    uptime_help = "Uptime of the last {days}"
    day_bars = "The last 24 hours, by hour: {said}"
    empty_title = "No monitors yet"
    empty = "A monitor asks your website or server at intervals, keeps how it answered, and tells you when it is down."
    empty_viewer = "Nobody in this organization has set up a monitor yet."
    empty_search_title = "No matching monitors"
    empty_search = "No monitor of this organization matches. Remove a filter."
    every: ClassVar[Mapping[str, str]] = {
        "minute": "Every minute",
        "five_minutes": "Every 5 minutes",
        "ten_minutes": "Every 10 minutes",
        "thirty_minutes": "Every 30 minutes",
        "hour": "Every hour",
        "six_hours": "Every 6 hours",
        "twelve_hours": "Every 12 hours",
        "day": "Every day",
    }
    kinds: ClassVar[Mapping[str, str]] = {
        "http": "Website or API",
        "tcp": "TCP port",
        "dns": "DNS record",
        "tls": "Certificate",
        "ping": "Ping",
        "push": "Heartbeat",
    }
    done: ClassVar[Mapping[str, str]] = {
        "created": "The monitor is set up. Its first check is under way.",
        "saved": "Saved. The next check uses the new settings.",
        "deleted": "The monitor is deleted, and its checks with it.",
        "paused": "Paused. It is not checked until you resume it, and the time counts neither as up nor as down.",
        "resumed": "Resumed. It is being checked now.",
        "checked": "Checked just now.",
        "rotated": "It has a new address. The old one works no more.",
        "maintenance-made": "The maintenance is planned.",
        "maintenance-saved": "The maintenance is saved.",
        "maintenance-deleted": "The maintenance is deleted.",
        "maintenance-ended": "The maintenance is over. Checks count again.",
    }
    edit = "Edit"
    pause = "Pause"
    resume = "Resume"
    check = "Check now"
    delete_it = "Delete"
    cancel = "Cancel"
    delete: Final = ConfirmationTexts(
        "Delete {name}?",
        "{url} is checked no more, and its checks, its uptime and its alarms are removed. This cannot be undone.",
        "Delete {name}",
    )


class MonitorStats:
    """The page of a monitor."""

    title = "{name} · Monitors"
    outage = "Down"
    windows: ClassVar[Mapping[int, str]] = {1: "24 hours", 7: "7 days", 30: "30 days", 90: "90 days", 365: "365 days"}
    uptime = "Uptime"
    covered = "{percent} observed"
    since = "since {day}"
    metrics: ClassVar[Mapping[str, str]] = {
        "uptime_percentage": "Uptime",
        "downtime_seconds": "Downtime",
        "avg_response_time": "Response time",
        "p95_response_time": "95th percentile",
        "avg_ttfb": "First byte",
    }
    tabs: ClassVar[Mapping[str, str]] = {
        "codes": "Answers",
        "reasons": "Why checks failed",
        "phases": "Where the time goes",
    }
    counted = "Checks"
    # what a share is of
    shares: ClassVar[Mapping[str, str]] = {
        "count": "Share of all checks that passed or failed in this range.",
        "": "Share of the rows in this list.",
    }
    no_answer = "No answer"
    phases_counted = "On average"
    empty: ClassVar[Mapping[str, str]] = {
        "": "No checks in this range.",
        "phases": "Nothing was measured in this range.",
        "reasons": "No check has failed in this range.",
    }
    statuses: ClassVar[Mapping[int, str]] = {0: "Down", 1: "Up", 2: "Not confirmed"}
    phases: ClassVar[Mapping[str, str]] = {
        "dns": "DNS",
        "connect": "Connect",
        "tls": "TLS",
        "first_byte": "First byte",
        "transfer": "Transfer",
    }
    reasons: ClassVar[Mapping[str, str]] = {
        "refused": "Target not allowed",
        "dns": "Name not resolved",
        "connect": "No connection",
        "tls": "TLS or certificate",
        "timeout": "Too slow",
        "too_large": "Answer too large",
        "bad_answer": "Broken answer",
        "failed": "Failed",
        "assertion": "Not as expected",
        "late": "Heartbeat late",
        "": "Server error",
    }
    history = "Incidents and maintenance"
    history_help = "Times when the monitor was down, degraded, in maintenance or unknown in the selected range."
    history_cut = "The latest {shown} of {count} are listed."
    no_history = "No incidents in the selected range."
    state = "State"
    began = "Began"
    lasted = "Lasted"
    ongoing = "going on"
    checks = "Latest checks"
    check_columns: ClassVar[Mapping[str, str]] = {
        "time": "Time",
        "result": "Result",
        "code": "Answer",
        "total": "Duration",
        "address": "IP address",
        "error": "What was wrong",
    }
    no_checks = "No check yet. The first one comes within seconds."
    certificate = "Certificate"
    certificate_until = "valid until {when}"
    certificate_ends = "valid until {when} ({days} days)"
    certificate_one_day = "valid until {when} (1 day)"
    certificate_ended = "ended on {when}"
    certificate_bad = "not accepted: {when}"
    last_check = "Last check"
    next_check = "Next check"
    about = "About this monitor"
    facts: ClassVar[Mapping[str, str]] = {
        "kind": "What it is",
        "url": "Target",
        "interval": "Checked",
        "timeout": "Time limit",
        "expects": "Expected",
        "failures": "Down after",
        "successes": "Up after",
        "parent": "Depends on",
        "group": "Group",
        "tags": "Tags",
        "website": "Website",
        "created": "Created",
        "changed": "Changed",
    }
    failures: ClassVar[Mapping[bool, str]] = {True: "1 failed check", False: "{count} failed checks in a row"}
    successes: ClassVar[Mapping[bool, str]] = {True: "1 good check", False: "{count} good checks in a row"}
    below_500 = "any answer below 500"
    push_title = "Where to send heartbeats"
    push_help = (
        "Call this address at least every {every}. If nothing arrives in that time and {grace} more, the monitor is "
        "down. Add ?status=down&msg=… to report a failure."
    )
    push_new = "Give it a new address"
    fresh_title = "No figures yet"
    fresh = "After the first checks you see here how quickly it answers and how much of the time it is up."


class MonitorForm:
    """The form of a monitor."""

    new_title = "New monitor"
    edit_title = "Edit {name}"
    new_submit = "Create monitor"
    edit_submit = "Save changes"
    basics = "What is checked"
    kind = "Kind"
    kind_helps: ClassVar[Mapping[str, str]] = {
        "http": "Asks a URL and looks at the answer",
        "tcp": "Connects to a port",
        "dns": "Looks up a name",
        "tls": "Looks at a certificate",
        "ping": "Sends an echo request",
        "push": "Waits to be called by your job",
    }
    url = "URL"
    url_help = "Such as shop.example/health. Without http:// it gets https://."
    host = "Host"
    host_help = "A name or an IP address"
    port = "Port"
    record = "Record"
    server = "Name server"
    server_help = "An IP address. Empty: that of this server."
    send = "Text to send first"
    send_help = "Empty: nothing. \\r\\n stands for a line break."
    grace = "May be late by"
    grace_help = "Seconds"
    name = "Name"
    name_help = "Empty: its target."
    granularity = "Interval"
    timeout = "Time limit"
    timeout_help = "Seconds, 1 to 120. Empty: 60."
    request = "Request"
    method = "Method"
    headers = "Headers"
    headers_help = "One per line, as Name: value. They are stored encrypted and not shown again."
    headers_kept = "It has some, which are not shown. What you write here replaces them."
    body = "Body"
    user = "User"
    password = "Password"
    bearer = "Bearer token"
    secret_kept = "Stored. Write another one to replace it."
    forget = "Remove what is stored"
    redirects = "Redirects to follow"
    verify = "The certificate has to be valid"
    cache_bust = "Add a random query parameter, so that no cache answers"
    expects = "What is expected"
    expects_help = "Without a condition about the status, any answer below 500 is good."
    subject = "What"
    comparison = "Condition"
    value = "Value"
    property = "Of"
    property_help = "A JSON pointer such as /status, or the name of a header"
    level = "Otherwise"
    levels: ClassVar[Mapping[str, str]] = {"fail": "Down", "warn": "Degraded"}
    subjects: ClassVar[Mapping[str, str]] = {
        "status": "Status",
        "response_time": "Response time (ms)",
        "body": "Body",
        "json": "JSON value",
        "header": "Header",
        "certificate_days": "Days of the certificate",
        "record": "DNS record",
        "banner": "First line of the server",
    }
    comparisons: ClassVar[Mapping[str, str]] = {
        "equals": "is",
        "not_equals": "is not",
        "contains": "contains",
        "not_contains": "does not contain",
        "matches": "matches the pattern",
        "less_than": "is less than",
        "greater_than": "is greater than",
        "in": "is one of",
        "exists": "is there",
        "not_exists": "is not there",
    }
    assertion = "Condition {number}"
    add_assertion = "Add condition"
    remove_assertion = "Remove condition {number}"
    alerting = "When it counts as down"
    failures = "Failed checks in a row"
    failures_help = "Before it counts as down. A failed check is repeated within 30 seconds."
    successes = "Good checks in a row"
    successes_help = "Before it counts as up again."
    parent = "Depends on"
    no_parent = "Nothing"
    parent_help = "While that one is down, nobody is told about this one."
    order = "Group, tags and website"
    group = "Group"
    tags = "Tags"
    tags_help = "Separated by commas."
    website = "Website"
    no_website = "None"
    website_help = "Its overview shows when this monitor was down."
    json = "Keep values of JSON answers"
    json_modes: ClassVar[Mapping[str, str]] = {
        "off": "No",
        "auto": "Status and latency, as found",
        "manual": "These values",
    }
    json_fields = "JSON pointers"
    json_fields_help = "One per line, such as /database/latency."
    try_it = "Try it now"
    try_help = "Checks once with what is written here. Nothing is saved."
    tried = "What the check found"
    trying: ClassVar[Mapping[str, str]] = {"pass": "Good", "warn": "Degraded", "fail": "Failed"}
    total = "In all"
    answer = "Answer"
    saw = "Saw {seen}"
    held: ClassVar[Mapping[bool, str]] = {True: "holds", False: "does not hold"}
    no_url = "Write the URL that is to be checked"
    no_host = "Write a name or an IP address"
    no_port = "A port is a number from 1 to 65535"
    no_timeout = "Write 1 to 120 seconds"
    no_number = "Write a whole number"
    no_headers = "Write one header per line, as Name: value"
    wrong = "This cannot be taken: {message}"
    labels: ClassVar[Mapping[str, str]] = {
        "url": "URL",
        "host": "Host",
        "port": "Port",
        "name": "Name",
        "timeout": "Time limit",
        "headers": "Headers",
        "body": "Body",
        "user": "User",
        "password": "Password",
        "bearer": "Bearer token",
        "failuresToDown": "Failed checks in a row",
        "successesToUp": "Good checks in a row",
        "group": "Group",
        "tags": "Tags",
        "grace": "May be late by",
        "server": "Name server",
    }


class MaintenancePages:
    """Planned maintenance of monitors."""

    title = "Maintenance"
    lead = "While maintenance lasts, checks go on and nobody is told. The time counts neither as up nor as down."
    add = "Plan maintenance"
    new_title = "Plan maintenance"
    edit_title = "Edit {name}"
    submit = "Save"
    end_now = "End now"
    states: ClassVar[Mapping[str, str]] = {"active": "Now", "scheduled": "Planned", "over": "Over"}
    again = "{every} at {time} ({zone}), for {lasts}"
    monthly = "On day {day} of each month"
    no_name = "Enter a name"
    no_days = "Choose at least one day"
    no_number = "Write a whole number"
    no_date = "Write a date and a time"
    wrong = "This cannot be taken: {message}"
    next = "Next: {when}"
    until = "until {when}"
    calendar = "The next five weeks"
    whole_day = "all day"
    more = "and {count} more"
    today = "today"
    empty_title = "No maintenance planned"
    empty = "Plan the times in which you work on your servers, once or again and again."
    name = "Name"
    what = "Monitors"
    everything = "All monitors"
    some = "These monitors"
    groups = "Groups"
    tags = "Tags"
    when = "When"
    frequencies: ClassVar[Mapping[str, str]] = {
        "once": "Once",
        "daily": "Every day",
        "weekly": "Every week",
        "monthly": "Every month",
    }
    start = "Begins"
    end = "Ends"
    labels: ClassVar[Mapping[str, str]] = {
        "name": "Name",
        "all": "Monitors",
        "groups": "Groups",
        "tags": "Tags",
        "start": "Begins",
        "end": "Ends",
        "weekdays": "Days",
        "day": "Day of the month",
        "time": "At",
        "minutes": "Minutes",
        "until": "Last time",
    }
    at = "At"
    minutes = "Minutes"
    days = "Days"
    day_of_month = "Day of the month"
    zone = "Time zone"
    last = "Last time"
    last_help = "Empty: for ever."
    delete: Final = ConfirmationTexts(
        "Delete {name}?", "Checks in that time count again, and alarms are sent.", "Delete {name}"
    )


class MonitorMessages:
    """Alerts about monitors (wire 8.5)."""

    titles: ClassVar[Mapping[str, str]] = {
        "down": "Health check failed: {name}",
        "recovered": "Health check passed: {name}",
        "degraded": "Degraded: {name}",
        "flapping": "Changes all the time: {name}",
        "stable": "Stable again: {name}",
        "certificate": "The certificate ends in {days} days: {name}",
    }
    title_one_day = "The certificate ends in 1 day: {name}"
    texts: ClassVar[Mapping[str, str]] = {
        "down": "{name} is down. {error}",
        "recovered": "{name} is up again.",
        "degraded": "{name} answers, but not as it should. {error}",
        "flapping": "{name} goes up and down. You are told again when it has been stable for 12 checks.",
        "stable": "{name} has been stable for 12 checks.",
        "certificate": "Renew the certificate of {name} before it ends.",
    }
    no_error = "The last check failed."
    domain_title = "The registration of {domain} ends in {days} days"
    domain_title_one_day = "The registration of {domain} ends in 1 day"
    domain_text = "Renew {domain} with whoever registered it."
    domain_ends = "Ends on"
    domain_monitor = "Monitor"
    target = "Target"
    answer = "Answer"
    since = "Since"
    lasted = "{duration} before this message"


class MonitorFiles:
    """Monitors as files."""

    title = "Import and export"
    export = "Export"
    export_help = "All monitors and planned maintenance, without passwords, tokens and headers."
    import_ = "Import"
    import_help = (
        "A file of this box (YAML or JSON), a backup of Uptime Kuma (JSON) or a configuration of Gatus (YAML). "
        "Checking shows what would be taken over and what has no counterpart here; nothing is stored."
    )
    file = "File"
    try_it = "Check the file"
    import_it = "Import"
    update_it = "Import and update"
    no_file = "Choose a file"
    no_text = "This file is no text"
    too_large = "A file can have up to {most} MB"
    tried = (
        "{source}: {created} new, {updated} changed, {existing} there already, {failed} impossible. "
        "Nothing is stored yet."
    )
    imported = "{source}: {created} created, {updated} changed, {existing} left as they are, {failed} failed."
    sources: ClassVar[Mapping[str, str]] = {
        "analytics-box": "Analytics Box",
        "uptime-kuma": "Uptime Kuma",
        "gatus": "Gatus",
    }
    statuses: ClassVar[Mapping[str, str]] = {
        "created": "New",
        "updated": "Changed",
        "unchanged": "The same",
        "existing": "There already",
        "failed": "Impossible",
    }
    maintenance = "Maintenance"
    see = "See it"
