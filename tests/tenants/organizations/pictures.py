"""Small pictures of every kind, and forms that carry them."""

import base64
import zlib

JPEG = base64.b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8yb"
    "qmx5moq6T/2wBDARweHigjKE4rK06kbl1upKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKT/wAARCAACAA"
    "MDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAT/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAAAwX/xAAU"
    "EQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIRAxEAPwCYACs//9k="
)
WEBP = base64.b64decode("UklGRjQAAABXRUJQVlA4ICgAAABwAQCdASoDAAIABABoJaACdAFAAAD+5AF1xc2RFH/xDn8uX8QV/AAA")


def chunk(name: bytes, content: bytes = b"") -> bytes:
    """A chunk of a PNG with its checksum."""
    return len(content).to_bytes(4) + name + content + zlib.crc32(name + content).to_bytes(4)


def png(width: int = 3, height: int = 2, *, more: bytes = b"", shade: int = 0) -> bytes:
    """A grey PNG; `more` are chunks before its pixels."""
    header = width.to_bytes(4) + height.to_bytes(4) + bytes([8, 0, 0, 0, 0])
    rows = (b"\0" + bytes([shade]) * min(width, 100)) * min(height, 100)
    pixels = chunk(b"IDAT", zlib.compress(rows))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + more + pixels + chunk(b"IEND")


PNG = png()
BOUNDARY = "a-line-between"


def form(content: bytes, *, field: str = "image", name: str = "logo.png", kind: str = "image/png") -> bytes:
    """A form with one file, as a browser sends it."""
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{field}"; filename="{name}"\r\nContent-Type: {kind}'
    return head.encode() + b"\r\n\r\n" + content + f"\r\n--{BOUNDARY}--\r\n".encode()
