"""Permanent removal of deleted flags after their grace period."""

import logging

from analytics_box.base.clock import DAY
from analytics_box.products.flags import rows
from analytics_box.web.call import Parts

log = logging.getLogger(__name__)


async def purge(parts: Parts) -> None:
    """Remove flags that were deleted `grace_days` ago, with their history."""
    before = parts.clock.now() - parts.settings.grace_days * DAY
    removed = await parts.box_db.write(lambda db: rows.remove_deleted_before(db, before))
    if removed:
        log.info("Removed %d deleted flags", removed)
