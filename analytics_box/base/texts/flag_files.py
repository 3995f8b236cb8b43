"""Feature flags as files: what an import makes, and what an export cannot say."""

from collections.abc import Mapping
from typing import ClassVar


class FlagFiles:
    """Words of the page for files. Values stand in braces where the sentence has them."""

    short = "Import"
    title = "Import and export"
    export = "Export"
    export_help = "All flags with their target groups. Rules name people: keep the file as you keep your other secrets."
    own_form = "Download for a box"
    flagd_form = "Download for flagd"
    check_flagd = "What flagd cannot say"
    of = "For"
    environment = "Environment"
    all_environments = "All"
    no_environment = "None"
    export_notes = "What a file of flagd cannot say"
    nothing_lacks = "It can say everything."
    import_ = "Import"
    import_help = (
        "A file of this box, of flagd, or an export of Unleash, GrowthBook or LaunchDarkly (JSON). Checking shows what "
        "would be made and what has no counterpart here; nothing is stored. Users keep what they have: each flag draws "
        "as the product did that it comes from."
    )
    file = "File"
    format = "Whose file"
    formats: ClassVar[Mapping[str, str]] = {
        "": "As it looks",
        "analytics-box": "Analytics Box",
        "unleash": "Unleash",
        "growthbook": "GrowthBook",
        "launchdarkly": "LaunchDarkly",
        "flagd": "flagd",
        "flagd-v3": "flagd-v3 (third version of fractional)",
    }
    to_environment = "Into the environment"
    to_environment_help = "Empty: none, or of a file of this box those that it says."
    source_environment = "Environment of the file"
    source_environment_help = "Only if the file has several."
    try_it = "Check the file"
    import_it = "Import"
    replace_it = "Import and replace"
    no_file = "Choose a file"
    no_text = "This file is no text"
    too_large = "A file can have up to {most} MB"
    tried = (
        "{source}: {created} new, {updated} changed, {unchanged} the same, {existing} there already, {failed} "
        "impossible. Nothing is stored yet."
    )
    imported = (
        "{source}: {created} created, {updated} changed, {unchanged} the same, {existing} left as they are, {failed} "
        "failed."
    )
    inactive: ClassVar[Mapping[bool, str]] = {
        True: "1 flag is inactive, because something that decides who gets what has no counterpart here.",
        False: "{count} flags are inactive, because something that decides who gets what has no counterpart here.",
    }
    more = "{count} more flags are not listed here."
    sources: ClassVar[Mapping[str, str]] = {
        "analytics-box": "Analytics Box",
        "unleash": "Unleash",
        "growthbook": "GrowthBook",
        "launchdarkly": "LaunchDarkly",
        "flagd": "flagd",
        "flagd-v3": "flagd",
    }
    statuses: ClassVar[Mapping[str, str]] = {
        "created": "New",
        "updated": "Changed",
        "unchanged": "The same",
        "existing": "There already",
        "failed": "Impossible",
    }
    group = "Target group"
    see = "See it"
