"""Flags, target groups and contexts as tests of evaluation make them."""

from typing import Any

import msgspec

from analytics_box.products.flags.evaluation.compiling import Ruleset, compile_ruleset
from analytics_box.products.flags.flag import Flag, FlagDefinition, TargetGroup, TargetingRule


def flag(key: str = "flag", *, environment: str | None = None, user: str | None = None, **definition: Any) -> Flag:
    """A flag as the wire gives its fields."""
    return Flag(
        id=f"id-{key}-{user}" if user else f"id-{key}",
        organization_id="organization",
        website_id="website",
        key=key,
        environment=environment,
        user_id=user,
        definition=msgspec.convert(definition, FlagDefinition),
    )


def group(id: str, *rules: dict[str, Any]) -> TargetGroup:
    """A target group as the wire gives its rules."""
    given = msgspec.convert(rules, tuple[TargetingRule, ...])
    return TargetGroup(id=id, organization_id="organization", website_id="website", name=id, rules=given)


def ruleset(*flags: Flag, groups: tuple[TargetGroup, ...] = ()) -> Ruleset:
    """Flags ready to be evaluated."""
    return compile_ruleset(flags, groups)
