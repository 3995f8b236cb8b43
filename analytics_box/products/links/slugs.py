"""Slugs, and the short URLs that they make. Pure but for the randomness of new slugs."""

import re
import secrets
from typing import Final

from analytics_box.base.errors import BadRequest
from analytics_box.base.settings import Settings
from analytics_box.base.translation import _

SHORTEST, LONGEST = 3, 50  # characters of a slug that someone chose (wire 7.2)
ALPHABET: Final = "23456789abcdefghjkmnpqrstuvwxyz"  # nothing that is read as something else: no 0, 1, i, l, o
LENGTH: Final = 7  # characters of a generated one: 31^7 are 27,512,614,111
PATIENCE: Final = 3  # misses after which generated ones get one character longer
MOST_TRIES: Final = 10  # wire 7.2
# Under /l/ nothing is reserved. On a link domain these stand at the root (wire 7.3); none fits the shape of a slug.
RESERVED_ON_DOMAINS: Final = frozenset(("robots.txt", "favicon.ico", "sitemap.xml", ".well-known"))

TAKEN: Final = "This slug is already taken"

_SHAPE = re.compile(r"[A-Za-z0-9_-]{3,50}\Z", re.ASCII)


def is_slug(text: str) -> bool:
    """Whether this could be a slug at all."""
    return _SHAPE.match(text) is not None


def clean(given: str) -> str:
    """A slug that someone chose. Raises BadRequest."""
    if not is_slug(given):
        raise BadRequest.about(
            "slug",
            _("Enter a slug of {shortest} to {longest} letters (a-z, A-Z), digits, _ or -").format(
                shortest=SHORTEST, longest=LONGEST
            ),
        )
    return given


def new(tries_before: int) -> str:
    """A generated slug; a longer one once several were taken."""
    length = LENGTH + tries_before // PATIENCE
    return "".join(secrets.choice(ALPHABET) for _ in range(length))


PREFIX: Final = "/l/"  # under which links live on the box's own host


def short_url(domain: str, slug: str, settings: Settings) -> str:
    """The short URL of a slug on a domain; an empty one is the box's own host, where links are below a prefix."""
    if not domain:
        return f"{settings.public_url}{PREFIX}{slug}"
    return f"{'https' if settings.secure else 'http'}://{domain}/{slug}"
