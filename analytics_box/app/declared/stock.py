"""The resources that a server has, in the words of a file; and how a change of one is carried out."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Final

import msgspec
from msgspec import Struct

from analytics_box.app.declared.kinds import BY_NAME, RENAMED, DeclaredKind, Item, form_of, key_of, spell, wire_fields
from analytics_box.base.errors import BadRequest, BoxError
from analytics_box.base.translation import _

# Call a procedure with its input and return its answer as plain values. Raises BoxError.
Ask = Callable[[str, dict[str, Any]], Any]
_PAGE: Final = 100
# How ids of invitations begin, among those of members.
_INVITATION: Final = "invitation "


class StoredResource(Struct, frozen=True):
    """A resource of the server: its id, and itself in the words of a file."""

    id: str
    item: Item


class Stock:
    """The resources of an organization, each kind asked for when it is first needed."""

    def __init__(self, ask: Ask) -> None:
        self.ask = ask
        self._known: dict[str, list[StoredResource]] = {}
        # Names of resources that a plan creates, by kind.
        self.planned: dict[str, set[str]] = {}
        # Links of invitations that no mail server sends.
        self.messages: list[str] = []

    def of(self, kind: DeclaredKind) -> list[StoredResource]:
        """The resources of a kind. Raises BoxError if the caller cannot list them."""
        if kind.name not in self._known:
            rows = list(self._rows(kind))
            # A monitor can have a parent of the same kind, which is looked up by its name.
            named = [(str(row["id"]), {"name": row.get("name"), "url": row.get("url")}) for row in rows]
            self._known[kind.name] = [StoredResource(*one) for one in named]
            if kind.create:
                self._known[kind.name] = [StoredResource(str(row["id"]), self._item(kind, row)) for row in rows]
        return self._known[kind.name]

    def _rows(self, kind: DeclaredKind) -> Iterator[dict[str, Any]]:
        if kind.of == "statusPage":
            yield from self._rows_of_pages(kind)
        if kind.of in {"website", "both"}:
            for website in self.of(BY_NAME["websites"]):
                for row in self.ask(kind.list, {"websiteId": website.id}):
                    # Other segments belong to one person, the filters of a report or share link are in no answer, and
                    # the link of a public dashboard has the ID of its website.
                    if row.get("isShared") is not False and not row.get("isFiltered") and row.get("slug") != website.id:
                        yield row
        if kind.name in {"links", "members"}:
            yield from self._rows_of_links(kind) if kind.name == "links" else self._rows_of_members(kind)
            return
        for row in self.ask(kind.list, {}) if kind.of in {"organization", "both"} else ():
            if kind.name == "statusPages":
                found = self.ask("statusPage.get", {"statusPageId": row["id"]})
                ids = [one["uptimeScheduleId"] for one in found["monitors"] if one.get("uptimeScheduleId")]
                yield row | {"uptimeScheduleIds": ids}
            elif kind.of == "organization" or not row.get("websiteId"):
                yield row

    def _rows_of_members(self, kind: DeclaredKind) -> Iterator[dict[str, Any]]:
        """Members and invitations. Files neither make nor remove owners."""
        for row in self.ask(kind.list, {}):
            if row["role"] != "owner":
                yield row | {"id": row["userId"]}
        for row in self.ask("organizations.getPendingInvitations", {}):
            yield row | {"id": f"{_INVITATION}{row['id']}"}

    def _rows_of_links(self, kind: DeclaredKind) -> Iterator[dict[str, Any]]:
        offset, more = 0, True
        while more:
            page = self.ask(kind.list, {"limit": _PAGE, "offset": offset})
            yield from page["items"]
            offset, more = offset + _PAGE, page["hasMore"]

    def _rows_of_pages(self, kind: DeclaredKind) -> Iterator[dict[str, Any]]:
        pages = self.of(BY_NAME["statusPages"])
        parts = ("groups",) if kind.name == "componentGroups" else ("monitors", "components")
        for page in pages:
            found = self.ask(kind.list, {"statusPageId": page.id})
            for row in (row for part in parts for row in found[part]):
                yield {"name": row.get("displayName")} | row

    def _item(self, kind: DeclaredKind, row: dict[str, Any]) -> Item:
        """A row in the words of a file, without what is empty."""
        if kind.name == "alertRules":
            row = row | {
                "triggerConditions": self._with_monitors(row["triggerConditions"], self.name_of),
                "destinations": [
                    {"channel": self.name_of("channels", one["channelId"]), "escalation": one["escalation"]}
                    for one in row["destinations"]
                ],
            }
        if kind.name == "reports":
            row = row | {"recipients": [one["email"] for one in row["recipients"]]}
        if row.get("wholeDays"):
            days = {name: row[name][: len("2026-01-31")] for name in ("xValue", "xEndValue") if row[name]}
            row = row | days
        if row.get("kind") == "push":
            row = row | {"url": None}  # It contains the monitor's ID, which another server does not have.
        found: Item = {}
        references = {reference.wire: (name, reference) for name, reference in kind.references.items()}
        for wire in wire_fields(kind):
            value = row.get(wire)
            if value is None or value in ([], {}, ""):
                continue
            if wire in references:
                name, reference = references[wire]
                found[name] = (
                    [self.name_of(reference.kind, one) for one in value]
                    if isinstance(value, list)
                    else self.name_of(reference.kind, value)
                )
            else:
                found[wire] = spell(kind, wire, value)
        return found

    def _with_monitors(self, conditions: dict[str, Any], convert: Callable[[str, str], str]) -> dict[str, Any]:
        """Conditions of an alert rule with names of monitors instead of ids, or the other way around."""
        ids = conditions.get("monitorIds") or ()
        found = {name: value for name, value in conditions.items() if value not in (None, [], {}, "", 0)}
        return found | ({"monitorIds": [convert("monitors", one) for one in ids]} if ids else {})

    def name_of(self, kind_name: str, resource_id: str) -> str:
        """The name by which a file refers to a resource; its id if it is not among those of the caller."""
        kind = BY_NAME[kind_name]
        return next((key_of(kind, one.item)[-1] for one in self.of(kind) if one.id == resource_id), resource_id)

    def id_of(self, kind_name: str, name: str, item: Item | None = None) -> str:
        """The id of a resource that a file names. Of several with this name it is the one with the website or status
        page of `item`. Raises BadRequest."""
        kind = BY_NAME[kind_name]
        if name in self.planned.get(kind_name, ()):
            return name
        found = [one for one in self.of(kind) if name in {key_of(kind, one.item)[-1], one.id}]
        near = [one for one in found if all(one.item.get(part) == (item or {}).get(part) for part in kind.key[:-1])]
        for one in near or found:
            return one.id
        raise BadRequest(_("There is no resource “{name}” in {kind}").format(name=name, kind=kind_name))

    def wire(self, kind: DeclaredKind, item: Item) -> dict[str, Any]:
        """A resource of a file as the input of a procedure. Raises BadRequest."""
        found: dict[str, Any] = {}
        for name, value in item.items():
            if name == RENAMED:
                continue
            reference = kind.references.get(name)
            if reference is None or value is None:
                found[name if reference is None else reference.wire] = spell(kind, name, value)
            elif isinstance(value, list):
                found[reference.wire] = [self.id_of(reference.kind, one, item) for one in value]
            else:
                found[reference.wire] = self.id_of(reference.kind, value, item)
        if kind.name == "segments":
            found["isShared"] = True
        if kind.name == "alertRules":
            if isinstance(found.get("triggerConditions"), dict):
                found["triggerConditions"] = self._with_monitors(found["triggerConditions"], self.id_of)
            found["destinations"] = [
                {
                    "type": "channel",
                    "channelId": self.id_of("channels", str(one.get("channel", ""))),
                    "escalation": bool(one.get("escalation")),
                }
                for one in found.get("destinations") or ()
                if isinstance(one, dict)
            ]
        return found

    def normal(self, kind: DeclaredKind, item: Item) -> dict[str, Any]:
        """A resource as the input of a procedure, in one spelling of each value. Raises BadRequest or ValidationError.

        Fields that are not given, or that are null, are left out.
        """
        given = {name: value for name, value in self.wire(kind, item).items() if value is not None}
        plain: dict[str, Any] = msgspec.to_builtins(msgspec.convert(given, form_of(kind)), str_keys=True)
        return {name: value for name, value in plain.items() if name in given}

    def save(self, kind: DeclaredKind, item: Item, stored: StoredResource | None, changed: set[str]) -> None:
        """Create a resource, or change fields of a stored one. Raises BoxError."""
        given = self.normal(kind, item)
        if kind.name == "websites":
            saved = self._save_website(given, stored, changed)
        elif kind.name == "members" and (stored is None or stored.id.startswith(_INVITATION)):
            saved = self._invite(kind, given)
        elif stored is None:
            made = self.ask(kind.create, given)
            saved = str(made.get(kind.id) or made["id"])
        else:
            self._update(kind, given, stored, changed)
            saved = stored.id
        known = [one for one in self.of(kind) if one.id not in {saved, stored.id if stored else ""}]
        self._known[kind.name] = [*known, StoredResource(saved, (stored.item if stored else {}) | item)]

    def _update(self, kind: DeclaredKind, given: dict[str, Any], stored: StoredResource, changed: set[str]) -> None:
        change = {name: given.get(name) for name in changed}
        if kind.name == "monitors" and "isPaused" in change:
            paused = change.pop("isPaused")
            self.ask("uptime.pauseSchedule" if paused else "uptime.resumeSchedule", {"scheduleId": stored.id})
        if kind.name == "statusPages" and "uptimeScheduleIds" in change:
            wanted = change.pop("uptimeScheduleIds") or []
            had = [self.id_of("monitors", one) for one in stored.item.get("monitors", ())]
            for monitor in wanted:
                if monitor not in had:
                    self.ask("statusPage.addMonitor", {"statusPageId": stored.id, "uptimeScheduleId": monitor})
            for monitor in had:
                if monitor not in wanted:
                    self.ask("statusPage.removeMonitor", {"statusPageId": stored.id, "uptimeScheduleId": monitor})
        if change:
            self.ask(kind.update, {kind.id: stored.id} | change)

    def _invite(self, kind: DeclaredKind, given: dict[str, Any]) -> str:
        """Invite a person; an invitation that waits for them ends."""
        made = self.ask(kind.create, given)
        if made["url"]:
            self.messages.append(_("Invitation of {email}: {url}").format(email=given["email"], url=made["url"]))
        return f"{_INVITATION}{made['invitation']['id']}"

    def _save_website(self, given: dict[str, Any], stored: StoredResource | None, changed: set[str]) -> str:
        if stored is None:
            made = self.ask("websites.create", {"name": given["name"], "domain": given["domain"]})
            website, changed = {"id": made["id"]}, set(given) - {"name", "domain"}
        else:
            website = {"id": stored.id}
            if details := {name: given[name] for name in ("name", "domain") if name in changed}:
                self.ask("websites.update", website | details)
        if "settings" in changed:
            self.ask("websites.updateSettings", website | {"settings": given["settings"]})
        if changed & {"isPublic", "publicValues"}:
            public = {name: given[name] for name in ("isPublic", "publicValues") if name in given}
            self.ask("websites.togglePublic", {"isPublic": True} | website | public)
        return str(website["id"])

    def remove(self, kind: DeclaredKind, stored: StoredResource) -> None:
        """Delete a resource. Raises BoxError."""
        given = {kind.id: stored.id}
        if kind.name == "members" and stored.id.startswith(_INVITATION):
            self.ask("organizations.revokeInvitation", {"invitationId": stored.id.removeprefix(_INVITATION)})
            self._known[kind.name] = [one for one in self.of(kind) if one.id != stored.id]
            return
        if kind.of == "both" and (website := stored.item.get("website")):
            given["websiteId"] = self.id_of("websites", website)
        self.ask(kind.delete, given)
        self._known[kind.name] = [one for one in self.of(kind) if one.id != stored.id]

    def dump(self) -> tuple[dict[str, list[Item]], list[str]]:
        """All resources that a file can declare, and the kinds that the caller cannot list."""
        found: dict[str, list[Item]] = {}
        refused = []
        for kind in BY_NAME.values():
            if not kind.create:
                continue
            try:
                items = [
                    {name: value for name, value in one.item.items() if name not in kind.secret}
                    for one in self.of(kind)
                ]
            except BoxError:
                refused.append(kind.name)
                continue
            if items:
                found[kind.name] = sorted(items, key=lambda item: key_of(kind, item))
        return found, refused


def readable(error: BoxError | msgspec.ValidationError) -> str:
    """The reason of a refusal, with the field if it names one."""
    if isinstance(error, BoxError):
        details = [one.whole for one in error.details if one.field] if error.details else []
        return "; ".join(details) or error.message
    message, _sep, where = str(error).partition(" - at ")
    with suppress(ValueError):
        where = where.strip("`").removeprefix("$").removeprefix(".")
    return f"{where}: {message}" if where else message
