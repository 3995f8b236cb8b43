"""Where the frozen program begins: the command `analytics-box`."""

import os
import ssl

# Where distributions keep the certificates that they trust; OpenSSL looks only where the builder's kept them.
CERTIFICATES = (
    "/etc/ssl/certs/ca-certificates.crt",  # Debian, Ubuntu, Arch, Alpine, Gentoo
    "/etc/pki/tls/certs/ca-bundle.crt",  # Fedora and its kin
    "/etc/ssl/ca-bundle.pem",  # openSUSE
)


def trust_this_machine() -> None:
    """Let OpenSSL find the certificates of this machine; raises nothing where there are none."""
    paths = ssl.get_default_verify_paths()
    if paths.cafile or paths.capath:
        return
    found = next((path for path in CERTIFICATES if os.path.exists(path)), "")
    if found:
        os.environ["SSL_CERT_FILE"] = found


if __name__ == "__main__":
    trust_this_machine()

    from analytics_box.app.cli.main import main

    main()
