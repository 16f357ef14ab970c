"""Windows: exactly the executions that the definition gives, in every kind of function, balanced."""
import collections
import re
import subprocess

import pytest

from support import places
from support.windows import Selector, Window, lines, run_twin

from test_oracle import assert_same

NAMES = ["inline", "registry"]


def configured(folder, text, name="test.ini"):
    """The options for a run with this configuration."""
    file = folder / name
    file.write_text(text)
    return ["-c", str(file), "--no-summary", "--lossless"]


def profiled(trace, kind=None):
    """What MONITORING counted, by name and Python thread."""
    counts = collections.Counter()
    for event in trace.infos["lexgion_profile"]:
        if kind is None or event.fields["kind"] == kind:
            counts[event.fields["name"], event.fields["python_thread_id"]] += event.fields["calls"]
    return counts


def begun(trace, kind="begin"):
    """How often each function or C callable was recorded to start, by name and Python thread."""
    return collections.Counter((moment.name, thread.number) for thread in trace.threads
                               for moment in thread.moments if moment.kind == kind and moment.how in (None, "start"))


def numbered(counts):
    """Those of f000, f001, ..."""
    return {key: count for key, count in counts.items() if re.match(r"f\d\d\d$", key[0])}


# The template that `pinsight config init` writes.

MANY = """
import threading
source = "".join("def f%03d(x):\\n    return x + 1\\n" % number for number in range(300))
exec(compile(source, "many.py", "exec"))
functions = [globals()["f%03d" % number] for number in range(300)]

def run():
    for _ in range(500):
        for function in functions:
            function(1)

threads = [threading.Thread(target=run) for _ in range(3)]
for thread in threads: thread.start()
run()
for thread in threads: thread.join()
"""


def template(folder):
    path = folder / "template.ini"
    subprocess.run([places.COMMAND, "config", "init", "-o", str(path)], check=True, stdout=subprocess.DEVNULL)
    return path.read_text()


def test_template(python, run_traced, tmp_path):
    """300 functions called 500 times in each of 4 threads: 100 of each in the main thread, none in others."""
    program = tmp_path / "many_program.py"
    program.write_text(MANY)
    trace = run_traced(python, program, *configured(tmp_path, template(tmp_path))).trace
    trace.assert_balanced(selected=True)
    assert numbered(begun(trace)) == {("f%03d" % number, 0): 100 for number in range(300)}
    assert {number for _, number in begun(trace)} == {0}
    ended = [event.fields for event in trace.infos["window_end"] if event.fields["filename"] == "many.py"]
    assert len(ended) == 300
    for fields in ended:
        assert fields["recorded"] == 100 and fields["executions"] == 100 and fields["cause"] == 0
        assert fields["rule"].endswith("test.ini:23") and fields["after"] == "STANDBY", fields


def test_template_monitoring(python, run_traced, tmp_path):
    """Counted in the main thread, exactly; others are out of range."""
    program = tmp_path / "many_program.py"
    program.write_text(MANY)
    text = template(tmp_path) + "[Python]\n trace_mode = MONITORING\n"
    trace = run_traced(python, program, *configured(tmp_path, text)).trace
    assert not begun(trace) and not trace.infos["window_end"]
    assert numbered(profiled(trace)) == {("f%03d" % number, 0): 500 for number in range(300)}
    assert {number for _, number in profiled(trace)} == {0}


@pytest.mark.parametrize("spread", ["0-0", "*"])
def test_counted_after_the_window(python, spread, run_traced, tmp_path):
    """trace_mode_after = MONITORING: 100 of each are traced, all others counted."""
    program = tmp_path / "many_program.py"
    program.write_text(MANY)
    text = template(tmp_path) + "[Python.punit.thread]\nrange = %s\n[Lexgion.default]\n" % spread
    text += "trace_mode_after = MONITORING\n"
    trace = run_traced(python, program, *configured(tmp_path, text)).trace
    trace.assert_balanced(selected=True)
    traced, counted = collections.Counter(), collections.Counter()
    for (name, number), count in numbered(begun(trace)).items():
        assert spread == "*" or number == 0
        traced[name] += count
    for (name, number), count in numbered(profiled(trace)).items():
        assert spread == "*" or number == 0
        counted[name] += count
    calls = 500 if spread == "0-0" else 2000
    names = ["f%03d" % number for number in range(300)]
    assert traced == {name: 100 for name in names}
    assert counted == {name: calls - 100 for name in names}


# Sampling, beside what the twin saw.

SAMPLED = {"recursing": (3, 8), "generating": (3, 8), "raising": (3, 8), "awaiting": (3, 8), "managing": (3, 8),
           "decorating": (3, 8), "many_functions": (3, 8), "calling_back": (3, 8),
           "task_groups": (3, 11), "many_tasks": (3, 8)}
WINDOWS = {"sampled": Window(7, 10), "few": Window(0, 1, 3), "late": Window(2, 3, 4), "none": Window(0, 1, 0),
           "one": Window(0, 1, 1)}


def short(python, moments):
    """Names as far as this Python's twin knows them."""
    for kind, name, how in moments:
        yield kind, name if python.version >= (3, 11) else name.rpartition(".")[2], how


def sample(python, program, windows, names, run_traced, tmp_path, after="STANDBY"):
    path = places.PROGRAMS / (program + ".py")
    text = "[Python]\nevents = function\nmodule_filter = __main__\nnames = %s\n[Lexgion.default]\n%s" % (
        names, lines(windows[""]))
    text += "trace_mode_after = %s\n" % after
    for name, window in windows.items():
        if name:
            text += "[Lexgion(Python:%s.py:%s)]\n%s" % (program, name, lines(window))
    trace = run_traced(python, path, *configured(tmp_path, text)).trace
    trace.assert_balanced(selected=True)
    assert trace.totals("lost_frames") == 0
    selector = Selector(lambda name: windows.get(name, windows[""]), path)
    main = next(thread for thread in run_twin(python, path, tmp_path) if thread["main"])
    expected = list(short(python, selector.functions(main["moments"])))
    seen = list(short(python, [moment[:3] for thread in trace.threads if thread.number == 0
                               for moment in thread.moments]))
    assert_same(expected, seen, "main thread")
    return trace, selector


@pytest.mark.parametrize("program", SAMPLED)
@pytest.mark.parametrize("window", ["sampled", "few"])
def test_sampled(python, program, window, run_traced, tmp_path):
    if python.version < SAMPLED[program]:
        pytest.skip("the language has this from %d.%d on" % SAMPLED[program])
    trace, selector = sample(python, program, {"": WINDOWS[window]}, "inline", run_traced, tmp_path)
    if WINDOWS[window].most > 0:
        full = [count for key, count in selector.recorded.items() if count == WINDOWS[window].most]
        ends = [event.fields for event in trace.infos["window_end"]]
        assert len(ends) == len(full)
        assert all(fields["recorded"] == WINDOWS[window].most and fields["cause"] == 0 for fields in ends)


@pytest.mark.parametrize("program", ["recursing", "generating", "many_tasks"])
@pytest.mark.parametrize("window", ["sampled", "late", "none", "one"])
def test_sampled_registry(one_of_each, program, window, run_traced, tmp_path):
    sample(one_of_each, program, {"": WINDOWS[window]}, "registry", run_traced, tmp_path)
