"""Evaluation agrees with the wire told plainly, with the trace of its steps, and with what it says of itself."""

import msgspec

from analytics_box.products.flags.evaluation.compiling import compile_ruleset
from analytics_box.products.flags.evaluation.tracing import trace
from tests.products.flags.evaluation.invented import KEYS, Chance
from tests.products.flags.evaluation.oracle import evaluated


def test_evaluation_is_what_the_wire_tells() -> None:
    reasons = set()
    for seed in range(300):
        chance = Chance(seed, beyond=False)
        flags, groups = chance.world()
        ready = compile_ruleset(flags, groups)
        for _ in range(4):
            who = chance.context()
            for key in KEYS:
                outcome = ready.one(key, who)
                said = msgspec.json.decode(outcome.encoded) if outcome else None
                assert said == evaluated(flags, groups, key, who), (seed, key, who)
                reasons.add(outcome and outcome.reason)
    assert len(reasons) == 8


def test_the_trace_ends_with_what_is_given() -> None:
    for seed in range(250):
        chance = Chance(seed, beyond=True)
        ready = compile_ruleset(*chance.world())
        for _ in range(3):
            who = chance.context()
            given = {outcome.key: outcome for outcome in ready.all(who)}
            for key in KEYS:
                outcome = ready.one(key, who)
                assert outcome is given.get(key)
                traced = trace(ready, key, who)
                assert (traced.flag is None) == (outcome is None)
                if outcome:
                    told = (traced.enabled, traced.value, traced.payload, traced.reason, traced.variant)
                    wanted = (outcome.enabled, outcome.value, outcome.payload, outcome.reason, outcome.variant)
                    assert told == wanted, (seed, key, who, traced)
                    assert all(not step.matched for step in traced.steps[:-1] if step.kind in ("rule", "target_group"))


def test_nothing_changes_where_parts_are_left_out_that_no_flag_looks_at() -> None:
    left_out = 0
    for seed in range(250):
        chance = Chance(seed, beyond=seed % 2 == 0)
        flags, groups = chance.world()
        ready = compile_ruleset(flags[:2], groups)
        who = chance.context()
        kept = ready.uses.kept(who)
        assert [*map(id, ready.all(who))] == [*map(id, ready.all(kept))], (seed, who, kept)
        left_out += kept != who
    assert left_out > 100


def test_every_outcome_was_told_before() -> None:
    for seed in range(200):
        chance = Chance(seed, beyond=True)
        ready = compile_ruleset(*chance.world())
        told = {id(outcome) for outcome in ready.outcomes()}
        assert all(id(outcome) in told for _ in range(5) for outcome in ready.all(chance.context()))
