"""Flags of one website or organization and one environment, made ready to be evaluated."""

from collections.abc import Iterable, Sequence

from analytics_box.flags.evaluation.context import Context
from analytics_box.flags.evaluation.outcome import Outcome
from analytics_box.flags.flag import Flag, TargetGroup


class Ruleset:
    """Flags that are evaluated together."""

    def __init__(self, flags: Sequence[Flag]) -> None:
        self._keys = sorted({flag.key for flag in flags if flag.definition.status == "active"})

    def keys(self) -> Sequence[str]:
        """The keys of active flags."""
        return self._keys

    def one(self, key: str, context: Context) -> Outcome | None:  # nothing is decided yet
        """What somebody gets of a flag; None where there is none for them."""
        return None

    def all(self, context: Context, keys: Iterable[str] | None = None) -> list[Outcome]:
        """What somebody gets of these flags, else of all."""
        wanted = self._keys if keys is None else keys
        return [found for found in (self.one(key, context) for key in wanted) if found is not None]

    def outcomes(self) -> Iterable[Outcome]:
        """All that was ever given."""
        return ()


def compiled(flags: Iterable[Flag], groups: Iterable[TargetGroup]) -> Ruleset:  # nothing is decided yet
    """What evaluates these flags of one scope and environment."""
    return Ruleset(tuple(flags))
