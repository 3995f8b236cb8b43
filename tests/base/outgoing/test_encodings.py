"""Content encodings of answers: what is unpacked, what is read as it is, and what only hurts those who look inside."""

import gzip
import sys
import zlib
from typing import Any

import brotli
import pytest

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

from analytics_box.base.outgoing.client import OutgoingAnswer
from tests.base.outgoing.places import plain
from tests.base.outgoing.test_client import ask, run
from tests.cases import each

TEXT = b"hello " * 1_000


def answer_in(encoding: str, body: bytes, **given: Any) -> OutgoingAnswer:
    answer, _ = run(ask(plain(body, "200 OK", f"Content-Encoding: {encoding}"), **given))
    return answer


@each(
    ("encoding", "body"),
    [
        ("gzip", gzip.compress(TEXT)),
        ("X-Gzip", gzip.compress(TEXT)),
        ("deflate", zlib.compress(TEXT)),
        ("deflate", zlib.compress(TEXT, wbits=-15)),
        ("br", brotli.compress(TEXT)),
        ("zstd", zstd.compress(TEXT)),
        ("identity", TEXT),
        ("", TEXT),
        ("none", TEXT),
        ("UTF-8", TEXT),
        ("gzip, none", TEXT),
    ],
)
def test_body_is_unpacked_and_one_in_an_unknown_encoding_is_read_as_it_is(encoding: str, body: bytes) -> None:
    answer = answer_in(encoding, body)
    assert (answer.body, answer.complete, answer.unreadable, answer.size) == (TEXT, True, "", len(body))


@each(
    ("encoding", "why"),
    [
        ("gzip", "cannot be decompressed"),
        ("deflate", "cannot be decompressed"),
        ("br", "cannot be decompressed"),
        ("zstd", "cannot be decompressed"),
        ("gzip, br", "compressed more than once"),
    ],
)
def test_body_that_cannot_be_unpacked_leaves_status_and_headers_readable(encoding: str, why: str) -> None:
    answer = answer_in(encoding, b"not packed")
    assert (answer.status, answer.body, answer.complete, answer.size) == (200, b"", False, 10)
    assert answer.header("content-encoding") == encoding
    assert why in answer.unreadable


@each("encoding", ["gzip", "deflate", "br", "zstd", "gzip, br", "none"])
def test_unused_body_is_not_decompressed(encoding: str) -> None:
    assert not answer_in(encoding, b"not packed", keep=False).unreadable


@each(
    ("encoding", "body"),
    [("br", brotli.compress(b"\0" * 50_000_000)), ("zstd", zstd.compress(b"\0" * 50_000_000))],
)
def test_bomb_is_cut_at_the_cap(encoding: str, body: bytes) -> None:
    answer = answer_in(encoding, body, decoded_bytes=2_000)
    assert (answer.body, answer.complete, answer.unreadable) == (b"\0" * 2_000, False, "")


def test_zstd_with_a_window_above_8_mb_is_refused() -> None:
    options: dict[int, int] = {zstd.CompressionParameter.window_log: 27}
    packer = zstd.ZstdCompressor(options=options)
    body = packer.compress(b"x" * 1_000) + packer.flush()
    assert answer_in("zstd", body).unreadable


def test_encoding_whose_library_is_missing_names_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "brotli", None)
    answer = answer_in("br", brotli.compress(TEXT))
    assert (answer.status, answer.body) == (200, b"")
    assert "pip install 'brotli>=1.2,<2'" in answer.unreadable
