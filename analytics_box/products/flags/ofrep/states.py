"""The state of the flags of a website or an organization in one environment: while it is the same, so is what they
give to the same user. Clients know it as the tag of a configuration."""

import hashlib
from collections import OrderedDict
from collections.abc import Iterator
from typing import Final

import analytics_box
from analytics_box.products.flags.scope import Scope

_MOST: Final = 5_000  # states that are remembered


class States:
    """Makes states, each once for a change."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, str | None], tuple[int, str]] = OrderedDict()

    def of(self, scope: Scope, environment: str | None) -> str:
        """The state of these flags. Others of the scope, and flags of other environments, do not change it."""
        key = (scope.id, environment)
        found = self._known.get(key)
        if found is not None and found[0] == scope.revision:
            return found[1]
        state = _state(scope, environment)
        self._known[key] = (scope.revision, state)
        self._known.move_to_end(key)
        if len(self._known) > _MOST:
            self._known.popitem(last=False)
        return state


def _state(scope: Scope, environment: str | None) -> str:
    """Not the revision alone: after a restored backup the next change has the number of one that was lost. Another
    version of the box may say the same in other words."""
    seen = "\n".join([analytics_box.__version__, *sorted(_lines(scope, environment))])
    return hashlib.blake2b(seen.encode(), digest_size=12).hexdigest()


def _lines(scope: Scope, environment: str | None) -> Iterator[str]:
    for flag in scope.flags:
        if flag.environment == environment:
            yield f"{flag.id} {flag.version} {flag.updated_at}"
    for group in scope.groups:
        yield f"{group.id} {group.updated_at}"
