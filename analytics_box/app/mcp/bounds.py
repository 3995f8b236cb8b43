"""Answers of tools within a bound, so that they fit into the context of a model: long texts and lists are cut. Pure."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from analytics_box.base.translation import _

MOST_BYTES: Final = 24_000  # An answer as JSON, about 8,000 tokens.
_ENCODE: Final = msgspec.json.Encoder().encode
LONGEST_TEXT: Final = 1_000  # Characters.
_FEWEST: Final = 3  # Rows that a list keeps.


def fit(answer: dict[str, Any], most: int = MOST_BYTES) -> dict[str, Any]:
    """The answer in at most `most` bytes, with a note on each list that was cut. The largest one is cut first."""
    found: dict[str, Any] = _shorter(answer, LONGEST_TEXT)
    whole: dict[str, int] = {}
    size = len(_ENCODE(found))
    while size > most:
        path, rows = max(_lists(found, ""), key=lambda one: len(_ENCODE(one[1])) if len(one[1]) > _FEWEST else 0)
        if len(rows) <= _FEWEST:
            found = _shorter(found, 100)
            break
        whole.setdefault(path, len(rows))
        del rows[max(_FEWEST, min(len(rows) - 1, len(rows) * most // size)) :]
        size = len(_ENCODE(found))
    if whole:
        kept = dict(_lists(found, ""))
        found["notes"] = [
            *found.get("notes", ()),
            *(
                _(
                    "{path}: {left} of {rows} rows are left out. Ask for fewer with a limit, filters or a shorter "
                    "range."
                ).format(path=path, left=rows - len(kept[path]), rows=rows)
                for path, rows in whole.items()
            ),
        ]
    return found


def _lists(value: Any, path: str) -> Iterator[tuple[str, list[Any]]]:
    """The lists that can be cut, with their paths. Of a list of answers these are the rows of each, so that no answer
    is left out; the whole counts as an empty one, so that there always is one."""
    if not path:
        yield "", []
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _lists(item, f"{path}.{name}" if path else name)
    elif isinstance(value, list) and not any(isinstance(item, dict) and "rows" in item for item in value):
        yield path, value
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from _lists(item, f"{path}[{at}]")


def _shorter(value: Any, longest: int) -> Any:
    """A copy in which long texts are cut."""
    if isinstance(value, str) and len(value) > longest:
        return f"{value[:longest]}…"
    if isinstance(value, dict):
        return {name: _shorter(item, longest) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_shorter(item, longest) for item in value]
    return value
