"""Notifications to subscribers of a status page, and the pages to subscribe, choose and leave."""

from collections.abc import Mapping
from typing import ClassVar


class StatusSubscribers:
    """Mails. Names in {braces} are filled in with str.format."""

    statuses: ClassVar[Mapping[str, str]] = {
        "investigating": "Investigating",
        "identified": "Identified",
        "monitoring": "Monitoring",
        "resolved": "Resolved",
        "postmortem": "Postmortem",
        "scheduled": "Scheduled",
        "in_progress": "In progress",
        "verifying": "Verifying",
        "completed": "Completed",
    }
    impacts: ClassVar[Mapping[str, str]] = {
        "operational": "operational",
        "degraded": "degraded",
        "partial": "partial outage",
        "down": "down",
        "maintenance": "under maintenance",
    }
    sender = "{page} status"
    subject = "[{page}] {status}: {title}"
    when = "{status} · {time}"
    planned = "Planned: {start} to {end}"
    affected = "Affected"
    component = "- {name}: {impact}"
    recovered = "- {name}"
    details = "Details: {url}"
    kinds: ClassVar[Mapping[str, str]] = {"incident": "Incident update", "maintenance": "Maintenance update"}
    open: ClassVar[Mapping[str, str]] = {"incident": "View incident", "maintenance": "View maintenance"}
    foot = "You are receiving this email because you subscribed to status updates from {page}."
    choose = "Manage your subscription or unsubscribe:"
    manage = "Manage subscription"
    leave = "Unsubscribe"
    confirm_subject = "Confirm your subscription to a status page"
    confirm_title = "Confirm your subscription"
    confirm_lead = "Someone, hopefully you, asked to receive status updates from {page} at this address."
    confirm_action = "Confirm subscription"
    confirm_note = "Open the link within 48 hours."
    confirm_foot = (
        "If it wasn't you, ignore this email. You won't receive any others, and this address will be deleted."
    )
    manage_subject = "Your subscription to a status page"
    manage_title = "You are already subscribed"
    manage_lead = (
        "Someone, hopefully you, subscribed this address to status updates from {page} again. It is already subscribed."
    )
    manage_action = "Manage subscription"
    manage_note = "Choose which updates you receive, or unsubscribe."
    manage_foot = "If it wasn't you, ignore this email. Nothing has changed."


class SubscribePages:
    """The pages on which visitors of a status page subscribe, choose and leave."""

    title = "Subscribe to updates"
    lead = "Hear of incidents and maintenances of {page} when they begin, change and end."
    address = "E-mail address, or address of a webhook"
    address_webhook = "Address of a webhook"
    address_help = (
        "You get a mail with a link to confirm it. A webhook, like https://example.com/hook, gets a signed POST with "
        "JSON, first of all a challenge that it has to answer."
    )
    address_help_webhook = (
        "It gets a signed POST with JSON, first of all a challenge that it has to answer. This page sends no e-mail."
    )
    components = "What you want to hear of"
    all_components = "Everything on this page"
    some_components = "Only what concerns these components:"
    submit = "Subscribe"
    sent_title = "Look into your mailbox"
    sent = (
        "If this address is not subscribed yet, a link to confirm it is on its way. It works for 48 hours. If it is, "
        "there is a link to your subscription in every mail that you got."
    )
    closed_title = "No subscriptions"
    closed = "This page takes no subscriptions."
    full = "This page takes no more subscribers at the moment. Its feeds tell the same."
    manage_title = "Your subscription"
    unconfirmed = "Confirm that {address} is to hear from {page}."
    confirm = "Confirm"
    confirmed = "Confirmed: {address} hears from {page} from now on."
    subscribed = "{address} hears from {page}."
    save = "Save"
    saved = "Saved."
    leave = "Unsubscribe"
    leave_lead = "You get no further message, and the address is removed at once."
    left_title = "Unsubscribed"
    left = "You get no further message from {page}, and the address is removed."
    unknown_title = "This link is no longer valid"
    unknown = "It was used to unsubscribe, it is older than 48 hours and was not confirmed, or it is not complete."
    again = "Subscribe again"
    challenge = "Challenge"
    challenge_lead = (
        "The box sends a POST with a challenge to this address. Answer it with a status of 200 and the challenge: as "
        "text, or as JSON like {example}. Then the webhook is confirmed."
    )
    signing = "Signing secret"
    signing_help = (
        "Messages are signed with it, as Standard Webhooks describes. Keep it: it is shown for an hour, or until the "
        "webhook is confirmed where that takes longer."
    )
    challenge_waits = "The challenge has not been answered yet."
    challenge_failed = "The last try failed: the address did not answer with the challenge."
    challenge_too_often = "The challenge was sent again a moment ago; try again later"
    challenge_again = "Send the challenge again"
    taken = (
        "This address gets messages already. Each of them has a link with which the subscription is changed or ended."
    )
    no_email = "This page sends no e-mail. Enter the address of a webhook, like https://example.com/hook"
    wrong_choice = "Choose at least one component, or everything"
    too_often = "Too many subscriptions were asked for; try again later"
