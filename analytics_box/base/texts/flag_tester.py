"""The tester of a feature flag: what somebody gets, and why, step by step."""

from collections.abc import Mapping
from typing import ClassVar


class FlagTester:
    """Words of the tester. Values stand in braces where the sentence has them."""

    lead = "What does a user get, and why? Nothing is saved or counted here."
    fields: ClassVar[Mapping[str, str]] = {
        "userId": "User ID",
        "email": "Email",
        "organizationId": "Organization ID",
        "teamId": "Team ID",
        "properties": "Properties",
        "environment": "Environment",
    }
    properties_help = 'A JSON object, for example {"plan": "pro", "seats": 12}.'
    no_properties = 'Write a JSON object with quotes around names and texts, for example {"plan": "pro"}'
    too_long = "This is too long"
    no_environment = "None: apps that name none"
    submit = "Try it"
    answer = "Answer"
    steps = "How it came to that"
    steps_help = "In the order in which the box looks. The last line decided."
    anonymous = "Somebody unknown"
    gets = " gets → "
    gets_nothing = " gets no answer"
    on = "on"
    off = "off"
    variant = "variant "
    reasons: ClassVar[Mapping[str, str]] = {
        "DEPENDENCY_NOT_SATISFIED": "because a flag that this one needs is not as it must be.",
        "USER_RULE_MATCH": "because {step} fits.",
        "TARGET_GROUP_MATCH": "because a rule of the target group {name} fits.",
        "MULTIVARIANT_EVALUATED": "because no rule fits, and this variant was drawn for them.",
        "ROLLOUT_ENABLED": "because no rule fits, and they are among the {percent} who have it.",
        "ROLLOUT_DISABLED": "because no rule fits, and they are not among the {percent} who have it.",
        "BOOLEAN_DEFAULT": "because no rule fits, and this is for everybody else.",
        "DEFAULT_VALUE": "because the flag is inactive, and this is its off value.",
    }
    no_flag = "There is no active flag with this key for them there. Apps use what they have in their code."
    not_active = "The flag is not active, so nobody gets this now. This is what they would get if it was."
    other_flag = "For this user another flag with the same key decides."
    value = "Value"
    payload = "Payload"
    reason = "Reason"
    fits = "Fits"
    fits_not = "Does not fit"
    needed_active = " is active"
    needed_inactive = " is not active, but must be"
    needed_gives = " gives "
    needed_gives_not = ", as needed"
    needed_wrong = ", which is not enough"
    nobody = "Nobody"
    rule = "Rule {number}"
    named = "{step} ({name})"
    group_rule = "Target group {name}, rule {number}"
    default = "Everybody else"
    off_value = "Off value"
    rollout = "Share of users"
    variants = "Assignment of a variant"
    all_of = "All of these"
    any_of = "At least one of these"
    none_of = "None of these"
    group = "Is in the target group "
    nothing = "A condition that cannot be read"
    it_is = " · it is "
    not_given = " · it is not given"
    drawn = "{who} stands at {drawn} of 100"
    drawn_inside = "{drawn}, and who is from {start} to {end} is in"
    drawn_outside = "{drawn}, and only who is from {start} to {end} is in"
    drawn_place = "{who} was drawn for place {place} of {of}"
