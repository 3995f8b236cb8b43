"""Texts of the form of a feature flag."""

from collections.abc import Mapping
from typing import ClassVar

from analytics_box.base.texts.flags_pages import FlagPage, FlagWords


class FlagForm:
    """The form of a flag."""

    new_title = "New flag"
    edit_title = "Edit {name}"
    new_submit = "Create flag"
    edit_submit = "Save changes"
    basics = "The flag"
    of = "For"
    of_help = "The website whose apps ask for it, or all of the organization."
    key = "Key"
    key_help = "The name that your code uses. Letters and digits of any script, and . _ : ~ | -"
    key_fixed = "Your code asks for it, so it stays."
    name = "Name"
    name_help = "For you, to find it again. Without a name it is called by its key."
    description = "Description"
    type = "What it gives"
    types: ClassVar[Mapping[str, tuple[str, str]]] = {
        "boolean": ("On or off", "The same for everybody, but for your rules"),
        "rollout": ("On for a share", "Raise the share step by step; nobody loses it"),
        "multivariant": ("Variants", "Each user keeps one of several values"),
    }
    status = "Status"
    statuses: ClassVar[Mapping[str, str]] = {
        "active": "Active: apps get it",
        "inactive": "Inactive: apps get the off value, or the default in their code",
        "archived": "Archived: inactive, and out of the list",
    }
    default = "Everybody else"
    default_help = "Whom no rule fits."
    on_off: ClassVar[Mapping[str, str]] = {"": "Off", "on": "On"}
    off = "Off value"
    off_help = "What apps get while the flag is inactive, or while its required flags do not match."
    off_variant_help = (
        "What apps get while the flag is inactive, while its required flags do not match, or if a rule turns it off. "
        "Leave blank to use the default in your code."
    )
    offs: ClassVar[Mapping[str, str]] = {"": "None (use the default in your code)", "off": "Off", "on": "On"}
    percentage = "Share in percent"
    percentage_help = "0 to 100. Whoever has it keeps it when you raise the share."
    by = "Share of"
    bys: ClassVar[Mapping[str, str]] = {
        "user": "Users",
        "organization": "Organizations: all of one get the same",
        "team": "Teams: all of one get the same",
    }
    variants = "Variants"
    variants_help = (
        "Each user keeps the variant once drawn, as long as you do not change the shares. Without shares all variants "
        "are drawn equally often."
    )
    variant = "Variant {number}"
    variant_key = "Key"
    variant_type = "Type"
    variant_types: ClassVar[Mapping[str, str]] = {"string": "Text", "number": "Number", "json": "JSON"}
    variant_value = "Value"
    variant_weight = "Share in %"
    variant_description = "Note"
    add_variant = "Add variant"
    remove_variant = "Remove variant {number}"
    sum = "Together {sum}"
    sum_right = "The shares add up to 100 %."
    sum_low = "The shares add up to {sum}: {rest} are missing."
    sum_high = "The shares add up to {sum}: {rest} too much."
    sum_equal = "No shares: all variants are drawn equally often."
    sum_wrong = "A share is not a number."
    rules = "Rules"
    rules_help = "From top to bottom: the first rule that fits decides, and the rules below are not asked."
    rule = "Rule {number}"
    rule_new = "A new rule"
    rule_edit = "Edit rule {number}"
    rule_name = "Note"
    rule_name_help = "For you, for example why it is there."
    gives = "They get"
    gives_on = "On"
    gives_off = "Off"
    gives_variant = "Variant {key}"
    rule_share = "Share of them in %"
    rule_share_help = "Empty: for all who fit."
    add_rule = "Add rule"
    remove_rule = "Remove rule {number}"
    up = "Move rule {number} up"
    down = "Move rule {number} down"
    conditions = "If"
    joins: ClassVar[Mapping[str, str]] = {
        "all": "all of these fit",
        "any": "any of these fits",
        "none": "none of these fits",
    }
    join = "How they are joined"
    condition = "Condition {number}"
    attribute = "What"
    attributes: ClassVar[Mapping[str, str]] = {
        **FlagWords.attributes,
        "property": "Property",
        "group": "Target group",
        "percentage": "Share of users in %",
    }
    property = "Name of the property"
    operator = "Comparison"
    operators: ClassVar[Mapping[str, str]] = FlagWords.operators
    values = "Values, one per line"
    group = "Target group"
    choose_group = "Choose a group"
    add_condition = "Add condition"
    add_conditions = "Add a group of conditions"
    remove_condition = "Remove condition {number}"
    remove_conditions = "Remove this group of conditions"
    values_help = (
        "One value per line. With several values, one has to fit. Properties are compared as numbers where you write a "
        'number; "5" in quotes is a text.'
    )
    target_groups = "Target groups"
    target_groups_help = "Rules that you share between flags. They are asked after the flag's own rules."
    target_group = "Target group {number}"
    add_group = "Add target group"
    remove_group = "Remove target group {number}"
    no_groups = "There is no target group here yet."
    make_group = "New target group"
    needs = "Other flags that it needs"
    needs_help = "If one of them does not match for a user, that user gets the off value of this flag."
    need = "Flag {number} that it needs"
    need_key = "Key of the flag"
    need_must = "It must"
    musts: ClassVar[Mapping[str, str]] = {
        "active": "be active",
        "on": "be on for the user",
        "off": "be off for the user",
        "variant": "give one of the variants",
    }
    need_variants = "Variants, one per line"
    add_need = "Add a flag"
    remove_need = "Remove flag {number} that it needs"
    place = "Folder and environment"
    folder = "Folder"
    environment = "Environment"
    environment_help = "As your apps name it when they ask, for example staging. Empty: apps that name none."
    user = "Only for one user ID"
    user_help = "Such a flag goes before the one with this key that is for everybody."
    payload = "Payload"
    payload_help = "JSON that goes along with the answer where the flag is on."
    drawing = "Bucketing"
    drawing_help = (
        "New flags use an independent hash, so each flag selects its users independently of other flags. Change this "
        "only for a flag that comes from another service. Every change reassigns all users."
    )
    algorithm = "Hash"
    algorithms: ClassVar[Mapping[str, str]] = FlagPage.algorithms
    salt = "Salt"
    salt_help = "Empty: the key of the flag."
    variant_salt = "Salt of the variants"
    draw_by = "Drawn by the property"
    draw_by_help = "Empty: rollouts by user ID, organization or team, as chosen above; variants by user ID."
    persist = "Keep what somebody got before they signed in"
    note = "Why you change it"
    note_help = "Stands in the history of the flag. Optional."
    reads = "How it reads"
    reads_help = "What you have typed, as sentences. It is in force once you save."
    reads_wrong = "What you have typed cannot be read yet:"
    reads_unknown = "A field has a value that it cannot have."
    update = "Update"
    labels: ClassVar[Mapping[str, str]] = {
        "of": "For",
        "key": "Key",
        "name": "Name",
        "description": "Description",
        "type": "What it gives",
        "off": "Off value",
        "offValue": "Off value",
        "percentage": "Share in percent",
        "variants": "Variants",
        "rules": "Rules",
        "groups": "Target groups",
        "needs": "Other flags that it needs",
        "folder": "Folder",
        "environment": "Environment",
        "userId": "Only for one user ID",
        "payload": "Payload",
        "salt": "Salt",
        "variantSalt": "Salt of the variants",
        "attribute": "Drawn by the property",
        "note": "Why you change it",
        "color": "Colour",
    }
    no_number = "Write a number, such as 25 or 12.5"
    no_json = 'Write JSON, such as {"limit": 5} or ["a", "b"]'
    no_condition = "Add a condition, so that the rule is about somebody"
    no_value = "Write at least one value"
    no_property = "Write the name of the property"
    no_group = "Choose a target group"
    share_alone = "A share of users stands alone. Write it into “Share of them in %” below the conditions instead"
    changed_meanwhile = (
        "Somebody else has changed this flag while you were typing. Open it in another tab to see how it is now, and "
        "save again to replace it with what stands here."
    )
