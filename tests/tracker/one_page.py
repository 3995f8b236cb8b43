"""Tables of visits: all rows in one tab, each on a site of its own."""

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

from tests.cases import Test, each
from tests.tracker.collector import collecting


def on_one_page(
    names: str | Sequence[str], rows: Iterable[Any], ids: Callable[..., str] | None = None
) -> Callable[[Test], Test]:
    """`each` with a new collector for every row, so that it stores and caches nothing which another row would see.

    A tab of its own is two thirds of the work of a short test. What a row adds to the page has to be in what it
    publishes: an init script would be there for the rows that follow.
    """

    def decorate(test: Test) -> Test:
        @wraps(test)
        def row(**given: Any) -> None:
            with collecting() as collector:
                test(collector=collector, **given)

        signature = inspect.signature(test)
        given = [one for name, one in signature.parameters.items() if name != "collector"]
        row.__dict__["__signature__"] = signature.replace(parameters=given)
        return each(names, rows, ids)(row)

    return decorate
