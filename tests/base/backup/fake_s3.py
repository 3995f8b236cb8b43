"""A server that speaks as much of S3 as backups need, in memory: lists, uploads in pieces, ranges, deletions."""

import hashlib
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

BUCKET = "backups"


class FakeS3:
    """The objects of one bucket by key, uploads that have not ended, and what to refuse."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.uploads: dict[str, dict[int, bytes]] = {}
        self.refuse_parts_from = 10_000
        self.url = ""
        self.unsigned = 0

    @property
    def environment(self) -> dict[str, str]:
        """How a program is told of it."""
        return {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
        }

    def answer(
        self, method: str, target: str, headers: dict[str, str], body: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        parts = urlsplit(target)
        _, bucket, *rest = unquote(parts.path).split("/", 2)
        key, asked = "/".join(rest), {name: values[0] for name, values in parse_qs(parts.query, True).items()}
        if "AWS4-HMAC-SHA256" not in headers.get("authorization", ""):
            self.unsigned += 1
            return 403, {}, b"<Error><Code>AccessDenied</Code></Error>"
        if bucket != BUCKET:
            return 404, {}, b"<Error><Code>NoSuchBucket</Code></Error>"
        if method == "GET" and "list-type" in asked:
            return 200, {}, self._list(asked.get("prefix", ""))
        if method in {"GET", "HEAD"}:
            return self._get(key, headers.get("range", ""))
        if method == "POST" and "uploads" in asked:
            self.uploads[key] = {}
            return 200, {}, b"<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>"
        if method == "PUT":
            return self._put(key, int(asked.get("partNumber", 0)), body)
        if method == "POST" and "uploadId" in asked:
            self.objects[key] = b"".join(piece for _, piece in sorted(self.uploads.pop(key).items()))
            return 200, {}, b"<CompleteMultipartUploadResult><ETag>e</ETag></CompleteMultipartUploadResult>"
        if method == "DELETE":
            (self.uploads if "uploadId" in asked else self.objects).pop(key, None)
            return 204, {}, b""
        return 501, {}, b""

    def _put(self, key: str, number: int, body: bytes) -> tuple[int, dict[str, str], bytes]:
        if number >= self.refuse_parts_from:
            return 403, {}, b"<Error><Code>QuotaExceeded</Code></Error>"
        if number:
            self.uploads[key][number] = body
        else:
            self.objects[key] = body
        return 200, {"ETag": f'"{hashlib.md5(body).hexdigest()}"'}, b""

    def _get(self, key: str, ranged: str) -> tuple[int, dict[str, str], bytes]:
        if key not in self.objects:
            return 404, {}, b"<Error><Code>NoSuchKey</Code></Error>"
        content = self.objects[key]
        headers = {"ETag": '"e"', "Last-Modified": "Wed, 17 Jun 2026 12:00:00 GMT"}
        if match := re.fullmatch(r"bytes=(\d+)-(\d+)", ranged):
            first, last = int(match[1]), min(int(match[2]), len(content) - 1)
            headers["Content-Range"] = f"bytes {first}-{last}/{len(content)}"
            return 206, headers, content[first : last + 1]
        return 200, headers, content

    def _list(self, prefix: str) -> bytes:
        found = "".join(
            f"<Contents><Key>{escape(key)}</Key><LastModified>2026-06-17T12:00:00.000Z</LastModified>"
            f"<ETag>e</ETag><Size>{len(content)}</Size></Contents>"
            for key, content in sorted(self.objects.items())
            if key.startswith(prefix)
        )
        return f"<ListBucketResult><IsTruncated>false</IsTruncated>{found}</ListBucketResult>".encode()


@contextmanager
def fake_s3() -> Iterator[FakeS3]:
    """A server on a free port of this machine."""
    storage = FakeS3()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _handle(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            status, more, content = storage.answer(self.command, self.path, headers, body)
            self.send_response(status)
            for name, value in more.items():
                self.send_header(name, value)
            if status != 204:
                self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _handle

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: object, client_address: object) -> None:
            """A client that gives up an upload leaves without a word."""

    server = Server(("127.0.0.1", 0), Handler)
    storage.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield storage
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
