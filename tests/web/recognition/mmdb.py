"""Writes small databases of places in MaxMind's format, for tests: https://maxmind.github.io/MaxMind-DB/."""

import struct
from ipaddress import IPv6Network, ip_network
from typing import Any

_MARK = b"\xab\xcd\xefMaxMind.com"
_GAP = 16  # zero bytes between the tree and the data


def database(entries: dict[str, dict[str, Any]]) -> bytes:
    """A database that answers for these networks; IPv4 stands at ::/96 as usual."""
    nodes: list[list[int | str | None]] = [[None, None]]
    for network in entries:
        bits, length = _bits(network)
        at = 0
        for depth in range(length):
            bit = (bits >> (127 - depth)) & 1
            if depth == length - 1:
                nodes[at][bit] = network
                break
            inner = nodes[at][bit]
            if not isinstance(inner, int):
                nodes.append([None, None])
                inner = nodes[at][bit] = len(nodes) - 1
            at = inner
    data, where = b"", {}
    for network, entry in entries.items():
        where[network] = len(data)
        data += _encode(entry)
    count = len(nodes)

    def pointer(to: int | str | None) -> bytes:
        target = count if to is None else to if isinstance(to, int) else count + _GAP + where[to]
        return struct.pack(">I", target)

    tree = b"".join(pointer(left) + pointer(right) for left, right in nodes)
    about = {
        "binary_format_major_version": 2,
        "binary_format_minor_version": 0,
        "build_epoch": 1_700_000_000,
        "database_type": "Test-City",
        "description": {"en": "test"},
        "ip_version": 6,
        "languages": ["en"],
        "node_count": _Long(count),
        "record_size": 32,
    }
    return tree + bytes(_GAP) + data + _MARK + _encode(about)


def _bits(text: str) -> tuple[int, int]:
    network = ip_network(text)
    address = int(network.network_address)
    return (address, network.prefixlen) if isinstance(network, IPv6Network) else (address, 96 + network.prefixlen)


class _Long(int):
    """A number that the format wants as uint32 however small it is."""


def _encode(value: Any) -> bytes:
    if isinstance(value, dict):
        return _control(7, len(value)) + b"".join(_encode(key) + _encode(inner) for key, inner in value.items())
    if isinstance(value, list):
        return _control(11, len(value)) + b"".join(map(_encode, value))
    if isinstance(value, str):
        return _control(2, len(value.encode())) + value.encode()
    raw = int(value).to_bytes(8, "big").lstrip(b"\0")
    return _control(6 if isinstance(value, _Long) else 5 if value < 1 << 16 else 9, len(raw)) + raw


def _control(kind: int, size: int) -> bytes:
    assert size < 285
    head, more = (size, b"") if size < 29 else (29, bytes([size - 29]))
    return bytes([kind << 5 | head]) + more if kind < 8 else bytes([head, kind - 7]) + more
