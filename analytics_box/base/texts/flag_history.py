"""Changes of a feature flag, as a line for each change."""

from collections.abc import Mapping
from typing import ClassVar


class FlagHistory:
    """Words of the history of a flag. Names in {braces} are filled in with str.format."""

    fields: ClassVar[Mapping[str, str]] = {
        "key": "Key",
        "environment": "Environment",
        "name": "Name",
        "description": "Description",
        "type": "Type",
        "status": "Status",
        "defaultValue": "Default",
        "offValue": "Off value",
        "payload": "Payload",
        "rules": "Rule {item}",
        "rolloutPercentage": "Rollout",
        "rolloutBy": "Rollout by",
        "persistAcrossAuth": "Kept after sign-in",
        "dependencies": "Dependency {item}",
        "prerequisites": "Prerequisite {item}",
        "variants": "Variant {item}",
        "targetGroupIds": "Target group {item}",
        "folder": "Folder",
        "bucketing": "Drawing of users",
    }
    variant_fields: ClassVar[Mapping[str, str]] = {
        "type": "type",
        "value": "value",
        "weight": "weight",
        "description": "description",
    }
    orders: ClassVar[Mapping[str, str]] = {"variants": "Order of variants", "targetGroupIds": "Order of target groups"}
    changed = "{name}: {before} → {after}"
    added = "{name} added: {after}"
    added_only = "{name} added"
    removed = "{name} removed: {before}"
    removed_only = "{name} removed"
    moved = "{name} was rule {before}"
    rule_changed = "{name}: {after} (before: {before})"
    rule_values = "{name}: {rule}, {changes}"
    rule_details = "{name}: {rule}, with other details"
    came = "added {values}"
    gone = "removed {values}"
    more = " and {count} more"
    restored = "Back to version {version}"
    on = "on"
    off = "off"
    nothing = "nothing"
    quoted = "“{text}”"
    gives = "must give {values}"
    or_ = " or "
