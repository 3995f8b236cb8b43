"""A link's values and short address as cells of a sheet, and back: each pair of functions undoes each other. Pure."""

import re
from collections.abc import Sequence, Set
from typing import Any, Final, NamedTuple
from urllib.parse import unquote

from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _
from analytics_box.products.links.slugs import PREFIX
from analytics_box.query.sheets import FORMULA

MOST_ROWS: Final = 10_000
_QUOTE: Final = "'"
_BETWEEN: Final = ";"
_ESCAPED = re.compile(r"[\\;]")
_PIECE = re.compile(r"[^\\;]+|\\([\\;])|.", re.DOTALL)  # a backslash before anything else is one


def quote_cell(text: str) -> str:
    """Text before it becomes a cell: a quote at its beginning is doubled.

    `sheets.cell` then puts one before whatever a spreadsheet would run.
    """
    return _QUOTE + text if text.startswith(_QUOTE) else text


def plain(cell: str) -> str:
    """The text in a cell: without the quote before what a spreadsheet would run, and before another quote."""
    return cell[1:] if cell.startswith(_QUOTE) and cell[1:].startswith((*FORMULA, _QUOTE)) else cell


def join_tags(tags: Sequence[str]) -> str:
    r"""Tags in one cell with ; between them; a ; or \ in a tag has a \ before it."""
    return _BETWEEN.join(_ESCAPED.sub(r"\\\g<0>", tag) for tag in tags)


def split(cell: str) -> list[str]:
    """The tags in a cell, without those that are blank."""
    tags: list[list[str]] = [[]]
    for piece in _PIECE.finditer(cell):
        if piece[0] == _BETWEEN:
            tags.append([])
        else:
            tags[-1].append(piece[1] or piece[0])
    return [text for tag in tags if (text := "".join(tag).strip())]


NOT_YOURS: Final = "{domain} is not one of your link domains: add it, or choose another domain for such links"
_DEFAULT: Final = "default"  # as Shlink calls its own domain


class ShortLinkHosts(NamedTuple):
    """The box's own hosts, the organization's link domains, and the one for links that were on none of them.

    `instead` is empty for the box's own host, and None if such links are refused.
    """

    own_hosts: Set[str]
    domains: Set[str]
    instead: str | None

    def of(self, domain: str) -> str:
        """The domain of a link that was on this one. Raises BadRequest if its address would change unasked."""
        if domain in self.domains:
            return domain
        if not domain or domain.partition(":")[0] in self.own_hosts:
            return ""
        if self.instead is None:
            raise BadRequest.about("domain", NOT_YOURS.format(domain=domain))
        return self.instead


def slug_and_domain(slug: Any, domain: Any, short_url: Any) -> dict[str, Any]:
    """The fields `slug` and `domain` of a link that had this short address, of which any part may be missing.

    Raises BadRequest for a short URL without a slug: the link would get another address.
    """
    own, host = _taken_apart(short_url) if isinstance(short_url, str) else ("", "")
    if slug in (None, ""):
        if not own and short_url not in (None, ""):
            raise BadRequest.about("shortUrl", _("This is not a short link. Enter one such as go.example.com/sale"))
        slug = own
    if isinstance(domain, str):
        given = domain.strip().lower()
        domain = (given.partition("://")[2] or given).rstrip("/")
        domain = "" if domain == _DEFAULT else domain
    return {"slug": slug, "domain": domain or host}


def _taken_apart(short_url: str) -> tuple[str, str]:
    """Slug and host of a short URL; both empty if it is none."""
    text = short_url.strip()
    host, _, path = (text.partition("://")[2] or text).partition("/")
    path = unquote(path.partition("?")[0].partition("#")[0]).strip("/")
    slug = path.removeprefix(PREFIX.strip("/") + "/")
    return (slug, host.lower()) if slug and host else ("", "")
