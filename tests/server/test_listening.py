"""Where the box listens: on a Unix socket, on a socket of a service manager, with a certificate that changes."""

import asyncio
import os
import shutil
import socket
import ssl
import stat
import subprocess
from pathlib import Path

import pytest

from analytics_box.app.connections import PortTaken, listen
from analytics_box.app.web_server import WebServer, check_tls
from analytics_box.base.settings import Settings, SettingsError
from analytics_box.web.asgi import Receive, Scope, Send, respond
from tests.running import STOP_SECONDS, command, environment, set_up
from tests.server.service import as_service, over, service
from tests.server.wire import PATIENCE


def test_unix_socket_has_its_mode_and_is_removed_at_the_end(tmp_path: Path) -> None:
    place = tmp_path / "box.sock"
    account = set_up(tmp_path / "data")
    with (
        service(tmp_path / "data", unix_socket=place, unix_socket_mode="0600", limit_address=3) as (manager, process),
        over(place) as client,
    ):
        assert stat.S_IMODE(place.stat().st_mode) == 0o600
        visit = {"name": "screen_view", "path": "/", "anonymousId": "a", "sessionId": "b"}
        track = f"/track?website_id={account.website_id}"
        statuses = [
            client.post(track, json=visit, headers={"x-forwarded-for": address}).status_code
            for address in (*4 * ["192.0.2.1"], "192.0.2.2")
        ]
        assert statuses == [200, 200, 200, 429, 200], "the proxy is believed who its client is"

        asked = (*command("check", "--http"), "--data-dir", str(tmp_path / "data"))
        found = subprocess.run(asked, env=environment(unix_socket=place), capture_output=True, text=True, check=True)
        assert found.stdout == '{"status":"ok"}\n'

        process.terminate()
        assert manager.heard() == "STOPPING=1"
        assert process.wait(STOP_SECONDS) == 0
        assert not place.exists()


def test_unused_unix_socket_is_replaced(tmp_path: Path) -> None:
    wanted = Settings(unix_socket=str(tmp_path / "box.sock"))
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(wanted.unix_socket)
    with listen(wanted), pytest.raises(PortTaken, match="in use"), listen(wanted):
        pass


@pytest.mark.parametrize(
    ("path", "said"),
    [("no/such/folder/box.sock", "No such file"), (200 * "x", "too long"), (".", "in use")],
)
def test_a_unix_socket_that_cannot_be_made_is_named(tmp_path: Path, path: str, said: str) -> None:
    with pytest.raises(PortTaken, match=said) as refused, listen(Settings(unix_socket=str(tmp_path / path))):
        pass
    assert "unix_socket" in str(refused.value)


def test_a_socket_of_the_service_manager_is_listened_on(tmp_path: Path) -> None:
    set_up(tmp_path / "data")
    place = tmp_path / "handed"
    with socket.socket(socket.AF_UNIX) as handed:
        handed.bind(str(place))
        handed.listen()
        with over(place) as client, service(tmp_path / "data", handed=handed) as (_, process):
            assert client.get("/health").json() == {"status": "ok"}
            process.terminate()
            assert process.wait(STOP_SECONDS) == 0
        assert place.exists(), "it is the service manager's"


def test_passed_socket_must_accept_connections(tmp_path: Path) -> None:
    set_up(tmp_path / "data")
    with socket.socket(socket.AF_UNIX) as handed:
        handed.bind(str(tmp_path / "handed"))
        ended = subprocess.run(**as_service(tmp_path / "data", handed), text=True, check=False)
    assert ended.returncode == 1
    assert "The socket of the service manager does not accept connections" in ended.stderr


def made_certificate(folder: Path, name: str) -> None:
    """cert.pem and key.pem in a folder, for this name."""
    files = ("-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem"))
    options = ("-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2")
    subprocess.run(("openssl", "req", *options, "-subj", f"/CN={name}", *files), check=True, capture_output=True)


def shown_certificate(port: int) -> bytes:
    """The certificate that a new connection gets."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with (
        socket.create_connection(("127.0.0.1", port), PATIENCE) as plain,
        context.wrap_socket(plain) as connection,
    ):
        return connection.getpeercert(binary_form=True) or b""


async def in_health(scope: Scope, receive: Receive, send: Send) -> None:
    await respond(send, 200, [], b"ok")


def test_a_renewed_certificate_is_used_and_a_broken_one_is_not(tmp_path: Path) -> None:
    now, renewed = tmp_path / "now", tmp_path / "renewed"
    for folder in (now, renewed):
        folder.mkdir()
        made_certificate(folder, folder.name)
    settings = Settings(tls_certificate=str(now / "cert.pem"), tls_key=str(now / "key.pem"))
    looks: asyncio.Queue[None] = asyncio.Queue()

    async def story(listener: socket.socket) -> list[bytes]:
        port = listener.getsockname()[1]
        looked = asyncio.Semaphore(0)

        async def sleep(_: float) -> None:
            looked.release()
            await looks.get()

        web = WebServer(in_health, listener, settings, connections=10)
        web.start()
        following = asyncio.create_task(web.follow_certificate(sleep))
        shown = []
        for change in (
            lambda: None,
            lambda: (now / "key.pem").write_text("broken"),
            lambda: shutil.copytree(renewed, now, dirs_exist_ok=True),
        ):
            await looked.acquire()
            change()
            looks.put_nowait(None)
            await looked.acquire()
            looked.release()
            shown.append(await asyncio.to_thread(shown_certificate, port))
        for _ in range(100):  # the server before takes connections until it has stopped
            if shown[-1] == shown[0]:
                shown[-1] = await asyncio.to_thread(shown_certificate, port)
        following.cancel()
        await web.stop(PATIENCE)
        return shown

    with listen(Settings(port=0)) as listener:
        first, with_broken, last = asyncio.run(story(listener))
    assert first == with_broken != last
    assert last == ssl.PEM_cert_to_DER_cert((renewed / "cert.pem").read_text())


def test_more_than_one_socket_of_the_service_manager_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LISTEN_FDS", "2")
    monkeypatch.setenv("LISTEN_PID", str(os.getpid()))
    with pytest.raises(SettingsError, match="2 sockets"), listen(Settings(port=0)):
        pass


@pytest.mark.parametrize(
    ("made", "fits"),
    [
        (("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-384"), True),
        (("-newkey", "rsa:2048"), True),
        (("-newkey", "ed25519"), True),
        (("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-521"), False),
        (("-newkey", "rsa:1024"), False),
    ],
    ids=lambda value: value[-1] if isinstance(value, tuple) else None,
)
def test_a_key_that_would_end_the_process_is_refused_in_words(
    tmp_path: Path, made: tuple[str, ...], *, fits: bool
) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    files = ("-keyout", str(key), "-out", str(certificate))
    subprocess.run(
        ("openssl", "req", "-x509", *made, "-nodes", "-days", "2", "-subj", "/CN=a", *files),
        check=True,
        capture_output=True,
    )
    settings = Settings(tls_certificate=str(certificate), tls_key=str(key))
    if fits:
        check_tls(settings)
    else:
        with pytest.raises(SettingsError, match="tls_key"):
            check_tls(settings)


def test_accepted_connections_send_the_rest_of_an_answer_without_waiting_for_an_acknowledgement() -> None:
    with listen(Settings(port=0)) as listener:
        listener.setblocking(True)
        with socket.create_connection(listener.getsockname()), listener.accept()[0] as accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 1
