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


def test_a_function_that_raises_for_several_lines(tmp_path):
    """The line with most of its calls stands for it."""
    trace = made.Trace(tmp_path / "trace")
    process = trace.process(70)
    thread = process.thread(70)
    process.code(1, "main", "/home/u/app.py", 1)
    process.code(2, "parse", "/home/u/app.py", 20)
    thread.python(0, "begin", 1)
    for number in range(1200):
        at = MS * number // 20
        parse = dict(process.codes[2], code_id=2, python_thread_id=0)
        thread.event(at, "python", "function_begin", caller_lineno=7 if number % 6 else 5 + number % 4, **parse)
        thread.event(at + 40000, "python", "function_end", how=2, **parse)
    thread.python(60 * MS, "end", 1)
    sentence, = found(trace, "exceptions")
    assert sentence.startswith("app.py:7: 1,200 of 1,200 calls of parse raise an exception: 48.0 ms")


def test_arrays_that_grow_on_several_lines(tmp_path):
    """The line that takes most is named, whatever stands before and behind it."""
    trace = made.Trace(tmp_path / "trace")
    process = trace.process(70)
    thread = process.thread(70)
    process.code(1, "main", "/home/u/app.py", 1)
    thread.python(0, "begin", 1)
    for number in range(600):
        at, line = MS * number, 5 + number % 3
        append = dict(caller_qualname="main", callee_name="numpy.append", caller_filename="/home/u/app.py", caller_lineno=line,
                      code_id=1, python_thread_id=0)
        thread.event(at, "python", "c_call_begin", **append)
        thread.event(at + (900000 if line == 6 else 400000), "python", "c_call_end", **append)
    thread.python(600 * MS, "end", 1)
    sentence, = found(trace, "growth")
    assert sentence == "app.py:6 grows by numpy.append, which copies all that is there, 200 times: 180 ms"


def test_the_line_that_garbage_strikes_most(tmp_path):
    """A line of the user's has the collections of all that it calls."""
    trace = made.Trace(tmp_path / "trace")
    process = trace.process(70)
    thread = process.thread(70)
    process.code(1, "main", "/home/u/app.py", 1)
    process.code(2, "load", "/usr/lib/python3/site-packages/library.py", 1)
    process.path(1, 0, 1, 6)
    process.path(2, 1, 2, 9)
    process.path(3, 0, 1, 8)
    thread.python(0, "begin", 1)
    for begin, path, took in ((10, 1, 20), (40, 2, 20), (70, 3, 30)):
        thread.event(begin * MS, "python", "gc_begin", generation=2, py_path=path)
        thread.event((begin + took) * MS, "python", "gc_end")
    thread.python(200 * MS, "end", 1)
    sentence, = found(trace, "garbage")
    assert sentence == "collections of garbage take 70.0 ms, 35.0 % of all time, 3 times; most strike main app.py:6"
