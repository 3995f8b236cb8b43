"""Reasons why schedules of feature flags end, and their entries in the history of a flag."""


class FlagSchedules:
    """Words of schedules. Names in {braces} are filled in with str.format."""

    deleted = "The flag is deleted."
    archived = "The flag is archived."
    no_rollout = "The flag is no rollout any more."
    switched_off = "The flag was switched off after the step before, so no further step is done."
    switched_off_before = "The flag was switched off before the first step, so no step is done."
    by_hand_before = "The percentage was changed by hand before the first step, so no step is done."
    by_hand = "The percentage was changed by hand after the step before, so no further step is done."
    refused = "It could not be done: {message}"
    kept_off = "The flag stays off, because it needs flags that are not active: {flags}."
    note = "By schedule"
