"""A sealed backup opens with its passphrase, and not after any change."""

import io
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics_box.base.backup import sealing
from analytics_box.base.backup.failures import NotABackup
from analytics_box.base.backup.sealing import MAGIC, OpenedBackup, Sealer

PASSPHRASE = b"correct horse"


@pytest.fixture(autouse=True, scope="module")
def cheap() -> "object":
    """What Argon2id costs is not what is tested here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sealing, "_KIBIBYTES", 8)
        patch.setattr(sealing, "_PASSES", 1)
        yield


def sealed(content: bytes) -> bytes:
    made = io.BytesIO()
    sealer = Sealer(made.write, PASSPHRASE)
    for start in range(0, len(content), 50_000):
        sealer.write(content[start : start + 50_000])
    sealer.close()
    return made.getvalue()


def opened(stream: bytes, passphrase: bytes = PASSPHRASE) -> bytes:
    source = io.BytesIO(stream)
    assert source.read(len(MAGIC)) == MAGIC
    return io.BufferedReader(OpenedBackup(source, passphrase)).read()


@given(size=st.sampled_from((0, 1, 65_535, 65_536, 65_537, 200_000)), seed=st.integers(0, 3))
@settings(max_examples=12)
def test_encrypted_content_is_decrypted_unchanged(size: int, seed: int) -> None:
    content = random.Random(seed).randbytes(size)
    stream = sealed(content)
    assert content[:64] not in stream or size < 64
    assert opened(stream) == content


@given(st.data())
@settings(max_examples=40)
def test_any_change_is_noticed(data: st.DataObject) -> None:
    stream = bytearray(sealed(b"x" * 150_000))
    place = data.draw(st.integers(len(MAGIC), len(stream) - 1))
    kind = data.draw(st.sampled_from(("flip", "cut", "add", "swap")))
    if kind == "flip":
        stream[place] ^= 1 << data.draw(st.integers(0, 7))
    elif kind == "cut":
        del stream[place:]
    elif kind == "add":
        stream += b"y"
    else:
        stream[place:] = bytes(reversed(stream[place:])) if place < len(stream) - 2 else b"zzz"
    with pytest.raises(NotABackup):
        opened(bytes(stream))


def test_another_passphrase_does_not_open_it() -> None:
    with pytest.raises(NotABackup, match="passphrase is wrong"):
        opened(sealed(b"secret"), b"wrong horse")
