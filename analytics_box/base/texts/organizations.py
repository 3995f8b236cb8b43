"""An organization, its members and the invitations to it."""

from collections.abc import Mapping
from typing import ClassVar


class OrganizationTexts:
    """An organization's settings, and turning to another one."""

    title = "Organization"
    name = "Name"
    slug = "Short name"
    slug_help = "Letters a–z, digits and hyphens."
    zone = "Time zone of new members"
    zone_help = (
        "Like Europe/Berlin. Whoever is invited starts with it unless their browser names another; empty for UTC."
    )
    plan = "Error tracking"
    plans: ClassVar[Mapping[str, str]] = {"free": "Off: nobody can ask for errors", "hobby": "On"}
    plan_help = "Only the administrator of this box can change it."
    networks = "Private networks"
    networks_help = (
        "Private networks that monitors, alert channels and pictures of this organization can reach. Enter all, none, "
        "or a list such as 192.168.1.0/24. The networks must be part of the setting allowed_private_targets."
    )
    submit = "Save"
    read_only = "Your role here is {role}. Owners and admins can change these settings."
    more = "More organizations"
    more_help = (
        "Websites, members and keys of another organization are apart from those of this one. You will be its owner."
    )
    new_name = "Name of the new organization"
    new_submit = "Add organization"
    danger = "Danger zone"
    leave = "Leave this organization"
    leave_help = "You lose access to its websites. An owner or admin can invite you again."
    leave_text = "You will lose access to its websites at once. An owner or admin can invite you again."
    leave_last_text = (
        "You will lose access to its websites at once. It is your only organization, so you will be signed out and "
        "cannot sign in until somebody invites you again."
    )
    logo = "Logo"
    logo_alt = "Logo of {name}"
    logo_help = "A PNG, JPEG or WebP picture of at most 512 KB; square ones look best. Members see it beside the name."
    logo_none = "There is no logo yet."
    logo_file = "Picture"
    logo_submit = "Upload"
    logo_delete = "Remove logo"
    transfer = "Transfer ownership"
    transfer_help = "Another member becomes the owner, and you stay as an admin."
    transfer_lead = (
        "The new owner can do everything here, also delete the organization and remove you. You will be an admin; "
        "only the new owner can change that."
    )
    transfer_to = "New owner"
    transfer_none = "Nobody else belongs to this organization."
    transfer_none_help = "Invite somebody first; then you can hand it over."
    choose = "Choose a member"
    choose_member = "Choose the member who will be the owner"
    to_members = "Members"
    type_name = "Type {name} to confirm"
    delete = "Delete this organization"
    delete_help = "Its websites, keys and members are refused at once. You can restore it for {days} days."
    delete_help_now = "Its websites, keys, members and events are gone at once, and nobody can restore them."
    delete_title = "Delete {name}"
    delete_now = "From that moment, {name} is closed:"
    delete_websites: ClassVar[Mapping[bool, str]] = {
        True: "Its website takes no events any more, and its figures cannot be seen.",
        False: "Its {count} websites take no events any more, and their figures cannot be seen.",
    }
    delete_keys = "Its API keys are refused."
    delete_members: ClassVar[Mapping[bool, str]] = {
        True: "One other member loses access.",
        False: "{count} other members lose access.",
    }
    delete_stranded: ClassVar[Mapping[bool, str]] = {
        True: "One of them belongs to no other organization and cannot sign in.",
        False: "{count} of them belong to no other organization and cannot sign in.",
    }
    delete_until = (
        "Until {until} an owner can restore it, under Settings, Organization of another one. After that its websites "
        "with all events, its keys, members and invitations are removed for good; the audit log stays."
    )
    delete_for_good = (
        "Its websites with all events, its keys, members and invitations are removed for good; the audit log stays."
    )
    delete_last = "This is your only organization."
    delete_last_help = (
        "Without one you could not sign in to restore it. Add or join another organization first, then delete this one."
    )
    deleted = "Deleted organizations"
    deleted_help = "They take no events and answer nobody. When their time is over, all that was theirs is removed."
    deleted_until = "can be restored until {until}"
    restore = "Restore"
    confirm = "Yes, continue"
    cancel = "Cancel"
    current = "This organization"
    switch = "Your organizations"
    done: ClassVar[Mapping[str, str]] = {
        "saved": "Saved.",
        "made": "The organization is ready. Add its first website.",
        "logo": "The logo was uploaded.",
        "logo-deleted": "The logo was removed.",
        "deleted": "The organization was deleted. It can be restored below.",
        "restored": "The organization is back, with everything that was in it.",
    }
    roles: ClassVar[Mapping[str, str]] = {"owner": "Owner", "admin": "Admin", "member": "Member", "viewer": "Viewer"}
    test_subject = "Analytics Box can send mail"
    test_text = "This message was sent to try the mail server of {url}. There is nothing to do.\n"


class Members:
    """The people of an organization."""

    title = "Members"
    list = "Members"
    joined = "since {when}"
    you = "You"
    role_of = "Role of {email}"
    set_role = "Set role"
    remove = "Remove member"
    remove_short = "Remove"
    remove_label = "Remove {email}"
    remove_text = "{email} will lose access to this organization at once."
    invite = "Invite somebody"
    invite_help = "They get a link that works once, for 7 days."
    role = "Role"
    role_help = "Viewers read, members also set up tracking, admins change everything but owners."
    submit = "Create invitation"
    link = "Link for {email}"
    link_help = "Send them this link now. You will not be able to see it again, and anyone who has it can join."
    mailed = "The invitation was emailed to {email}."
    not_mailed = "The invitation could not be emailed to {email}. Check the mail server, then invite them again."
    unconfirmed = "Unconfirmed"
    unconfirmed_help = "This email address has not been confirmed."
    confirm = "Confirm address"
    waiting = "Waiting invitations"
    until = "until {when}"
    expired = "expired {when}"
    revoke = "Revoke"
    revoke_label = "Revoke the invitation of {email}"
    done: ClassVar[Mapping[str, str]] = {
        "revoked": "The invitation does not work any more.",
        "role": "The role was changed.",
        "confirmed": "The email address was confirmed.",
        "removed": "The member was removed.",
        "transferred": "The organization has a new owner, and you are an admin now.",
    }


class Invitations:
    """The page behind an invitation's link, and the letter that brings it."""

    title = "Join {organization}"
    lead = "You were invited as {role}."
    new = "Choose a password; you will sign in with {email}."
    known = "There is an account with {email}. Sign in to accept."
    stranded = "There is an account with {email}. Enter its password to accept, then sign in."
    wrong = "This is not the password of the account"
    other = "The invitation is for {email}, and you are signed in as {own}. Sign out and open the link again."
    as_you = "You are signed in as {own}."
    accept = "Accept invitation"
    sign_in = "Sign in to accept"
    letter_subject = "Invitation to Analytics Box"
    letter = (
        "{inviter} invites you to {organization} on {host}, where its web analytics are.\n\n"
        "Open this link to join; it works once, for 7 days:\n{url}\n\n"
        "If you do not expect this message, ignore it.\n"
    )
