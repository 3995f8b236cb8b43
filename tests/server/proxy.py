"""Real proxies with a configuration of the manual."""

import os
import re
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from analytics_box.app.parts import web_dir

PATIENCE = 20.0


def from_manual(page: str, language: str) -> str:
    """The one block of that language on a page of the manual."""
    text = (web_dir() / "manual" / f"{page}.md").read_text(encoding="utf-8")
    [block] = re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)
    return str(block)


def nginx(configuration: str, folder: Path, _port: int) -> tuple[str, ...]:
    kept = "".join(
        f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    user = "user root;" if os.geteuid() == 0 else ""  # whose the files of this test are
    around = f"{user} daemon off; pid {folder}/pid; error_log stderr; events {{}} http {{ access_log off; {kept}\n"
    (folder / "nginx.conf").write_text(f"{around}{configuration}}}")
    return ("nginx", "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", "stderr")


def caddy(configuration: str, folder: Path, port: int) -> tuple[str, ...]:
    lines = ("admin off", "auto_https disable_redirects", f"https_port {port}", "default_bind 127.0.0.1")
    options = "{\n" + "\n".join(lines) + "\n}\n"
    (folder / "Caddyfile").write_text(options + configuration)
    return ("caddy", "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile")


def haproxy(configuration: str, folder: Path, _port: int) -> tuple[str, ...]:
    (folder / "haproxy.cfg").write_text(configuration)
    return ("haproxy", "-db", "-q", "-f", str(folder / "haproxy.cfg"))


PROXIES: dict[str, Callable[[str, Path, int], tuple[str, ...]]] = {"nginx": nginx, "caddy": caddy, "haproxy": haproxy}


@contextmanager
def running(command: tuple[str, ...], port: int, folder: Path) -> Iterator[None]:
    """The proxy, listening; ended with the block."""
    said = folder / "said"
    environment = {"HOME": str(folder), "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    with said.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, env=environment)
    try:
        until = time.monotonic() + PATIENCE
        while True:
            assert process.poll() is None, said.read_text()
            try:
                socket.create_connection(("127.0.0.1", port), PATIENCE).close()
                break
            except ConnectionRefusedError:
                assert time.monotonic() < until, said.read_text()
                time.sleep(0.02)
        yield
    finally:
        process.terminate()
        process.wait(PATIENCE)
