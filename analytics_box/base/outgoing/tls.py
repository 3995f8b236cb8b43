"""TLS of outgoing connections."""

import ssl
from pathlib import Path


def tls_context(certificates: Path | None = None) -> ssl.SSLContext:
    """A client's context that verifies certificates and speaks TLS 1.2 or newer, also where Python allows less.

    The file of `certificates` replaces the certificate authorities of the system.
    """
    context = ssl.create_default_context(cafile=certificates)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context
