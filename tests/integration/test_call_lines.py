"""From which line each function is called: the trace against sys.setprofile in the program itself."""
import json

import pytest

PROGRAM = r'''
import collections, functools, json, sys, threading

def leaf(n):
    return n + 1

def recursing(n):
    return 0 if n == 0 else recursing(n - 1) + 1

def generating(n):
    for i in range(n):
        yield leaf(i)

def raising(n):
    raise ValueError(n)

def wrapped(function):
    @functools.wraps(function)
    def wrapper(*arguments):
        leaf(1)
        return function(
            *arguments)
    return wrapper

@wrapped
def decorated(n):
    return leaf(n)

class Table:
    def __init__(self, n):
        self.rows = [leaf(i) for i in range(n)]
    def __getitem__(self, key):
        return leaf(key)
    @property
    def size(self):
        return leaf(len(self.rows))
    def __call__(self, key):
        return self[key]

def everything():
    leaf(1); leaf(2)
    table = Table(3)
    for i in range(50):
        table[i]
        table.size
        table(i)
    decorated(4)
    recursing(5)
    sum(generating(6))
    [leaf(i) for i in generating(3)]
    try:
        raising(1)
    except ValueError:
        leaf(3)
    (lambda: leaf(7))()

def main():
    everything()
    thread = threading.Thread(target=everything)
    thread.start()
    thread.join()

def oracle():
    seen = collections.Counter()
    def profile(frame, event, argument):
        code, back = frame.f_code, frame.f_back
        if event != "call" or code.co_filename != __file__ or not back or back.f_code.co_filename != __file__:
            return
        seen[back.f_code.co_name, back.f_lineno, code.co_name] += 1
    threading.setprofile(profile)
    sys.setprofile(profile)
    main()
    sys.setprofile(None)
    json.dump([[*key, count] for key, count in seen.items()], open(sys.argv[2], "w"))

oracle() if sys.argv[1] == "oracle" else main()
'''
# Of these the caller is C that is recorded, or a generator goes on: the line is that of the call around it.
EXCLUDED = {"generating", "<genexpr>", "<listcomp>", "profile", "oracle", "main", "<module>"}


def last(name):
    return name.split(".")[-1]


@pytest.mark.parametrize("how", [["file"], ["lttng", "--names", "registry"], ["lttng", "--names", "inline"],
                                 ["file", "--mode", "MONITORING"]], ids=" ".join)
@pytest.mark.every_python
def test_as_the_program_sees_them(python, how, run_traced, tmp_path):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    noted = tmp_path / "noted"
    told = run_traced(python, [str(file), "main"], "--recorder", *how).report("--links", "--limit", "0")
    run_traced(python, [str(file), "oracle", str(noted)], "--mode", "OFF")
    expected = {(caller, line, callee): count for caller, line, callee, count in json.loads(noted.read_text())
                if not {caller, callee} & EXCLUDED}
    found = {(last(row["function"]), row["line"], last(row["callee"])): row["calls"] for row in told["links"]["calls"]
             if row["kind"] == "function" and not {last(row["function"]), last(row["callee"])} & EXCLUDED}
    found = {key: count for key, count in found.items() if key[2] in {callee for _, _, callee in expected}}
    assert found == expected
    assert any(count == 100 and callee == "__getitem__" for (_, _, callee), count in found.items())

