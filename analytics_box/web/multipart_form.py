"""A posted form as multipart/form-data."""

from multipart import MultipartError, MultipartSegment, PushMultipartParser, parse_options_header

from analytics_box.base.errors import BrokenBody

TYPE = b"multipart/form-data"
_MOST_FIELDS = 20


def fields(sent: bytes, content_type: str) -> dict[str, bytes]:
    """The contents by field; the last of equal names wins. Raises BrokenBody."""
    _, options = parse_options_header(content_type)
    found: dict[str, bytes] = {}
    name = ""
    chunks: list[bytes] = []
    try:
        with PushMultipartParser(options.get("boundary", ""), max_segment_count=_MOST_FIELDS, strict=True) as parser:
            for piece in parser.parse(sent):
                if isinstance(piece, MultipartSegment):
                    name, chunks = piece.name, []
                elif piece is not None:
                    chunks.append(bytes(piece))
                else:
                    found[name] = b"".join(chunks)
    except (MultipartError, ValueError) as broken:
        raise BrokenBody("The form cannot be read") from broken
    return found
