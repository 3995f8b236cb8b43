"""The form of a link: /links/new and /links/{id}/edit. Its buttons and its preview post the whole form."""

from typing import Any

from litestar.params import FromPath
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.errors import BadRequest, Conflict
from analytics_box.base.translation import _
from analytics_box.base.urls import web_address
from analytics_box.products.links.domains import calls as domain_calls
from analytics_box.products.links.domains.lookup import policy_of
from analytics_box.products.links.editing import calls as procedures
from analytics_box.products.links.editing.calls import ChangedLink, NewLink
from analytics_box.products.links.editing.change import apply_values
from analytics_box.products.links.folders.calls import folder_names
from analytics_box.products.links.form.fields import (
    LinkConditionFields,
    LinkFormState,
    after_button,
    read_state,
    state_of,
    value_of,
    values_of,
)
from analytics_box.products.links.form.preview import Preview, preview_of, visitor_of
from analytics_box.products.links.link import (
    FORWARDING_LABELS,
    OPERATOR_LABELS,
    PROPERTY_LABELS,
    ShortLink,
    Utm,
    new_link,
)
from analytics_box.products.links.lookup import find_link
from analytics_box.products.links.messages import LinkOrganizationInput
from analytics_box.products.links.page_frame import HOME, frame
from analytics_box.products.links.targeting.rules import APPS
from analytics_box.resource import fields, forms
from analytics_box.tenants.tenancy.messages import message_of
from analytics_box.web.page.edits import check_version, shown_version
from analytics_box.web.page.templates import field_errors
from analytics_box.web.page.visit import Answer, Page, PageRequest, Visitor
from analytics_box.web.recognition import countries

_LONGEST_NAME = 255


def changed_link(state: LinkFormState, link: ShortLink, zone: str) -> ChangedLink:
    """The message that updates a link. Raises BadRequest."""
    return message_of(_fields(state, link, zone) | {"id": link.id}, ChangedLink)


def form_field(wire: str) -> str:
    """The form field of a wire name: rules[0].conditions[1] is rules.0.conditions.1.value."""
    name = wire.replace("[", ".").replace("]", "")
    last = name.rpartition(".")[2]
    if last.isdecimal():
        return f"{name}.value" if ".conditions." in name else f"{name}.name"
    return name


def _fields(state: LinkFormState, link: ShortLink | None, zone: str) -> dict[str, Any]:
    wrong: dict[str, str] = {}
    found = forms.read(state.fields, ShortLink, zone, link, wrong)
    target = found.get("targetUrl", "")
    if not target:
        wrong["targetUrl"] = _("Enter a destination")
    found |= {"rules": _rules(state, wrong), "variants": _variants(state, wrong)}
    forms.refuse(wrong)
    if not found.get("slug"):
        found.pop("slug", None)
    name = found.get("name") or target.partition("://")[2][:_LONGEST_NAME] or target[:_LONGEST_NAME]
    utm = {name: state.fields.get(f"utm.{name}", "").strip() for name in Utm.__struct_fields__}
    return found | {"name": name, "utm": utm}


def _rules(state: LinkFormState, wrong: dict[str, str]) -> list[dict[str, Any]]:
    found = []
    for number, rule in enumerate(state.rules):
        if not rule.target.strip():
            wrong[f"rules[{number}].targetUrl"] = _("Enter a destination")
        conditions = [_condition(one) for one in rule.conditions if not one.is_blank]
        if not conditions:
            wrong[f"rules[{number}].conditions[0]"] = _("Add a condition, or remove the rule")
        name = rule.name.strip() or _("Rule {number}").format(number=number + 1)
        found.append({"name": name, "targetUrl": web_address(rule.target), "conditions": conditions})
    return found


def _condition(state: LinkConditionFields) -> dict[str, Any]:
    plain: dict[str, Any] = {"property": state.what, "operator": state.operator}
    if state.operator in {"exists", "not_exists"}:
        return plain
    if state.operator == "equals":
        return plain | {"value": value_of(state.value)}
    values = values_of(state.value)
    if len(values) == 1 and state.operator not in {"in", "not_in"}:
        return plain | {"value": values[0]}
    return plain | {"values": list(values)}


def _variants(state: LinkFormState, wrong: dict[str, str]) -> list[dict[str, Any]]:
    found = []
    for number, variant in enumerate(state.variants):
        if not variant.target.strip():
            wrong[f"variants[{number}].targetUrl"] = _("Enter a destination")
        weight = variant.weight.strip()
        if not (weight.isascii() and weight.isdecimal() and 0 < int(weight[:5]) <= 1_000):
            wrong[f"variants[{number}].weight"] = _("Enter a whole number from 1 to 1000")
            continue
        name = variant.name.strip() or _("ABCDEFGHIJKLMNOPQRST")[number]
        found.append({"name": name, "targetUrl": web_address(variant.target), "weight": int(weight)})
    return found


_LABELS = {
    "variants": _("A/B test"),
    "iosUrl": _("iPhone and iPad destination"),
    "androidUrl": _("Android destination"),
    "deepLinkApp": _("Open in an app"),
    "utm.source": _("Source"),
    "utm.medium": _("Medium"),
    "utm.campaign": _("Campaign"),
    "utm.term": _("Term"),
    "utm.content": _("Content"),
    "queryForwarding": _("Query parameters of the short link"),
    "expiresAt": _("Expires on"),
    "maxClicks": _("Click limit"),
    "expiredRedirectUrl": _("Destination after expiry"),
    "password": _("Password"),
    "redirectStatus": _("Status"),
    "ogTitle": _("Title"),
    "ogDescription": _("Description"),
    "ogImageUrl": _("Image URL"),
    "ogVideoUrl": _("Video URL"),
    "externalId": _("External ID"),
}


# Every other button of the form shows the form again.
SAVE = "save"


async def new_form(visit: Visitor) -> Page:
    """GET /links/new, with ?slug= &domain= &target= filled in."""
    given = {"slug": visit.asked("slug"), "domain": visit.asked("domain"), "targetUrl": visit.asked("target")}
    return await _page(visit, LinkFormState({name: value for name, value in given.items() if value}), None)


async def add(visit: Visitor) -> Answer:
    """POST /links/new: create the link, or show the form after one of its buttons."""
    form = await visit.form()
    state = read_state(form)
    if form.get("do", SAVE) != SAVE:
        return await _page(visit, after_button(state, form["do"]), None, form=form)
    state = state.written
    try:
        visit.saves()
        made = await procedures.create(visit.call, message_of(_fields(state, None, visit.person.time_zone), NewLink))
    except (BadRequest, Conflict) as wrong:
        return await _page(visit, state, None, form=form, wrong=wrong)
    return visit.go(f"{HOME}/{made.id}?done=created")


async def edit_form(visit: Visitor, link_id: FromPath[str]) -> Page:
    """GET /links/{id}/edit. Raises NotFound."""
    link = await find_link(visit.call, link_id)
    return await _page(visit, state_of(link, visit.person.time_zone), link)


async def save(visit: Visitor, link_id: FromPath[str]) -> Answer:
    """POST /links/{id}/edit: save the link, or show the form after one of its buttons. Raises NotFound."""
    form, link = await visit.form(), await find_link(visit.call, link_id)
    state = read_state(form)
    if form.get("do", SAVE) != SAVE:
        return await _page(visit, after_button(state, form["do"]), link, form=form)
    state = state.written
    try:
        visit.saves()
        check_version(form, link)
        await procedures.update(visit.call, changed_link(state, link, visit.person.time_zone))
    except (BadRequest, Conflict) as wrong:
        return await _page(visit, state, link, form=form, wrong=wrong)
    return visit.go(f"{HOME}/{link.id}?done=saved")


async def _page(
    visit: PageRequest,
    state: LinkFormState,
    link: ShortLink | None,
    *,
    form: dict[str, str] | None = None,
    wrong: BadRequest | Conflict | None = None,
) -> Page:
    """The form of a new link, or of an existing one."""
    settings = visit.parts.settings
    found = _wrong_fields(wrong) if wrong is not None else {}
    domains = [one.domain for one in await domain_calls.list_domains(visit.call, LinkOrganizationInput())]
    return visit.pages.show(
        "link_form.html",
        code=wrong.status if wrong is not None else 200,
        shell=frame(visit.person),
        link=link,
        version=shown_version(link, form, wrong) if link is not None else "",
        name=figures.visible(link.name) if link is not None else "",
        action=f"{HOME}/{link.id}/edit" if link is not None else f"{HOME}/new",
        state=state,
        changed=advanced_labels(state, link),
        errors=found,
        labels=_labels(state),
        general=wrong.message if wrong is not None and not found else "",
        domains=[("", _before(settings.public_url)), *((one, f"{one}/") for one in domains)],
        folders=await folder_names(visit),
        apps=sorted((key, app.name) for key, app in APPS.items() if key != "twitter"),
        countries=sorted(countries.names().values()),
        zone=visit.person.time_zone,
        preview=_preview(visit, state, link, form or {}),
        focus=state.focus,
        focusing="data-focus" if "hx-request" in visit.request.headers else "autofocus",
        forwarding_labels=FORWARDING_LABELS,
        operator_labels=OPERATOR_LABELS,
        property_labels=PROPERTY_LABELS,
    )


def _preview(visit: PageRequest, state: LinkFormState, link: ShortLink | None, form: dict[str, str]) -> Preview:
    """The preview of the form's values, or their errors."""
    settings, zone, visitor = visit.parts.settings, visit.person.time_zone, visitor_of(form)
    written = state.written
    before = link or new_link(id="", organization_id=visit.person.organization_id, created_by="", now=visit.call.now)
    if not written.fields.get("targetUrl", "").strip():
        blank = replace(before, target_url="", slug=written.fields.get("slug", "").strip())
        return preview_of(blank, visitor, settings, visit.parts.clock)
    try:
        given: NewLink | ChangedLink = (
            message_of(_fields(written, None, zone), NewLink) if link is None else changed_link(written, link, zone)
        )
        clean = fields.values_of(given, ShortLink, policy_of(visit.call, visit.person.organization_id))
    except BadRequest as refused:
        messages = tuple(dict.fromkeys(detail.message for detail in refused.details)) or (refused.message,)
        return Preview(visitor, wrong=messages)
    return preview_of(apply_values(before, clean), visitor, settings, visit.parts.clock)


def advanced_labels(state: LinkFormState, link: ShortLink | None) -> list[str]:
    """The advanced settings that differ from the defaults, as the form's summary lists them."""
    values = state.fields
    settings = {
        _("Folder"): values.get("folderId"),
        _("Tags"): values.get("tags"),
        _("External ID"): values.get("externalId"),
        _("Expiry"): values.get("expiresAt") or values.get("maxClicks") or values.get("expiredRedirectUrl"),
        _("Password"): values.get("password") or (link is not None and link.password),
        _("Targeting rules"): state.rules,
        _("A/B test"): state.variants,
        _("Phones"): values.get("iosUrl") or values.get("androidUrl") or values.get("deepLinkApp"),
        _("UTM parameters"): any(value for name, value in values.items() if name.startswith("utm.")),
        _("Social preview"): any(value for name, value in values.items() if name.startswith("og")),
        _("Redirect"): values.get("redirectStatus", "302") != "302" or values.get("queryForwarding", "none") != "none",
    }
    name = values.get("name") if link is None else ""
    return ([_("Name")] if name else []) + [label for label, value in settings.items() if value]


def _wrong_fields(wrong: BadRequest | Conflict) -> dict[str, str]:
    """The errors by form field, including a taken slug."""
    found = {form_field(name): message for name, message in field_errors(wrong).items()}
    if not found and isinstance(wrong, Conflict) and "slug" in wrong.message:
        return {"slug": wrong.message}
    return found


def _labels(state: LinkFormState) -> dict[str, str]:
    """The labels of all fields of the form, in its order, for the list of errors."""
    labels = {
        "targetUrl": _("Destination"),
        "name": _("Name"),
        "domain": _("Domain"),
        "slug": _("Slug"),
        "folderId": _("Folder"),
        "tags": _("Tags"),
    }
    for number, rule in enumerate(state.rules):
        where = _("Rule {number}").format(number=number + 1)
        labels[f"rules.{number}.name"] = ": ".join((where, _("Rule name")))
        for place in range(len(rule.conditions) or 1):
            condition = _("Condition {number}").format(number=place + 1)
            for name in ("property", "operator", "value"):
                labels[f"rules.{number}.conditions.{place}.{name}"] = f"{where}: {condition}"
        labels[f"rules.{number}.targetUrl"] = ": ".join((where, _("Destination")))
    labels["rules"] = _("Targeting rules")
    for number in range(len(state.variants)):
        where = _("Variant {number}").format(number=number + 1)
        labels[f"variants.{number}.name"] = ": ".join((where, _("Name")))
        labels[f"variants.{number}.targetUrl"] = ": ".join((where, _("Destination")))
        labels[f"variants.{number}.weight"] = ": ".join((where, _("Weight")))
    return {**labels, **_LABELS}


def _before(public_url: str) -> str:
    """The prefix of slugs on the box's own host."""
    return "{host}/l/".format(host=public_url.partition("://")[2])
