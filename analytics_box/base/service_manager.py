"""The protocol of systemd and other service managers: sd_listen_fds(3) and sd_notify(3)."""

import logging
import os
import socket

from analytics_box.base.settings import SettingsError

log = logging.getLogger(__name__)

_FIRST = 3  # the descriptor of the first socket that was handed over


def inherited_socket() -> socket.socket | None:
    """The socket that was opened for this process; None if there is none. Only its first caller gets it.

    Raises SettingsError for more than one, and for what takes no connections.
    """
    count = os.environ.pop("LISTEN_FDS", "")
    if os.environ.pop("LISTEN_PID", "") != str(os.getpid()) or not count.isdecimal() or int(count) == 0:
        return None
    if int(count) > 1:
        raise SettingsError(f"The service manager passed {count} sockets, but only one is supported")
    try:
        found = socket.socket(fileno=_FIRST)
        found.set_inheritable(False)
        if found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            return found
    except OSError as broken:
        raise SettingsError(f"The service manager passed an invalid socket: {broken.strerror}") from broken
    raise SettingsError(
        "The socket of the service manager does not accept connections. Use ListenStream= with Accept=no"
    )


def tell(state: str) -> None:
    """Tell the service manager, as in `READY=1`, if there is one that wants to hear."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sending:
            sending.connect("\0" + address[1:] if address.startswith("@") else address)
            sending.sendall(state.encode())
    except OSError as broken:
        log.warning("The service manager cannot be notified of %s: %s", state, broken)
