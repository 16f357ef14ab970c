"""The numbers of `pinsight report` beside ones that are worked out here from babeltrace2's text."""
import collections
import csv
import io
import signal
import subprocess

import pytest

from support import places
from support.traces import Moment

PROGRAMS = ["raising", "recursing", "generating", "threads_together", "calling_back", "decorating"]


class Sums:
    """What the report has to say, from a Trace: per function (name, file, line), and per C call and place."""

    def __init__(self, trace):
        self.calls = collections.Counter()
        self.total = collections.Counter()
        self.own = collections.Counter()
        self.durations = collections.defaultdict(list)
        self.generators = set()
        self.c_calls = collections.Counter()
        self.c_total = collections.Counter()
        for thread in trace.threads:
            imports = [Moment(name, event.fields["module"], None, event.ts, event.fields)
                       for name in ("import_begin", "import_end") for event in trace.infos[name]
                       if (event.vpid, event.fields["python_thread_id"]) == (thread.pid, thread.number)]
            self.add(sorted(thread.moments + imports, key=lambda moment: moment.ts))

    def add(self, moments):
        """What an import takes by itself is no function's."""
        stack, active = [], collections.Counter()
        for moment in moments:
            if moment.kind == "import_begin":
                stack.append([None, moment.ts, 0])
                continue
            if moment.kind in ("begin", "c_begin"):
                key = self.key(moment)
                active[key] += 1
                if moment.kind == "begin":
                    self.calls[key] += moment.how == "start"
                else:
                    self.c_calls[key] += 1
                stack.append([key, moment.ts, 0])
                continue
            key, begun, inside = stack.pop()
            took = moment.ts - begun
            if stack:
                stack[-1][2] += took
            if moment.kind == "import_end":
                continue
            active[key] -= 1
            if moment.kind == "c_end":
                self.c_total[key] += 0 if active[key] else took
                continue
            if not active[key]:
                self.total[key] += took
            self.own[key] += took - inside
            self.durations[key].append(took)
            if moment.how == "yield":
                self.generators.add(key)

    @staticmethod
    def key(moment):
        fields = moment.fields
        if moment.kind == "begin":
            return moment.name, fields["filename"], fields["lineno"]
        return moment.name, fields["caller_qualname"], fields["caller_filename"], fields["caller_lineno"]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.recorder("lttng")
def test_numbers(newest, program, run_traced):
    result = run_traced(newest, program, "--lossless", "--no-summary", "--events", "function,c_call,import,gil,lock,task")
    sums = Sums(result.trace)
    report = result.report("--limit", "0")
    functions = {(row["name"], row["file"], row["line"]): row for row in report["functions"]}
    assert set(functions) == set(sums.calls)
    for key, row in functions.items():
        told = (row["calls"], row["total_ns"], row["self_ns"])
        assert told == (sums.calls[key], sums.total[key], sums.own[key]), key
        if key not in sums.generators:
            assert (row["min_ns"], row["max_ns"]) == (min(sums.durations[key]), max(sums.durations[key])), key
        if not row["calls"]:
            continue  # a generator that was closed before it ran
        assert row["mean_ns"] == pytest.approx(sum(sums.durations[key]) / row["calls"], abs=1) \
            or row["mean_ns"] == pytest.approx(row["total_ns"] / row["calls"], abs=1), key
    c_calls, c_total = collections.Counter(), collections.Counter()
    for row in report["c_calls"]:
        key = row["name"], row["caller"], row["caller_file"], row["caller_line"]
        c_calls[key] += row["calls"]
        c_total[key] += row["total_ns"]
    assert c_calls == sums.c_calls
    assert c_total == sums.c_total


@pytest.mark.parametrize("program", PROGRAMS[:4])
def test_both_encodings_say_the_same(newest, program, run_traced):
    """The same functions, calls and places; and `dump` the same events, whichever way names were written."""
    results = [run_traced(newest, program, "--lossless", "--no-summary", "--names", names, "--recorder", recorder)
               for names, recorder in (("inline", "lttng"), ("registry", "file"))]
    # How often threading looks at its locks is a matter of time.
    counts = [{(row["name"], row["file"], row["line"]): row["calls"] for row in result.report("--limit", "0")["functions"]
               if not row["file"].endswith("/threading.py")} for result in results]
    assert counts[0] == counts[1]
    calls = [collections.Counter({(row["name"], row["caller"], row["caller_file"], row["caller_line"]): row["calls"]
                                  for row in result.report("--limit", "0")["c_calls"]
                                  if not row["caller_file"].endswith("/threading.py")}) for result in results]
    assert calls[0] == calls[1]
    for result in results:
        dumped = subprocess.run([places.COMMAND, "dump", str(result.folder)], stdout=subprocess.PIPE,
                                encoding="utf-8", check=True).stdout
        trace = result.trace
        moments = sum(len(thread.moments) for thread in trace.threads)
        assert len(dumped.splitlines()) >= moments
        for name in ("main", "<module>"):
            assert name in dumped


def test_views(newest, run_traced):
    """Every way to look at one trace works, and they agree in their totals."""
    result = run_traced(newest, "threads_together", "--lossless", "--no-summary")
    whole = result.report("--limit", "0")
    total_self = sum(row["self_ns"] for row in whole["functions"])
    for by in ("module", "file", "thread"):
        told = result.report("--limit", "0", "--by", by)
        rows = next(rows for rows in (told.get(key) for key in (by + "s", "rows", "groups")) if rows)
        assert rows and sum(row["self_ns"] for row in rows) >= total_self - 1, by
    assert len(whole["threads"]) == 9
    calls = [row["calls"] for row in result.report("--limit", "0", "--sort", "calls")["functions"]]
    assert calls == sorted(calls, reverse=True)
    assert len(result.report("--limit", "3")["functions"]) == 3
    first = {row["name"]: row for row in result.report("--limit", "0", "--thread", "0")["functions"]}
    assert "main" in first and "busy" not in first


def test_text_and_csv(newest, run_traced):
    result = run_traced(newest, "recursing", "--lossless", "--no-summary")
    text = subprocess.run([places.COMMAND, "report", str(result.folder)], stdout=subprocess.PIPE,
                          encoding="utf-8", check=True).stdout
    assert "down" in text and "5001" in text.replace(",", "").replace("_", "") and "not recorded" in text.lower()
    tree = subprocess.run([places.COMMAND, "report", "--tree", str(result.folder)], stdout=subprocess.PIPE,
                          encoding="utf-8", check=True).stdout
    assert "main" in tree and "down" in tree
    table = subprocess.run([places.COMMAND, "report", "--format", "csv", "--limit", "0", str(result.folder)],
                           stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
    rows = list(csv.reader(io.StringIO(table)))
    assert any("down" in row and "5001" in row for row in rows)


@pytest.mark.parametrize("names", ["inline", "registry"])
def test_child_that_becomes_another_program(newest, names, run_traced):
    """What the parent does afterwards stays the parent's."""
    result = run_traced(newest, "import subprocess, sys\n"
                                "def before(): pass\n"
                                "def after(): pass\n"
                                "before()\n"
                                "become = 'import os, sys; os.execv(sys.executable, [sys.executable, \"-c\", \"1\"])'\n"
                                "subprocess.run([sys.executable, '-c', become], check=True)\n"
                                "for i in range(100): after()\n", "--names", names, "--no-summary")
    report = result.report("--limit", "0")
    calls = {row["name"]: row["calls"] for row in report["functions"]}
    assert (calls["before"], calls["after"]) == (1, 100)
    assert len(report["processes"]) == 3 and 0 not in [process["pid"] for process in report["processes"]]
    missing = report["not_recorded"]
    assert (missing["lost_frames"], missing["dropped_ends"], missing["unnamed_functions"]) == (0, 0, 0)


def test_thread_or_process_that_is_not_there(newest, run_traced):
    result = run_traced(newest, "len('a')\nlen('b')", "--no-summary")
    for verb in ("report", "dump"):
        for option in ("--thread", "--process"):
            done = subprocess.run([places.COMMAND, verb, option, "2000000000",
                                   str(result.folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
            assert (done.returncode, done.stdout) == (1, ""), (verb, option)
            assert done.stderr.startswith("pinsight: ") and option[2:] + " 2000000000" in done.stderr


@pytest.mark.parametrize("verb", ["report", "dump"])
def test_interrupted(newest, run_traced, verb):
    """Ctrl-C ends the reading: what was read is shown, and the exit status and a word say that it is not all."""
    result = run_traced(newest, "def f(): pass\nfor i in range(300_000): f()", "--lossless", "--no-summary")
    with subprocess.Popen([places.COMMAND, verb, str(result.folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          encoding="utf-8") as process:
        if verb == "dump":
            process.stdout.readline()
        else:
            # Only once it has a handler: the bit of SIGINT in the mask of caught signals.
            while not int(open("/proc/%d/status" % process.pid).read().split("SigCgt:")[1].split()[0], 16) & 2:
                pass
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "interrupted" in (err if verb == "dump" else out)
    assert verb == "report" or 0 < len(out.splitlines()) < 600_000


def test_orders_and_limits(newest, run_traced):
    """Every key of --sort orders by what it names, and --limit counts."""
    result = run_traced(newest, "threads_together", "--lossless", "--no-summary")
    columns = {"self": "self_ns", "total": "total_ns", "calls": "calls", "mean": "mean_ns", "min": "min_ns",
               "max": "max_ns"}
    for rows in ("functions", "c_calls"):
        for key, column in columns.items():
            values = [row[column] for row in result.report("--sort", key)[rows]]
            assert len(set(values)) > 1 and values == sorted(values, reverse=True), (rows, key)
        names = [row["name"] for row in result.report("--sort", "name")[rows]]
        assert names == sorted(names, key=lambda name: name.encode()), rows
    for form in ("text", "json"):
        for limit in (1, 7):
            dumped = subprocess.run([places.COMMAND, "dump", "--limit", str(limit), "--format", form, str(result.folder)],
                                    stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
            assert len(dumped.splitlines()) == limit


def test_one_process_of_several(newest, run_traced):
    result = run_traced(newest, "import subprocess, sys\n"
                                "def parent(): pass\n"
                                "parent()\n"
                                "subprocess.run([sys.executable, '-c', 'def child(): pass\\nchild()'], check=True)\n",
                        "--no-summary")
    pids = [process["pid"] for process in result.report()["processes"]]
    assert len(pids) == 2
    for pid, mine, other in zip(pids, ("parent", "child"), ("child", "parent")):
        told = result.report("--process", str(pid))
        assert [process["pid"] for process in told["processes"]] == [pid]
        assert {thread["pid"] for thread in told["threads"]} == {pid}
        names = {row["name"] for row in told["functions"]}
        assert mine in names and other not in names
        dumped = subprocess.run([places.COMMAND, "dump", "--process", str(pid), str(result.folder)],
                                stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
        assert " %s " % mine in dumped and " %s " % other not in dumped


def test_csv_of_odd_names(newest, run_traced):
    """Commas, quotes and line ends in names of files do not move the columns."""
    odd = 'a, "b"\n.py'
    result = run_traced(newest, "exec(compile('def odd(): pass\\nodd()', %r, 'exec'))" % odd, "--no-summary")
    table = subprocess.run([places.COMMAND, "report", "--format", "csv", str(result.folder)], stdout=subprocess.PIPE,
                           encoding="utf-8", check=True).stdout
    rows = list(csv.DictReader(io.StringIO(table, newline=""), strict=True))
    assert [(row["file"], row["line"], row["calls"]) for row in rows if row["name"] == "odd"] \
        == [(odd.replace("\n", "\\x0a"), "1", "1")]
