"""Alert channels, the mail server, domains, and what new websites and invitations start with."""

from collections.abc import Mapping
from typing import ClassVar


class IntegrationTexts:
    """The pages of alert channels, and of the mail server."""

    title = "Integrations"
    channels = "Alert channels"
    lead = (
        "Where the box reports what happens: alarms of uptime monitors and of websites use the channels that are "
        "switched on."
    )
    add = "Add a channel"
    choose = "What kind of channel?"
    empty_title = "No channels yet"
    empty = "Add one to hear from this box by e-mail, in a chat, or by webhook."
    read_only = "Owners and admins can add and change channels."
    on = "On"
    off = "Off"
    switch_on = "Switch on"
    switch_off = "Switch off"
    test = "Send a test"
    edit = "Edit"
    delete = "Delete"
    rotate = "New signing secret"
    never = "Nothing was sent yet."
    sent = "Last message arrived {when}."
    failed = "Last attempt failed {when}: {error}"
    waiting = "{count} waiting to be sent again"
    one_waiting = "1 waiting to be sent again"
    cancel = "Cancel"
    back = "Back to integrations"
    name = "Name"
    name_help = "How you will recognize it, such as “On call”."
    keep = "{help} Leave it empty to keep what is there."
    remove = "Remove what is there: {field}"
    deliveries = "What was sent"
    no_mail = "No mail server is set up, so nothing can be sent to it yet."
    new_title = "New channel: {kind}"
    edit_title = "Edit channel"
    new_submit = "Add channel"
    edit_submit = "Save"
    made_title = "The webhook is ready"
    rotated_title = "The new signing secret"
    secret = "Signing secret of {name}"
    secret_once = (
        "Copy it now: it is shown only this once. The receiver checks with it that a request is from this box."
    )
    secret_how = (
        "Requests are signed as Standard Webhooks describes: the header webhook-signature holds an HMAC-SHA-256 of "
        "webhook-id, webhook-timestamp and the body. Any of its libraries checks it."
    )
    delete_title = "Delete channel"
    delete_text = "{name} gets no messages any more, and what waits for it is dropped."
    rotate_text = (
        "Requests to {name} are signed with a new secret from now on. The receiver refuses them until it has it."
    )
    tested = "The test arrived at {name}."
    test_failed = "The test did not arrive at {name}: {error}"
    test_title = "Test from Analytics Box"
    test_text = "This channel works. The message was sent to try it from {url}; there is nothing to do."
    done: ClassVar[Mapping[str, str]] = {
        "added": "The channel was added. Send a test to see whether it works.",
        "saved": "Saved.",
        "on": "The channel is switched on.",
        "off": "The channel is switched off.",
        "deleted": "The channel was deleted.",
    }
    mail = "Mail server"
    mail_off = (
        "No mail is sent: the box has no mail server. Whoever looks after it sets smtp_host and the settings beside it."
    )
    mail_on = "Mail comes from {sender}."
    mail_server = "Server"
    mail_security = "Security"
    mail_sender = "Sender"
    securities: ClassVar[Mapping[str, str]] = {
        "starttls": "switches to TLS before anything is sent",
        "tls": "TLS from the start",
        "none": "none: mail and password go in clear",
    }
    mail_settings = "It is set in the box's settings (smtp_…), and changes when the box starts again."
    mail_test = "Send a test mail to {email}"
    mail_sent = "The test mail is on its way to {email}."
    mail_failed = "The test mail was not sent: {error}"


class DeliveryTexts:
    """The page of what a channel was sent lately."""

    title = "Sent to {name}"
    lead = "The messages of the last 30 days, the newest first. Tests are not among them."
    empty_title = "Nothing was sent yet"
    empty = "Messages appear here as soon as something happens that this channel is told of."
    sent = "Arrived {when} ({attempts})."
    failed = "Given up {when} ({attempts}): {error}"
    waiting = "Tried again {when} ({attempts} so far): {error}"
    new = "Waits to be sent."
    one_attempt = "1 attempt"
    attempts = "{count} attempts"
    retry = "Try again now"
    retried = "It is being tried again."
    newest = "Newest"
    older = "Older"
    back = "Back to integrations"


class Domains:
    """The page of an organization's own domains."""

    title = "Domains"
    lead = (
        "Domains that belong to this organization, for short links and status pages of its own. Verifying one reserves "
        "it: no other organization of this box can use it, and mail may be sent to its addresses. Short links can then "
        "be served on it."
    )
    add = "Add a domain"
    domain = "Domain"
    domain_help = "Like go.example.com. An international name works too."
    submit = "Add domain"
    without_proof = "Add it without proof: you administer this box"
    empty_title = "No domains yet"
    empty = "Add the first one and prove that it is yours by a DNS record."
    read_only = "Owners and admins can add and remove domains."
    pending = "Not verified"
    verified = "Verified"
    by_dns = "Proven by its TXT record {when}."
    by_administrator = "Added by the administrator of this box {when}."
    how = "Create this record where your DNS is managed, then check:"
    record_type = "Type"
    record_name = "Name"
    record_value = "Value"
    check = "Check now"
    checked = "Looked at {when}: {error}."
    remove = "Remove"
    remove_title = "Remove domain"
    remove_text = "{domain} does not belong to this organization any more. Another one may then prove it."
    done: ClassVar[Mapping[str, str]] = {
        "added": "The domain is on the list. Create its TXT record, then check.",
        "trusted": "The domain belongs to this organization now.",
        "verified": "The domain is verified and belongs to this organization now.",
        "removed": "The domain was removed.",
    }
    not_yet: ClassVar[Mapping[str, str]] = {"unproven": "The record does not prove the domain yet."}


class DefaultsTexts:
    """The page of what new websites and invitations start with."""

    title = "Defaults"
    lead = "What new websites and invitations of this organization start with. Those that exist stay as they are."
    role = "Role of invited members"
    role_help = "Proposed when somebody is invited."
    websites = "New websites"
    visitor_ids = "Visitor ids"
    modes: ClassVar[Mapping[str, str]] = {
        "auto": "Use the ids that pages and servers send",
        "cookieless": "Cookieless: drop the ids that are sent",
    }
    retention = "Keep events for"
    retention_help = "Days, 1 to 3650; empty keeps them for ever."
    retention_wrong = "Write a number of days from 1 to 3650, or nothing"
    days = "{days} days"
    for_ever = "for ever"
    read_only = "Owners and admins can change these."
    submit = "Save"
    done: ClassVar[Mapping[str, str]] = {"saved": "Saved. It counts for what is made from now on."}


class BackupNotices:
    """Notices to administrators of the box about its backups, on every page and on that of the box."""

    failed = "The last backup to {place} failed: {error}"
    never = "This box has never been backed up."
    overdue = "The last backup is {days} days old."
    title = "Backups"
    lead = "The last backups, and those that were made before an upgrade. The manual says how to restore one."
    none = "There has been no backup yet. Set backup_to, or run analytics-box backup."
    whole = "{name}, {size}"
    key_in_clear = "Contains secret.key unencrypted. Set backup_passphrase_file to encrypt backups."
    failed_row = "Failed: {error}"
    when = "When"
    what = "Backup"


class ChannelMessages:
    """The messages about alert channels that fail."""

    failing_title = "Alerts cannot be delivered: {name}"
    failing_text = (
        "The {kind} channel {name} has failed for 15 minutes or longer. Waiting messages: {waiting}. "
        "Latest error: {error}"
    )
    working_title = "Alerts are delivered again: {name}"
    working_text = "The channel {name} works again. Waiting messages are being sent."
