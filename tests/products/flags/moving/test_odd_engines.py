"""Odd values get what every engine of a product gives them, or the flag waits."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from analytics_box.products.flags.evaluation.compiling import compile_ruleset
from analytics_box.products.flags.evaluation.outcome import EvaluationContext
from analytics_box.products.flags.moving import flagd, growthbook, launchdarkly, unleash
from analytics_box.products.flags.moving.wanted import SourceFile
from tests.examples import some
from tests.products.flags.moving import odd
from tests.products.flags.moving.record_odd import unfolded
from tests.products.flags.moving.test_products import flags_of, groups_of

ANSWERS: Final = json.loads((Path(__file__).parent / "odd_answers.json").read_text())
READERS: Final[dict[str, Callable[[Any], SourceFile]]] = {
    "flagd": flagd.read_file,
    "growthbook": growthbook.read_file,
    "launchdarkly": launchdarkly.read_file,
    "unleash": unleash.read_file,
}
NESTED: Final[tuple[Any, ...]] = ([["a"]], [["5"]], [[5]], [5, [5]], ["b", ["a"]], [[], "a"], [[[]]])


def is_excepted(product: str, key: str, value: Any) -> bool:
    """Return whether a value gets something else here, although the engines that were asked agree.

    Lists in lists have no text here. LaunchDarkly's engines for Python and JavaScript take a version before a line
    break, which its grammar and its engine in Go refuse.
    """
    return (key.startswith("draw") and value in NESTED) or (product == "launchdarkly" and value == "5\n")


@pytest.mark.parametrize("product", READERS)
def test_odd_values_get_what_all_engines_give_them_or_the_flag_waits(product: str) -> None:
    file, answers = READERS[product](odd.FILES[product]()), ANSWERS[product]["flags"]
    ready = compile_ruleset(flags_of(file), groups_of(file))
    active = [one.key for one in file.flags if not one.decides]
    contexts = [EvaluationContext(user_id="u", properties=one) for one in odd.VALUES]
    wrong = []
    for key in some(active, 60):
        for value, context, answer in zip(odd.VALUES, contexts, unfolded(answers[key]), strict=True):
            outcome = ready.one(key, context)
            given = "y" if outcome is not None and outcome.enabled else "n"
            if answer not in {"-", given} and not is_excepted(product, key, value.get("v")):
                wrong.append((key, value, given))
    assert wrong == []
    assert any("SDKs disagree about properties of an unexpected type" in note for note in file.notes)


def test_a_file_without_conditions_has_no_note_about_odd_values() -> None:
    flag = {"variants": {"on": True, "off": False}, "defaultVariant": "on", "state": "ENABLED"}
    assert flagd.read_file({"flags": {"f": flag}}).notes == ()


@pytest.mark.parametrize(
    ("product", "least"), [("flagd", 190), ("growthbook", 150), ("launchdarkly", 180), ("unleash", 210)]
)
def test_most_conditions_do_not_wait(product: str, least: int) -> None:
    file = READERS[product](odd.FILES[product]())
    assert sum(not one.decides for one in file.flags) >= least
