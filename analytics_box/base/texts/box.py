"""The page of the program itself, and what administrators are warned of."""

from collections.abc import Mapping
from typing import ClassVar


class TheBox:
    """The page of the program itself."""

    title = "This box"
    lead = "The program that serves these pages, for all organizations on it."
    attention = "To look after"
    calm = "Nothing needs your attention."
    more = "What to do"
    version = "Version"
    started = "Running since"
    uptime = "{started} ({duration})"
    days = "{days} days"
    size = "Size"
    files: ClassVar[Mapping[str, str]] = {"box.db": "Accounts and settings", "events.db": "Events"}
    megabytes = "{number} MB"
    gigabytes = "{number} GB"

    disk = "Disk"
    disk_free = "Free"
    disk_free_of = "{free} of {total}"
    disk_used = "{percent} of the disk are used"
    growth = "Growth"
    per_day = "{size} a day"
    no_growth = "It does not grow"
    full = "Full"
    full_in = "in about {days} at this pace"
    full_never = "Not at this pace"
    full_late = "Not within ten years at this pace"
    not_known = "Not known yet: the size is written down each day, and three days tell"

    databases = "Databases"
    databases_lead = "What waits here is waiting now. A queue that stays long means that the disk is too slow."
    database = "Database"
    log = "Write-ahead log"
    writes = "Writes waiting"
    reads = "Reads"
    failing = "Cannot be written"
    held = "{reads} ({held} wait for the log)"

    queries = "Queries"
    queries_lead = (
        "Once there are many events, the box keeps them a second time, column by column, to answer faster. That copy "
        "is made from the events and can be deleted at any time."
    )
    engine = "Answered by"
    engines: ClassVar[Mapping[str, str]] = {
        "sqlite": "SQLite",
        "duckdb": "DuckDB",
        "clickhouse": "ClickHouse",
    }
    replica = "Column replica"
    states: ClassVar[Mapping[str, str]] = {"off": "None", "building": "Being made", "ready": "Ready"}
    facts: ClassVar[Mapping[str, str]] = {
        "rows": "Rows in it",
        "behind": "Rows still to come",
        "alone": "Rows that only ClickHouse has",
        "orders": "Removals that wait for ClickHouse",
        "memory": "Memory it holds",
        "size": "Size on disk",
    }

    messages = "Messages and checks"
    messages_lead = "Waiting messages, and monitors by state. All other counts are since the last start."
    outbox = "Recipients"
    outboxes: ClassVar[Mapping[str, str]] = {
        "channels": "Alert channels",
        "subscribers": "Subscribers",
        "primary": "The primary",
    }
    waiting = "Waiting"
    oldest = "oldest {duration}"
    receivers = "Failing"
    arrived = "Delivered"
    given_up = "Given up"
    monitors = "Monitors"
    monitors_of = "{count} {state}"
    monitor_states: ClassVar[Mapping[str, str]] = {
        "new": "not checked yet",
        "up": "up",
        "degraded": "degraded",
        "verifying": "being rechecked",
        "down": "down",
        "unknown": "unknown",
        "maintenance": "in maintenance",
        "paused": "paused",
    }
    no_monitors = "None"
    registries = "Domain registries"
    lookups = "{answered} lookups answered, {failed} failed"

    machines = "Ingest machines"
    machines_lead = "The machines that take events. They ask this one every three seconds which websites there are."
    machine = "Machine"
    heard = "Last heard"
    never_heard = "Not since the start"
    rows_behind = "Rows still to come"
    standing = "Standing"
    silent_machine = "Says nothing"
    stale_machine = "Has not the latest settings"
    undone_machine = "Has people to remove"
    fine_machine = "Up to date"

    jobs = "Jobs"
    jobs_lead = "What the box does on its own. A job that fails runs again; the log says more about it."
    jobs_fine = "{count} jobs, and none failed since the start"
    jobs_failed: ClassVar[tuple[str, str]] = (
        "{count} jobs, of which {failed} failed since the start",
        "{count} jobs, of which one failed since the start",
    )
    job = "Job"
    last = "Last run"
    next = "Next run"
    runs = "Runs"
    not_yet = "Not since the start"
    not_planned = "Not planned"
    now = "Now"
    ago = "{duration} ago"
    ahead = "in {duration}"
    took = "took {duration}"
    no_time = "less than 0.1 s"
    every = "every {duration}"
    failed: ClassVar[tuple[str, str]] = ("{count} failed", "one failed")
    last_error = "Last error: {error}"


class Warnings:
    """Warnings to administrators: the problem, and what to do.

    No names and no addresses are in here, because support bundles have these texts.
    """

    damage = "Damaged: {files}. Stop the box and restore a backup of both databases."
    trouble = "The box cannot do its work: {why}."
    disk_low = "Only {free} MB of the disk are free. Below {least} MB events are refused: make room."
    disk_soon: ClassVar[tuple[str, str]] = (
        "At the pace of the last days the disk is full in {count} days. Make room, or keep events for fewer days.",
        "At the pace of the last days the disk is full in a day. Make room, or keep events for fewer days.",
    )
    clock = "The clock jumped ahead lately, so nothing old is removed for a day. Set it right if it is wrong."
    backups: ClassVar[Mapping[str, str]] = {
        "failed": "The last backup failed. The page of the box says why.",
        "never": "This box has never been backed up.",
        "overdue": "The last backup is too old.",
    }
    network: ClassVar[tuple[str, str]] = (
        "The box has been cut off from the internet or a private network for {count} minutes. Checks of monitors "
        "there are unknown, and no alerts are sent.",
        "The box has been cut off from the internet or a private network for a minute. Checks of monitors there are "
        "unknown, and no alerts are sent.",
    )
    clickhouse: ClassVar[tuple[str, str]] = (
        "ClickHouse has been unavailable for {count} minutes. See the log for the reason.",
        "ClickHouse has been unavailable for a minute. See the log for the reason.",
    )
    without_clickhouse: ClassVar[Mapping[str, str]] = {
        "sqlite": "SQLite answers queries in the meantime, which takes longer.",
        "nothing": "Queries fail until it is back, because it has the events of all machines. No event is lost.",
        "unasked": "Events are kept on this machine until it is back.",
    }
    machines: ClassVar[tuple[str, str]] = (
        "The ingest machines {numbers} say nothing: what they have taken may be missing from figures.",
        "The ingest machine {numbers} says nothing: what it has taken may be missing from figures.",
    )
    clickhouse_lacks = (
        "ClickHouse cannot be used: {what}. Restore your backup of it. Until then recent events are answered from here."
    )
    proxy = (
        "The proxy {proxy} sends client addresses but is not trusted, so all its visitors share its IP address. Add it "
        "to trusted_proxies."
    )
    proxy_unreadable = (
        "The proxy {proxy} does not send IP addresses for all clients, so some visitors share its IP address. "
        "Configure it to send the client's address in X-Forwarded-For or Forwarded."
    )
    socket_proxy = "at the Unix socket"
    open_folder = "Other users of this machine can look into the data directory. Give it the mode 0700."
    certificate_unread = "The certificate of tls_certificate cannot be read."
    certificate_over = "The certificate has ended: browsers refuse the box. Renew it."
    certificate_soon: ClassVar[tuple[str, str]] = (
        "The certificate ends in {count} days. Renew it.",
        "The certificate ends in a day. Renew it.",
    )
    channels: ClassVar[tuple[str, str]] = (
        "{count} alert channels have failed for 15 minutes or longer, so alerts are not delivered. See Integrations "
        "for the errors.",
        "An alert channel has failed for 15 minutes or longer, so alerts are not delivered. See Integrations for the "
        "error.",
    )
    subscribers: ClassVar[tuple[str, str]] = (
        "Emails to {count} subscribers of status pages have failed for 15 minutes or longer. Check the mail server.",
        "Emails to a subscriber of a status page have failed for 15 minutes or longer. Check the mail server.",
    )
    refused_monitors: ClassVar[tuple[str, str]] = (
        "{count} monitors check private networks that are not open to their organization. Open them under Settings, "
        "Organization, Private networks.",
        "A monitor checks a private network that is not open to its organization. Open it under Settings, "
        "Organization, Private networks.",
    )
    log = (
        "A write-ahead log has {size} MB: something reads a database without a pause. Look for another program that "
        "has it open."
    )
    jobs = "These jobs failed again and again: {jobs}. The log says why."
