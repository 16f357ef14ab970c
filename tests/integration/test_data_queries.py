"""The queries of docs/data-queries.md: SQL, pandas and Polars give the same rows, and the made run's known answers."""
import collections
import json
import subprocess

import pytest

from support import made, places
from test_data import newest_with_wheels, sql
from test_report_mpi_made import Job

RANKS, SOLVES, REQUESTS = 4, 25, 3
MAIN, SOLVE, HANDLE, PACK = 1, 2, 3, 4
FILE = "/a/solver.py"
MS, SECOND = 10**6, 10**9

Query = collections.namedtuple("Query", "title sql pandas polars")


def queries():
    page = (places.ROOT / "docs" / "data-queries.md").read_text(encoding="utf-8")
    found = []
    for part in page.split("\n**")[1:]:
        codes = [block.split("\n", 1)[1].split("\n```")[0] for block in part.split("\n```")[1::2]]
        found.append(Query(part.split(".**")[0], *codes))
    return found


class Run:
    """Ranks that solve, handle requests with waits, mark, send messages and use a device. No two durations are equal."""

    def __init__(self, folder):
        job = Job(folder, RANKS, known=("core", "python", "mpi", "cuda"))
        self.solves, self.marks, self.waits, self.messages, self.kernels = collections.defaultdict(list), [], [], [], []
        self.calls = 0
        for rank in job.ranks:
            self.rank(rank)
        for rank in job.ranks:
            self.talk(job.ranks, rank)
        self.folder = job.write()

    def rank(self, rank):
        process, thread, number = rank.process, rank.process.thread(rank.pid), rank.number
        for code, name, line in ((MAIN, "main", 5), (SOLVE, "solve", 10), (HANDLE, "handle", 20), (PACK, "pack", 30)):
            process.code(code, name, FILE, line)
        process.path(1, 0, MAIN, 7)
        now = 1000 + number
        thread.python(now, "begin", MAIN)
        for turn in range(SOLVES):
            now += 1000
            took = MS + 1000 * (turn * turn % 97) + 100000 * number + turn
            thread.function(now, now + took, SOLVE)
            self.solves[number].append(took)
            now += took
        for turn in range(REQUESTS):
            now += 5000
            if turn != 1:
                self.mark(thread, now, "stop")
            self.mark(thread, now + 1, "start")
            self.request(thread, now + 10, number, turn)
            now += 2 * SECOND + 700 * number
        self.mark(thread, now, "stop")
        self.mark(thread, now + 1, "start")  # nothing stops it
        thread.python(now + 10 + number, "end", MAIN)
        self.calls += 1 + SOLVES + 2 * REQUESTS
        self.device(process, thread, now)

    def mark(self, thread, now, name):
        thread.event(now, "core", "mark", name=name)
        self.marks.append((thread.tid, name, now))

    def request(self, thread, now, number, turn):
        """The last one is slow, and so is what it waits for."""
        took = SECOND * (3 if turn == 2 else 1) // 2 + 1000 * turn + number
        thread.python(now, "begin", HANDLE)
        thread.function(now + 100, now + 300 + 10 * number + turn, PACK)
        for wait in range(2):
            begin, waited = now + (1 + wait) * 100 * MS, (20 + 5 * wait + number + turn) * MS
            thread.event(begin, "python", "lock_wait_begin", tid=thread.tid, lock=1, is_new=int(turn == wait == 0))
            thread.event(begin + waited, "python", "lock_wait_end", tid=thread.tid, lock=1)
            if turn == 2:
                self.waits.append((made.ns(now), waited))
        thread.python(now + took, "end", HANDLE)

    def device(self, process, thread, now):
        for turn, name in enumerate(("gemm", "gemm", "copy")):
            begin, took = now + 1000 * turn, 300 + 100 * turn + process.pid
            with thread.call(begin, begin + 50, "cudaKernelLaunch", contextId=1, streamId=7, correlationId=turn + 1, py_path=1,
                             kernel=process.kernel(begin, name)):
                pass
            thread.event(begin + 5000, "cuda", "cudaKernelActivity", contextId=1, streamId=7, correlationId=turn + 1, start=begin + 60,
                         end=begin + 60 + took, kernel=process.kernel(begin, name))
            self.kernels.append((name, took))
            self.calls += 1

    def talk(self, ranks, rank):
        """Messages of three sizes, to both neighbours."""
        base = 9 * SECOND
        for turn, size in enumerate((1, 1000, 1024, 5000)):
            for step in (1, 2):
                other = ranks[(rank.number + step) % RANKS]
                sent = base + (turn * 3 + step) * MS + rank.number * 1000
                received = sent + 500 + size + 10 * rank.number
                rank.call(sent, sent + 100 + 7 * rank.number, "Send", comm=1, dest=other.number, tag=100 * turn + step, bytes=size)
                other.call(received - 50 - 11 * other.number, received, "Recv", {"source": rank.number, "tag": 100 * turn + step, "bytes": size}, comm=1,
                           source=rank.number, tag=100 * turn + step)
                self.messages.append((abs(other.number - rank.number), size))
                self.calls += 2


RUN = """
import json, sys
sys.path.insert(0, sys.argv[1])
import numpy, pandas, pinsight, polars as pl
trace = pinsight.open(sys.argv[2])
answers = []
for codes in json.load(sys.stdin):
    for code in codes:
        room = dict(globals())
        exec(code, room)
        answer = room["answer"]
        frame = answer if isinstance(answer, pandas.DataFrame) else answer.to_pandas()
        answers.append(frame.astype(object).to_dict("records"))
json.dump(answers, sys.stdout, default=lambda value: value.item())
"""


def same(one, other):
    """Rows of equal columns and values, in the same order but for equal rows. Floats may differ in their last digits."""
    def plain(rows):
        return [{key: value if isinstance(value, str) else pytest.approx(value, rel=1e-9) for key, value in row.items()} for row in rows]
    return [list(row) for row in one] == [list(row) for row in other] and one == plain(other)


@pytest.mark.wheel
def test_the_same_answers_in_sql_pandas_and_polars(tmp_path):
    run = Run(tmp_path / "run")
    path = newest_with_wheels().with_packages("pyarrow", "pandas", "polars", "duckdb")
    told = subprocess.run([path, "-c", RUN, str(places.PACKAGES), str(run.folder)], stdout=subprocess.PIPE, check=True, encoding="utf-8",
                          input=json.dumps([(query.pandas, query.polars) for query in queries()])).stdout
    frames, answers = json.loads(told), []
    for number, query in enumerate(queries()):
        rows = json.loads(sql(path, "--format", "json", run.folder, query.sql))
        for name, frame in zip(("pandas", "Polars"), frames[2 * number:]):
            frame = [{key: row[key] for key in rows[0]} for row in frame]  # the order of columns is free
            assert same(rows, frame), "%s in %s:\n%s\n%s" % (query.title, name, rows, frame)
        answers.append(rows)
    check(run, answers)


def pairs(run):
    """Each mark "start" with the time to the next "stop" of its thread."""
    for tid, name, at in run.marks:
        stops = [stop for other, what, stop in run.marks if other == tid and what == "stop" and stop >= at]
        if name == "start" and stops:
            yield made.ns(at), pytest.approx((min(stops) - at) / MS)


def check(run, answers):
    """The answers that the made run must have."""
    percentiles, marks, requests, messages, modules, callers, ranks, longest, tenths, kernels = answers
    middle = {rank: sorted(took)[SOLVES // 2] / MS for rank, took in run.solves.items()}
    assert {row["rank"]: row["median_ms"] for row in percentiles} == pytest.approx(middle)
    assert [row["calls"] for row in percentiles] == [SOLVES] * RANKS
    assert sorted((row["at_ns"], row["ms"]) for row in marks) == sorted(pairs(run))
    assert sorted((row["begin_ns"], row["waits"], row["waited_ms"]) for row in requests) == sorted(
        (begin, 2, pytest.approx(sum(waited for at, waited in run.waits if at == begin) / MS)) for begin in {at for at, _ in run.waits})
    counts = collections.Counter((distance, 2 ** (size.bit_length() - 1)) for distance, size in run.messages)
    assert {(row["distance"], row["at_least_bytes"]): row["messages"] for row in messages} == counts
    assert [(row["module"], row["calls"]) for row in modules] == [("__main__", RANKS * (1 + SOLVES + 2 * REQUESTS))]
    assert [(row["caller"], row["calls"], row["ms"]) for row in callers] == [
        ("main", RANKS * SOLVES, pytest.approx(sum(map(sum, run.solves.values())) / MS))]
    assert {row["function"]: row["slowest_rank"] for row in ranks}["solve"] == RANKS - 1
    assert [row["function"] for row in longest] == ["main", "handle", "solve", "pack"]
    assert sum(row["calls"] for row in tenths) == run.calls
    sums = collections.Counter()
    for name, took in run.kernels:
        sums[name] += took
    assert {row["name"]: row["ms"] for row in kernels} == pytest.approx({name: took / MS for name, took in sums.items()})
    assert {row["line"] for row in kernels} == {7}


def test_each_query_has_its_three_forms():
    """The page is whole, also where pandas and Polars are missing."""
    assert len(queries()) == 10 and len({query.title for query in queries()}) == 10
    for query in queries():
        assert query.sql.startswith(("select", "with")) and ".to_pandas()" in query.pandas and ".to_polars()" in query.polars
        for code in query.pandas, query.polars:
            compile(code, query.title, "exec")
            assert "\nanswer = " in "\n" + code
