"""Notes in box.db. Every function takes a connection inside the caller's transaction."""

from typing import Final

from analytics_box.base.store.db import Connection
from analytics_box.products.notes.annotation import Annotation
from analytics_box.resource.table import Table

NOTES: Final = Table("annotations", Annotation)


def between(
    db: Connection, website_id: str, first: int, last: int, most: int, *, public: bool = False, skip: int = 0
) -> list[Annotation]:
    """Notes of a website that touch this time (UTC ms, both included), the latest first: up to `most`
    after the first `skip`, with `public` only public ones.
    """
    return NOTES.all(
        db,
        """
        website_id = :website_id and at <= :last and coalesce(until, at) >= :first
          and (not :public or json_extract(content, '$.public'))
        order by at desc, id limit :most offset :skip
        """,
        website_id=website_id,
        first=first,
        last=last,
        most=most,
        public=public,
        skip=skip,
    )
