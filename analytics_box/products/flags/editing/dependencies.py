"""Dependencies between flags. Pure."""

from collections.abc import Iterable

from analytics_box.base.errors import BadRequest, ErrorDetail
from analytics_box.products.flags.flag import Flag, FlagDefinition


def needs(definition: FlagDefinition) -> tuple[str, ...]:
    """The keys that a flag needs, each once."""
    return tuple(dict.fromkeys((*definition.dependencies, *(one.key for one in definition.prerequisites))))


def check_there(definition: FlagDefinition, others: Iterable[Flag]) -> None:
    """Raises BadRequest if a flag needs one that is not among the `others` of its environment."""
    there = {other.key for other in others}
    wrong = [
        ErrorDetail(field, f"There is no flag {key} in this environment")
        for field, keys in (
            ("dependencies", definition.dependencies),
            ("prerequisites", [one.key for one in definition.prerequisites]),
        )
        for key in keys
        if key not in there
    ]
    if wrong:
        raise BadRequest(wrong[0].message, details=tuple(wrong))


def inactive(definition: FlagDefinition, others: Iterable[Flag]) -> tuple[str, ...]:
    """The keys that a flag needs and that are not active, so that it would give nothing."""
    active = {other.key for other in others if other.definition.status == "active"}
    return tuple(key for key in needs(definition) if key not in active)


def dependents(key: str, others: Iterable[Flag]) -> tuple[str, ...]:
    """The keys of active flags that need this one."""
    return tuple(
        dict.fromkeys(
            other.key for other in others if other.definition.status == "active" and key in needs(other.definition)
        )
    )
