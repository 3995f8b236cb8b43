"""QR codes of short URLs: as SVG for print at any size, as PNG for everything else. Pure."""

import io
from typing import Final, Literal

Form = Literal["svg", "png"]
TYPES: Final[dict[Form, str]] = {"svg": "image/svg+xml", "png": "image/png"}
MOST_SCALE: Final = 40  # pixels of a module


def picture(url: str, form: Form, *, scale: int = 8) -> bytes:
    """A QR code, black on white with its quiet zone of four modules; a tenth of it may be dirty (level M).

    `scale` is how many pixels a module has.
    """
    import segno  # noqa: PLC0415  1.4 MB for pictures that are seldom wanted

    code = segno.make(url, micro=False, error="m")
    file = io.BytesIO()
    if form == "svg":
        code.save(file, kind="svg", scale=scale, border=4, dark="#000", light="#fff", xmldecl=True)
    else:
        code.save(file, kind="png", scale=scale, border=4, dark="#000", light="#fff")
    return file.getvalue()
