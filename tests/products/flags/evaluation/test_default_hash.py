"""The default draw is that of the existing service, so that its clients keep their buckets (wire 6.3)."""

import json
import random
import shutil
import subprocess

import pytest

from analytics_box.products.flags.evaluation.bucketing import absolute, default_hash, scale_and_hash
from analytics_box.products.flags.evaluation.outcome import EvaluationContext
from tests.cases import each
from tests.products.flags.evaluation.made import flag, ruleset

# The hash as the wire tells it, in the language that it comes from.
JAVASCRIPT = """
const texts = JSON.parse(require("fs").readFileSync(0, "utf8"));
const hash = (text) => {
  let h = 0;
  for (let i = 0; i < text.length; i++) h = (Math.imul(h, 31) + text.charCodeAt(i)) | 0;
  return Math.abs(h);
};
console.log(JSON.stringify(texts.map(hash)));
"""
NODE = shutil.which("node")


def texts() -> list[str]:
    chance = random.Random(3)
    odd = ["", "\x00", "ÿ", "Zoë", "日本語", "🚀", "a🚀b", "\ud800", "\udfff\ud800", "polygenelubricants", "x" * 5_000]
    return odd + ["".join(chance.choices("abcxyz0189-_é😀", k=chance.randint(1, 600))) for _ in range(300)]


@pytest.mark.skipif(NODE is None, reason="needs Node.js")
def test_a_text_has_the_hash_that_javascript_gives_it() -> None:
    given = json.dumps(texts())  # half of a surrogate pair stays an escape
    done = subprocess.run([str(NODE), "-e", JAVASCRIPT], input=given, capture_output=True, text=True, check=True)
    assert [default_hash(text) for text in texts()] == json.loads(done.stdout)


@each(
    ("text", "hashed"),
    [
        ("", 0),
        ("a", 97),
        ("ab", 3105),
        ("new-checkout:user-1", 1_858_689_334),
        ("polygenelubricants", 2_147_483_648),  # the one whose absolute value has no room in 32 bits
    ],
)
def test_hashes_that_were_worked_out_elsewhere(text: str, hashed: int) -> None:
    assert default_hash(text) == hashed


def test_a_text_is_hashed_behind_a_beginning_without_that() -> None:
    for beginning, text in zip(texts(), reversed(texts()), strict=True):
        scale, hashed = scale_and_hash(text)
        together = scale_and_hash(beginning)[1] * scale + hashed & 0xFFFFFFFF
        assert absolute(together) == default_hash(beginning + text)


def test_users_are_drawn_by_key_and_id() -> None:
    """Whom the wire's formula puts below 37 is in a rollout of 37 %, and gets the variant that it names."""
    weights = [{"key": key, "value": key, "weight": weight} for key, weight in (("a", 20), ("b", 30.5), ("c", 49.5))]
    ready = ruleset(
        flag("roll", type="rollout", rolloutPercentage=37),
        flag("equal", type="multivariant", variants=[{"key": key, "value": key} for key in "abcdefg"]),
        flag("weighted", type="multivariant", variants=weights),
    )
    for who in texts()[:200]:
        roll, equal, weighted = ready.all(EvaluationContext(user_id=who[:80]))
        name = who[:80] or "anonymous"
        assert roll.enabled == (default_hash(f"roll:{name}") % 100 < 37)
        assert equal.variant == "abcdefg"[default_hash(f"equal:variant:{name}") % 7]
        drawn = default_hash(f"weighted:variant:{name}") % 100
        assert weighted.variant == ("a" if drawn < 20 else "b" if drawn < 50.5 else "c")
