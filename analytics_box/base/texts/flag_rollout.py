"""The rollout of a feature flag: its share of users, who changes by another one, and what is scheduled."""

from collections.abc import Mapping
from typing import ClassVar


class FlagRollout:
    """Words of the rollout page. Values stand in braces where the sentence has them."""

    share = "Share of users"
    share_of: ClassVar[Mapping[str, str]] = {
        "user": "Share of users",
        "organization": "Share of organizations",
        "team": "Share of teams",
    }
    share_help = "Whoever has the flag keeps it when you raise the share. Rules above the share are not touched."
    no_share = (
        "This flag has no share of users: it is the same for everybody whom no rule fits. Edit it to make it a rollout."
    )
    now = "Now {percent}"
    preview = "Show who changes"
    save = "Save {percent}"
    save_plain = "Save"
    note = "Note"
    note_help = "For the history of the flag, for example why."
    who = "Who changes"
    who_help: ClassVar[Mapping[bool, str]] = {
        True: "The one visitor whom {where} has identified of late, taken as a user of your app.",
        False: "The {count} visitors whom {where} has identified of late, taken as users of your app.",
    }
    of_website = "the website"
    of_organization = "your websites"
    nobody = (
        "No visitor has been named yet, so the box cannot say who changes. Name signed-in users with identify, under "
        "the ID that your app asks flags with."
    )
    not_by_user = (
        "This flag draws organizations or teams. The box knows which people there are, but not what they belong to, so "
        "it cannot say who changes."
    )
    members_only = "Members of the organization see here who changes by another share."
    have = "Have it now"
    would = "With {percent}"
    gain = "Gain it"
    lose = "Lose it"
    unchanged = "Nobody of them changes."
    samples = "For example"
    more = "and {count} more"
    not_active = "The flag is not active, so nobody has it now. This is how it would be if it was."
    not_a_share = "Write a number from 0 to 100"
    schedule = "Schedule"
    schedule_help = "The box does it at that time, also while nobody looks. All times are in {zone}."
    to_come = "To come"
    over = "Over"
    nothing_to_come = "Nothing is scheduled."
    kinds: ClassVar[Mapping[str, str]] = {
        "enable": "Activate the flag",
        "disable": "Deactivate the flag",
        "update_rollout": "Share of users",
    }
    switch_at = "{at}: {what}"
    step_at = "{at}: {percent}"
    ramp = "{steps} steps from {start} at {first} to {end} at {last}"
    done_steps = "{done} of {steps} done, next {next}"
    ended = "Done {at}"
    failed = "Ended {at}. {error}"
    by = "Made {at}"
    cancel = "Cancel"
    cancel_label = "Cancel: {what}"
    done: ClassVar[Mapping[str, str]] = {
        "scheduled": "It is scheduled.",
        "cancelled": "It is cancelled. What was done of it stays.",
    }
    add: ClassVar[Mapping[str, str]] = {
        "switch": "Activate or deactivate at a time",
        "step": "Set the share at a time",
        "ramp": "Raise the share evenly",
    }
    action = "What"
    at = "When"
    percentage = "Share in percent"
    start = "From percent"
    end = "To percent"
    starts = "Starts"
    ends = "Ends"
    every = "A step each"
    every_help = "The first step is at the start, the last one at the end. Up to 200 steps."
    everies: ClassVar[Mapping[str, str]] = {
        "10": "10 minutes",
        "60": "Hour",
        "360": "6 hours",
        "1440": "Day",
        "10080": "Week",
    }
    submit = "Schedule"
    no_time = "Say when"
    archived = "The flag is archived. Activate it before you schedule something."
    wrong = "This cannot be scheduled: {message}"
