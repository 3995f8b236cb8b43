"""Pictures as people upload them: told by their bytes, never by their name, and rebuilt from the parts that draw. Pure.

PNG, JPEG and WebP; no SVG, which is a document with scripts, and nothing that moves. Where it was taken, with which
camera, comments, and whatever was hung behind the end are left out, so that a logo tells no more than it shows.

Pillow can leave these out only by decoding and encoding again. That changes lossy pictures (four of five samples of a
WebP, by up to 16) and takes 65 MB for the largest, nearly as much as the whole box.
tests/tenants/organizations/test_image.py holds both: a plain picture is kept byte by byte, and a large one needs no
room for its pixels.
"""

import base64
import binascii
import zlib
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _

MOST_BYTES: Final = 512 * 1024
TOO_LARGE: Final = f"The image can have up to {MOST_BYTES // 1024} KB"
LARGEST_SIDE: Final = 4_096  # pixels

_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_DRAWS = {b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"iCCP", b"sBIT", b"bKGD"}
_JPEG_SIZES = {0xC0, 0xC1, 0xC2}  # baseline, extended, progressive: what browsers draw
_JPEG_DRAWS = {0xC0, 0xC1, 0xC2, 0xC4, 0xDB, 0xDD, 0xE0, 0xE2, 0xEE}  # frames, tables, JFIF, colour profile, Adobe
_WEBP_DRAWS = {b"VP8 ", b"VP8L", b"VP8X", b"ALPH", b"ICCP"}
_WEBP_MOVES = 0x02
_WEBP_KEPT = 0x30  # of the flags of VP8X: colour profile and transparency


class Picture(Struct, frozen=True):
    """A picture that is safe to serve: its content type and its bytes."""

    type: str
    content: bytes


def decode(text: str) -> bytes:
    """The bytes of base64 text, or of a data: URL. Raises BadRequest."""
    if text.startswith("data:"):
        text = text.partition(",")[2]
    try:
        return base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError) as wrong:
        raise BadRequest.about("image", _("Send the image as base64")) from wrong


def picture(sent: bytes) -> Picture:
    """The uploaded picture without metadata. Raises BadRequest for anything but a whole still picture."""
    if not sent:
        raise BadRequest.about("image", _("Choose an image"))
    if len(sent) > MOST_BYTES:
        raise BadRequest.about("image", TOO_LARGE)
    try:
        if sent.startswith(_PNG):
            found = Picture("image/png", _png(sent))
        elif sent.startswith(b"\xff\xd8\xff"):
            found = Picture("image/jpeg", _jpeg(sent))
        elif sent[:4] == b"RIFF" and sent[8:12] == b"WEBP":
            found = Picture("image/webp", _webp(sent))
        else:
            raise BadRequest.about("image", _("Choose a PNG, JPEG or WebP image"))
    except (IndexError, ValueError) as broken:
        raise BadRequest.about("image", _("This image is damaged or not supported")) from broken
    return found


def _png(sent: bytes) -> bytes:
    """The chunks that draw, up to the end. Raises ValueError."""
    kept, drawn, ended, first = [_PNG], False, False, True
    for name, content in _png_chunks(sent):
        if first != (name == b"IHDR"):
            raise ValueError("a PNG begins with its header, once")
        first = False
        if name == b"IHDR":
            _check_size(_big(content[0:4]), _big(content[4:8]))
        drawn, ended = drawn or name == b"IDAT", name == b"IEND"
        if name in _PNG_DRAWS:
            check = zlib.crc32(name + content).to_bytes(4)
            kept.append(len(content).to_bytes(4) + name + content + check)
        elif not name[0] & 0x20:
            raise ValueError("an unknown chunk that has to be understood")
        if ended:
            break
    if not (drawn and ended):
        raise ValueError("a PNG without pixels or end")
    return b"".join(kept)


def _png_chunks(sent: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(_PNG)
    while at < len(sent):
        size, name = _big(_take(sent, at, 4)), _take(sent, at + 4, 4)
        content, check = _take(sent, at + 8, size), _take(sent, at + 8 + size, 4)
        if zlib.crc32(name + content) != _big(check):
            raise ValueError("a chunk is damaged")
        yield name, content
        at += size + 12


def _jpeg(sent: bytes) -> bytes:
    """The segments that draw, up to the end. Raises ValueError."""
    kept, at, sized, drawn = [b"\xff\xd8"], 2, False, False
    while True:
        if sent[at] != 0xFF:
            raise ValueError("a segment begins with FF")
        while sent[at + 1] == 0xFF:  # padding
            at += 1
        marker = sent[at + 1]
        if marker == 0xD9:
            break
        size = _big(_take(sent, at + 2, 2))
        if size < 2:
            raise ValueError("a segment holds at least its size")
        segment = b"\xff" + _take(sent, at + 1, size + 1)
        at += size + 2
        if marker in _JPEG_SIZES:
            if sized:
                raise ValueError("a JPEG has one frame")
            sized = True
            _check_size(_big(segment[7:9]), _big(segment[5:7]))
        if marker == 0xDA:
            end = _end_of_scan(sent, at)
            kept += [segment, sent[at:end]]
            at, drawn = end, True
        elif marker in _JPEG_DRAWS:
            kept.append(segment)
        elif not (0xE0 <= marker <= 0xEF or marker == 0xFE):  # applications' own segments and comments go
            raise ValueError("a kind of JPEG that browsers do not draw")
    if not (sized and drawn):
        raise ValueError("a JPEG without size or pixels")
    return b"".join([*kept, b"\xff\xd9"])


def _end_of_scan(sent: bytes, at: int) -> int:
    """The beginning of the next segment: an FF that is neither an escaped byte nor restarts the scan."""
    while True:
        at = sent.index(b"\xff", at)
        if sent[at + 1] not in {0x00, 0xFF} and not 0xD0 <= sent[at + 1] <= 0xD7:
            return at
        at += 1 if sent[at + 1] == 0xFF else 2


def _webp(sent: bytes) -> bytes:
    """The chunks that draw. Raises ValueError."""
    kept, drawn = [], False
    for name, content in _webp_chunks(_take(sent, 12, _little(sent[4:8]) - 4)):
        if name not in _WEBP_DRAWS:
            if name in {b"ANIM", b"ANMF"}:
                raise BadRequest.about("image", _("Choose an image without animation"))
            continue
        if name == b"VP8X":
            if content[0] & _WEBP_MOVES:
                raise BadRequest.about("image", _("Choose an image without animation"))
            _check_size(_little(content[4:7]) + 1, _little(content[7:10]) + 1)
            content = bytes([content[0] & _WEBP_KEPT]) + content[1:10]  # noqa: PLW2901  the flags of what is left out
        elif name == b"VP8 ":
            if content[3:6] != b"\x9d\x01\x2a":
                raise ValueError("no key frame")
            _check_size(_little(content[6:8]) & 0x3FFF, _little(content[8:10]) & 0x3FFF)
        elif name == b"VP8L":
            if content[0] != 0x2F:
                raise ValueError("no lossless frame")
            bits = _little(content[1:5])
            _check_size((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
        drawn = drawn or name in {b"VP8 ", b"VP8L"}
        kept.append(name + len(content).to_bytes(4, "little") + content + b"\0" * (len(content) % 2))
    if not drawn:
        raise ValueError("a WebP without pixels")
    body = b"WEBP" + b"".join(kept)
    return b"RIFF" + len(body).to_bytes(4, "little") + body


def _webp_chunks(body: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 0
    while at < len(body):
        size = _little(_take(body, at + 4, 4))
        yield body[at : at + 4], _take(body, at + 8, size)
        at += 8 + size + size % 2


def _check_size(width: int, height: int) -> None:
    """Raises ValueError for no pixels, BadRequest for too many."""
    if not width or not height:
        raise ValueError("a picture without pixels")
    if max(width, height) > LARGEST_SIDE:
        raise BadRequest.about(
            "image", _("Choose an image of up to {largest:,} pixels in width and height").format(largest=LARGEST_SIDE)
        )


def _take(sent: bytes, at: int, size: int) -> bytes:
    """Raises ValueError where the bytes end before."""
    found = sent[at : at + size]
    if size < 0 or len(found) != size:
        raise ValueError("the picture ends too early")
    return found


def _big(number: bytes) -> int:
    return int.from_bytes(number, "big")


def _little(number: bytes) -> int:
    return int.from_bytes(number, "little")
