"""What MONITORING counted is in the trace however a process ends: by a signal, by Pool.terminate(), without its exit functions."""
import collections

import pytest

HEAD = """
import atexit, multiprocessing, os, signal, sys, threading

def leaf(n):
    return n

def work(count):
    for n in range(count):
        leaf(n)
    return count

def in_thread(count):
    thread = threading.Thread(target=work, args=(count,))
    thread.start()
    thread.join()

def die():
    os.kill(os.getpid(), signal.SIGKILL)
"""

# How it ends: what it does, how often leaf and work are called, and its exit status.
WAYS = {
    "killed": ("work(1000)\ndie()\n", 1000, 1, -9),
    "killed threads": ("for n in (10, 20, 30): in_thread(n)\nwork(40)\ndie()\n", 100, 4, -9),
    "killed child": ("work(100)\nif not os.fork():\n    work(50)\n    die()\nos.wait()\nwork(7)\n", 157, 3, 0),
    "terminated pool": ("if __name__ == '__main__':\n"
                        "    with multiprocessing.get_context('fork').Pool(2) as pool:\n"
                        "        assert sum(pool.map(work, [1000] * 3, chunksize=1)) == 3000\n", 3000, 3, 0),
    "no exit functions": ("work(10)\natexit._clear()\n", 10, 1, 0),
    "flushed before": ("work(10)\nif not os.fork():\n    os._exit(0)\nos.wait()\nwork(5)\n"
                       "os.execv(sys.executable, [sys.executable, '-c', 'def leaf(n): pass\\nleaf(1)'])\n", 16, 2, 0),
}


@pytest.mark.parametrize("way", WAYS)
def test_counts_outlive_their_process(one_of_each, way, run_traced):
    program, leaves, works, status = WAYS[way]
    traced = run_traced(one_of_each, HEAD + program, "--mode", "MONITORING", rc=status, file="ends.py")
    report = traced.report()
    calls = collections.Counter()
    for function in report["functions"]:
        calls[function["name"]] += function["calls"]
    assert (calls["leaf"], calls["work"]) == (leaves, works)
    # What was under way is said, where it has a time that nobody knows.
    cut_off = report["not_recorded"]["cut_off"]
    if way.startswith("killed"):
        assert cut_off > 0 and "%d call" % cut_off in traced.report_text()
        assert "Nothing was lost" not in traced.report_text() + traced.stderr
    elif way != "terminated pool":
        assert cut_off == 0 or way == "no exit functions"
    assert not [name for name in traced.folder.glob("trace/*/.*-counts-*")]


KILLED = """
import gc, os, signal
def f(): pass
for i in range(100): f()
gc.collect()
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_process_does_not_say(newest, run_traced, tmp_path):
    """Counts that only the process itself records are said to be missing."""
    windows = tmp_path / "windows.ini"
    windows.write_text("[Lexgion.default]\nmax_num_traces = 7\ntrace_starts_at = 2\ntrace_mode_after = STANDBY\n")
    text = " ".join(run_traced(newest, KILLED, "-c", windows, rc=-9).report_text().split())
    assert "Calls outside windows are not known of 1 process, which a signal ended, or which still runs." in text
    assert "Nothing was lost" not in text
    ended = run_traced(newest, KILLED.replace("os.kill", "print"), "-c", windows).report_text()
    assert "are not known of" not in ended and "outside" in ended
    text = " ".join(run_traced(newest, KILLED, "--mode", "MONITORING", rc=-9).report_text("--gc").split())
    assert "a process that a signal ends does not record them" in text
    assert "Collections of garbage that were counted there are missing." in text and "Nothing was lost" not in text
