"""The page /settings/organization, creating an organization, switching to another, handing it over, leaving and
deleting it."""

from typing import Any, Final

from litestar import Request, Response
from litestar.di import NamedDependency
from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base import errors
from analytics_box.base.clock import DAY
from analytics_box.base.errors import BadRequest
from analytics_box.base.identity import Identity, SignedInPerson, logo_path
from analytics_box.base.notify.change import ChannelTools
from analytics_box.base.outgoing.client import Clients
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.tenants.accounts.preferences import zone_groups
from analytics_box.tenants.accounts.sign_in import SignIns
from analytics_box.tenants.organizations import change, deletion, logos
from analytics_box.tenants.organizations.calls import carry_out, restorable, undo
from analytics_box.tenants.organizations.change import OrganizationUpdate, in_memory, shown_networks
from analytics_box.tenants.organizations.rules import DeletedOrganization, Plan, check_name_typed
from analytics_box.tenants.tenancy import defaults, members, rules
from analytics_box.tenants.tenancy.directory import OrganizationDirectory
from analytics_box.tenants.tenancy.rules import OrganizationMember, StoredOrganization
from analytics_box.web.call import Call
from analytics_box.web.page import dates
from analytics_box.web.page.edits import FIELD, check_version, version_of
from analytics_box.web.page.visit import Again, Answer, Next, Page, PageRequest, Visitor

# Nothing in a picture may do anything, even when it is opened as a page. With the digest in the address
# it never changes.
_HEADERS: Final = {
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
    "content-disposition": "inline",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "private, max-age=31536000, immutable",
}


async def logo(
    request: Request[Any, Any, Any],
    organization_id: FromPath[str],
    digest: FromPath[str],
    call: NamedDependency[Call],
) -> Response[bytes]:
    """GET /logos/{organization}/{digest}. Raises NotFound, also for pictures of organizations of others."""
    if not _belongs(call.identity, organization_id):
        raise errors.NotFound(_("This image does not exist"))
    tag = f'"{digest}"'
    picture = await call.read(lambda db: logos.find(db, organization_id, digest))
    if request.headers.get("if-none-match") == tag:
        return Response(b"", status_code=304, headers={**_HEADERS, "etag": tag})
    return Response(picture.content, media_type=picture.type, headers={**_HEADERS, "etag": tag})


def _belongs(identity: Identity, organization_id: str) -> bool:
    if identity.key is not None:
        return identity.key.organization_id == organization_id
    return identity.person is not None and identity.person.role_in(organization_id) is not None


_DONE = {
    "saved": _("Saved."),
    "made": _("Organization created. Add its first website."),
    "logo": _("The logo was uploaded."),
    "logo-deleted": _("The logo was removed."),
    "deleted": _("The organization was deleted. It can be restored below."),
    "restored": _("The organization was restored."),
}


HOME = "/settings/organization"


class RestorableOrganization(Struct, frozen=True):
    """A deleted organization that the reader can restore."""

    id: str
    name: str
    until: str


async def organization_page(visit: PageRequest, again: Again) -> Page:
    """The page, with what is wrong with a form of it."""
    person, by = visit.person, visit.call.by

    def find(db: Connection) -> tuple[StoredOrganization, bool]:
        return members.existing_organization(db, person.organization_id), members.administers(db, by)

    stored, administers = await visit.call.read(find)
    days = visit.parts.settings.organization_grace_days
    return visit.settings_page(
        "organization.html",
        "organization",
        again=again,
        values={
            "organization": stored.name,
            "slug": stored.slug,
            "timeZone": stored.time_zone,
            "plan": stored.plan,
            "privateTargets": shown_networks(visit.parts[OrganizationDirectory].private_targets_of(stored.id)),
            "new": "",
            FIELD: version_of(stored),
        },
        done=_DONE.get(visit.asked("done"), "") if again.code == 200 else "",
        editable=rules.may(person.role, "update"),
        zones=zone_groups(stored.time_zone, person.time_zone),
        owns=rules.may(person.role, "delete"),
        administers=administers,
        has_networks=bool(visit.parts.settings.allowed_private_targets),
        role=person.role,
        logo=logo_path(stored.id, stored.logo),
        days=days,
        deleted=[_restorable(one, person, days) for one in await restorable(visit.call)],
    )


def _restorable(deleted: DeletedOrganization, person: SignedInPerson, days: int) -> RestorableOrganization:
    return RestorableOrganization(deleted.id, deleted.name, dates.moment(deletion.ends_at(deleted, days), person))


async def delete_form(visit: Visitor) -> Page:
    """GET /settings/organization/delete: what it takes away, and the question."""
    return await _page(visit, Again())


async def delete(visit: Visitor) -> Answer:
    """POST /settings/organization/delete: only with the organization's name typed."""
    form = await visit.form()

    async def save() -> str:
        await carry_out(visit.call, visit.person.organization_id, typed=form.get("confirmation", ""))
        return f"{HOME}?done=deleted"

    return await visit.submit(save, _page, values=form)


async def restore(visit: Visitor) -> Next:
    """POST /settings/organization/restore: bring one back, and turn to it. Raises NotFound."""
    form = await visit.form()
    back = await undo(visit.call, form.get("organization", ""))
    await visit.parts[SignIns].turn_to(visit.person, back.id)
    return visit.go(f"{HOME}?done=restored")


async def _page(visit: PageRequest, again: Again) -> Page:
    own, by = visit.person.organization_id, visit.call.by
    loss = await visit.call.read(lambda db: deletion.loss(db, own, by))
    days = visit.parts.settings.organization_grace_days
    return visit.settings_page(
        "organization_delete.html",
        "organization",
        again=again,
        values={"confirmation": ""},
        loss=loss,
        days=days,
        until=dates.moment(visit.call.now + days * DAY, visit.person),
    )


async def transfer_form(visit: Visitor) -> Page:
    """GET /settings/organization/transfer: choose the new owner, and confirm."""
    return await _leaving_page(visit, Again())


async def transfer(visit: Visitor) -> Answer:
    """POST /settings/organization/transfer: only with the organization's name typed. Raises Forbidden or NotFound."""
    form, own, by = await visit.form(), visit.person.organization_id, visit.call.by

    def write(db: Connection) -> None:
        members.check(db, own, by, "transfer")
        if not form.get("member"):
            raise BadRequest.about("member", _("Select the new owner."))
        check_name_typed(form.get("confirmation", ""), members.existing_organization(db, own).name)
        members.transfer(db, own, by, form["member"])

    async def save() -> str:
        await visit.call.write(write)
        return "/settings/members?done=transferred"

    return await visit.submit(save, _leaving_page, values=form)


async def leave_form(visit: Visitor) -> Page:
    """GET /settings/organization/leave: are you sure?"""
    last = len(visit.person.memberships) == 1
    return visit.confirm(
        "organization",
        title=_("Leave this organization"),
        text=_(
            "You will lose access to its websites immediately. This is your only organization, "
            "so you will be signed out until you are invited again."
        )
        if last
        else _("You will lose access to its websites immediately. An owner or admin can invite you again."),
        action=f"{HOME}/leave",
        back=HOME,
    )


async def leave(visit: Visitor) -> Answer:
    """POST /settings/organization/leave."""
    own, by = visit.person.organization_id, visit.call.by

    async def save() -> str:
        seal = visit.parts[ChannelTools].seal
        await visit.call.write(lambda db: members.leave(db, seal, own, by))
        return "/sites"

    return await visit.submit(save, organization_page)


async def _leaving_page(visit: PageRequest, again: Again) -> Page:
    own, by = visit.person.organization_id, visit.call.by

    def find(db: Connection) -> tuple[StoredOrganization, list[OrganizationMember]]:
        members.check(db, own, by, "transfer")
        return members.existing_organization(db, own), members.of_organization(db, own)

    stored, joined = await visit.call.read(find)
    return visit.settings_page(
        "organization_transfer.html",
        "organization",
        again=again,
        values={"member": "", "confirmation": ""},
        organization=stored.name,
        others=[one for one in joined if one.user_id != visit.person.user_id],
    )


async def upload_logo(visit: Visitor) -> Answer:
    """POST /settings/organization/logo: a picture as multipart/form-data."""

    async def save() -> str:
        picture = await logos.read_upload(visit)
        own, by = visit.person.organization_id, visit.call.by
        await visit.call.write(lambda db: logos.replace_logo(db, own, by, picture))
        return f"{HOME}?done=logo"

    return await visit.submit(save, organization_page)


async def delete_logo(visit: Visitor) -> Next:
    """POST /settings/organization/logo/delete. Raises Forbidden."""
    own, by = visit.person.organization_id, visit.call.by
    await visit.call.write(lambda db: logos.remove(db, own, by))
    return visit.go(f"{HOME}?done=logo-deleted")


_PLANS: dict[str, Plan] = {"free": "free", "hobby": "hobby"}


async def organization(visit: Visitor) -> Page:
    """GET /settings/organization."""
    return await organization_page(visit, Again())


async def save_organization(visit: Visitor) -> Answer:
    """POST /settings/organization: name, slug, time zone, plan, private networks."""
    form = await visit.form()
    wanted = OrganizationUpdate(
        name=form.get("organization"),
        slug=form.get("slug"),
        time_zone=form.get("timeZone"),
        plan=_PLANS.get(form.get("plan", "")),
        private_targets=form.get("privateTargets"),
    )

    async def save() -> str:
        call, own = visit.call, visit.person.organization_id
        allowed = visit.parts[Clients].fences.allowed

        def write(db: Connection) -> tuple[StoredOrganization, str]:
            check_version(form, members.existing_organization(db, own))
            return change.update(db, own, call.by, wanted, allowed), defaults.private_targets_of(db, own)

        stored, networks = await call.write(write)
        visit.parts[OrganizationDirectory].remember(in_memory(stored))
        visit.parts[OrganizationDirectory].open(own, networks)
        return f"{HOME}?done=saved"

    return await visit.submit(save, organization_page, values=form)


async def add_organization(visit: Visitor) -> Answer:
    """POST /settings/organization/new: make one and turn to it."""
    form = await visit.form()

    async def save() -> str:
        by, most = visit.call.by, visit.parts.settings.organizations_per_user
        made = await visit.call.write(lambda db: change.create(db, by, most=most, name=form.get("new", "")))
        visit.parts[OrganizationDirectory].remember(in_memory(made))
        await visit.parts[SignIns].turn_to(visit.person, made.id)
        return f"{HOME}?done=made"

    return await visit.submit(save, organization_page, values=form, field="new")


async def switch(visit: Visitor) -> Next:
    """POST /organizations/switch: the session goes on in another organization. Raises Forbidden."""
    form = await visit.form()
    await visit.parts[SignIns].turn_to(visit.person, form.get("organization", ""))
    return visit.go("/sites")
