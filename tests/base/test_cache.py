"""The cache never exceeds a bound, returns no expired value, and drops what was used longest ago."""

import ast
import re
from pathlib import Path
from random import Random

from analytics_box.base.cache import BoundedCache
from tests.inprocess import FixedClock

PACKAGE = Path(__file__).parents[2] / "analytics_box"
# Bounds that belong to no cache: queues, a ring of log lines, and memory that follows a transaction of the writer.
OTHERS = {
    "base/cache.py",
    "base/log.py",
    "base/turns.py",
    "ingest/live.py",
    "products/imports/sessions.py",  # sessions in the order of their latest events
}


def test_least_recently_used_value_is_dropped_first() -> None:
    cache: BoundedCache[str, int] = BoundedCache(2)
    cache.put("one", 1)
    cache.put("two", 2)
    assert cache.get("one") == 1
    cache.put("three", 3)
    assert cache.items() == [("one", 1), ("three", 3)]


def test_value_expires_and_is_dropped_once() -> None:
    clock = FixedClock()
    dropped: list[tuple[str, int]] = []
    cache: BoundedCache[str, int] = BoundedCache(
        9, seconds=60, clock=clock, dropped=lambda key, value: dropped.append((key, value))
    )
    cache.put("one", 1)
    clock.advance(seconds=59)
    cache.put("two", 2)
    assert cache.get("one") == 1
    clock.advance(seconds=1)
    assert "one" not in cache
    assert cache.get("one") is None
    assert cache.items() == [("two", 2)]
    cache.clear()
    assert dropped == [("one", 1), ("two", 2)]


def test_value_over_the_limit_is_not_kept_and_its_key_is_forgotten() -> None:
    cache: BoundedCache[str, str] = BoundedCache(
        most_weight=10, weigh=lambda key, value: len(key) + len(value), largest=5
    )
    cache.put("k", "1234")
    cache.put("k", "12345")
    assert cache.get("k") is None
    assert cache.weight == 0


def test_single_value_is_kept_whatever_it_weighs() -> None:
    cache: BoundedCache[str, str] = BoundedCache(most_weight=10, weigh=lambda _, value: len(value))
    cache.put("small", "1")
    cache.put("large", "1" * 20)
    assert cache.items() == [("large", "1" * 20)]


def test_any_sequence_of_calls_agrees_with_a_plain_model() -> None:
    random = Random(7)
    for _ in range(60):
        cache: BoundedCache[int, str] = BoundedCache(
            4, most_weight=20, weigh=lambda key, value: key + len(value), largest=12
        )
        model: dict[int, str] = {}  # in order of use
        for _ in range(120):
            key, value = random.randrange(8), "x" * random.randrange(10)
            match random.choice(["get", "put", "put", "pop"]):
                case "get":
                    assert cache.get(key) == model.get(key)
                    if key in model:
                        model[key] = model.pop(key)
                case "put":
                    cache.put(key, value)
                    model.pop(key, None)
                    if key + len(value) <= 12:
                        model[key] = value
                    while len(model) > 4 or sum(key + len(value) for key, value in model.items()) > 20:
                        del model[next(iter(model))]
                case _:
                    assert cache.pop(key) == model.pop(key, None)
            assert cache.items() == list(model.items())
            assert cache.weight == sum(key + len(value) for key, value in model.items())


def test_no_module_drops_the_oldest_entry_of_a_dictionary_itself() -> None:
    """`popitem`, and `del kept[next(iter(kept))]`."""
    found = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if re.search(r"popitem|next\(\s*iter\(", text := path.read_text())
        for node in ast.walk(ast.parse(text))
        if (isinstance(node, ast.Attribute) and node.attr == "popitem")
        or (isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Del) and "next(iter(" in ast.unparse(node))
        or (isinstance(node, ast.Call) and ast.unparse(node).startswith("self._drop(next(iter("))
    }
    assert found <= OTHERS
