"""Changes of pictures: each verb writes its rows and audit entry in the caller's transaction."""

from analytics_box.base import audit
from analytics_box.base.errors import NotFound
from analytics_box.base.store.db import Connection
from analytics_box.products.status_pages.access import page_in_reach
from analytics_box.products.status_pages.files import pictures
from analytics_box.products.status_pages.files import rows as files
from analytics_box.products.status_pages.files.pictures import PagePicture
from analytics_box.products.status_pages.files.uploads import UNKNOWN, Upload
from analytics_box.products.status_pages.page import FileKind, StatusPage
from analytics_box.products.status_pages.rows import PAGES
from analytics_box.resource.reach import Reach, check


def upload(db: Connection, own: Reach, allowed: Upload, given: PagePicture) -> StatusPage:
    """Store the picture of an upload address, which works once. Raises Forbidden, or NotFound for a used one."""
    after = replace_picture(db, own, allowed.page_id, allowed.kind, given)
    if not files.use_upload(db, allowed.digest, allowed.until, own.by.now):
        raise NotFound(UNKNOWN)
    return after


def replace_picture(db: Connection, own: Reach, page_id: str, kind: FileKind, given: PagePicture | None) -> StatusPage:
    """Replace or remove the logo or favicon. Raises Forbidden or NotFound."""
    check(db, own, "member")
    before = page_in_reach(db, own, page_id)
    after = pictures.store_picture(db, before, kind, given, own.by.now)
    if after != before:
        PAGES.update(db, after)
        detail = {"name": after.name, **audit.difference(before, after, (kind,))}
        audit.record(db, own.by, own.organization_id, "updated", "status page", page_id, detail)
    return after
