"""Short links over RPC (wire 7.1). Scopes: read:links, write:links."""

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from analytics_box.accounts.passwords import Passwords
from analytics_box.http.call import Call
from analytics_box.links import change, list_rows, ranked
from analytics_box.links.grounds import grounds_of
from analytics_box.links.list_rows import Wish
from analytics_box.links.messages import ChangedLink, LinkList, LinkPage, NewLink, OneLink, UpsertedLink, wanted
from analytics_box.links.parts import Links
from analytics_box.links.ranked_rows import Ranking
from analytics_box.links.rules import Link
from analytics_box.links.shown import LinkShown, PageShown, shown
from analytics_box.links.wanted import Wanted, checked
from analytics_box.store.db import Connection
from analytics_box.tenancy.acting import acting
from analytics_box.tenancy.messages import Success

MOST_LISTED = 1_000  # wire 7.1


async def list_links(call: Call, given: LinkList) -> list[LinkShown]:
    """links.list: the first 1,000 that fit, the newest first unless `sort` says otherwise. Raises Forbidden."""
    return await with_clicks(call, await _fitting(call, given))


async def paginated(call: Call, given: LinkPage) -> PageShown:
    """links.paginated: a page of those that fit. Raises Forbidden."""
    fitting = await _fitting(call, given)
    return PageShown(await with_clicks(call, fitting[: given.limit]), hasMore=len(fitting) > given.limit)


async def get(call: Call, given: OneLink) -> LinkShown:
    """links.get. Raises Forbidden or NotFound."""
    (one,) = await with_clicks(call, [await found(call, given.id, given.organizationId)])
    return one


async def create(call: Call, given: NewLink) -> LinkShown:
    """links.create: without a slug the link gets one. Raises Forbidden, BadRequest or Conflict."""
    organization_id, by = acting(call, given.organizationId)
    clean = await clean_wish(call, given)
    made = await call.write(lambda db: change.create(db, organization_id, by, clean))
    call.parts[Links].directory.remember(made)
    return shown(made, call.parts.settings)


async def update(call: Call, given: ChangedLink) -> LinkShown:
    """links.update: what is not given stays. Raises Forbidden, NotFound, BadRequest or Conflict."""
    organization_id, by = acting(call, given.organizationId)
    clean = await clean_wish(call, given)
    changed = await call.write(lambda db: change.update(db, organization_id, by, given.id, clean))
    tell(call, changed)
    (one,) = await with_clicks(call, [changed.after])
    return one


async def upsert(call: Call, given: UpsertedLink) -> LinkShown:
    """links.upsert: the oldest link with this externalId gets these values, or there is a new one.

    Raises Forbidden, BadRequest or Conflict.
    """
    organization_id, by = acting(call, given.organizationId)
    clean = await clean_wish(call, given)
    external_id = clean.external_id or given.externalId  # as links have it, without spaces around it
    changed = await call.write(lambda db: change.upsert(db, organization_id, by, external_id, clean))
    tell(call, changed)
    (one,) = await with_clicks(call, [changed.after])
    return one


async def delete(call: Call, given: OneLink) -> Success:
    """links.delete: the link and its slug are gone; its clicks go with it. Raises Forbidden or NotFound."""
    organization_id, by = acting(call, given.organizationId)
    gone = await call.write(lambda db: change.delete(db, organization_id, by, given.id))
    call.parts[Links].directory.forget(gone.domain, gone.slug)
    await call.parts[Links].begin_to_erase(gone.number)
    return Success()


async def clean_wish(call: Call, given: NewLink | ChangedLink) -> Wanted:
    """What a message wants a link to be, checked, with its password hashed. Raises BadRequest."""
    password: str | UnsetType | None = UNSET
    if given.password is None:
        password = None
    clean = checked(wanted(given, password=password), grounds_of(call))
    if isinstance(given.password, str):
        return replace(clean, password=await call.parts[Passwords].hash(given.password))
    return clean


async def found(call: Call, link_id: str, organization_id: str | None = None) -> Link:
    """A link that somebody may see. Raises Forbidden or NotFound."""
    own, by = acting(call, organization_id)

    def read(db: Connection) -> Link:
        change.check(db, own, by, "viewer")
        return change.existing(db, own, link_id)

    return await call.read(read)


async def listed(call: Call, organization_id: str | None, wish: Wish) -> list[Link]:
    """The links that somebody may see. Raises Forbidden."""
    own, by = acting(call, organization_id)

    def read(db: Connection) -> list[Link]:
        change.check(db, own, by, "viewer")
        return list_rows.links(db, wish)

    return await call.read(read)


async def _fitting(call: Call, given: LinkList) -> list[Link]:
    """The links that a message asks for, in its order. Raises Forbidden."""
    wish = _wish(call, given)
    match given.sort:
        case "clicks" | "last-click" as ranking:
            return await _ranked(call, wish, ranking)
        case order:
            return await listed(call, given.organizationId, replace(wish, sort=order))


async def _ranked(call: Call, wish: Wish, ranking: Ranking) -> list[Link]:
    """The links that somebody may see by their clicks. Raises Forbidden."""
    _, by = acting(call, wish.organization_id)
    await call.read(lambda db: change.check(db, wish.organization_id, by, "viewer"))
    numbers = await ranked.numbers(call, wish, ranking)
    return await call.read(lambda db: list_rows.in_order(db, numbers))


async def with_clicks(call: Call, links: list[Link]) -> list[LinkShown]:
    """Links for an answer, with the clicks of people so far."""
    totals = await call.parts[Links].totals([link.number for link in links])
    return [shown(link, call.parts.settings, totals.get(link.number)) for link in links]


def tell(call: Call, changed: change.Changed) -> None:
    """Redirects follow the change at once."""
    directory, before, after = call.parts[Links].directory, changed.before, changed.after
    if before is not None and (before.domain, before.slug) != (after.domain, after.slug):
        directory.forget(before.domain, before.slug)
    directory.remember(after)


def _wish(call: Call, given: LinkList) -> Wish:
    organization_id, _ = acting(call, given.organizationId)
    wish = Wish(
        organization_id=organization_id,
        external_id=given.externalId,
        folder_id=given.folderId,
        source_type=given.sourceType,
        source_id=given.sourceId,
        source_owner_id=given.sourceOwnerId,
        target_domain=given.targetDomain,
        domain=given.domain,
        tag=given.tag,
        limit=MOST_LISTED,
    )
    if not isinstance(given, LinkPage):
        return wish
    return replace(
        wish,
        limit=given.limit + 1,
        offset=given.offset,
        search=given.search,
        deep=None if given.type == "all" else given.type == "deep",
    )
