"""The definition of a flag with the fields of an input, normalized. Pure.

Consistency is checked by evaluation.checking.
"""

from typing import Any, Final

from msgspec import UNSET
from msgspec.structs import replace

from analytics_box.base import names
from analytics_box.base.errors import BadRequest
from analytics_box.products.flags.editing.messages import FlagFields, GivenBucketing
from analytics_box.products.flags.flag import (
    INDEPENDENT,
    KEY_FAULT,
    LONGEST_ENVIRONMENT,
    Bucketing,
    FlagDefinition,
    is_key,
)

_BLANK: Final = FlagDefinition()
_INDEPENDENT: Final = FlagDefinition(bucketing=Bucketing(INDEPENDENT))
_TEXTS: Final = frozenset(("name", "description"))


def new_definition(given: FlagFields, *, by_sdk: bool = False) -> FlagDefinition:
    """The definition of a new flag. It buckets independently of other flags, unless an SDK route creates it: such a
    flag uses the wire's default bucketing, and only its variants are independent. Raises BadRequest.
    """
    as_the_wire = by_sdk and given.type != "multivariant"
    return apply_fields(_BLANK if as_the_wire else _INDEPENDENT, given)


def update_definition(before: FlagDefinition, given: FlagFields) -> FlagDefinition:
    """The definition with what is given, which draws independently once it gets variants, if no user was drawn for its
    rules yet. Raises BadRequest.
    """
    after = apply_fields(before, given)
    becomes_multivariant = before.type != "multivariant" and after.type == "multivariant"
    drew = before.targetGroupIds or any(rule.percentage is not None for rule in before.rules)
    if given.bucketing is UNSET and becomes_multivariant and not drew and before.bucketing.algorithm == "default":
        return replace(after, bucketing=replace(after.bucketing, algorithm=INDEPENDENT))
    return after


def apply_fields(before: FlagDefinition, given: FlagFields) -> FlagDefinition:
    """The definition with the given fields; omitted fields do not change, null clears a field. Raises BadRequest."""
    fields: dict[str, Any] = {}
    for name in FlagDefinition.__struct_fields__:
        value = getattr(given, name)
        if name == "bucketing" and value is not UNSET:
            fields[name] = _bucketing(before.bucketing, value or GivenBucketing())
        elif value is not UNSET:
            fields[name] = getattr(_BLANK, name) if value is None else _clean(name, value)
    return replace(before, **fields)


def _bucketing(before: Bucketing, given: GivenBucketing) -> Bucketing:
    """The bucketing with the given fields; the algorithm stays unless it is named."""
    algorithm = before.algorithm if given.algorithm is UNSET else given.algorithm
    return Bucketing(algorithm, given.salt, given.variantSalt, given.attribute)


def clean_key(key: str) -> str:
    """The key of a flag. Raises BadRequest."""
    if not is_key(key):
        raise BadRequest.about("key", KEY_FAULT)
    return key


def clean_environment(given: str | None) -> str | None:
    """The name of an environment; None for an empty one. Raises BadRequest."""
    name = (given or "").strip()
    if not names.is_visible(name) or len(name) > LONGEST_ENVIRONMENT:
        raise BadRequest.about("environment", f"Enter an environment of up to {LONGEST_ENVIRONMENT} visible characters")
    return name or None


def clean_folder(given: str, field: str = "folder") -> str:
    """The path of a folder, as "checkout/payment"; empty for none. Raises BadRequest."""
    folder = "/".join(part for part in (names.one_line(each) for each in given.split("/")) if part)
    if not names.is_visible(folder):
        raise BadRequest.about(field, "Enter a folder with visible characters")
    return folder


def _clean(name: str, value: Any) -> Any:
    if name == "folder":
        return clean_folder(value)
    if name in _TEXTS:
        return _words(name, value)
    return tuple(dict.fromkeys(value)) if name in {"dependencies", "targetGroupIds"} else value


def _words(name: str, value: str) -> str:
    """A text without invisible characters; a description keeps its lines. Raises BadRequest."""
    text = "\n".join(" ".join(line.split()) for line in value.strip().splitlines())
    text = text if name == "description" else " ".join(text.split())
    if not names.is_visible(text.replace("\n", "")):
        raise BadRequest.about(name, f"Enter a {name} with visible characters")
    return text
