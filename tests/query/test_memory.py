"""How much memory the column replica takes."""

from pathlib import Path

import pytest

from analytics_box.query.engines import memory


def group(system: Path, lines: str, **limits_of: str) -> Path:
    """A file system that says so of its control groups."""
    (system / "proc/self").mkdir(parents=True)
    (system / "proc/self/cgroup").write_text(lines)
    for name, text in limits_of.items():
        file = system / "sys/fs/cgroup" / name.replace("__", "/").replace("DOT", ".")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text + "\n")
    return system


@pytest.mark.parametrize(
    ("lines", "files", "limit"),
    [
        ("0::/\n", {"memoryDOTmax": "250000000"}, 250_000_000),
        ("0::/\n", {"memoryDOTmax": "max"}, None),
        ("0::/a/b\n", {"a__memoryDOTmax": "300000000", "a__b__memoryDOTmax": "max"}, 300_000_000),
        ("4:memory:/box\n0::/\n", {"memory__box__memoryDOTlimit_in_bytes": "400000000"}, 400_000_000),
        ("4:memory:/box\n", {"memory__memoryDOTlimit_in_bytes": "500000000"}, 500_000_000),
        ("4:memory:/\n", {"memory__memoryDOTlimit_in_bytes": "9223372036854771712"}, None),
        ("0::/gone\n", {}, None),
    ],
)
def test_the_limit_of_a_container_is_found(
    tmp_path: Path, lines: str, files: dict[str, str], limit: int | None
) -> None:
    assert memory.limit(group(tmp_path, lines, **files)) == limit


def test_without_control_groups_there_is_no_limit(tmp_path: Path) -> None:
    assert memory.limit(tmp_path) is None


@pytest.mark.parametrize(
    ("wanted", "limit", "given"),
    [
        ("256MB", None, "256MB"),
        ("256MB", 8_000_000_000, "256MB"),
        ("2GB", 1_000_000_000, "404MB"),
        ("256MB", 512_000_000, "160MB"),
        ("256MB", 250_000_000, "64MB"),
        ("32MB", 250_000_000, "32MB"),
    ],
)
def test_queries_take_no_more_memory_than_the_container_has(wanted: str, limit: int | None, given: str) -> None:
    assert memory.cap_memory(wanted, limit) == given
