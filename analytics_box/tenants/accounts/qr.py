"""QR codes as pictures in the page: segno makes an SVG that needs no style of its own."""


def qr_image(text: str) -> str:
    """A data address of an SVG, dark on white with its quiet zone, at 5 px a module."""
    import segno  # noqa: PLC0415  1.4 MB for a page that is shown once per person

    return str(segno.make(text, micro=False, error="m").svg_data_uri(scale=5, border=4, dark="#000", light="#fff"))
