"""pinsight export --to parquet: pyarrow and DuckDB read the rows of --to csv."""
import csv
import json
import subprocess

import pytest

from support import places
from support.pythons import pythons

PROGRAM = "\ndef work(n):\n    return sum(range(n))\nfor i in range(%d):\n    work(i %% 10)\n"
# Every row by pyarrow; and sums by DuckDB.
READ = """
import json, sys
import duckdb, pyarrow.parquet
file = pyarrow.parquet.ParquetFile(sys.argv[1])
file.metadata
table = file.read()
table.validate(full=True)
# The bounds of each piece are those of its values.
for group in range(file.num_row_groups):
    for place in range(file.metadata.num_columns):
        piece = file.metadata.row_group(group).column(place)
        values = file.read_row_group(group, [piece.path_in_schema]).column(0).to_pylist()
        assert piece.statistics.has_min_max and piece.statistics.null_count == 0
        assert (piece.statistics.min, piece.statistics.max) == (min(values), max(values)), piece.path_in_schema
json.dump({"groups": file.num_row_groups, "types": [[field.name, str(field.type)] for field in file.schema_arrow],
           "rows": [[str(value) for value in row.values()] for row in table.to_pylist()],
           "sums": [list(row) for row in duckdb.sql("select name, count(*), sum(duration_ns)::bigint, max(depth), min(python_thread) "
                                                    "from '%s' group by all order by all" % sys.argv[1]).fetchall()]}, sys.stdout)
"""


@pytest.fixture(scope="module")
def readers():
    return pythons()[-1].with_packages("duckdb", "pyarrow")


def export(trace, to, form, *options):
    done = subprocess.run([places.COMMAND, "export", "--to", form, "--force", "-q", "-o", str(to), *options, str(trace)], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    return done.stderr


def both(readers, trace, folder, *options):
    """What the readers find, and the rows of the CSV."""
    export(trace, folder / "a.parquet", "parquet", *options)
    export(trace, folder / "a.csv", "csv", *options)
    done = subprocess.run([readers, "-c", READ, str(folder / "a.parquet")], stdout=subprocess.PIPE, check=True)
    with open(folder / "a.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return json.loads(done.stdout.decode()), rows


def check(found, rows):
    assert [name for name, _ in found["types"]] == rows[0]
    assert all(kind == ("string" if name in ("category", "name", "file") else "int64") for name, kind in found["types"])
    assert found["rows"] == rows[1:]
    assert sum(count for _, count, *_ in found["sums"]) == len(rows) - 1


def test_rows(newest, run_traced, readers, tmp_path):
    """Names of all kinds, threads; less than a group."""
    result = run_traced(newest, "exported", "--lossless", "--no-summary")
    found, rows = both(readers, result.folder, tmp_path)
    check(found, rows)
    assert found["groups"] == 1
    names = {row[5] for row in found["rows"]}
    assert names >= {'a, "quoted" name', "two\nlines", "Umläute ß 雪", "tab\tand ; semicolon"}


def test_many_rows(newest, run_traced, readers, tmp_path):
    """Groups of 65536 rows, and none where there is no slice."""
    result = run_traced(newest, PROGRAM % 66000, "--lossless", "--no-summary", "--events", "function")
    found, rows = both(readers, result.folder, tmp_path)
    check(found, rows)
    assert found["groups"] == 2 and [one[:2] for one in found["sums"] if one[0] == "work"] == [["work", 66000]]
    found, rows = both(readers, result.folder, tmp_path, "--process", "1")
    assert (found["groups"], found["rows"], len(rows)) == (0, [], 1)
