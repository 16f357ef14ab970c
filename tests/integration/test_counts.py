"""A million calls of a function and of a C callable, counted: nothing lost, nothing invented, by our reader and by
babeltrace2."""
import pytest

from support import traces

CALLS = 1000000
LOOP = """
import sys

def add(value):
    return value + 1

def run(calls):
    result = 0
    for _ in range(calls):
        result = abs(add(result))
    return result

if __name__ == "__main__":
    print(run(int(sys.argv[1])))
"""


def check(python, names, calls, run_traced, tmp_path):
    program = tmp_path / "calls.py"
    program.write_text(LOOP)
    result = run_traced(python, program, "--names", names, "--lossless", "--no-summary",
                        arguments=[str(calls)], timeout=300)
    assert result.stdout == "%d\n" % calls
    report = result.report("--limit", "0")
    adds = [function for function in report["functions"] if function["name"] == "add"]
    assert [function["calls"] for function in adds] == [calls]
    assert adds[0]["file"] == str(program)
    assert adds[0]["line"] == 4
    assert sum(call["calls"] for call in report["c_calls"] if call["name"] == "abs") == calls
    assert report["not_recorded"]["discarded_events"] == 0
    assert report["not_recorded"]["lost_frames"] == 0
    assert report["not_recorded"]["dropped_ends"] == 0

    counts = traces.count_events(result.folder)
    begin, end = ("function_begin", "function_end") if names == "inline" else ("begin", "end")
    assert counts[begin] == counts[end]
    assert counts[begin] == sum(function["calls"] for function in report["functions"])
    assert counts["c_call_begin"] == counts["c_call_end"]
    assert counts["c_begin"] == counts["c_end"]


@pytest.mark.parametrize("names", ["inline", "registry"])
def test_two_hundred_thousand_calls(python, names, run_traced, tmp_path):
    check(python, names, CALLS // 5, run_traced, tmp_path)


@pytest.mark.storm
def test_a_million_calls(one_of_each, run_traced, tmp_path):
    check(one_of_each, "registry", CALLS, run_traced, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("names", ["inline", "registry"])
def test_a_million_calls_everywhere(python, names, run_traced, tmp_path):
    check(python, names, CALLS, run_traced, tmp_path)


THREADS, EACH = 8, CALLS // 8


@pytest.mark.pythons
@pytest.mark.parametrize("mode", ["TRACING", "MONITORING"])
def test_a_million_calls_of_eight_threads(python, mode, run_traced):
    """With generators, exceptions and objects in between; without a GIL, they run at the same time."""
    result = run_traced(python, "many_threads", "--mode", mode, "--lossless", "--no-summary",
                        arguments=[str(THREADS), str(EACH)], timeout=300)
    assert result.stdout == ("GIL\n" if python.has_gil else "no GIL\n")
    report = result.report("--limit", "0")
    calls = {row["name"].rpartition(".")[2]: row["calls"] for row in report["functions"]
             if row["file"].endswith("many_threads.py")}
    assert [calls[name] for name in ("work", "leaf", "fails", "generates", "__init__")] == [
        THREADS, CALLS, CALLS // 10, CALLS // 10, CALLS // 10]
    assert sum(row["calls"] for row in report["c_calls"] if row["name"] == "abs") == CALLS // 10
    missing = report["not_recorded"]
    assert [missing[what] for what in ("lost_frames", "dropped_ends", "discarded_events", "open_at_end")] == [0] * 4


@pytest.mark.recorder("lttng")
def test_dropping_is_counted_exactly(newest, run_traced, tmp_path):
    """With buffers far too small, what babeltrace2 says was discarded is what the report says."""
    program = tmp_path / "calls.py"
    program.write_text(LOOP)
    result = run_traced(newest, program, "--buffer-size", "64K", arguments=[str(CALLS // 4)])
    lost = result.report()["not_recorded"]["discarded_events"]
    counts = traces.count_events(result.folder)
    seen = counts["function_begin"] + counts["function_end"]
    assert lost == traces.discarded(result.folder)
    assert seen + lost >= 2 * CALLS // 4
    assert lost == 0 or "discarded" in result.stderr


def test_every_interpreter_found(any_python, run_traced, tmp_path):
    """Also the distribution's, statically linked one, and older patches of a version."""
    program = tmp_path / "calls.py"
    program.write_text(LOOP)
    result = run_traced(any_python, program, "--no-summary", "--lossless", arguments=["1000"])
    assert result.trace.calls("add") == 1000


def test_bound_methods_of_c(python, run_traced):
    """The interpreter reports no end of method(*arguments): such a call is left out, and nothing runs inside it."""
    result = run_traced(python, """
import types

def inner():
    pass

def outer():
    values = []
    append = types.MethodType(list.append, values)
    for _ in range(50):
        append(*[1])
        inner()
        append(2)
    return len(values)

print(outer())
""", "--lossless")
    assert result.stdout == "100\n"
    report = result.report("--limit", "0")
    assert report["not_recorded"]["lost_frames"] == 0
    assert report["not_recorded"]["dropped_ends"] == 0
    appends = [call["calls"] for call in report["c_calls"]
               if call["name"] == "list.append" and call["caller"] == "outer"]
    if python.mechanism == "sys.monitoring":
        assert sum(appends) == 50
