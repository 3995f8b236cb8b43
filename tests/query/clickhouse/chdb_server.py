"""ClickHouse's HTTP interface, as far as the box speaks it, over chdb: ClickHouse itself, in this process.

`python chdb_server.py FOLDER [PORT]` prints its port. POST /fault?kind=…&of=… lets what goes wrong happen to the next
request whose statement begins with `of`: `lost` does it and does not answer, `refused` does not even do it, `late` does
it once `land` is asked for, `hang` too and keeps the connection open till then, `busy` answers that there are too many.
"""

import sys
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from chdb.state.sqlitelike import Connection, connect

_OF_TRANSPORT = frozenset(
    (
        *("buffer_size", "client_protocol_version", "compress", "database", "decompress", "default_format"),
        *("enable_http_compression", "http_headers_progress_interval_ms", "query", "query_id", "role"),
        *("send_progress_in_http_headers", "session_check", "session_id", "session_timeout", "wait_end_of_query"),
    )
)


_KEPT = 8  # sessions, which a server has at hand for who asks again in the same way


class Engine:
    """The one engine of this process. Each statement has settings of its own, and a session that has them."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._first = connect(folder)
        self._lock = threading.Lock()
        self._kept: dict[tuple[str, tuple[str, ...]], Connection] = {}

    def run(self, given: Mapping[str, str], statement: bytes) -> bytes:
        params = {name.removeprefix("param_"): value for name, value in given.items() if name[:6] == "param_"}
        with self._lock:
            session = self._session(given)
            return bytes(session.query(statement, "TabSeparated", params=params).bytes())

    def _session(self, given: Mapping[str, str]) -> Connection:
        settings = tuple(
            f"{name} = '{value}'"
            for name, value in given.items()
            if name not in _OF_TRANSPORT and not name.startswith("param_")
        )
        key = given.get("database", "default"), settings
        session = self._kept.pop(key, None) or self._begun(*key)
        while len(self._kept) >= _KEPT:
            self._kept.pop(next(iter(self._kept))).close()
        self._kept[key] = session  # the last one
        return session

    def _begun(self, database: str, settings: tuple[str, ...]) -> Connection:
        session = connect(self._folder)
        try:
            session.query(f"use `{database}`")
            session.query(f"set {', '.join(('max_threads = 1', *settings))}")
        except Exception:
            session.close()
            raise
        return session


class Faults:
    """What is to go wrong, in its order, and what has not arrived yet."""

    def __init__(self) -> None:
        self._next: list[tuple[str, str]] = []
        self.late: list[tuple[dict[str, str], bytes]] = []
        self.landed = threading.Event()
        self._lock = threading.Lock()

    def add(self, kind: str, of: str) -> None:
        with self._lock:
            self._next.append((kind, of))
            self.landed.clear()

    def forget(self) -> None:
        with self._lock:
            self._next.clear()

    def of(self, statement: bytes) -> str:
        with self._lock:
            if self._next and statement.lstrip().lower().startswith(self._next[0][1].encode()):
                return self._next.pop(0)[0]
        return ""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # an answer in two packets waits 40 ms for the client's acknowledgement
    wbufsize = -1
    engine: Engine
    faults: Faults

    def do_POST(self) -> None:
        parts = urlsplit(self.path)
        given = dict(parse_qsl(parts.query, keep_blank_values=True))
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if parts.path == "/fault":
            self._arrange(given)
            return
        kind = self.headers.get("Content-Type") or ""
        if kind.startswith("multipart/form-data"):
            fields = _fields(kind, body)
            given |= {name: value.decode() for name, value in fields.items() if name != "query"}
            body = fields.get("query", b"")
        statement = given.get("query", "").encode() + (b"\n" if "query" in given else b"") + body
        self._do(given, statement)

    do_GET = do_POST

    def _arrange(self, given: dict[str, str]) -> None:
        if given["kind"] == "land":
            for earlier in self.faults.late:
                self.engine.run(*earlier)
            self.faults.late.clear()
            self.faults.landed.set()
        elif given["kind"] == "none":
            self.faults.forget()
        else:
            self.faults.add(given["kind"], given["of"])
        self._answer(200, b"")

    def _do(self, given: dict[str, str], statement: bytes) -> None:
        fault = self.faults.of(statement)
        if fault == "late":
            self.faults.late.append((given, statement))
        elif fault == "hang":
            self.faults.late.append((given, statement))
            self.faults.landed.wait()
        elif fault == "busy":
            self._answer(503, b"Code: 202. DB::Exception: Too many simultaneous queries", 202)
            return
        elif fault != "refused":
            try:
                answer = self.engine.run(given, statement)
            except Exception as wrong:
                said = str(wrong)
                self._answer(500, said.encode(), int(said.partition("Code: ")[2].partition(".")[0] or 1))
                return
            if not fault:
                self._answer(200, answer)
                return
        self.close_connection = True

    def _answer(self, status: int, body: bytes, code: int = 0) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("X-ClickHouse-Summary", "{}")
        if code:
            self.send_header("X-ClickHouse-Exception-Code", str(code))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_given: Any) -> None:
        pass


def _fields(kind: str, body: bytes) -> dict[str, bytes]:
    """Parts by name: each has headers, an empty line, and what it is."""
    border = b"--" + kind.partition("boundary=")[2].strip('"').encode()
    found = {}
    for part in body.split(b"\r\n" + border)[:-1]:
        headers, _, content = part.removeprefix(border).partition(b"\r\n\r\n")
        found[headers.partition(b'name="')[2].partition(b'"')[0].decode()] = content
    return found


def main(folder: str, port: str = "0") -> None:
    Handler.engine, Handler.faults = Engine(folder), Faults()
    server = ThreadingHTTPServer(("127.0.0.1", int(port)), Handler)
    server.daemon_threads = True
    sys.stdout.write(f"{server.server_address[1]}\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
