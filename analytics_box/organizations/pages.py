"""The page /settings/organization, making an organization, and turning to another one."""

from typing import Any

from litestar import Request, Response
from litestar.di import NamedDependency

from analytics_box import errors, texts
from analytics_box.errors import BadRequest, Conflict
from analytics_box.http.call import Call, Calls
from analytics_box.http.pages import Pages, field_errors, form_of, go
from analytics_box.identity import Identity, Person
from analytics_box.organizations import change, members, rules
from analytics_box.organizations.calls import by_of, in_memory
from analytics_box.organizations.change import Given
from analytics_box.organizations.rules import Plan
from analytics_box.store.db import Connection
from analytics_box.websites.shell import shell

Page = Response[str]
Next = Response[bytes]
AnyRequest = Request[Any, Any, Any]

HOME = "/settings/organization"

_PLANS: dict[str, Plan] = {"free": "free", "hobby": "hobby"}


async def organization(
    request: AnyRequest,
    identity: NamedDependency[Identity],
    pages: NamedDependency[Pages],
    calls: NamedDependency[Calls],
) -> Page:
    """GET /settings/organization."""
    return await _organization_page(pages, calls.by(identity), done=request.query_params.get("done", ""))


async def save_organization(
    request: AnyRequest,
    identity: NamedDependency[Identity],
    pages: NamedDependency[Pages],
    calls: NamedDependency[Calls],
) -> Page | Next:
    """POST /settings/organization: name, slug, time zone, plan."""
    call, form = calls.by(identity), await form_of(request, calls.settings)
    person = _person(call)
    wanted = Given(
        name=form.get("organization"),
        slug=form.get("slug"),
        time_zone=form.get("timeZone"),
        plan=_PLANS.get(form.get("plan", "")),
    )
    try:
        stored = await call.write(lambda db: change.update(db, person.organization_id, by_of(call), wanted))
    except (BadRequest, Conflict) as refused:
        wrong = field_errors(refused) if isinstance(refused, BadRequest) else {"slug": refused.message}
        return await _organization_page(pages, call, code=refused.status, values=form, wrong=wrong)
    calls.organizations.remember(in_memory(stored))
    return go(f"{HOME}?done=saved")


async def add_organization(
    request: AnyRequest,
    identity: NamedDependency[Identity],
    pages: NamedDependency[Pages],
    calls: NamedDependency[Calls],
) -> Page | Next:
    """POST /settings/organization/new: make one and turn to it."""
    call, form = calls.by(identity), await form_of(request, calls.settings)
    _person(call)
    try:
        made = await call.write(lambda db: change.create(db, by_of(call), name=form.get("new", ""), slug=None))
    except BadRequest as refused:
        return await _organization_page(pages, call, code=400, wrong={"new": refused.message})
    calls.organizations.remember(made)
    await calls.sign_ins.turn_to(_person(call), made.id)
    return go(f"{HOME}?done=made")


async def switch(request: AnyRequest, identity: NamedDependency[Identity], calls: NamedDependency[Calls]) -> Next:
    """POST /organizations/switch: the session goes on in another organization. Raises Forbidden."""
    call, form = calls.by(identity), await form_of(request, calls.settings)
    await calls.sign_ins.turn_to(_person(call), form.get("organization", ""))
    return go("/sites")


async def leave_form(
    identity: NamedDependency[Identity], pages: NamedDependency[Pages], calls: NamedDependency[Calls]
) -> Page:
    """GET /settings/organization/leave: are you sure?"""
    return pages.show(
        "confirm.html",
        shell=shell(_person(calls.by(identity)), "settings"),
        tab="organization",
        title=texts.Organizations.leave,
        text=texts.Organizations.leave_text,
        action=f"{HOME}/leave",
        back=HOME,
        fields={},
    )


async def leave(
    identity: NamedDependency[Identity], pages: NamedDependency[Pages], calls: NamedDependency[Calls]
) -> Page | Next:
    """POST /settings/organization/leave."""
    call = calls.by(identity)
    person = _person(call)
    try:
        await call.write(lambda db: members.leave(db, person.organization_id, by_of(call)))
    except Conflict as refused:
        return await _organization_page(pages, call, code=409, general=refused.message)
    return go("/sites")


async def _organization_page(
    pages: Pages,
    call: Call,
    *,
    code: int = 200,
    done: str = "",
    values: dict[str, str] | None = None,
    wrong: dict[str, str] | None = None,
    general: str = "",
) -> Page:
    person = _person(call)

    def find(db: Connection) -> Any:
        return change.existing(db, person.organization_id), change.administers(db, by_of(call))

    stored, administers = await call.read(find)
    kept = {"organization": stored.name, "slug": stored.slug, "timeZone": stored.time_zone, "plan": stored.plan}
    return pages.show(
        "organization.html",
        code=code,
        shell=shell(person, "settings"),
        tab="organization",
        values={**kept, **(values or {})},
        errors=wrong or {},
        general=general,
        done=texts.Organizations.done.get(done, ""),
        editable=rules.may(person.role, "update"),
        administers=administers,
        role=person.role,
    )


def _person(call: Call) -> Person:
    if call.identity.person is None:
        raise errors.AuthRequired("Sign in to see this page")
    return call.identity.person
