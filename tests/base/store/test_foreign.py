"""Tables of other programs' databases, read from dumps of MySQL, PostgreSQL and SQLite."""

import sqlite3
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analytics_box.base.errors import BadRequest
from analytics_box.base.store.foreign import Row, is_database, read_tables

MYSQL = """-- MySQL dump 10.13  Distrib 8.0.36
/*!40101 SET NAMES utf8 */;
DROP TABLE IF EXISTS `a`;
CREATE TABLE `a` (
  `id` int NOT NULL AUTO_INCREMENT COMMENT 'it''s, the (key)',
  `name` varchar(10) DEFAULT 'x,(y)',
  `price` decimal(10,2),
  PRIMARY KEY (`id`),
  KEY `k` (`name`,`price`)
) ENGINE=InnoDB;
INSERT INTO `b` VALUES (1,'a;b\\'c -- ');
INSERT INTO `a` VALUES (1,'it\\'s; \\n(x)',1.50),(2,NULL,NULL),
(3,_binary 'é\\\\',-2);
"""
POSTGRESQL = """--
-- PostgreSQL database dump
--
SET statement_timeout = 0;
CREATE TABLE public.a (
    id integer NOT NULL,
    name text DEFAULT 'x'::text,
    price numeric(10,2)
);
COPY public.b (id, name) FROM stdin;
1\tINSERT INTO a VALUES (9);
\\.

COPY public.a (id, name, price) FROM stdin;
1\tit's; \\n(x)\t1.50
2\t\\N\t\\N
\\.
INSERT INTO public.a (id, name, price) VALUES (3, E'é\\', -2);
"""
EXPECTED: list[Row] = [
    {"id": 1, "name": "it's; \n(x)", "price": 1.5},
    {"id": 2, "name": None, "price": None},
    {"id": 3, "name": "é\\", "price": -2},
]


def read(path: Path, content: str) -> list[Row]:
    path.write_text(content)
    assert is_database(content.encode())
    return [row for _table, row in read_tables(path, {"a": ()})]


def test_dump_of_mysql_is_read(tmp_path: Path) -> None:
    assert read(tmp_path / "dump.sql", MYSQL) == EXPECTED


def test_dump_of_postgresql_is_read(tmp_path: Path) -> None:
    found = read(tmp_path / "dump.sql", POSTGRESQL)
    copied = [{name: None if value is None else str(value) for name, value in row.items()} for row in EXPECTED[:2]]
    assert found[:2] == [copied[0] | {"price": "1.50"}, copied[1]]  # values of `copy` are texts
    assert found[2] == EXPECTED[2]


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(st.lists(st.tuples(st.integers(-(10**15), 10**15) | st.none(), st.text(max_size=60)), max_size=20))
def test_dump_of_sqlite_has_the_rows_of_its_database(tmp_path: Path, rows: list[tuple[int | None, str]]) -> None:
    path = tmp_path / "made.db"
    path.unlink(missing_ok=True)
    rows = [(number, text.replace("\0", "").encode("utf-8", "replace").decode()) for number, text in rows]
    with sqlite3.connect(path) as db:
        db.execute("create table a (id integer, name text)")
        db.executemany("insert into a values (?, ?)", rows)
        dump = "\n".join(db.iterdump())
    db.close()
    expected = [{"id": number, "name": text} for number, text in rows]
    assert [row for _table, row in read_tables(path, {"a": ()})] == expected
    (tmp_path / "dump.sql").write_text(dump, newline="")
    assert [row for _table, row in read_tables(tmp_path / "dump.sql", {"a": ()})] == expected


def test_rows_longer_than_a_part_in_memory_are_read(tmp_path: Path) -> None:
    long = "é" * 700_000
    content = MYSQL + "".join(f"INSERT INTO `a` VALUES ({n},'{long}',0);\n" for n in range(4, 8))
    assert [row["name"] for row in read(tmp_path / "dump.sql", content)[3:]] == [long] * 4


@pytest.mark.parametrize(
    "content",
    [
        MYSQL + "INSERT INTO `a` VALUES (1,'x'",
        MYSQL + "INSERT INTO `a` VALUES (1,'x');",
        MYSQL + "INSERT INTO `a` VALUES (1,'" + "x" * 12_000_000,
        POSTGRESQL.replace("\\.\n", ""),
    ],
    ids=["cut", "too few values", "endless value", "endless copy"],
)
def test_dump_that_cannot_be_read_is_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(BadRequest):
        read(tmp_path / "dump.sql", content)


def test_text_is_no_database() -> None:
    assert not is_database(b"endpoints:\n  - name: CREATE TABLE\n")
    assert not is_database(b'{"a": "INSERT INTO b"}')
