"""All flags in memory: an evaluation reads no database, and meets every change that was acknowledged before it."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType

from msgspec.structs import replace

from analytics_box.products.flags.evaluation.compiling import Ruleset, compiled
from analytics_box.products.flags.evaluation.outcome import Outcome
from analytics_box.products.flags.flag import Flag, TargetGroup
from analytics_box.products.flags.scope import Scope
from analytics_box.tenants.tenancy.directory import Organizations
from analytics_box.tenants.websites.directory import Directory

Told = Callable[[], None]
Discard = Callable[[Iterable[Outcome]], None]


class Flags:
    """The flags of this box. Whoever changes one in box.db tells the directory after the commit (flags.saving).

    Those of websites and organizations that are deleted are as if they were not there, until those are restored.
    Flags of a website belong to whichever organization has the website.
    """

    def __init__(self, scopes: Iterable[Scope], websites: Directory, organizations: Organizations) -> None:
        self._websites = websites
        self._organizations = organizations
        self._scopes = {scope.id: scope for scope in scopes}
        self._scope_of = {flag.id: scope.id for scope in self._scopes.values() for flag in scope.flags}
        self._rulesets: dict[str, dict[str | None, Ruleset]] = {}
        self._subscribers: dict[str, list[Told]] = {}
        self._empty = compiled((), ())
        self.discard: Discard = _nobody  # gets the outcomes of rulesets that are thrown away, to count them

    def client(self, client_id: str, now: int) -> Scope | None:
        """Whose flags a public request means: a website's, by its id or a client id of it, or an organization's.

        None for an unknown, deleted or closed one. One that never had a flag is an empty scope of revision 0.
        """
        found = self.scope(client_id)
        if found is None:
            tracked = self._websites.tracked(client_id, now)
            found = None if tracked is None else self.scope(tracked.website.id)
        return found

    def scope(self, scope_id: str) -> Scope | None:
        """The flags of this website or organization; None for an unknown, deleted or closed one."""
        website = self._websites.find(scope_id)
        if website is not None:
            return self._of_website(scope_id, website.organization_id)
        if self._organizations.find(scope_id) is None or scope_id in self._organizations.closed:
            return None
        return self._scopes.get(scope_id) or Scope(scope_id, scope_id, None)

    def find(self, flag_id: str) -> Flag | None:
        """The living flag with this id, whoever owns it."""
        scope = self.scope(self._scope_of.get(flag_id, ""))
        return None if scope is None else next((flag for flag in scope.flags if flag.id == flag_id), None)

    def group(self, group_id: str) -> TargetGroup | None:
        """The target group with this id, whoever owns it."""
        return next(
            (group for scope in self.all() for group in scope.groups if group.id == group_id),
            None,
        )

    def of(self, organization_id: str) -> list[Scope]:
        """The scopes of an organization in which something was ever made: its own first, then those of its websites."""
        ids = (organization_id, *(website.id for website in self._websites.of(organization_id)))
        return [scope for scope in map(self.scope, ids) if scope is not None and scope.revision]

    def all(self) -> Iterator[Scope]:
        """Every scope in which something was ever made."""
        for scope_id in list(self._scopes):
            scope = self.scope(scope_id)
            if scope is not None:
                yield scope

    def ruleset(self, scope: Scope, environment: str | None) -> Ruleset:
        """What evaluates the flags of one environment; made when it is first asked for, kept until a change."""
        current = self._scopes.get(scope.id)
        if current is None or current.revision != scope.revision:
            return _compiled(scope, environment)
        made = self._rulesets.setdefault(scope.id, {})
        found = made.get(environment)
        if found is None:
            if not any(flag.environment == environment for flag in scope.flags):
                return self._empty  # not kept: anybody can ask for any name
            found = made[environment] = _compiled(scope, environment)
        return found

    def rulesets(self, scope_id: str | None = None) -> Iterator[Ruleset]:
        """Those that are kept now, of all or of one scope, for their counts."""
        kept = [self._rulesets.get(scope_id, {})] if scope_id is not None else list(self._rulesets.values())
        for made in kept:
            yield from list(made.values())

    async def renew(self, scope: Scope) -> None:
        """Remember a scope with what evaluates it. The loop goes on meanwhile: a thousand flags take long."""
        environments = list(self._rulesets.get(scope.id, ()))
        made = {name: await asyncio.to_thread(_compiled, scope, name) for name in environments}
        self.remember(scope, made)

    def remember(self, scope: Scope, made: Mapping[str | None, Ruleset] = MappingProxyType({})) -> None:
        """Flags or groups of a scope were changed. An older state than the known one is ignored.

        `made` is what evaluates it, by environment, where somebody has it already.
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
        """Call `told` after each change of a scope, also when it is forgotten; returns what ends that.

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
        """A website or an organization is gone for good, with its flags."""
        self._let_go(scope_id)
        self._scopes.pop(scope_id, None)
        for told in list(self._subscribers.get(scope_id, ())):
            told()

    def _of_website(self, website_id: str, organization_id: str) -> Scope:
        """The flags of a website as those of the organization that has it now."""
        known = self._scopes.get(website_id)
        if known is None:
            return Scope(website_id, organization_id, website_id)
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


def _compiled(scope: Scope, environment: str | None) -> Ruleset:
    return compiled((flag for flag in scope.flags if flag.environment == environment), scope.groups)


def _nobody(_: Iterable[Outcome]) -> None:
    """Nothing is counted."""
