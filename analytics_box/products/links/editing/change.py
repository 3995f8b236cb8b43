"""Creating, changing and deleting links: each verb writes its rows and audit entries in the caller's transaction.

Callers notify the directory after the commit, so that redirects follow immediately.
"""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import audit, errors, ids
from analytics_box.base.acting import By
from analytics_box.base.errors import BadRequest
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.links import rows, slugs
from analytics_box.products.links.domains import change as domains
from analytics_box.products.links.folders import change as folders
from analytics_box.products.links.link import ShortLink, new_link
from analytics_box.products.links.rows import LINKS
from analytics_box.products.links.targeting.policy import host_of
from analytics_box.resource.fields import Values, difference
from analytics_box.resource.reach import Reach, check, in_reach

_SUBJECT: Final = "link"


class LinkChange(Struct, frozen=True):
    """A link before and after a change; `before` is None for a new one."""

    before: ShortLink | None
    after: ShortLink


def create(db: Connection, organization_id: str, by: By, values: Values) -> ShortLink:
    """A new link; without a slug it gets one. Raises Forbidden, BadRequest or Conflict."""
    check(db, Reach(organization_id, by), "member")
    if "name" not in values or "target_url" not in values:
        raise BadRequest(_("Enter a name and a targetUrl"))
    _check_places(db, organization_id, values)
    blank = new_link(id=ids.new_id(), organization_id=organization_id, created_by=by.user_id or by.actor, now=by.now)
    made = _insert(db, apply_values(blank, values))
    detail = {"slug": made.slug, "domain": made.domain, "targetUrl": made.target_url, "name": made.name}
    audit.record(db, by, organization_id, "created", _SUBJECT, made.id, detail)
    return made


def update(db: Connection, organization_id: str, by: By, link_id: str, values: Values) -> LinkChange:
    """Another state of a link; what is not given stays. Raises Forbidden, NotFound, BadRequest or Conflict."""
    own = Reach(organization_id, by)
    check(db, own, "member")
    return _change(db, in_reach(own, LINKS.find(db, link_id), "link", link_id), by, values)


def upsert(
    db: Connection, organization_id: str, by: By, external_id: str, values: Values, *, rename: bool = True
) -> LinkChange:
    """The link that its maker knows by this id gets these values; there is one afterwards.

    Without `rename` a link that is there keeps its name. Raises Forbidden, BadRequest or Conflict.
    """
    check(db, Reach(organization_id, by), "member")
    found = LINKS.first(db, "organization_id = ? and external_id = ? order by number", organization_id, external_id)
    values = {**values, "external_id": external_id}
    if found is None:
        return LinkChange(None, create(db, organization_id, by, values))
    if not rename:
        values.pop("name", None)
    return _change(db, found, by, values)


def standing(db: Connection, organization_id: str, values: Values) -> ShortLink | None:
    """The organization's link that has the given slug already, if these values would not change it."""
    if values.get("slug") is None:
        return None
    found = rows.find_by_slug(db, values.get("domain", ""), values["slug"])
    if found is None or found.organization_id != organization_id or difference(found, apply_values(found, values)):
        return None
    return found


def delete(db: Connection, organization_id: str, by: By, link_id: str) -> ShortLink:
    """The link and its slug are gone. Raises Forbidden or NotFound."""
    own = Reach(organization_id, by)
    check(db, own, "member")
    gone = in_reach(own, LINKS.find(db, link_id), "link", link_id)
    LINKS.delete(db, gone.number)
    detail = {"slug": gone.slug, "domain": gone.domain, "targetUrl": gone.target_url, "name": gone.name}
    audit.record(db, by, organization_id, "deleted", _SUBJECT, gone.id, detail)
    return gone


def apply_values(link: ShortLink, values: Values) -> ShortLink:
    """The link with new values; a slug of None stays as it is. The target's domain follows it unless it is given."""
    given = {name: value for name, value in values.items() if name != "slug" or value is not None}
    if given.get("target_domain") is None:
        is_reset = "target_domain" in given
        given.pop("target_domain", None)
        target = given.get("target_url", link.target_url)
        # A form sends the URL again with every save: a target domain that was given stays until the URL changes.
        if is_reset or target != link.target_url:
            given["target_domain"] = host_of(target)
    return replace(link, **given)


def _change(db: Connection, before: ShortLink, by: By, values: Values) -> LinkChange:
    _check_places(db, before.organization_id, values)
    after = apply_values(before, values)
    changes = difference(before, after)
    if not changes:
        return LinkChange(before, before)
    after = replace(after, updated_at=by.now)
    LINKS.update(db, after)
    audit.record(db, by, after.organization_id, "updated", _SUBJECT, after.id, changes)
    return LinkChange(before, after)


def _insert(db: Connection, link: ShortLink) -> ShortLink:
    if link.slug:
        return LINKS.insert(db, link)
    for tries in range(slugs.MOST_TRIES):
        slug = slugs.new(tries)
        if not LINKS.keys(db, "domain = ? and slug = ?", link.domain, slug):
            return LINKS.insert(db, replace(link, slug=slug))
    raise errors.Conflict(_("No free slug was found. Enter one"))


def _check_places(db: Connection, organization_id: str, values: Values) -> None:
    """Raises BadRequest for a folder or a domain that is not the organization's."""
    folder_id, domain = values.get("folder_id"), values.get("domain")
    if folder_id is not None and not folders.is_own(db, organization_id, folder_id):
        raise BadRequest.about("folderId", _("There is no folder with this id in the organization"))
    if domain and not domains.is_own(db, organization_id, domain):
        raise BadRequest.about("domain", _("This is not one of the organization's domains for short links"))
