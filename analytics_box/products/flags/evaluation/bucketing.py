"""Bucketing: the hash algorithms that decide whether a user is in a flag's percentage. Pure.

Every algorithm derives a number from 0 up to 100 from a text, always the same number. A flag keeps the algorithm that
its users were bucketed by before, so that an import moves no user:

        default        the existing service's: 32-bit h·31 over UTF-16 code units, salt:id, mod 100 (wire 6.3)
        unleash        murmur3 of groupId:id, in whole percent; variants in thousandths, with their own seed
        growthbook_v1  FNV-1a of id+seed, in thousandths
        growthbook_v2  FNV-1a of the FNV-1a of seed+id, in ten-thousandths
        flagd          murmur3 of seed+id, multiplied and shifted
        flagd_v3       the same of [seed, id] in CBOR, as flagd hashes from the third version of its fractional on
        launchdarkly   SHA-1 of salt.id, of which the first 60 bits count
"""

import hashlib
import sys
from collections.abc import Callable, Sequence
from operator import mul

import mmh3

from analytics_box.products.flags.flag import Algorithm, Bucketing, Flag

Draw = Callable[[str], float]  # From an id to its bucket in percent, 0 up to 100.

ANONYMOUS = "anonymous"  # The id to bucket by if the request names none (wire 6.3).
PERCENTAGE_RULE = "percentage:"  # The salt of a property rule without a property (wire 6.3).
_UNLEASH_VARIANTS = 86_028_157  # Unleash's seed for variants.
_BLOCK = 256
_POWERS = tuple(pow(31, power, 2**32) for power in range(_BLOCK - 1, -1, -1))
_UTF_16 = "utf-16-le" if sys.byteorder == "little" else "utf-16-be"


def scale_and_hash(text: str) -> tuple[int, int]:
    """31^length and the unsigned default hash of a text, both mod 2^32.

    They are enough to hash it behind any beginning: `hash(a + b) = hash(a)·31^len(b) + hash(b)`.
    """
    units: Sequence[int] = (
        text.encode("ascii") if text.isascii() else memoryview(text.encode(_UTF_16, "surrogatepass")).cast("H")
    )
    scale, hashed = 1, 0
    for start in range(0, len(units), _BLOCK):
        block = units[start : start + _BLOCK]
        step = pow(31, len(block), 2**32)
        scale = scale * step & 0xFFFFFFFF
        hashed = hashed * step + sum(map(mul, block, _POWERS[_BLOCK - len(block) :])) & 0xFFFFFFFF
    return scale, hashed


def default_hash(text: str) -> int:
    """The default algorithm's hash, 0 to 2^31 (wire 6.3)."""
    return absolute(scale_and_hash(text)[1])


def absolute(hashed: int) -> int:
    """The absolute value of 32 bits that mean a signed number."""
    return hashed if hashed < 0x80000000 else 0x100000000 - hashed


def murmur3(data: bytes, seed: int = 0) -> int:
    """MurmurHash3 (x86, 32 bits), unsigned."""
    return mmh3.hash(data, seed, signed=False)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def fnv1a(text: str) -> int:
    """FNV-1a (32 bits) over the UTF-16 code units of a text."""
    units = memoryview(text.encode(_UTF_16, "surrogatepass")).cast("H")
    hashed = 0x811C9DC5
    for unit in units:
        hashed = (hashed ^ unit) * 0x01000193 & 0xFFFFFFFF
    return hashed


def rollout_prefix(flag: Flag) -> str:
    """The text that is hashed before the id for a rollout; with the default algorithm, `key:`."""
    return f"{flag.definition.bucketing.salt or flag.key}:"


def variant_prefix(flag: Flag) -> str:
    """The text that is hashed before the id for a variant; with the default algorithm, `key:variant:`."""
    return f"{_variant_salt(flag)}:"


def _variant_salt(flag: Flag) -> str:
    bucketing = flag.definition.bucketing
    salt = bucketing.salt or flag.key
    # Unleash has another seed instead of another salt.
    return bucketing.variantSalt or (salt if bucketing.algorithm == "unleash" else f"{salt}:variant")


def rollout_draw(flag: Flag, bucketing: Bucketing) -> Draw:
    """The bucket of an id in percent, by the flag's bucketing or another: a rollout includes it if its percentage is
    higher.
    """
    return draw_by(bucketing, flag.key)


def draw_by(bucketing: Bucketing, key: str = "") -> Draw:
    """The function that draws a user's percent by a bucketing, for the flag of a key."""
    return _ROLLOUTS[bucketing.algorithm](bucketing.salt or key)


def rule_draw(flag: Flag, bucketing: Bucketing) -> Draw:
    """The bucket of an id in percent for a rule's percentage: as for a rollout, but with murmur3 by default.

    The default hash puts the same people into the same buckets for everything (ids of the same length differ by a step
    that is the same for all), so users left over by a rule would not get variants by their weights.
    """
    if bucketing.algorithm == "default":
        return _flagd(f"{bucketing.salt or flag.key}:rule:")
    return rollout_draw(flag, bucketing)


def variant_draw(flag: Flag) -> Draw:
    """The bucket of an id in percent for a variant, among the weights in their order."""
    return _VARIANTS[flag.definition.bucketing.algorithm](_variant_salt(flag))


def _default(salt: str) -> Draw:
    prefix = scale_and_hash(f"{salt}:")[1]

    def draw(identity: str) -> float:
        scale, hashed = scale_and_hash(identity)
        return absolute(prefix * scale + hashed & 0xFFFFFFFF) % 100

    return draw


def _unleash(salt: str) -> Draw:
    return lambda identity: murmur3(_bytes(f"{salt}:{identity}")) % 100


def _unleash_variant(salt: str) -> Draw:
    return lambda identity: murmur3(_bytes(f"{salt}:{identity}"), _UNLEASH_VARIANTS) % 1000 / 10


def _growthbook_v1(salt: str) -> Draw:
    return lambda identity: fnv1a(identity + salt) % 1000 / 10


def _growthbook_v2(salt: str) -> Draw:
    return lambda identity: fnv1a(str(fnv1a(salt + identity))) % 10_000 / 100


def _flagd(salt: str) -> Draw:
    beginning = _bytes(salt)
    return lambda identity: murmur3(beginning + _bytes(identity)) * 100 / 2**32


def _flagd_v3(salt: str) -> Draw:
    beginning = b"\x82" + _cbor(salt)  # a list of two
    return lambda identity: murmur3(beginning + _cbor(identity)) * 100 / 2**32


def _cbor(text: str) -> bytes:
    """A text in CBOR (RFC 8949, 3.1), of which evaluation sees none of 2^16 bytes or more."""
    data = _bytes(text)
    size = len(data)
    if size < 24:
        return bytes((0x60 | size,)) + data
    return (bytes((0x78, size)) if size < 256 else b"\x79" + size.to_bytes(2)) + data


def _launchdarkly(salt: str) -> Draw:
    def draw(identity: str) -> float:
        hashed = hashlib.sha1(_bytes(f"{salt}.{identity}"), usedforsecurity=False)
        return int(hashed.hexdigest()[:15], 16) * 100 / 0xFFFFFFFFFFFFFFF

    return draw


_ROLLOUTS: dict[Algorithm, Callable[[str], Draw]] = {
    "default": _default,
    "unleash": _unleash,
    "growthbook_v1": _growthbook_v1,
    "growthbook_v2": _growthbook_v2,
    "flagd": _flagd,
    "flagd_v3": _flagd_v3,
    "launchdarkly": _launchdarkly,
}
_VARIANTS = {**_ROLLOUTS, "unleash": _unleash_variant}
