"""The form fields of a flag or of a target group, read from a post. Pure.

Rows are numbered: `rules.0.gives`, `variants.1.value`, `needs.0.key`, `groups.0.id`. The conditions of a rule are a
tree under `rules.0.if`: its children are `rules.0.if.0`, `rules.0.if.1`, and theirs `rules.0.if.0.1`.

A line in quotes is a text, which may have line breaks as JSON writes them. Numbers, true and false keep their types if
properties are compared; everywhere else they are texts.
"""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Final, TypeVar

import msgspec
from msgspec import Struct

from analytics_box.products.flags.flag import (
    DEEPEST,
    MOST_DEPENDENCIES,
    MOST_GROUPS_OF_FLAG,
    MOST_NODES,
    MOST_RULES,
    MOST_VARIANTS,
    FlagDefinition,
    Scalar,
    TargetGroup,
)
from analytics_box.products.flags.sentences import OPERATORS
from analytics_box.resource import forms


def as_posted(text: str, *, lines: bool) -> str:
    """The text that a browser sends for a field that shows this text; only fields with `lines` have line breaks."""
    text = text.replace("\0", "\N{REPLACEMENT CHARACTER}").replace("\r\n", "\n").replace("\r", "\n")
    return text if lines else text.replace("\n", "")


def lines(values: Iterable[Scalar], *, texts: bool) -> str:
    """Values as a field of several lines has them; `texts` where only texts are compared."""
    return "\n".join(_line(one, texts=texts) for one in values)


def values(text: str, *, texts: bool) -> tuple[Scalar, ...]:
    """The values that a field of several lines has."""
    return tuple(_value(line.strip(), texts=texts) for line in text.split("\n") if line.strip())


def json_text(value: object) -> str:
    """JSON over several lines, as people read it; empty for null."""
    return msgspec.json.format(msgspec.json.encode(value)).decode() if value is not None else ""


def value_text(value: object, *, texts: bool) -> str:
    """A single value of any kind as its field has it, empty for null; `texts` if the field takes texts alone."""
    if not isinstance(value, str):
        return json_text(value)
    is_plain = texts or typed_value(value, texts=False) == value
    return value if is_plain and value else msgspec.json.encode(value).decode()


def typed_value(text: str, *, texts: bool) -> Any:
    """The value of a field for a single value of any kind: JSON, or a text without quotes; None for an empty field."""
    if texts:
        return text or None
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return text or None


def _line(value: Scalar, *, texts: bool) -> str:
    if not isinstance(value, str):
        return msgspec.json.encode(value).decode()
    plain = value and value == value.strip() and value.isprintable() and not value.startswith('"')
    if plain and _value(value, texts=texts) == value and isinstance(_value(value, texts=texts), str):
        return value
    return msgspec.json.encode(value).decode()


def _value(line: str, *, texts: bool) -> Scalar:
    try:
        found = msgspec.json.decode(line)
    except msgspec.DecodeError:
        return line
    if isinstance(found, str) or (isinstance(found, bool | int | float) and not texts):
        return found
    return line


# The fields of a form that are no rows: those of the declaration, and its own.
PLAIN: Final = (
    *forms.inputs_of(FlagDefinition),
    *("of", "key", "off", "offValue", "payload", "environment", "userId", "note", "version"),
    *("algorithm", "salt", "variantSalt", "attribute"),
)
OF_GROUP: Final = (*forms.inputs_of(TargetGroup), "of", "version")
KINDS: Final = ("all", "any", "none")  # The kinds of conditions that contain others.
ONE: Final = "one"  # The kind of a single condition.
# The names of text areas, which keep line breaks.
OF_LINES: Final = frozenset(("description", "offValue", "payload", "value", "values", "variants"))
Row = TypeVar("Row", bound=Struct)


class FlagConditionFields(Struct, frozen=True):
    """A condition as it is typed, or several with how they are joined. `values` has one on each line.

    `attribute` is user_id, email, organization_id, team_id, property (of the name `property`), group (of the id
    `group`), or percentage: a share of users, the only condition of its rule. `only` is kept as it is stored.
    """

    kind: str = ONE
    attribute: str = "user_id"
    property: str = ""
    operator: str = "in"
    values: str = ""
    group: str = ""
    only: str = ""
    inner: tuple["FlagConditionFields", ...] = ()


NEW_TREE: Final = FlagConditionFields("all", inner=(FlagConditionFields(),))


class FlagRuleFields(Struct, frozen=True):
    """A rule as it is typed. `was` is its place in the stored definition, `gives` is on, off or `variant:` and a key.

    `open` says that its fields are shown, `batch` that its values are stored as a batch (wire 6.2).
    """

    was: str = ""
    open: str = ""
    name: str = ""
    gives: str = "on"
    percentage: str = ""
    batch: str = ""
    tree: FlagConditionFields = NEW_TREE


class FlagVariantFields(Struct, frozen=True):
    """A variant as it is typed; `was` is its place in the stored definition."""

    was: str = ""
    key: str = ""
    type: str = "string"
    value: str = ""
    weight: str = ""
    description: str = ""


class NeedFields(Struct, frozen=True):
    """Another flag that must be active, on, off, or give one of `variants` (one key on each line)."""

    key: str = ""
    must: str = "on"
    variants: str = ""


class GroupFields(Struct, frozen=True):
    """A target group whose rules the flag uses."""

    id: str = ""


class FlagFormState(Struct, frozen=True):
    """The whole form. `focus` is the field that a button of it has made; `operators` are labels of comparisons."""

    operators: ClassVar[Mapping[str, str]] = OPERATORS
    fields: Mapping[str, str]
    rules: tuple[FlagRuleFields, ...] = ()
    variants: tuple[FlagVariantFields, ...] = ()
    needs: tuple[NeedFields, ...] = ()
    groups: tuple[GroupFields, ...] = ()
    focus: str = ""


def read_state(form: Mapping[str, str], names: tuple[str, ...] = PLAIN) -> FlagFormState:
    """The form as it was posted; `names` are those of its plain fields."""
    form = {name: value.replace("\r\n", "\n") for name, value in form.items()}
    return FlagFormState(
        {name: form[name] for name in names if name in form},
        _rules(form),
        _rows(form, "variants", FlagVariantFields, MOST_VARIANTS),
        _rows(form, "needs", NeedFields, 2 * MOST_DEPENDENCIES),
        _rows(form, "groups", GroupFields, MOST_GROUPS_OF_FLAG),
    )


def is_untouched(posted: Row, shown: Row) -> bool:
    """Return whether a browser posted a row as the form showed it."""
    return _as_posted(posted) == _as_posted(shown)


def _as_posted(row: Struct) -> list[Any]:
    """The contents of a row's fields as a browser sends them, without whether the row was open."""
    found: list[Any] = []
    for name in row.__struct_fields__:
        value = getattr(row, name)
        if isinstance(value, str):
            found.append(as_posted(value, lines=name in OF_LINES) if name != "open" else "")
        else:
            found.append([_as_posted(one) for one in (value if isinstance(value, tuple) else (value,))])
    return found


def _rules(form: Mapping[str, str]) -> tuple[FlagRuleFields, ...]:
    found = []
    for number in range(MOST_RULES):
        start = f"rules.{number}"
        if f"{start}.if.kind" not in form:
            break
        given = {name: form.get(f"{start}.{name}", "") for name in FlagRuleFields.__struct_fields__ if name != "tree"}
        found.append(FlagRuleFields(**given, tree=_tree(form, f"{start}.if", DEEPEST)))
    return tuple(found)


def _tree(form: Mapping[str, str], name: str, deepest: int) -> FlagConditionFields:
    """A condition with its children; none below `deepest`, because the form offers none there."""
    inner = []
    for place in range(MOST_NODES if deepest else 0):
        if f"{name}.{place}.kind" not in form:
            break
        inner.append(_tree(form, f"{name}.{place}", deepest - 1))
    given = {one: form.get(f"{name}.{one}", "") for one in FlagConditionFields.__struct_fields__ if one != "inner"}
    return FlagConditionFields(**given, inner=tuple(inner))


def _rows(form: Mapping[str, str], start: str, kind: type[Row], most: int) -> tuple[Row, ...]:
    names = kind.__struct_fields__
    found = []
    for number in range(most):
        given = {name: form[f"{start}.{number}.{name}"] for name in names if f"{start}.{number}.{name}" in form}
        if not given:
            break
        found.append(kind(**{name: given.get(name, "") for name in names}))
    return tuple(found)
