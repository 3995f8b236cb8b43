"""A flag as it would be with what somebody says of it: every field in its one spelling. Pure.

What has to fit together is held by evaluation.checking.
"""

from typing import Any, Final

from msgspec import UNSET
from msgspec.structs import replace

from analytics_box.base import names
from analytics_box.base.errors import BadRequest
from analytics_box.products.flags.editing.messages import GivenBucketing, GivenFields
from analytics_box.products.flags.flag import INDEPENDENT, KEY_FAULT, LONGEST_ENVIRONMENT, Bucketing, Definition, is_key

_BLANK: Final = Definition()
_INDEPENDENT: Final = Definition(bucketing=Bucketing(INDEPENDENT))
_TEXTS: Final = frozenset(("name", "description"))


def started(given: GivenFields, *, by_sdk: bool = False) -> Definition:
    """The definition of a new flag. It draws independently of others, unless an SDK route makes it: such a flag draws
    as the wire has it, and only its variants are independent. Raises BadRequest.
    """
    as_the_wire = by_sdk and given.type != "multivariant"
    return applied(_BLANK if as_the_wire else _INDEPENDENT, given)


def updated(before: Definition, given: GivenFields) -> Definition:
    """The definition with what is given, which draws independently once it gets variants, if no user was drawn for its
    rules yet. Raises BadRequest.
    """
    after = applied(before, given)
    becomes_multivariant = before.type != "multivariant" and after.type == "multivariant"
    drew = before.targetGroupIds or any(rule.percentage is not None for rule in before.rules)
    if given.bucketing is UNSET and becomes_multivariant and not drew and before.bucketing.algorithm == "default":
        return replace(after, bucketing=replace(after.bucketing, algorithm=INDEPENDENT))
    return after


def applied(before: Definition, given: GivenFields) -> Definition:
    """The definition with what is given; what is not given stays, null empties. Raises BadRequest."""
    fields: dict[str, Any] = {}
    for name in Definition.__struct_fields__:
        value = getattr(given, name)
        if name == "bucketing" and value is not UNSET:
            fields[name] = _bucketing(before.bucketing, value or GivenBucketing())
        elif value is not UNSET:
            fields[name] = getattr(_BLANK, name) if value is None else _clean(name, value)
    return replace(before, **fields)


def _bucketing(before: Bucketing, given: GivenBucketing) -> Bucketing:
    """The bucketing with what is given; the algorithm stays unless it is named."""
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
        raise BadRequest.about(
            "environment", f"An environment has up to {LONGEST_ENVIRONMENT} letters that can be seen"
        )
    return name or None


def clean_folder(given: str, field: str = "folder") -> str:
    """The path of a folder, as "checkout/payment"; empty for none. Raises BadRequest."""
    folder = "/".join(part for part in (names.one_line(each) for each in given.split("/")) if part)
    if not names.is_visible(folder):
        raise BadRequest.about(field, "Write a folder of letters that can be seen")
    return folder


def _clean(name: str, value: Any) -> Any:
    if name == "folder":
        return clean_folder(value)
    if name in _TEXTS:
        return _words(name, value)
    return tuple(dict.fromkeys(value)) if name in {"dependencies", "targetGroupIds"} else value


def _words(name: str, value: str) -> str:
    """A text without what nobody sees; a description keeps its lines. Raises BadRequest."""
    text = "\n".join(" ".join(line.split()) for line in value.strip().splitlines())
    text = text if name == "description" else " ".join(text.split())
    if not names.is_visible(text.replace("\n", "")):
        raise BadRequest.about(name, f"Write a {name} of letters that can be seen")
    return text
