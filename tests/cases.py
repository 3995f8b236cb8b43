"""Tables of cases: one test for all rows, which names every row that fails.

`each` takes what `pytest.mark.parametrize` takes. Hundreds of tests of their own cost more than what they ask; here
all rows share what the fixtures give. So it is for rows that leave nothing behind which another row would see.
"""

import inspect
import reprlib
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

import pytest

Test = Callable[..., None]

_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 100


def each(
    names: str | Sequence[str], rows: Iterable[Any], ids: Callable[..., str] | None = None
) -> Callable[[Test], Test]:
    """Run the test once for each row, as subtests. `ids` names a row by its values, else their text does."""
    parameters = (names,) if isinstance(names, str) else tuple(names)
    table = [(row,) if isinstance(names, str) else tuple(row) for row in rows]
    assert table, "a table without rows tests nothing"

    def decorate(test: Test) -> Test:
        @wraps(test)
        def whole_table(subtests: pytest.Subtests, **fixtures: Any) -> None:
            for row in table:
                with subtests.test(ids(*row) if ids else ", ".join(map(_text, row))):
                    test(**fixtures, **dict(zip(parameters, row, strict=True)))

        signature = inspect.signature(test)
        fixtures = [given for name, given in signature.parameters.items() if name not in parameters]
        subtests = inspect.Parameter("subtests", inspect.Parameter.KEYWORD_ONLY)
        # What pytest reads to know the fixtures.
        whole_table.__dict__["__signature__"] = signature.replace(parameters=[*fixtures, subtests])
        return whole_table

    return decorate


def _text(value: object) -> str:
    """As it is where it can be printed; half of a surrogate pair could not even be sent between processes."""
    return value if isinstance(value, str) and len(value) < 100 and value.isprintable() else _SHORT.repr(value)
