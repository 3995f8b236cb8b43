"""The pages of feature flags: what a flag does in words, the list, a flag's own page, its form, and target groups."""

from collections.abc import Mapping
from typing import ClassVar, Final

from analytics_box.base.texts.link_pages import ConfirmationTexts


class FlagWords:
    """Decisions of a flag, as sentences. Values are in braces."""

    attributes: ClassVar[Mapping[str, str]] = {
        "user_id": "User ID",
        "email": "Email",
        "organization_id": "Organization ID",
        "team_id": "Team ID",
    }
    operators: ClassVar[Mapping[str, str]] = {
        "equals": "is",
        "not_equals": "is not",
        "in": "is one of",
        "not_in": "is none of",
        "contains": "contains",
        "not_contains": "does not contain",
        "starts_with": "starts with",
        "ends_with": "ends with",
        "exists": "is given",
        "not_exists": "is not given",
        "greater": "is greater than",
        "greater_or_equal": "is at least",
        "less": "is less than",
        "less_or_equal": "is at most",
        "before": "is before",
        "after": "is after",
        "version_equals": "is version",
        "version_greater": "is a version after",
        "version_greater_or_equal": "is at least version",
        "version_less": "is a version before",
        "version_less_or_equal": "is at most version",
        "matches": "matches the pattern",
        "not_matches": "does not match the pattern",
        "ip_in": "is an IP address in",
        "ip_not_in": "is an IP address outside",
        "has_type": "has the type",
    }
    only_one: ClassVar[Mapping[str, str]] = {"in": "is", "not_in": "is not"}  # of lists of a single value
    any_of = "any of"
    only: ClassVar[Mapping[str, str]] = {"text": " (only text values)", "number": " (only number values)"}
    comma = ", "
    or_last = " or "
    more: ClassVar[Mapping[bool, str]] = {True: "1 more", False: "{count} more"}
    joined: ClassVar[Mapping[str, str]] = {"all": " and ", "any": " or ", "none": " or "}
    none_of = "none of these: "
    nothing: ClassVar[Mapping[str, str]] = {"all": "anybody", "any": "nobody", "none": "anybody"}
    open_bracket = "("
    close_bracket = ")"
    in_group = "in the target group "
    unknown_group = "(deleted)"
    share = "among {percent} of users"
    part = ", for {percent} of them"
    part_from = ", for {start} to {percent} of them"
    own_draw = " by a draw of its own"
    everybody = "Everybody"
    everybody_else = "Everybody else"
    turns = " → "
    on = "on"
    off = "off"
    variant = "variant "
    only_user = "Only for the user "
    needs_active = " must be active"
    needs_on = " must be on"
    needs_off = " must be off"
    needs_variant = " must give "
    else_off = "; else off"
    otherwise = "; else "
    off_means = "Users with the flag off get "
    resting = "The flag is inactive. Everyone gets its off value: "
    group_rules = "Target group "
    share_of_users: ClassVar[Mapping[str, str]] = {
        "user": "{percent} of users",
        "organization": "{percent} of organizations",
        "team": "{percent} of teams",
    }
    rest_off = ", the rest "
    no_variants = "no variant yet"
    weight = " ({percent})"
    inactive = "Nobody gets it: the flag is inactive, so that apps use what they have in their code."
    archived = "Nobody gets it: the flag is archived, so that apps use what they have in their code."


class FlagList:
    """The list of flags, and what all these pages share."""

    short = "Flags"
    title = "Feature flags"
    add = "New flag"
    groups = "Target groups"
    tools = "More about flags"
    find = "Find flags"
    search = "Search"
    search_hint = "Key, name or description"
    of = "Website"
    any_of = "All websites"
    whole_organization = "{name} (organization)"
    status = "Status"
    any_status = "Not archived"
    statuses: ClassVar[Mapping[str, str]] = {"active": "Active", "inactive": "Inactive", "archived": "Archived"}
    only_stale = "Stale"
    type = "Type"
    any_type = "All types"
    types: ClassVar[Mapping[str, str]] = {
        "boolean": "On or off",
        "rollout": "Rollout",
        "multivariant": "Variants",
    }
    environment = "Environment"
    any_environment = "All environments"
    no_environment = "No environment"
    folder = "Folder"
    any_folder = "All folders"
    no_folder = "No folder"
    submit = "Show"
    clear = "Clear"
    counted: ClassVar[Mapping[bool, str]] = {True: "1 flag", False: "{count} flags"}
    range = "{first}–{last} of {count}"
    later = "Next page"
    earlier = "Previous page"
    pages = "Pages of the list"
    last = "Evaluated {when}"
    never = "Never evaluated"
    gives = "Decides"
    rules: ClassVar[Mapping[bool, str]] = {True: "1 rule, else ", False: "{count} rules, else "}
    for_user = "for one user"
    stale: ClassVar[Mapping[str, str]] = {
        "never_evaluated": "Stale: nobody asks for it",
        "constant": "Stale: the same for everybody",
        "one_outcome": "Stale: everybody got the same",
    }
    stale_since = "{what} since {day}"
    empty_title = "No flags yet"
    empty = (
        "A flag switches a part of your app on for some of your users, without a release: for yourself first, then for "
        "10 %, then for everybody. Or it gives each user one of several variants, and you see which works best."
    )
    empty_viewer = "Nobody in this organization has made a flag yet."
    empty_search_title = "No matching flags"
    empty_search = "No flag matches. Remove a filter."
    done: ClassVar[Mapping[str, str]] = {
        "created": "The flag is created. Apps get it within 30 seconds.",
        "created-inactive": (
            "The flag is created, but inactive, because a flag that it needs is not active. Activate that one first."
        ),
        "saved": "Saved. Apps get the change within 30 seconds.",
        "stays-inactive": (
            "Saved, but the flag is inactive, because a flag that it needs is not active. Activate that one first."
        ),
        "active": "The flag is active. Apps get it within 30 seconds.",
        "inactive": "The flag is inactive. Apps get its off value, or the default in their code, within 30 seconds.",
        "archived": "The flag is archived. You find it in the list with the status “Archived”.",
        "needed": "The flag is not active any more. Flags that need it (you see them below) are off for everybody now.",
        "deleted": "The flag is deleted. Apps use what they have in their code, within 30 seconds.",
        "restored": "The flag is as it was in that version. Apps get it within 30 seconds.",
        "copied": "This is the copy. It is inactive, so that you can change it before anybody gets it.",
        "group-created": "The target group is created. Choose it in a flag, and its rules decide there.",
        "group-saved": "Saved. All flags that use the group follow it within 30 seconds.",
        "group-deleted": "The target group is deleted.",
        "folder-renamed": "The folder has its new name.",
        "folder-deleted": "The folder is gone. Its flags are in no folder now.",
    }
    edit = "Edit"
    cancel = "Cancel"
    activate = "Activate"
    deactivate = "Deactivate"
    archive = "Archive"
    delete_it = "Delete"
    delete: Final = ConfirmationTexts(
        "Delete {name}?",
        "Apps that ask for {key} get no answer, and use what they have in their code. {needed} The API can bring it "
        "back for some days (flags.undelete). Archive it instead if you may need it again.",
        "Delete {name}",
    )
    needed_by: ClassVar[Mapping[bool, str]] = {
        True: "{names} needs it and will be off.",
        False: "{names} need it and will be off.",
    }
    wrong = "This cannot be saved: {message}"
    no_status = "Say whether the flag is to be active, inactive or archived"


class FlagPage:
    """A flag's own page."""

    title = "{name} · Feature flags"
    tabs_label = "Parts of this flag"
    tabs: ClassVar[Mapping[str, str]] = {
        "now": "What it does",
        "rollout": "Rollout",
        "test": "Try it",
        "results": "Results",
        "history": "History",
        "code": "Code",
    }
    decides = "Who gets what"
    decides_help = "From top to bottom. The first line that fits a user decides."
    payload = "Payload"
    payload_help = "Goes along with the answer where the flag is on."
    variants = "Variants"
    facts = "About this flag"
    changed = "Changed"
    created = "Created"
    history = "History"
    version = "Version {number}"
    evaluated = "Last evaluated"
    never = "Never"
    stale_help = "If your code needs it no more, take it out there first, then archive the flag."
    bucketing = "Bucketing"
    dependent = (
        "This flag uses the original hash, which selects related groups of users for different flags. Experiments that "
        "run at the same time can influence each other. To switch to the independent hash, edit the flag and select it "
        "under Bucketing. This reassigns all users."
    )
    algorithms: ClassVar[Mapping[str, str]] = {
        "flagd": "Independent (as in flagd)",
        "default": "Original (not independent of other flags)",
        "unleash": "Unleash",
        "growthbook_v1": "GrowthBook, hash version 1",
        "growthbook_v2": "GrowthBook, hash version 2",
        "flagd_v3": "flagd, fractional version 3",
        "launchdarkly": "LaunchDarkly",
    }
    needed_by = "Needed by"
    copy = "Copy to an environment"
    copy_title = "Copy {name} to an environment"
    copy_help = (
        "The copy has the same key and the same rules, and is a flag of its own: change it there without touching this "
        "one. Apps that ask for that environment get the copy."
    )
    copy_to = "Environment"
    copy_to_help = "As your apps name it, for example staging. Empty: apps that name none."
    copy_submit = "Copy flag"


class FlagFolders:
    """Folders of flags."""

    short = "Folders"
    title = "Folders of flags"
    lead = "A folder is there as long as a flag is in it. Write its name into a flag to make one, with / inside."
    name = "Name"
    save = "Rename"
    empty_title = "No folders yet"
    empty = "When you have many flags, write a folder into each, such as checkout/payment."
    unknown = "There is no such folder"
    delete: Final = ConfirmationTexts(
        "Delete the folder {name}?",
        "Its flags, and the folders in it, stay: they move one level up.",
        "Delete {name}",
    )


class TargetGroupPages:
    """Target groups: the list and the form."""

    changed_meanwhile = (
        "Somebody else has changed this target group while you were typing. Open it in another tab to see how it is "
        "now, and save again to replace it with what stands here."
    )
    title = "Target groups"
    lead = "Rules under a name, for many flags: change them here, and all flags that use the group follow."
    add = "New target group"
    new_title = "New target group"
    edit_title = "Edit {name}"
    new_submit = "Create target group"
    edit_submit = "Save changes"
    basics = "The group"
    name = "Name"
    name_help = "For example Beta testers."
    description = "Description"
    color = "Colour"
    colors: ClassVar[Mapping[str, str]] = {
        "": "None",
        "#2563eb": "Blue",
        "#16a34a": "Green",
        "#d97706": "Orange",
        "#dc2626": "Red",
        "#9333ea": "Purple",
        "#64748b": "Grey",
    }
    other_color = "Another colour"
    more_rules: ClassVar[Mapping[bool, str]] = {True: "and 1 more rule", False: "and {count} more rules"}
    rules_help = "Who belongs to it. The first rule that fits decides."
    used_by: ClassVar[Mapping[bool, str]] = {True: "Used by 1 flag", False: "Used by {count} flags"}
    unused = "No flag uses it"
    no_rules = "It has no rules yet, so that it is about nobody."
    empty_title = "No target groups yet"
    empty = "Collect your testers, your own team or your best customers once, and choose them in every flag."
    back = "All flags"
    delete: Final = ConfirmationTexts(
        "Delete the target group {name}?",
        "{used} Its rules are removed. This cannot be undone.",
        "Delete {name}",
    )
    used: ClassVar[Mapping[bool, str]] = {
        True: "{names} uses it and goes on without it.",
        False: "{names} use it and go on without it.",
    }
    not_used = "No flag uses it."
