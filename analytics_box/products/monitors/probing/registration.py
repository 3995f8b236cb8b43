"""The registration expiry of a domain, by its registry's RDAP service (RFC 9082, 9083, bootstrap of RFC 9224)."""

from collections import Counter
from datetime import UTC, datetime
from typing import Final
from urllib.parse import urljoin

import msgspec
from msgspec import Struct

from analytics_box.base.outgoing.client import Clients, OutgoingAnswer, OutgoingRequest
from analytics_box.base.outgoing.failures import AddressRefused, RequestFailed
from analytics_box.base.outgoing.fences import STRANGER
from analytics_box.base.outgoing.target import clean_host, place

BOOTSTRAP: Final = "https://data.iana.org/rdap/dns.json"
_KEPT_MS: Final = 7 * 86_400_000  # for so long the list of registries is not asked for again
_ANSWERS_KEPT_MS: Final = 43_200_000
_RETRY_MS: Final = 3_600_000  # after a failure
_SECONDS: Final = 10.0
_UNKNOWN: Final = frozenset({400, 404})  # what a registry says of names that are no domains
_MOST_LABELS: Final = 4  # of a host that are tried; longer ones are names below a domain
_ENDS: Final = "expiration"


class _Registries(Struct, frozen=True):
    """IANA's list: each service is a list of top-level domains, and one of addresses that know them."""

    services: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]


class _Event(Struct, frozen=True, rename="camel"):
    event_action: str = ""
    event_date: str = ""


class _Domain(Struct, frozen=True):
    events: tuple[_Event, ...] = ()


class Registration(Struct, frozen=True):
    """A domain, and when its registration ends (UTC ms)."""

    domain: str
    ends_at: int


class Registrations:
    """Asks registries. The list of them is kept for a week, what they say for half a day.

    Their addresses come from IANA's list, which no user chose: they are asked as a stranger's are.
    """

    def __init__(self, clients: Clients, bootstrap: str = BOOTSTRAP) -> None:
        self._client = clients.of(STRANGER)
        self._bootstrap = bootstrap
        self._registries: dict[str, str] = {}
        self._asks_again_at = 0
        self._found: dict[str, tuple[int, Registration]] = {}
        self.outcomes: Counter[str] = Counter(answered=0, failed=0)  # of questions since the start

    async def find(self, host: str, now: int) -> Registration | None:
        """The domain that a host belongs to. `now` is UTC ms.

        None if it is unknown: an IP address, a registry without RDAP or without that date, one that does not answer.
        """
        names = _candidates(host)
        self._found = {name: known for name, known in self._found.items() if now - known[0] < _ANSWERS_KEPT_MS}
        known = next((self._found[name] for name in names if name in self._found), None)
        if known is not None:
            return known[1]
        base = (await self._known(now)).get(names[0].rpartition(".")[2]) if names else None
        if base is None:
            return None
        for name in names:
            ends = await self._asked(urljoin(base, f"domain/{name}"))
            if ends is not None:
                found = Registration(name, ends)
                self._found[name] = (now, found)
                return found
        return None

    async def _known(self, now: int) -> dict[str, str]:
        """The address of the registry of each top-level domain; those known before where the list does not come."""
        if now < self._asks_again_at:
            return self._registries
        self._asks_again_at = now + _RETRY_MS
        answer = await self._fetched(self._bootstrap)
        if answer is not None:
            try:
                found = msgspec.json.decode(answer.body, type=_Registries)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                return self._registries
            self._registries = {
                name.lower(): _best(addresses) for names, addresses in found.services if addresses for name in names
            }
            self._asks_again_at = now + _KEPT_MS
        return self._registries

    async def _asked(self, url: str) -> int | None:
        answer = await self._fetched(url)
        if answer is None:
            return None
        try:
            domain = msgspec.json.decode(answer.body, type=_Domain)
            ends = next((event.event_date for event in domain.events if event.event_action == _ENDS), "")
            when = datetime.fromisoformat(ends)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError):
            return None
        return int((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() * 1000)

    async def _fetched(self, url: str) -> OutgoingAnswer | None:
        headers = (("Accept", "application/rdap+json, application/json"),)
        try:
            answer = await self._client.fetch(OutgoingRequest(url, headers=headers, seconds=_SECONDS))
        except RequestFailed:
            self.outcomes["failed"] += 1
            return None
        is_answer = answer.complete and (answer.status == 200 or answer.status in _UNKNOWN)
        self.outcomes["answered" if is_answer else "failed"] += 1
        return answer if answer.status == 200 and answer.complete else None


def _candidates(host: str) -> list[str]:
    """The names that may be the domain, the shortest first: nothing says how many labels a registry gives away."""
    try:
        found = place(host, 0)
        name = clean_host(found.host) if found.address is None else ""
    except AddressRefused:
        return []
    labels = name.split(".")
    return [".".join(labels[-many:]) for many in range(2, min(len(labels), _MOST_LABELS) + 1)]


def _best(addresses: tuple[str, ...]) -> str:
    """The address to ask: https where there is one."""
    found = next((each for each in addresses if each.startswith("https:")), addresses[0])
    return found if found.endswith("/") else f"{found}/"
