"""Sealed secrets: what was sealed once opens for good, and only for its owner, with its key, as it was."""

from pathlib import Path

import pytest

from analytics_box.base.store.seal import Seal, SealBroken

KEY = bytes(range(32))
# Sealed by 0.1 with this key: the nonce, then XChaCha20-Poly1305 with the owner as what is authenticated beside it.
BEFORE = (
    (
        "6465666768696a6b6c6d6e6f707172737475767778797a7b"
        "14078dc08c14a6adef5ff254d541d8b13ad6221d8102a9dfe17a05c548f70a6f3c7bf167d5bbe5f5adb68df18f",
        "channel ch_1",
        b"https://hooks.example.com/abc",
    ),
    ("6465666768696a6b6c6d6e6f707172737475767778797a7b2d949cb307d00455104ab774bbe35f8f", "profile 1 p", b""),
)


@pytest.fixture
def seal(tmp_path: Path) -> Seal:
    (tmp_path / "secret.key").write_bytes(KEY)
    return Seal(tmp_path / "secret.key")


@pytest.mark.parametrize(("sealed", "owner", "secret"), BEFORE)
def test_values_sealed_by_earlier_versions_open(seal: Seal, sealed: str, owner: str, secret: bytes) -> None:
    assert seal.open(bytes.fromhex(sealed), owner=owner) == secret


def test_a_secret_opens_for_its_owner_only_and_is_never_sealed_alike(seal: Seal) -> None:
    sealed, again = seal.seal(b"secret", owner="a"), seal.seal(b"secret", owner="a")
    assert type(sealed) is bytes
    assert sealed != again
    assert len(sealed) == 24 + len(b"secret") + 16
    assert seal.open(sealed, owner="a") == b"secret"
    with pytest.raises(SealBroken):
        seal.open(sealed, owner="b")


def test_bytes_that_were_changed_or_cut_do_not_open(seal: Seal) -> None:
    sealed = seal.seal(b"secret", owner="a")
    for at in range(len(sealed)):
        with pytest.raises(SealBroken):
            seal.open(sealed[:at], owner="a")
        with pytest.raises(SealBroken):
            seal.open(sealed[:at] + bytes([sealed[at] ^ 1]) + sealed[at + 1 :], owner="a")


def test_the_key_is_made_with_the_first_secret_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "secret.key"
    with pytest.raises(SealBroken, match="cannot be read"):
        Seal(path).open(bytes(60), owner="a")
    sealed = Seal(path).seal(b"secret", owner="a")
    assert (len(path.read_bytes()), path.stat().st_mode & 0o777) == (32, 0o600)
    assert Seal(path).open(sealed, owner="a") == b"secret"
    path.write_bytes(b"short")
    with pytest.raises(SealBroken, match="32 bytes"):
        Seal(path).open(sealed, owner="a")
