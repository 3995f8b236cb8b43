"""Data centres by address, for websites that want their visitors looked at so. Loaded when the first one does."""

import struct
import sys
from array import array
from bisect import bisect_right
from functools import lru_cache
from importlib import resources
from ipaddress import IPv4Address, ip_address
from typing import NamedTuple

_MAGIC = b"HOSTING1"
_HEAD = struct.Struct("<8sIII")


class HostingRanges(NamedTuple):
    """Sorted ranges that do not overlap, in numbers of addresses (IPv4) or of /64 networks (IPv6)."""

    firsts: "array[int]"
    lasts: "array[int]"
    providers: bytes

    def find(self, number: int) -> int | None:
        """The provider whose range has this number."""
        place = bisect_right(self.firsts, number) - 1
        return self.providers[place] if place >= 0 and number <= self.lasts[place] else None


class Hosts(NamedTuple):
    """The providers' names, and their networks."""

    names: tuple[str, ...]
    four: HostingRanges
    six: HostingRanges


@lru_cache(maxsize=1)
def hosts() -> Hosts:
    """All of them (packaging/hosting.py says from where)."""
    blob = resources.files("analytics_box.web.recognition").joinpath("data/hosting.bin").read_bytes()
    magic, length, fours, sixes = _HEAD.unpack_from(blob, 0)
    if magic != _MAGIC:
        raise ValueError("data/hosting.bin is not what packaging/hosting.py makes")
    at = _HEAD.size + length
    names = tuple(blob[_HEAD.size : at].decode().split("\n"))
    four, at = _ranges(blob, at, fours, "I")
    six, _ = _ranges(blob, at, sixes, "Q")
    return Hosts(names, four, six)


def _ranges(blob: bytes, at: int, count: int, size: str) -> tuple[HostingRanges, int]:
    columns = []
    for _ in range(2):
        numbers = array(size)
        end = at + count * numbers.itemsize
        numbers.frombytes(blob[at:end])
        if sys.byteorder == "big":
            numbers.byteswap()
        columns.append(numbers)
        at = end
    return HostingRanges(columns[0], columns[1], blob[at : at + count]), at + count


@lru_cache(maxsize=20_000)
def provider_of(network: str) -> str:
    """The owner of the data centre that a cut network (web.address.network_of) is in; empty if there is none."""
    try:
        address = ip_address(network.partition("/")[0])
    except ValueError:
        return ""
    known = hosts()
    found = known.four.find(int(address)) if isinstance(address, IPv4Address) else known.six.find(int(address) >> 64)
    return "" if found is None else known.names[found]
