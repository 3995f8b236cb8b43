"""The observations of a check of any kind, as input of assertions. Pure."""

import re
from typing import Final

from msgspec import Struct

from analytics_box.products.monitors.probing.dns_record import DnsRecord

_CHARSET: Final = re.compile(
    r"charset\s*=\s*\"?(utf-?(?:8|16|32)\w*|us-ascii|(?:iso-8859|windows|koi8|euc)-\w{1,6}|gb\w{1,6}|big5|shift_jis)\b",
    re.IGNORECASE,
)

Pairs = tuple[tuple[str, str], ...]


class CheckObservations(Struct):
    """The observations of a check; None or empty for what this kind of check does not see.

    `status_name` is like 404 Not Found; `total` and `ttfb` are in ms. `unreadable` says why there is no body where one
    came. `certificate_ends` is UTC ms. `tls_wrong` says why a certificate is not accepted; `certificate_valid` is None
    if it was not checked.
    """

    status: int | None = None
    status_name: str = ""
    headers: Pairs = ()
    body: bytes | None = None
    size: int | None = None
    complete: bool = True
    unreadable: str = ""
    records: tuple[DnsRecord, ...] | None = None
    banner: bytes | None = None
    total: float | None = None
    ttfb: float | None = None
    certificate_ends: int | None = None
    certificate_valid: bool | None = None
    tls_wrong: str = ""

    def header(self, name: str) -> str | None:
        """All headers of this name, joined; None if there is none."""
        found = [value for key, value in self.headers if key == name.lower()]
        return ", ".join(found) if found else None

    def text(self) -> str | None:
        """The body as text: in the encoding that the answer names, else UTF-8."""
        if self.body is None:
            return None
        named = _CHARSET.search(self.header("content-type") or "")
        try:
            text = self.body.decode(named[1] if named else "utf-8", "replace")
        except LookupError:
            text = self.body.decode("utf-8", "replace")
        return text.removeprefix("\ufeff")
