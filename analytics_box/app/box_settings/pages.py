"""The pages /settings/box/email, backups and network: what administrators change without a file."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from litestar.params import FromPath

from analytics_box.app.box_settings import calls
from analytics_box.app.watch.notices import DismissedNotices
from analytics_box.base import figures
from analytics_box.base.backup.backups import Backups
from analytics_box.base.backup.record import BackupEntry
from analytics_box.base.errors import NotFound
from analytics_box.base.identity import SignedInPerson
from analytics_box.base.outgoing.client import Clients
from analytics_box.base.stored_settings import STORED, StoredSettings, source_text
from analytics_box.base.translation import _
from analytics_box.tenants.organizations.change import open_networks, shown_networks
from analytics_box.tenants.tenancy.directory import OrganizationDirectory
from analytics_box.web.page.dates import moment
from analytics_box.web.page.settings_area import Tab
from analytics_box.web.page.visit import Again, Answer, Page, PageRequest, Visitor

EMAIL, BACKUPS, NETWORK = "/settings/box/email", "/settings/box/backups", "/settings/box/network"
# Of a list of backups.
_SHOWN: Final = 10
_DONE: Final = {
    "saved": _("Saved."),
    "restart": _("Saved. Restart the server to apply the change."),
    "started": _("The backup is being created. Reload this page to see the result."),
}
_FIELDS: Final[Mapping[str, Sequence[str]]] = {
    EMAIL: ("smtp_host", "smtp_port", "smtp_security", "smtp_user", "smtp_password", "smtp_from"),
    BACKUPS: (
        "backup_to",
        "backup_every",
        "backup_keep",
        "backup_passphrase",
        "s3_endpoint",
        "s3_region",
        "s3_access_key",
        "s3_secret_key",
    ),
    NETWORK: ("base_url", "proxy_secret", "allowed_private_targets"),
}


class SettingField(NamedTuple):
    """A setting as a form shows it: why it is read-only if it is given elsewhere, and whether a secret is set."""

    value: str
    is_set: bool
    reason: str
    waits: bool


class OrganizationRow(NamedTuple):
    """An organization and the private networks that it can reach."""

    id: str
    name: str
    networks: str


async def show(visit: Visitor) -> Page:
    """GET /settings/box/email, backups or network. Raises Forbidden."""
    return await _settings_page(visit, Again())


async def save(visit: Visitor) -> Answer:
    """POST /settings/box/email, backups or network."""
    await calls.check_administrator(visit.call)
    form, home = await visit.form(), _home(visit)
    known = {one.name: one for one in visit.parts[StoredSettings].all()}

    async def store() -> str:
        values: dict[str, Any] = {}
        for name in _FIELDS[home]:
            if known[name].overridden or name not in form:
                continue
            if known[name].value is not None:
                values[name] = form[name].strip() or None
            elif form[name] or form.get(f"remove_{name}"):
                values[name] = form[name] or None
        await calls.change(visit.call, values)
        waits = any(one.waits for one in visit.parts[StoredSettings].all() if one.name in values)
        return f"{home}?done={'restart' if waits else 'saved'}"

    return await visit.submit(store, _settings_page, values=form)


async def test_email(visit: Visitor) -> Page:
    """POST /settings/box/email/test: to the reader's own address."""
    sent = await calls.test_email(visit.call)
    if sent.error is None:
        return await _settings_page(visit, Again(), done=_("A test email was sent to {email}.").format(email=sent.to))
    return await _settings_page(
        visit, Again(general=_("The test email was not sent: {error}").format(error=sent.error))
    )


async def start_backup(visit: Visitor) -> Answer:
    """POST /settings/box/backups/start: back up now."""

    async def start() -> str:
        await calls.back_up(visit.call)
        return f"{BACKUPS}?done=started"

    return await visit.submit(start, _settings_page)


async def save_organization_networks(visit: Visitor, organization_id: FromPath[str]) -> Answer:
    """POST /settings/box/network/{id}: the private networks that an organization can reach. Raises NotFound."""
    await calls.check_administrator(visit.call)
    form = await visit.form()

    async def store() -> str:
        directory, allowed = visit.parts[OrganizationDirectory], visit.parts[Clients].fences.allowed
        if directory.find(organization_id) is None:
            raise NotFound(_("This organization does not exist"))
        given, by = form.get("networks", ""), visit.call.by
        stored = await visit.call.write(lambda db: open_networks(db, organization_id, by, given, allowed))
        directory.open(organization_id, stored)
        return f"{NETWORK}?done=saved"

    return await visit.submit(store, partial(_settings_page, about=organization_id), values=form, field="networks")


async def dismiss_notice(visit: Visitor) -> Answer:
    """POST /settings/box/notices/dismiss: hide a notice for 30 days."""
    await calls.check_administrator(visit.call)
    form = await visit.form()
    await visit.parts[DismissedNotices].dismiss(visit.call, form.get("code", ""))
    return visit.go("/sites")


def _home(visit: PageRequest) -> str:
    """The page that a request is about."""
    path = visit.request.url.path
    return next((home for home in _FIELDS if path.startswith(home)), EMAIL)


async def _settings_page(visit: PageRequest, again: Again, *, done: str = "", about: str = "") -> Page:
    await calls.check_administrator(visit.call)
    home, settings = _home(visit), visit.parts.settings
    fields = {one.name: one for one in visit.parts[StoredSettings].all() if one.name in _FIELDS[home]}
    tab, template, context = _TABS[home](visit)
    return visit.settings_page(
        template,
        tab,
        again=again,
        values={name: _text(one.value) for name, one in fields.items()},
        fields={
            name: SettingField(_text(one.value), one.is_set, _reason(one.source), one.waits)
            for name, one in fields.items()
        },
        editable=not all(one.overridden for one in fields.values()),
        done=done or (_DONE.get(visit.asked("done"), "") if again.code == 200 and not again.general else ""),
        about=about,
        address=settings.public_url,
        **context,
    )


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(value)
    return "" if value is None else str(value)


def _reason(source: str) -> str:
    if source in {"", STORED}:
        return ""
    return _("Set {where}.").format(where=source_text(source))


Context = tuple[Tab, str, dict[str, Any]]


def _email(visit: PageRequest) -> Context:
    configured = bool(visit.parts.settings.smtp_host)
    return "box-email", "box_email.html", {"configured": configured, "email": visit.person.email}


def _backups(visit: PageRequest) -> Context:
    backups, person = visit.parts[Backups], visit.person
    recent = [_result(entry, person) for entry in backups.standing().recent[:_SHOWN]]
    context = {"recent": recent, "has_destination": bool(visit.parts.settings.backup_to)}
    return "box-backups", "box_backups.html", context | {"is_running": backups.is_running}


def _network(visit: PageRequest) -> Context:
    directory = visit.parts[OrganizationDirectory]
    organizations = [
        OrganizationRow(one.id, one.name, shown_networks(directory.private_targets_of(one.id)))
        for one in sorted(directory.all(), key=lambda one: one.name.lower())
        if one.id not in directory.closed and visit.parts.settings.allowed_private_targets
    ]
    return "box-network", "box_network.html", {"organizations": organizations}


_TABS: Final[Mapping[str, Callable[[PageRequest], Context]]] = {EMAIL: _email, BACKUPS: _backups, NETWORK: _network}


def _result(entry: BackupEntry, person: SignedInPerson) -> tuple[str, str]:
    """The end and the result of a backup."""
    said = f"{entry.name}, {figures.size(entry.bytes)}"
    if entry.has_key_in_clear:
        said = ". ".join((said, _("Contains secret.key unencrypted. Set a passphrase to encrypt backups.")))
    return moment(entry.ended, person), _("Failed: {error}").format(error=entry.error) if entry.error else said
