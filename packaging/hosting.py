"""Make the list of data centres' networks from the PyPI package `iporigin`.

    python packaging/hosting.py IPORIGIN_WHEEL > analytics_box/web/recognition/data/hosting.bin

The package's own NOTICE says where each provider's networks come from. Only those are taken that the provider publishes
itself or that CC0 lists have; networks of private relays, content networks and of Google's own services are left out,
because people come from there.
"""

import struct
import sys
import zipfile
from array import array
from pathlib import Path
from typing import NamedTuple

MAGIC = b"HOSTING1"
OWN_FEEDS = ("Amazon AWS", "Google Cloud", "Microsoft Azure", "DigitalOcean", "Linode", "Vultr", "Oracle Cloud")
FREE_LISTS = (
    *("Alibaba Cloud", "Hetzner", "Huawei Cloud", "IBM Cloud", "Leaseweb", "OVHcloud", "Rackspace", "Scaleway"),
    *("Tencent Cloud", "UpCloud"),
)
PROVIDERS = (*OWN_FEEDS, *FREE_LISTS)
_HEAD = struct.Struct("<8sHQHII")


class Range(NamedTuple):
    """Networks from `first` to `last`, in numbers of addresses (IPv4) or of /64 networks (IPv6)."""

    first: int
    last: int
    provider: int


def main(wheel: Path) -> None:
    """Write: magic, providers by line, numbers of ranges, then firsts, lasts and providers, IPv4 before IPv6."""
    four, six = read(zipfile.ZipFile(wheel).read("iporigin/data/ranges.bin"))
    names = "\n".join(PROVIDERS).encode()
    out = sys.stdout.buffer
    out.write(struct.pack("<8sIII", MAGIC, len(names), len(four), len(six)) + names)
    for ranges, size in ((four, "I"), (six, "Q")):
        for numbers in (array(size, (one.first for one in ranges)), array(size, (one.last for one in ranges))):
            if sys.byteorder == "big":
                numbers.byteswap()
            out.write(numbers.tobytes())
        out.write(bytes(one.provider for one in ranges))


def read(blob: bytes) -> tuple[list[Range], list[Range]]:
    """The ranges of the providers that are taken."""
    magic, _version, _built, labels, fours, sixes = _HEAD.unpack_from(blob, 0)
    if magic != b"IPORIGIN":
        sys.exit("hosting.py: this is no package of iporigin")
    at, place = _HEAD.size, []
    for _ in range(labels):
        (length,) = struct.unpack_from("<H", blob, at)
        name, _, kind = blob[at + 2 : at + 2 + length].decode().partition("\t")
        place.append(PROVIDERS.index(name) if name in PROVIDERS and kind == "hosting" else -1)
        at += 2 + length
    found: tuple[list[Range], list[Range]] = ([], [])
    for _ in range(fours):
        first, last, label = struct.unpack_from("<IIH", blob, at)
        at += 10
        if place[label] >= 0:
            found[0].append(Range(first, last, place[label]))
    for _ in range(sixes):
        start, end, label = struct.unpack_from("<16s16sH", blob, at)
        at += 34
        if place[label] >= 0:
            found[1].append(Range(int.from_bytes(start[:8], "big"), int.from_bytes(end[:8], "big"), place[label]))
    return joined(found[0]), joined(found[1])


def joined(ranges: list[Range]) -> list[Range]:
    """Sorted, and neighbours of one provider made one."""
    out: list[Range] = []
    for one in sorted(ranges):
        if out and out[-1].provider == one.provider and one.first <= out[-1].last + 1:
            out[-1] = out[-1]._replace(last=max(out[-1].last, one.last))
        elif not out or one.first > out[-1].last:
            out.append(one)
    return out


if __name__ == "__main__":
    main(Path(sys.argv[1]))
