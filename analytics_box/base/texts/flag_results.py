"""The result of an experiment: what came of each variant of a flag."""

from collections.abc import Mapping
from typing import ClassVar


class FlagResults:
    """The page of a flag's result."""

    choose = "What to look at"
    conversion = "Success is the event"
    conversion_hint = "signup"
    conversion_help = "A custom event that visitors send after they were given a variant."
    range = "Range"
    submit = "Show"
    failed = "The figures could not be read in time. Try again, or choose a shorter range."
    empty_title = "Nobody was given this flag in this range"
    empty = (
        "Pages say what they were given with the event $flag_evaluated. Send it where the variant is shown: the SDK "
        "sends it only for a flag that it fetches on its own. Server code sends it with the visitor's anonymousId."
    )
    title = "Result"
    nobody = "Nobody was given one of its variants."
    alone = "All visitors were given the same, so there is nothing to compare."
    choose_first = "Choose an event above to see which variant leads to more of it."
    none = "Nobody sent “{event}” after they were given a variant."
    better = (
        "“{variant}” leads to more “{event}” than “{control}”, and that is more than chance: between {low} and {high}."
    )
    worse = (
        "“{variant}” leads to less “{event}” than “{control}”, and that is more than chance: between {low} and {high}."
    )
    unclear = "No difference that is more than chance so far. It may show with more visitors, or there may be none."
    points = "{number} points"
    unequal = (
        "The shares are not as they should be. By chance that happens {chance}, so something else is at work: a "
        "redirect, an error in one variant, a change of the flag within these days. Do not trust this result."
    )
    less_than = "less than once in {number} times"
    once_in = "about once in {number} times"
    changed = (
        "The flag was changed on {moment}. If its shares or rules were, look only at the days since, or start anew."
    )
    no_shares: ClassVar[Mapping[str | None, str]] = {
        "changed": "The flag had other shares, rules or needs within these days, so that the shares cannot be judged.",
        "not_by_chance": "Not the draw alone decides who gets what, so that the shares cannot be judged.",
    }
    no_variant = "No variant"
    not_given: ClassVar[Mapping[bool, str]] = {
        True: "1 visitor got none of the variants: the flag was off for them, or the SDK had no answer. They are in no "
        "share and no comparison.",
        False: "{count} visitors got none of the variants: the flag was off for them, or the SDK had no answer. They "
        "are in no share and no comparison.",
    }
    failures = (
        "The SDK says “false” as well where it had no answer: too many requests, an error, no such flag. That cannot "
        "be told from a flag that is off."
    )
    mixed: ClassVar[Mapping[bool, str]] = {
        True: "1 visitor was given several variants and is in no rate.",
        False: "{count} visitors were given several variants and are in no rate.",
    }
    several = (
        "With {count} variants, more is asked of each difference, because one of many looks good by chance sooner."
    )
    few = "There are few visitors or events so far. Such a result changes quickly."
    peeking = (
        "Decide how long the experiment runs before you start it. Whoever looks every day and stops at the first "
        "difference finds one by chance far more often than once in twenty times."
    )
    days = "Without lasting visitor ids a visitor is one of a day: what they do on a later day does not count."
    environments = "This key is also a flag of other environments. Events do not say which one a visitor was given."
    variant = "Variant"
    control = "All others are compared with it"
    visitors = "Visitors"
    share = "{share} of visitors"
    expected = "should be {share}"
    conversions = "With the event"
    rate = "Rate"
    interval = "{low} to {high}"
    interval_label = "Rate {rate}, with 95 % between {low} and {high}"
    difference = "Against {control}"
    unknown = "–"
    more_than_chance = "More than chance"
    maybe_chance = "May be chance"
    definition = "What these figures mean"
