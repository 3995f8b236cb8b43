"""The pages under /settings/integrations: alert channels, and whether mail can be sent.

They do what the procedures do, by the same functions.
"""

from functools import partial
from typing import Literal

from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base import errors
from analytics_box.base.identity import SignedInPerson
from analytics_box.base.notify.change import ChannelTools
from analytics_box.base.notify.kinds.kind import ChannelKind, Config
from analytics_box.base.notify.kinds.table import KINDS
from analytics_box.base.notify.mail import Mailer
from analytics_box.base.notify.rules import Channel
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _, ngettext
from analytics_box.base.urls import web_address
from analytics_box.tenants.configuration import calls as configuration_calls
from analytics_box.tenants.configuration import channel_calls as procedures
from analytics_box.tenants.configuration import channels
from analytics_box.tenants.configuration.channel_calls import ChangedChannel, NewChannel, OfChannel
from analytics_box.tenants.tenancy import members, rules
from analytics_box.web.page import dates
from analytics_box.web.page.edits import FIELD, check_version, version_of
from analytics_box.web.page.visit import Again, Answer, Page, PageRequest, Visitor

_DONE = {
    "added": _("Channel added. Send a test to check it."),
    "saved": _("Saved."),
    "on": _("Channel enabled."),
    "off": _("Channel disabled."),
    "deleted": _("Channel deleted."),
}


class ChannelRow(Struct, frozen=True):
    """A channel in the list. `last` says what became of the latest attempt; `well` whether that was good."""

    id: str
    name: str
    kind: str
    leads_to: str
    enabled: bool
    well: bool
    last: str
    waiting: str
    signed: bool


def row(channel: Channel, person: SignedInPerson) -> ChannelRow:
    """A channel for this reader."""
    return ChannelRow(
        id=channel.id,
        name=channel.name,
        kind=KINDS[channel.kind].label,
        leads_to=channel.shown,
        enabled=channel.enabled,
        well=not channel.last_error,
        last=_last(channel, person),
        waiting=_waiting(channel.waiting),
        signed=KINDS[channel.kind].new_secret is not None,
    )


def _last(channel: Channel, person: SignedInPerson) -> str:
    if channel.last_at is None:
        return _("No messages yet.")
    when = dates.moment(channel.last_at, person)
    if channel.last_error:
        return _("Last attempt failed {when}: {error}").format(when=when, error=channel.last_error)
    return _("Last message arrived {when}.").format(when=when)


def _waiting(count: int) -> str:
    if not count:
        return ""
    return ngettext("1 waiting to be sent again", "{count} waiting to be sent again", count).format(count=count)


HOME = "/settings/integrations"
_CHANGED_BY_USE = ("last_at", "last_error", "waiting")
Confirmed = Literal["delete", "rotate"]


async def integrations(visit: Visitor) -> Page:
    """GET /settings/integrations."""
    return await integrations_page(visit, Again(), done=_DONE.get(visit.asked("done"), ""))


async def new_channel_form(visit: Visitor) -> Page:
    """GET /settings/integrations/new?type=…: first the kind, then its form."""
    kind = KINDS.get(visit.asked("type"))
    if kind is None:
        return visit.settings_page("channel_kinds.html", "integrations", kinds=list(KINDS.values()))
    return await _form(visit, Again(), kind=kind)


async def add_channel(visit: Visitor) -> Answer:
    """POST /settings/integrations/new: make the channel; a webhook's secret is on this answer only."""
    form = await visit.form()
    kind = KINDS.get(form.get("type", ""))
    if kind is None:
        raise errors.BadRequest(_("Choose one of the kinds on the page"))
    given = NewChannel(type=kind.name, name=form.get("name", ""), config=_config(kind, form))
    try:
        made = await procedures.create_channel(visit.call, given)
    except errors.BadRequest as wrong:
        return await _form(visit, _again(wrong, form), kind=kind)
    except errors.Conflict as refused:
        return await _form(visit, Again(refused.status, form, {}, refused.message), kind=kind)
    if made.secret is None:
        return visit.go(f"{HOME}?done=added")
    return _secret(visit, _("The webhook is ready"), made.channel.name, made.secret)


async def edit_channel_form(visit: Visitor, channel_id: FromPath[str]) -> Page:
    """GET /settings/integrations/{id}. Raises NotFound."""
    channel, config = await _find(visit, channel_id)
    return await _form(visit, Again(), kind=KINDS[channel.kind], channel=channel, config=config)


async def save_channel(visit: Visitor, channel_id: FromPath[str]) -> Answer:
    """POST /settings/integrations/{id}. Raises NotFound."""
    form = await visit.form()
    channel, config = await _find(visit, channel_id)
    kind = KINDS[channel.kind]
    given = ChangedChannel(channelId=channel_id, name=form.get("name", ""), config=_config(kind, form))

    async def save() -> str:
        check_version(form, channel, without=_CHANGED_BY_USE)
        await procedures.update_channel(visit.call, given)
        return f"{HOME}?done=saved"

    again = partial(_form, kind=kind, channel=channel, config=config)
    return await visit.submit(save, again, values=form)


async def confirm(visit: Visitor, channel_id: FromPath[str], action: FromPath[str]) -> Page:
    """GET /settings/integrations/{id}/{delete or rotate}: are you sure? Raises NotFound."""
    channel, _rest = await _find(visit, channel_id)
    match action:
        case "delete":
            title, text = (
                _("Delete channel"),
                _("{name} will no longer receive messages. Pending messages are discarded."),
            )
        case "rotate" if KINDS[channel.kind].new_secret is not None:
            title, text = (
                _("New signing secret"),
                _(
                    "Requests to {name} will be signed with a new secret. The receiver rejects them until you "
                    "update its secret."
                ),
            )
        case _:
            raise errors.NotFound(_("This page does not exist"))
    return visit.confirm(
        "integrations",
        title=title,
        text=text.format(name=channel.name),
        action=f"{HOME}/{channel.id}/{action}",
        back=HOME,
    )


async def act(visit: Visitor, channel_id: FromPath[str], action: FromPath[str]) -> Answer:
    """POST /settings/integrations/{id}/{test, on, off, delete or rotate}. Raises NotFound."""
    call, chosen = visit.call, OfChannel(channel_id)
    match action:
        case "test":
            return await _test(visit, channel_id)
        case "on" | "off":
            await procedures.update_channel(call, ChangedChannel(channelId=channel_id, enabled=action == "on"))
            return visit.go(f"{HOME}?done={action}")
        case "delete":
            await procedures.delete_channel(call, chosen)
            return visit.go(f"{HOME}?done=deleted")
        case "rotate":
            channel, _rest = await _find(visit, channel_id)
            made = await procedures.rotate_channel_secret(call, chosen)
            return _secret(visit, _("The new signing secret"), channel.name, made.secret)
        case _:
            raise errors.NotFound(_("This page does not exist"))


async def integrations_page(visit: PageRequest, again: Again, *, done: str = "") -> Page:
    """The list of channels; `general` of a form says what went wrong."""
    person, by = visit.person, visit.call.by

    def find(db: Connection) -> tuple[channels.VisibleChannels, bool]:
        seen = channels.of(db, visit.parts[ChannelTools], person.organization_id, by)
        return seen, members.administers(db, by)

    seen, administers = await visit.call.read(find)
    return visit.settings_page(
        "integrations.html",
        "integrations",
        again=again,
        channels=[row(channel, person) for channel in seen.channels],
        editable=rules.may(person.role, "update"),
        mails=configuration_calls.smtp(visit.call, administers=False).configured,
        administers=administers,
        done=done,
    )


async def _test(visit: PageRequest, channel_id: str) -> Page:
    channel, outcome = await procedures.try_now(visit.call, channel_id)
    if outcome.error:
        failed = _("The test did not arrive at {name}: {error}").format(name=channel.name, error=outcome.error)
        return await integrations_page(visit, Again(general=failed))
    return await integrations_page(visit, Again(), done=_("The test arrived at {name}.").format(name=channel.name))


async def _form(
    visit: PageRequest, again: Again, *, kind: ChannelKind, channel: Channel | None = None, config: Config | None = None
) -> Page:
    config = config or {}
    shown = {field.name: config.get(field.name, field.default) for field in kind.fields if not field.secret}
    return visit.settings_page(
        "channel_form.html",
        "integrations",
        again=again,
        values={
            "name": channel.name if channel is not None else kind.label,
            FIELD: version_of(channel, without=_CHANGED_BY_USE) if channel is not None else "",
            **shown,
        },
        labels={"name": _("Name"), **{field.name: field.label for field in kind.fields}},
        kind=kind,
        channel=channel,
        kept=[field.name for field in kind.fields if field.secret and config.get(field.name)],
        no_mail=kind.by_mail and not visit.parts[Mailer].configured,
    )


def _secret(visit: PageRequest, title: str, name: str, secret: str) -> Page:
    return visit.settings_page("channel_secret.html", "integrations", title=title, name=name, secret=secret)


async def _find(visit: PageRequest, channel_id: str) -> tuple[Channel, Config]:
    own, by, tools = visit.person.organization_id, visit.call.by, visit.parts[ChannelTools]
    channel = await visit.call.read(lambda db: channels.existing(db, own, by, channel_id))
    return channel, channels.readable(tools, channel)


def _config(kind: ChannelKind, form: dict[str, str]) -> dict[str, str]:
    """The fields of the form. A secret one that was left empty stays as it is, unless it is to be removed."""
    given = {
        field.name: (web_address(form.get(field.name, "")) if field.type == "url" else form.get(field.name, ""))
        for field in kind.fields
    }
    kept = [field for field in kind.fields if field.secret and not given[field.name].strip()]
    for field in kept:
        if f"remove-{field.name}" not in form:
            del given[field.name]
    return given


def _again(wrong: errors.BadRequest, form: dict[str, str]) -> Again:
    fields = {detail.field: detail.message for detail in wrong.details}
    return Again(wrong.status, form, fields, "" if fields else wrong.message)
