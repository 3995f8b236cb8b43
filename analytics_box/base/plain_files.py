"""The text of a file as plain values: JSON, or YAML in which nothing is run and no alias grows without end."""

import json
import re
from collections.abc import Iterator
from typing import Any, ClassVar, Final

import yaml

from analytics_box.base.errors import BadRequest
from analytics_box.base.file_queue import decode_json, keep_going
from analytics_box.base.translation import _

MOST_BYTES: Final = 8_000_000
MOST_OF_YAML: Final = 2_000_000  # characters: reading them takes ten times as long as those of JSON
_DEEPEST: Final = 40  # of lists and mappings in each other
_MOST: Final = 200_000  # values of YAML, those of aliases counted each time that they are used
_LONGEST: Final = 200_000  # characters of one
_LONGEST_NUMBER: Final = 40  # digits
_PLAIN_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml's, where the wheel has it
_DUMPER: Final[Any] = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def _without_colons(tag: str, pattern: Any) -> Any:
    """A pattern of plain values; of numbers without those that have a colon."""
    is_number = tag in {"tag:yaml.org,2002:int", "tag:yaml.org,2002:float"}
    return re.compile(rf"(?!.*:)(?:{pattern.pattern})", pattern.flags) if is_number else pattern


class _Loader(_PLAIN_LOADER):  # type: ignore[misc]  # PyYAML has no types
    """Numbers are short, and 1:30 is a text as in YAML 1.2: with base 60 a long one takes minutes."""

    yaml_implicit_resolvers: ClassVar = {
        letter: [(tag, _without_colons(tag, pattern)) for tag, pattern in resolvers]
        for letter, resolvers in _PLAIN_LOADER.yaml_implicit_resolvers.items()
    }


def read_mapping(text: str) -> dict[str, Any]:
    """The mapping that a file is; a list is its `list`. Raises BadRequest."""
    text = text.removeprefix("\ufeff")
    if not text.strip():
        raise BadRequest(_("The file is empty"))
    found = decode_json(text) if text.lstrip()[:1] in {"{", "["} else _yaml(text)
    if isinstance(found, list):
        found = {"list": found}
    if not isinstance(found, dict):
        raise BadRequest(_("The file must be an object or a list"))
    return {str(name): value for name, value in found.items()}


def _number(loader: Any, node: Any) -> Any:
    """A number. Raises ValueError for a number that must be a mistake."""
    if len(node.value) > _LONGEST_NUMBER or ":" in node.value:
        raise ValueError("Invalid number")
    return (loader.construct_yaml_float if node.tag.endswith("float") else loader.construct_yaml_int)(node)


_Loader.add_constructor("tag:yaml.org,2002:int", _number)
_Loader.add_constructor("tag:yaml.org,2002:float", _number)


def to_yaml(value: object) -> str:
    """YAML that `read_mapping` reads again."""
    text: str = yaml.dump(value, Dumper=_DUMPER, sort_keys=False, allow_unicode=True, width=120)
    return text


def to_json(value: object) -> str:
    """JSON for people."""
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def read_with_lines(text: str) -> tuple[Any, dict[tuple[str, int], int]]:
    """The value of a file, and the line of each entry of its lists, by the key of the list. Raises BadRequest."""
    text = text.removeprefix("\ufeff")
    if not text.strip():
        raise BadRequest(_("The file is empty"))
    if text.lstrip()[:1] == "{":
        return decode_json(text), {}
    lines: dict[tuple[str, int], int] = {}
    return _yaml(text, lines), lines


def _note_lines(node: Any, lines: dict[tuple[str, int], int]) -> None:
    if not isinstance(node, yaml.MappingNode):
        return
    for key, value in node.value:
        if isinstance(value, yaml.SequenceNode):
            lines |= {(key.value, place): one.start_mark.line + 1 for place, one in enumerate(value.value)}


def _yaml(text: str, lines: dict[tuple[str, int], int] | None = None) -> Any:
    if len(text) > MOST_OF_YAML:
        raise BadRequest(
            _("A YAML file can have up to {most} MB. Split it, or use JSON").format(most=MOST_OF_YAML // 1_000_000)
        )
    try:
        _check_depth(yaml.parse(text, Loader=_Loader))
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            if node is None:
                return None
            _size(node, {}, set())
            if lines is not None:
                _note_lines(node, lines)
            return loader.construct_document(node)
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as broken:
        where = f" (line {broken.problem_mark.line + 1})" if broken.problem_mark is not None else ""
        raise BadRequest(
            _("This is not valid YAML{where}: {problem}").format(where=where, problem=broken.problem or broken.context)
        ) from broken
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as broken:
        raise BadRequest(_("This YAML cannot be read")) from broken


def _check_depth(events: Iterator[Any]) -> None:
    """Raises BadRequest for what is nested deeper than any file of people. Nothing here calls itself."""
    depth = 0
    for count, event in enumerate(events):
        keep_going()
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.ScalarEvent) and len(event.value) > _LONGEST:
            raise BadRequest(
                _("The file contains a text of more than {longest} characters").format(longest=f"{_LONGEST:,}")
            )
        if depth > _DEEPEST or count > _MOST:
            raise BadRequest(_("The file is nested too deeply, or has too many values"))


def _size(node: Any, known: dict[int, int], above: set[int]) -> int:
    """The number of values under a node; an alias counts each time it is used. Raises BadRequest."""
    if id(node) in known:
        return known[id(node)]
    if id(node) in above:
        raise BadRequest(_("An alias in the file refers to itself"))
    above.add(id(node))
    size = 1 + sum(_size(one, known, above) for one in _inside(node))
    above.discard(id(node))
    if size > _MOST:
        raise BadRequest(_("The aliases in the file expand to too many values"))
    known[id(node)] = size
    return size


def _inside(node: Any) -> Iterator[Any]:
    if isinstance(node, yaml.MappingNode):
        for pair in node.value:
            yield from pair
    elif isinstance(node, yaml.SequenceNode):
        yield from node.value
