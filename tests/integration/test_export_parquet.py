"""pinsight export --to parquet: pyarrow and DuckDB read the rows of --to csv; and a dataset has those of the table `slices`."""
import csv
import json
import os
import resource
import signal
import subprocess
import sys

import pytest

from support import made, places
from support.pythons import pythons

sys.path.insert(0, str(places.PACKAGES))
import pinsight  # noqa: E402

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


# All rows of a dataset with its schema, and a count by DuckDB that needs the folders' names alone.
READ_DATASET = """
import json, sys
import duckdb, pyarrow.dataset, pyarrow.parquet
found = pyarrow.dataset.dataset(sys.argv[1], partitioning="hive")
table = found.to_table()
table.validate(full=True)
pieces = [pyarrow.parquet.ParquetFile(file).metadata.row_group(0).column(10).statistics for file in found.files]
json.dump({"schema": [[field.name, str(field.type)] for field in table.schema], "rows": [list(row.values()) for row in table.to_pylist()],
           "files": [file[len(sys.argv[1]) + 1:] for file in found.files], "bounds": [[piece.min, piece.max] for piece in pieces],
           "groups": [pyarrow.parquet.ParquetFile(file).num_row_groups for file in found.files],
           "counts": duckdb.sql("select host, rank, count(*) from read_parquet('%s/*/*/*.parquet', hive_partitioning=true, "
                                "hive_types={'host': varchar, 'rank': int}) group by all order by all" % sys.argv[1]).fetchall()},
          sys.stdout)
"""


def dataset(readers, trace, folder, **limits):
    done = subprocess.run([places.COMMAND, "export", "--to", "parquet-dataset", "-q", "-o", str(folder), str(trace)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding="utf-8", **limits)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(subprocess.run([readers, "-c", READ_DATASET, str(folder)], stdout=subprocess.PIPE, check=True).stdout.decode())


def check_dataset(found, trace, host):
    """Rows, names and types are those of the table."""
    table = pinsight.open(trace).slices
    names = [column.name for column in table.columns]
    place = names.index("rank")
    assert found["schema"][:-2] == [[column.name, column.type] for column in table.columns if column.name != "rank"]
    assert [name for name, _ in found["schema"][-2:]] == ["host", "rank"]
    rows = [row[:place] + row[place + 1:] + (host, row[place]) for row in table.rows()]
    assert sorted(map(tuple, found["rows"])) == sorted(rows)
    return rows


def test_a_dataset_of_many_ranks(readers, tmp_path):
    """A file for each rank in the folders of its host and its rank, with more ranks than files may be open."""
    host, ranks = "node 1/../\u00fc", 70
    trace = made.Trace(tmp_path / "trace", host=host)
    for rank in range(ranks):
        process = trace.process(100 + rank, rank)
        thread = process.thread(100 + rank)
        process.code(1, "work", "/a/b.py", 3)
        for turn in range(1 + rank % 3):
            thread.function(1000 * turn + rank, 1000 * turn + 500 + rank, 1)
    folder = trace.write()
    found = dataset(readers, folder, tmp_path / "out", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40)))
    rows = check_dataset(found, folder, host)
    assert len(rows) == sum(1 + rank % 3 for rank in range(ranks))
    assert sorted(found["files"]) == sorted("host=node%%201%%2F..%%2F%%C3%%BC/rank=%d/process-%d.parquet" % (rank, process)
                                            for process, rank, *_ in pinsight.open(folder).processes.rows())
    assert found["counts"] == [[host, rank, 1 + rank % 3] for rank in range(ranks)]
    begins = {}
    for row in found["rows"]:
        begins.setdefault(row[-1], []).append(row[10])
    ranks_of = [int(file.split("rank=")[1].split("/")[0]) for file in found["files"]]
    assert found["bounds"] == [[min(begins[rank]), max(begins[rank])] for rank in ranks_of]


def test_a_dataset_of_a_program(newest, run_traced, readers, tmp_path):
    """Processes without MPI, with several groups of rows; what is there is not replaced without --force."""
    result = run_traced(newest, "import os\n" + PROGRAM % 66000 + "os.fork() or os._exit(work(1))\nos.wait()\n", "--lossless", "--no-summary",
                        "--events", "function")
    found = dataset(readers, result.folder, tmp_path / "out")
    check_dataset(found, result.folder, os.uname().nodename)
    assert sorted(found["groups"]) == [1, 2] and all("/rank=-1/process-" in file for file in found["files"])
    again = subprocess.run([places.COMMAND, "export", "--to", "parquet-dataset", "-o", str(tmp_path / "out"), str(result.folder)],
                           stderr=subprocess.PIPE, encoding="utf-8")
    assert again.returncode == 1 and "it is there already; --force replaces it" in again.stderr
    (tmp_path / "out" / "mine").touch()
    again = subprocess.run([places.COMMAND, "export", "--to", "parquet-dataset", "--force", "-o", str(tmp_path / "out"), str(result.folder)],
                           stderr=subprocess.PIPE, encoding="utf-8")
    assert again.returncode == 1 and "no folder of this form" in again.stderr and (tmp_path / "out" / "mine").exists()


def tree(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.parquet")}


def test_a_dataset_is_the_same_with_any_number_of_processors(newest, run_traced, tmp_path):
    """Groups are written by other threads where there are several processors, and by the reader where there is one. A file
    that cannot be written is named either way, and nothing is left."""
    result = run_traced(newest, "import os\n" + PROGRAM % 140000 + "os.fork() or os._exit(work(1))\nos.wait()\n", "--lossless", "--no-summary",
                        "--events", "function")

    def export_on(processors, name, **how):
        return subprocess.run([places.COMMAND, "export", "--to", "parquet-dataset", "-q", "-o", str(tmp_path / name), str(result.folder)],
                              stderr=subprocess.PIPE, encoding="utf-8", preexec_fn=lambda: (os.sched_setaffinity(0, processors), how and how["also"]()))
    allowed = sorted(os.sched_getaffinity(0))
    one, all_of_them = {allowed[0]}, set(allowed)
    assert export_on(one, "one").returncode == 0 and export_on(all_of_them, "all").returncode == 0
    assert len(tree(tmp_path / "one")) == 2 and tree(tmp_path / "one") == tree(tmp_path / "all")

    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))
    for processors in one, all_of_them:
        done = export_on(processors, "full", also=small_files)
        assert done.returncode == 1 and "/process-0.parquet: File too large" in done.stderr, done.stderr
        assert [path.name for path in tmp_path.iterdir() if path.name.startswith("full")] == []
