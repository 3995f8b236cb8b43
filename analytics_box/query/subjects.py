"""What a query can be about, and what it reads then. Pure."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Generic, TypeVar

from msgspec import Struct

from analytics_box.base import errors
from analytics_box.base.identity import Identity
from analytics_box.base.identity import Scope as KeyScope
from analytics_box.query.access import Names, Scope
from analytics_box.query.catalog.types import SubjectName

Found = TypeVar("Found")


class Subject(Struct, Generic[Found], frozen=True):
    """One kind of thing to ask about: the request's parameter that names one by its id, and how the id is resolved.

    `reads` is what the caller may read of the one that was found with these query types; None if nothing. The `usual`
    subject is the caller's organization where a request names nothing. A key reaches only where it holds the `scope`;
    None leaves that to `reads`.
    """

    name: str
    parameter: str
    find: Callable[[str], Awaitable[Found | None]]
    reads: Callable[[Identity, Found, Names], Scope | None]
    usual: bool = False
    scope: KeyScope | None = "read:data"


class Subjects:
    """All that a query can be about. Of those that a request names the first counts."""

    def __init__(self, *known: Subject[Any]) -> None:
        self._known = known

    @property
    def names(self) -> frozenset[str]:
        """What each of them is called."""
        return frozenset(subject.name for subject in self._known)

    async def of_request(self, identity: Identity, given: Mapping[str, str], types: Names) -> Scope:
        """What the parameters of a request name; without any it is the caller's organization.

        Raises AuthRequired, Forbidden, FeatureUnavailable or MissingTarget.
        """
        for subject in self._known:
            subject_id = given.get(subject.parameter)
            if subject.usual:
                subject_id = subject_id or _within(subject, identity).organization_id
            if subject_id is not None:
                return await _scope(subject, identity, subject_id, types)
        if identity.anonymous:
            raise errors.AuthRequired("Authentication required")
        raise errors.MissingTarget("Name a website with website_id, or an organization with organization_id")

    def parameter(self, name: SubjectName) -> str:
        """The request's parameter that names one of these by its id."""
        return self._called(name).parameter

    async def one(self, identity: Identity, name: SubjectName, subject_id: str, types: Names) -> Scope:
        """What a query about one website or link reads. Raises AuthRequired, Forbidden or FeatureUnavailable."""
        return await _scope(self._called(name), identity, subject_id, types)

    def _called(self, name: SubjectName) -> Subject[Any]:
        return next(subject for subject in self._known if subject.name == name)


def _within(subject: Subject[Any], identity: Identity) -> Identity:
    """The caller, as far as the scope reaches that this takes."""
    return identity if subject.scope is None else identity.within(subject.scope)


async def _scope(subject: Subject[Any], identity: Identity, subject_id: str, types: Names) -> Scope:
    """An unknown id is refused like a forbidden one."""
    found = await subject.find(subject_id)
    scope = subject.reads(_within(subject, identity), found, types) if found is not None else None
    if scope is not None:
        return scope
    if identity.anonymous:
        raise errors.AuthRequired("Authentication required")
    raise errors.Forbidden(f"Access denied to this {subject.name}")
