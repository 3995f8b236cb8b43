"""The subjects of queries, and the scope that each of them gives. Pure."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Generic, TypeVar

from msgspec import Struct

from analytics_box.base import errors
from analytics_box.base.identity import Identity
from analytics_box.base.identity import Scope as KeyScope
from analytics_box.base.translation import _
from analytics_box.query.access import Names, ReadScope
from analytics_box.query.catalog.types import SubjectName

Found = TypeVar("Found")


class QuerySubject(Struct, Generic[Found], frozen=True):
    """A kind of subject of a query: the request's parameter that holds its id, and the lookup of that id.

    `reads` returns the caller's scope on the subject for these query types; None if there is none. The `usual` subject
    is the default of requests that name none: the caller's organization. A key has access only if it holds the `scope`;
    None leaves that to `reads`.
    """

    name: str
    parameter: str
    find: Callable[[str], Awaitable[Found | None]]
    reads: Callable[[Identity, Found, Names], ReadScope | None]
    usual: bool = False
    scope: KeyScope | None = "read:data"


class Subjects:
    """All that a query can be about. Of those that a request names the first counts."""

    def __init__(self, *known: QuerySubject[Any]) -> None:
        self._known = known

    @property
    def names(self) -> frozenset[str]:
        """The names of all subjects."""
        return frozenset(subject.name for subject in self._known)

    async def of_request(self, identity: Identity, given: Mapping[str, str], types: Names) -> ReadScope:
        """Return the scope that the parameters of a request name; by default the caller's organization.

        Raises AuthRequired, Forbidden, FeatureUnavailable or MissingTarget.
        """
        for subject in self._known:
            subject_id = given.get(subject.parameter)
            if subject.usual:
                subject_id = subject_id or _within(subject, identity).organization_id
            if subject_id is not None:
                return await _scope(subject, identity, subject_id, types)
        if identity.anonymous:
            raise errors.AuthRequired(_("Authentication required"))
        raise errors.MissingTarget(_("Name a website with website_id, or an organization with organization_id"))

    def parameter(self, name: SubjectName) -> str:
        """The request's parameter that names one of these by its id."""
        return self._called(name).parameter

    async def one(self, identity: Identity, name: SubjectName, subject_id: str, types: Names) -> ReadScope:
        """Return the scope of a query about one website or link. Raises AuthRequired, Forbidden or
        FeatureUnavailable."""
        return await _scope(self._called(name), identity, subject_id, types)

    def _called(self, name: SubjectName) -> QuerySubject[Any]:
        return next(subject for subject in self._known if subject.name == name)


def _within(subject: QuerySubject[Any], identity: Identity) -> Identity:
    """The caller, limited to the scope that this takes."""
    return identity if subject.scope is None else identity.within(subject.scope)


async def _scope(subject: QuerySubject[Any], identity: Identity, subject_id: str, types: Names) -> ReadScope:
    """An unknown id is refused like a forbidden one."""
    found = await subject.find(subject_id)
    scope = subject.reads(_within(subject, identity), found, types) if found is not None else None
    if scope is not None:
        return scope
    if identity.anonymous:
        raise errors.AuthRequired(_("Authentication required"))
    raise errors.Forbidden(_("Access denied to this {name}").format(name=subject.name))
