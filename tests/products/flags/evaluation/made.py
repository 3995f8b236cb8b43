"""Flags, target groups and contexts as tests of evaluation make them."""

from typing import Any

import msgspec

from analytics_box.products.flags.evaluation.compiling import Ruleset, compiled
from analytics_box.products.flags.flag import Definition, Flag, Rule, TargetGroup


def flag(key: str = "flag", *, environment: str | None = None, user: str | None = None, **definition: Any) -> Flag:
    """A flag as the wire gives its fields."""
    return Flag(
        id=f"id-{key}-{user}" if user else f"id-{key}",
        organization_id="organization",
        website_id="website",
        key=key,
        environment=environment,
        user_id=user,
        definition=msgspec.convert(definition, Definition),
    )


def group(id: str, *rules: dict[str, Any]) -> TargetGroup:
    """A target group as the wire gives its rules."""
    given = msgspec.convert(rules, tuple[Rule, ...])
    return TargetGroup(id=id, organization_id="organization", website_id="website", name=id, rules=given)


def ruleset(*flags: Flag, groups: tuple[TargetGroup, ...] = ()) -> Ruleset:
    """Flags ready to be evaluated."""
    return compiled(flags, groups)
