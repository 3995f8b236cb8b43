"""Which uploaded pictures are taken, and what of them is kept."""

import subprocess
import sys
import zlib

import pytest

from analytics_box.base.errors import BadRequest
from analytics_box.tenants.organizations import image
from tests.cases import each
from tests.tenants.organizations.pictures import JPEG, PNG, WEBP, chunk, png

SECRET = b"taken at home, 52.52 N 13.40 E"


def segment(marker: int, content: bytes) -> bytes:
    """A segment of a JPEG."""
    return bytes([0xFF, marker]) + (len(content) + 2).to_bytes(2) + content


def riff(*chunks: tuple[bytes, bytes]) -> bytes:
    """A WebP of these chunks."""
    body = b"WEBP" + b"".join(
        name + len(content).to_bytes(4, "little") + content + b"\0" * (len(content) % 2) for name, content in chunks
    )
    return b"RIFF" + len(body).to_bytes(4, "little") + body


FRAME = WEBP[20:60]  # of the WebP picture
EXTENDED = bytes([0x0C, 0, 0, 0, 2, 0, 0, 1, 0, 0])  # says that there are EXIF and XMP; three by two pixels

# what, what was sent, what is kept
TELLING = [
    ("png, text", png(more=chunk(b"tEXt", SECRET)), PNG),
    ("png, EXIF", png(more=chunk(b"eXIf", SECRET)), PNG),
    ("png, moving", png(more=chunk(b"acTL", bytes(8)) + chunk(b"fcTL", bytes(26))), PNG),
    ("png, something behind it", PNG + SECRET, PNG),
    ("jpeg, EXIF", JPEG[:2] + segment(0xE1, b"Exif\0\0" + SECRET) + JPEG[2:], JPEG),
    ("jpeg, comment", JPEG[:2] + segment(0xFE, SECRET) + JPEG[2:], JPEG),
    ("jpeg, a maker's notes", JPEG[:20] + segment(0xED, SECRET) + JPEG[20:], JPEG),
    ("jpeg, something behind it", JPEG + SECRET, JPEG),
    ("webp, EXIF and XMP", riff((b"VP8 ", FRAME), (b"EXIF", SECRET), (b"XMP ", SECRET)), WEBP),
    ("webp, something behind it", WEBP + SECRET, WEBP),
    (
        "webp, flags of what is gone",
        riff((b"VP8X", EXTENDED), (b"VP8 ", FRAME), (b"EXIF", SECRET)),
        riff((b"VP8X", b"\0" + EXTENDED[1:]), (b"VP8 ", FRAME)),
    ),
]


@pytest.mark.parametrize(("sent", "kind"), [(PNG, "image/png"), (JPEG, "image/jpeg"), (WEBP, "image/webp")])
def test_a_plain_picture_is_kept_byte_by_byte(sent: bytes, kind: str) -> None:
    assert image.picture(sent) == image.Picture(kind, sent)


@pytest.mark.parametrize(("what", "sent", "kept"), TELLING, ids=[line[0] for line in TELLING])
def test_metadata_of_an_image_is_removed(what: str, sent: bytes, kept: bytes) -> None:
    found = image.picture(sent).content
    assert found == kept, what
    assert SECRET not in found


_GROWTH = """
import sys
from analytics_box.tenants.organizations import image
def most():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
sent = sys.stdin.buffer.read()
before = most()
image.picture(sent)
print(most() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for the most memory that a process had")
def test_a_large_picture_needs_no_room_for_its_pixels() -> None:
    side = image.LARGEST_SIDE
    header = side.to_bytes(4) * 2 + bytes([8, 0, 0, 0, 0])  # grey
    pixels = zlib.compress(bytes(side * (1 + side)), 1)
    sent = PNG[:8] + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND")
    grown = subprocess.run([sys.executable, "-c", _GROWTH], input=sent, stdout=subprocess.PIPE, check=True).stdout
    assert int(grown) < 4_096  # KB, where the pixels are 16,384


REFUSED = [
    ("nothing", b"", "Choose an image"),
    ("svg", b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', "PNG, JPEG or WebP"),
    ("html", b"<!doctype html><script>alert(1)</script>", "PNG, JPEG or WebP"),
    ("gif", b"GIF89a\x01\0\x01\0\0\0\0;", "PNG, JPEG or WebP"),
    ("html that begins like a png", PNG[:8] + b"<script>alert(1)</script>", "damaged"),
    ("html that begins like a jpeg", JPEG[:3] + b"<script>alert(1)</script>", "damaged"),
    ("riff that is no picture", b"RIFF\x10\0\0\0WAVEfmt \0\0\0\0", "PNG, JPEG or WebP"),
    ("png, a changed byte", PNG.replace(b"IDAT", b"IDAT\x01", 1), "damaged"),
    ("png without pixels", PNG[:33] + chunk(b"IEND"), "damaged"),
    ("png without a header", PNG[:8] + PNG[33:], "damaged"),
    ("png with two headers", png(more=PNG[8:33]), "damaged"),
    ("png, no width", png(0, 2), "damaged"),
    ("png, an unknown kind of chunk that matters", png(more=chunk(b"ABCD")), "damaged"),
    ("png, a bomb", png(50_000, 50_000), "4,096 pixels"),
    ("webp that moves", riff((b"VP8X", bytes([2]) + EXTENDED[1:]), (b"ANIM", bytes(6))), "without animation"),
    ("webp, frames", riff((b"ANMF", bytes(30)), (b"VP8 ", FRAME)), "without animation"),
    ("webp without pixels", riff((b"VP8X", EXTENDED)), "damaged"),
    ("webp, a bomb", riff((b"VP8L", b"\x2f\xff\xff\xff\xff\xff"), (b"VP8 ", FRAME)), "4,096 pixels"),
    ("jpeg without pixels", JPEG[:20] + b"\xff\xd9", "damaged"),
    ("too many bytes", PNG + bytes(image.MOST_BYTES), "512 KB"),
]


@each(("what", "sent", "message"), REFUSED, ids=lambda what, *_: what)
def test_anything_else_is_refused_with_a_reason(what: str, sent: bytes, message: str) -> None:
    with pytest.raises(BadRequest, match=message) as refused:
        image.picture(sent)
    assert [detail.field for detail in refused.value.details] == ["image"], what


@pytest.mark.parametrize("whole", [PNG, JPEG, WEBP], ids=["png", "jpeg", "webp"])
def test_half_a_picture_is_refused_wherever_it_ends(whole: bytes) -> None:
    for end in range(1, len(whole)):
        with pytest.raises(BadRequest):
            image.picture(whole[:end])


@pytest.mark.parametrize("whole", [PNG, JPEG, WEBP], ids=["png", "jpeg", "webp"])
def test_a_changed_byte_never_does_more_than_be_refused(whole: bytes) -> None:
    for at in range(len(whole)):
        for value in (0x00, 0xFF, whole[at] ^ 0x80):
            try:
                found = image.picture(whole[:at] + bytes([value]) + whole[at + 1 :])
            except BadRequest:
                continue
            assert len(found.content) <= len(whole)
