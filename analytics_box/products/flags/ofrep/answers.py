"""Answers to OFREP clients for a website or an organization, built from outcomes that are encoded and remembered."""

from collections.abc import Collection, Iterable, Mapping
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct

from analytics_box.base.cache import BoundedCache
from analytics_box.products.flags.evaluation.compiling import Ruleset
from analytics_box.products.flags.evaluation.conditions import nodes
from analytics_box.products.flags.evaluation.outcome import EvaluationContext, Outcome
from analytics_box.products.flags.flag import FlagScope, TargetingRule
from analytics_box.products.flags.ofrep import messages

_MATCHED: Final = frozenset(("USER_RULE_MATCH", "TARGET_GROUP_MATCH", "DEPENDENCY_NOT_SATISFIED", "DEFAULT_VALUE"))
_NEEDS_NOBODY: Final = frozenset(("exists", "not_exists"))
_MISSING: Final = "A rule of this flag looks at the user, and the context has no targetingKey"
_MOST: Final = 1_000  # Environments whose encoded outcomes are kept.


Place = tuple[str, str | None]  # The id of a scope and the name of an environment.


class OfrepResult(NamedTuple):
    """The result of one flag: the body of an answer, and its status. `outcome` is None if it is not counted."""

    status: int
    body: bytes
    outcome: Outcome | None = None


class Environment:
    """The flags of a scope in one environment, as long as they do not change.

    `token` identifies them without keeping them in memory.
    """

    def __init__(self, scope: FlagScope, name: str | None, ruleset: Ruleset) -> None:
        self.scope = scope
        self.ruleset = ruleset
        self.place: Place = (scope.id, name)
        self.token = object()
        self._encoded: dict[Outcome, bytes] = {}
        asking = frozenset(group.id for group in scope.groups if _asking_user(group.rules))
        self._asks_user = frozenset(
            flag.key
            for flag in scope.flags
            if flag.environment == name
            and (not asking.isdisjoint(flag.definition.targetGroupIds) or _asking_user(flag.definition.rules, asking))
        )

    def one(self, key: str, context: EvaluationContext) -> OfrepResult:
        """The result of a flag for a user, the same as in the answer for all flags."""
        outcome = self.ruleset.one(key, context)
        if outcome is not None:
            return self._given(outcome, context)
        return OfrepResult(404, messages.failure("FLAG_NOT_FOUND", "This flag does not exist", key))

    def all(self, context: EvaluationContext) -> list[OfrepResult]:
        """The results of all flags for a user."""
        return [self._given(outcome, context) for outcome in self.ruleset.all(context)]

    def _given(self, outcome: Outcome, context: EvaluationContext) -> OfrepResult:
        if not context.user_id and outcome.key in self._asks_user and outcome.reason not in _MATCHED:
            return OfrepResult(400, messages.failure("TARGETING_KEY_MISSING", _MISSING, outcome.key))
        encoded = self._encoded.get(outcome)
        if encoded is None:
            encoded = self._encoded[outcome] = messages.success(outcome)
        return OfrepResult(200, encoded, outcome)


class Environments:
    """The environments of recent requests."""

    def __init__(self) -> None:
        self._known: BoundedCache[Place, Environment] = BoundedCache(_MOST)

    def of(self, scope: FlagScope, name: str | None, ruleset: Ruleset) -> Environment:
        """The environment of this name, with its current rules."""
        key = (scope.id, name)
        found = self._known.get(key)
        if found is not None and found.ruleset is ruleset and found.scope.revision == scope.revision:
            return found
        made = Environment(scope, name, ruleset)
        self._known.put(key, made)
        return made


def bulk(given: list[OfrepResult], metadata: Mapping[str, str], streams: list[Mapping[str, object]]) -> bytes:
    """The body of a bulk answer."""
    flags = b",".join(one.body for one in given)
    rest = {"metadata": metadata, **({"eventStreams": streams} if streams else {})}
    return b'{"flags":[%b],%b' % (flags, msgspec.json.encode(rest)[1:])


def _asking_user(rules: Iterable[TargetingRule], groups: Collection[str] = ()) -> bool:
    """Whether a rule looks at the user's id, itself or by one of these target groups, which do."""
    rules = tuple(rules)
    return any(rule.type == "user_id" and rule.operator not in _NEEDS_NOBODY for rule in rules) or any(
        node.group in groups or (node.attribute == "user_id" and node.operator not in _NEEDS_NOBODY)
        for node in nodes(rules)
    )


MOST_BYTES: Final = 16_000_000
_OVERHEAD: Final = 500  # Bytes of an answer in addition to its body.


class CachedBulkAnswer(Struct, frozen=True):
    """A body with its outcomes and their environment. It does not hold the environment itself: outdated rules would
    stay in memory with it.
    """

    place: Place
    token: object
    body: bytes
    outcomes: tuple[Outcome, ...]

    def count(self) -> None:
        """Count these outcomes as given again."""
        for outcome in self.outcomes:
            outcome.count += 1


class OfrepCache:
    """The most recent answers, up to a number of bytes, and of each environment only in its current state."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self.answers: BoundedCache[bytes, CachedBulkAnswer] = BoundedCache(
            most_weight=most_bytes, weigh=_size, largest=most_bytes, dropped=self._forget_tag
        )
        self._tags: dict[
            Place, tuple[object, set[bytes]]
        ] = {}  # The entity tags of a place, with the token that they share.

    def find(self, tag: bytes, environment: Environment) -> CachedBulkAnswer | None:
        """The answer of this tag, if its outcomes are those of the environment as it is."""
        token, _ = self._tags.get(environment.place, (environment.token, None))
        if token is not environment.token:
            self._forget(environment.place)
        found = self.answers.get(tag)
        return found if found is not None and found.token is environment.token else None

    def keep(self, tag: bytes, kept: CachedBulkAnswer) -> None:
        """Keep an answer; the least recently requested ones are dropped, and those of an earlier state of its
        environment.
        """
        token, _ = self._tags.get(kept.place, (kept.token, None))
        if token is not kept.token:
            self._forget(kept.place)
        self.answers.put(tag, kept)
        # An answer that is too large is not kept.
        if tag in self.answers:
            self._tags.setdefault(kept.place, (kept.token, set()))[1].add(tag)

    def _forget(self, place: Place) -> None:
        for tag in list(self._tags[place][1]):
            self.answers.drop(tag)

    def _forget_tag(self, tag: bytes, gone: CachedBulkAnswer) -> None:
        tags = self._tags[gone.place][1]
        tags.discard(tag)
        if not tags:
            del self._tags[gone.place]


def _size(_: bytes, kept: CachedBulkAnswer) -> int:
    return len(kept.body) + 8 * len(kept.outcomes) + _OVERHEAD
