"""Bulk answers that are kept take so many bytes at most, and are of the flags as they are."""

import gc
from weakref import ref

from analytics_box.products.flags.evaluation.compiling import compile_ruleset
from analytics_box.products.flags.flag import FlagScope
from analytics_box.products.flags.ofrep.answers import CachedBulkAnswer, Environment, OfrepCache
from tests.products.flags.ofrep.world import about, ask
from tests.products.flags.world import World


def environment(name: str = "production") -> Environment:
    return Environment(FlagScope("shop-website-1", "acme", "shop-website-1"), name, compile_ruleset((), ()))


def kept(of: Environment, size: int) -> CachedBulkAnswer:
    return CachedBulkAnswer(of.place, of.token, b"x" * size, ())


def test_answers_asked_for_longest_ago_go() -> None:
    here = environment()
    memo = OfrepCache(most_bytes=5_000)
    for number in range(4):
        memo.keep(b"%d" % number, kept(here, 500))
    assert memo.find(b"0", here) is not None
    memo.keep(b"4", kept(here, 500))
    memo.keep(b"4", kept(here, 600))
    found = [number for number in range(5) if memo.find(b"%d" % number, here)]
    assert found == [0, 2, 3, 4]
    assert memo.answers.weight <= 5_000


def test_remembered_answer_is_invalid_after_flags_were_recompiled() -> None:
    before, after, other = environment(), environment(), environment("staging")
    memo = OfrepCache()
    for number in range(3):
        memo.keep(b"%d" % number, kept(before, 500))
    memo.keep(b"other", kept(other, 500))
    of_other = memo.answers.weight // 4
    assert memo.find(b"0", after) is None
    assert memo.answers.weight == of_other  # none of that environment stays
    memo.keep(b"1", kept(before, 500))
    memo.keep(b"2", kept(after, 500))
    assert [memo.find(tag, after) is not None for tag in (b"1", b"2")] == [False, True]
    assert memo.find(b"other", other) is not None
    memo.keep(b"huge", kept(after, 20_000_000))
    assert (memo.find(b"huge", after), memo.find(b"2", after) is None) == (None, False)


def test_rules_that_were_changed_stay_in_memory_with_no_answer(world: World) -> None:
    rulesets = []
    for number in range(4):
        world.put(f"flag-{number}", {"rules": [{"type": "user_id", "value": "ada"}]})
        assert ask(world, content=about(f"u{number}")).status == 200
        rulesets.append(ref(world.flags.ruleset(world.known(), None)))
    gc.collect()
    assert sum(one() is not None for one in rulesets) <= 2  # whoever compiled the last but one may still hold it
