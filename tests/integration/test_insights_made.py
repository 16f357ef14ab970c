"""What stands out, to the nanosecond: of traces that no program made."""
import json
import subprocess

import pytest

from support import made, places

MS = 1000000


def found(trace, rule):
    done = subprocess.run([places.COMMAND, "report", "-q", "--format", "json", trace.write()], stdout=subprocess.PIPE,
                          encoding="utf-8", check=True)
    return [row["text"] for row in json.loads(done.stdout)["stands_out"] if row["rule"] == rule]


@pytest.mark.parametrize("ran, told", [(5, None), (35, "35.0 ms, 40.7 % of all time")])
def test_garbage_without_a_processor(tmp_path, ran, told):
    """A collection that has no processor for most of its time takes what it ran."""
    trace = made.Trace(tmp_path / "trace")
    process = trace.process(70)
    thread = process.thread(70)
    process.code(1, "work", "/home/u/app.py", 1)
    thread.event(1 * MS, "core", "thread_clock", processor_ns=0, run_delay_ns=0)
    thread.python(1 * MS, "begin", 1)
    thread.event(11 * MS, "core", "thread_clock", processor_ns=10 * MS, run_delay_ns=0)
    thread.event(11 * MS, "python", "gc_begin", generation=2)
    thread.event(61 * MS, "core", "thread_clock", processor_ns=(10 + ran) * MS, run_delay_ns=(50 - ran) * MS)
    thread.event(61 * MS, "python", "gc_end")
    thread.event(101 * MS, "core", "thread_clock", processor_ns=(50 + ran) * MS, run_delay_ns=0)
    thread.python(101 * MS, "end", 1)
    sentences = found(trace, "garbage")
    assert (told in sentences[0]) if told else not sentences, sentences
