"""GET /health (spec 1)."""

from litestar import Response


async def health() -> Response[bytes]:
    """`{"status":"ok"}` while the box serves, and nothing else."""
    return Response(b'{"status":"ok"}', media_type="application/json", headers={"cache-control": "no-store"})
