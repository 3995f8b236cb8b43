"""All flags in memory: an evaluation reads no database, and meets every change that was acknowledged before it."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType

from msgspec.structs import replace

from analytics_box.base.store.db import Connection
from analytics_box.products.flags import rows
from analytics_box.products.flags.evaluation.compiling import Ruleset, compile_ruleset
from analytics_box.products.flags.evaluation.outcome import Outcome
from analytics_box.products.flags.flag import Flag, FlagScope, TargetGroup
from analytics_box.tenants.tenancy.directory import OrganizationDirectory
from analytics_box.tenants.websites.directory import Directory

Told = Callable[[], None]
Discard = Callable[[Iterable[Outcome]], None]


class Flags:
    """The flags of this box, in memory. A change in box.db is passed to the directory after the commit (flags.saving).

    Flags of deleted websites and organizations are hidden until those are restored. Flags of a website belong to the
    organization that has the website.
    """

    def __init__(self, scopes: Iterable[FlagScope], websites: Directory, organizations: OrganizationDirectory) -> None:
        self._websites = websites
        self._organizations = organizations
        self._scopes = {scope.id: scope for scope in scopes}
        self._scope_of = {flag.id: scope.id for scope in self._scopes.values() for flag in scope.flags}
        self._rulesets: dict[str, dict[str | None, Ruleset]] = {}
        self._subscribers: dict[str, list[Told]] = {}
        self._empty = compile_ruleset((), ())
        self.discard: Discard = _nobody  # Receives the outcomes of discarded rulesets, to count them.

    def client(self, client_id: str, now: int) -> FlagScope | None:
        """The scope that a public request names: a website, by its id or a client id of it, or an organization.

        None for an unknown, deleted or closed one. A scope that never had a flag is empty and of revision 0.
        """
        found = self.scope(client_id)
        if found is None:
            tracked = self._websites.tracked(client_id, now)
            found = None if tracked is None else self.scope(tracked.website.id)
        return found

    def scope(self, scope_id: str) -> FlagScope | None:
        """The flags of this website or organization; None for an unknown, deleted or closed one."""
        website = self._websites.find(scope_id)
        if website is not None:
            return self._of_website(scope_id, website.organization_id)
        if self._organizations.find(scope_id) is None or scope_id in self._organizations.closed:
            return None
        return self._scopes.get(scope_id) or FlagScope(scope_id, scope_id, None)

    def find(self, flag_id: str) -> Flag | None:
        """The living flag with this id, of any owner."""
        scope = self.scope(self._scope_of.get(flag_id, ""))
        return None if scope is None else next((flag for flag in scope.flags if flag.id == flag_id), None)

    def group(self, group_id: str) -> TargetGroup | None:
        """The target group with this id, of any owner."""
        return next(
            (group for scope in self.all() for group in scope.groups if group.id == group_id),
            None,
        )

    def of(self, organization_id: str) -> list[FlagScope]:
        """The scopes of an organization in which something was ever made: its own first, then those of its websites."""
        ids = (organization_id, *(website.id for website in self._websites.of(organization_id)))
        return [scope for scope in map(self.scope, ids) if scope is not None and scope.revision]

    def all(self) -> Iterator[FlagScope]:
        """Every scope in which something was ever made."""
        for scope_id in list(self._scopes):
            scope = self.scope(scope_id)
            if scope is not None:
                yield scope

    def ruleset(self, scope: FlagScope, environment: str | None) -> Ruleset:
        """The compiled flags of one environment; compiled at the first request and kept until a change."""
        current = self._scopes.get(scope.id)
        if current is None or current.revision != scope.revision:
            return _compile_environment(scope, environment)
        made = self._rulesets.setdefault(scope.id, {})
        found = made.get(environment)
        if found is None:
            if not any(flag.environment == environment for flag in scope.flags):
                return self._empty  # It is not kept: anonymous requests can name any environment.
            found = made[environment] = _compile_environment(scope, environment)
        return found

    def rulesets(self, scope_id: str | None = None) -> Iterator[Ruleset]:
        """The rulesets in memory, of all scopes or of one, for their evaluation counts."""
        kept = [self._rulesets.get(scope_id, {})] if scope_id is not None else list(self._rulesets.values())
        for made in kept:
            yield from list(made.values())

    async def renew(self, scope: FlagScope) -> None:
        """Remember a scope with its compiled flags. The event loop continues in the meantime: a thousand flags take
        long.
        """
        environments = list(self._rulesets.get(scope.id, ()))
        made = {name: await asyncio.to_thread(_compile_environment, scope, name) for name in environments}
        self.remember(scope, made)

    def remember(self, scope: FlagScope, made: Mapping[str | None, Ruleset] = MappingProxyType({})) -> None:
        """Remember the changed flags or groups of a scope. A state older than the known one is ignored.

        `made` are its rulesets, by environment, if they are compiled already.
        """
        before = self._scopes.get(scope.id)
        if before is not None and before.revision >= scope.revision:
            return
        self._let_go(scope.id)
        self._scopes[scope.id] = scope
        named = {flag.environment for flag in scope.flags}
        self._rulesets[scope.id] = {name: ruleset for name, ruleset in made.items() if name in named}
        self._scope_of.update((flag.id, scope.id) for flag in scope.flags)
        for told in list(self._subscribers.get(scope.id, ())):
            told()

    def subscribe(self, scope_id: str, told: Told) -> Told:
        """Call `told` after each change of a scope, including when it is forgotten; return a function that
        unsubscribes.

        It is called on the loop and must neither wait nor raise.
        """
        self._subscribers.setdefault(scope_id, []).append(told)

        def unsubscribe() -> None:
            waiting = self._subscribers.get(scope_id, [])
            if told in waiting:
                waiting.remove(told)
            if not waiting:
                self._subscribers.pop(scope_id, None)

        return unsubscribe

    def forget(self, scope_id: str) -> None:
        """Forget a website or an organization that was removed permanently, with its flags."""
        self._let_go(scope_id)
        self._scopes.pop(scope_id, None)
        for told in list(self._subscribers.get(scope_id, ())):
            told()

    def _of_website(self, website_id: str, organization_id: str) -> FlagScope:
        """The flags of a website as those of the organization that has it now."""
        known = self._scopes.get(website_id)
        if known is None:
            return FlagScope(website_id, organization_id, website_id)
        if known.organization_id != organization_id:
            known = self._scopes[website_id] = replace(
                known,
                organization_id=organization_id,
                flags=tuple(replace(flag, organization_id=organization_id) for flag in known.flags),
                groups=tuple(replace(group, organization_id=organization_id) for group in known.groups),
            )
        return known

    def _let_go(self, scope_id: str) -> None:
        for ruleset in self._rulesets.pop(scope_id, {}).values():
            self.discard(ruleset.outcomes())
        before = self._scopes.get(scope_id)
        if before is not None:
            for flag in before.flags:
                self._scope_of.pop(flag.id, None)


def _compile_environment(scope: FlagScope, environment: str | None) -> Ruleset:
    return compile_ruleset((flag for flag in scope.flags if flag.environment == environment), scope.groups)


def _nobody(_: Iterable[Outcome]) -> None:
    """Nothing is counted."""


def scopes_of(db: Connection, organization_id: str) -> list[str]:
    """The ids of the organization and its websites, including deleted ones, that have ever had flags."""
    return rows.scopes_of(db, organization_id)
