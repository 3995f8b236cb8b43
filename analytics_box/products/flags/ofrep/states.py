"""The state of the flags of a website or an organization in one environment: as long as it is the same, the same user
gets the same results. Clients know it as the ETag of a configuration.
"""

import hashlib
from collections.abc import Iterator
from typing import Final

import analytics_box
from analytics_box.base.cache import BoundedCache
from analytics_box.products.flags.scope import FlagScope

_MOST: Final = 5_000  # States that are remembered.


class States:
    """Makes states, each once for a change."""

    def __init__(self) -> None:
        self._known: BoundedCache[tuple[str, str | None], tuple[int, str]] = BoundedCache(_MOST)

    def of(self, scope: FlagScope, environment: str | None) -> str:
        """The state of these flags. Others of the scope, and flags of other environments, do not change it."""
        key = (scope.id, environment)
        found = self._known.get(key)
        if found is not None and found[0] == scope.revision:
            return found[1]
        state = _state(scope, environment)
        self._known.put(key, (scope.revision, state))
        return state


def _state(scope: FlagScope, environment: str | None) -> str:
    """The state as a hash. The revision alone is not enough: after a restored backup the next change has the number of
    a lost one. Another version of the box may word the same flags differently.
    """
    seen = "\n".join([analytics_box.__version__, *sorted(_lines(scope, environment))])
    return hashlib.blake2b(seen.encode(), digest_size=12).hexdigest()


def _lines(scope: FlagScope, environment: str | None) -> Iterator[str]:
    for flag in scope.flags:
        if flag.environment == environment:
            yield f"{flag.id} {flag.version} {flag.updated_at}"
    for group in scope.groups:
        yield f"{group.id} {group.updated_at}"
