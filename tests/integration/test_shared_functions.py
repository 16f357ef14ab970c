"""Functions that the program passes to other interpreters: whether they have run, and are recorded, changes nothing."""
import os
import subprocess

import pytest

PROGRAM = '''
import sys
import _interpreters
from concurrent import interpreters
from concurrent.futures import InterpreterPoolExecutor
sys.addaudithook(lambda event, arguments: event == "code.__new__" and print("audited", event))

def top(): return 3
def nothing(): pass
def with_default(a, b=2): return a
def uses_global(): return nothing()
def outer():
    def nested(): return 7
    return nested
nested, constant, adds = outer(), lambda: 42, lambda x: x + 1
closure = (lambda y: lambda: y)(1)
for function in top, nothing, uses_global, nested, constant, closure:
    function()
adds(1), with_default(1)
code = compile("y = 5", "<code>", "exec")
comprehension = compile("z = [x for x in (1, 2)]", "<comprehension>", "exec")
exec(code), exec(comprehension)
other = interpreters.create()
queue = interpreters.create_queue()

def show(what, do):
    try:
        print(what, do())
    except Exception as error:
        print(what, type(error).__name__)

if __name__ == "__main__":
    show("call", lambda: other.call(constant))
    show("nested", lambda: other.call(nested))
    show("argument", lambda: other.call(adds, 4))
    show("closure", lambda: other.call(closure))
    show("default", lambda: other.call(with_default, 1))
    show("global", lambda: other.call(uses_global))
    show("builtin", lambda: other.call(len, "abc"))
    show("function as an argument", lambda: other.call(lambda f: f(), constant))
    show("in a tuple", lambda: other.call(lambda f: f[1][0](), (1, (constant,))))
    show("in a list", lambda: other.call(lambda f: f[0](), [constant]))
    show("by keyword", lambda: other.call(lambda f: f(), f=constant))
    show("keywords", lambda: _interpreters.call(other.id, callable=constant))
    show("exec", lambda: other.exec(nothing))
    show("exec of a value", lambda: other.exec(constant))
    show("exec of code", lambda: other.exec(code))
    show("exec of code with a comprehension", lambda: other.exec(comprehension))
    show("exec of text", lambda: other.exec("print(y, z)"))
    show("run_func", lambda: _interpreters.run_func(other.id, nothing))
    show("put", lambda: queue.put(constant))
    show("get", lambda: queue.get(timeout=5)())
    show("shareable", lambda: _interpreters.is_shareable(constant))
    show("raises", lambda: other.call(lambda: 1 / 0))
    with InterpreterPoolExecutor(2, initializer=nothing) as pool:
        show("map", lambda: list(pool.map(adds, range(3))))
        show("submit", lambda: pool.submit(nested).result())
        show("top", lambda: pool.submit(top).result())
    try:
        import _interpchannels
        show("send", lambda: _interpchannels.send(_interpchannels.create(1), constant, blocking=False))
    except ImportError:
        pass
    print(constant(), nested(), adds.__code__.co_name)
    sys.stdout.flush()
'''


@pytest.mark.parametrize("mode", ["TRACING", "MONITORING"])
def test_they_are_passed_as_without_us(python, run_traced, tmp_path, mode):
    if python.version < (3, 14):
        pytest.skip("functions are passed by pickle alone")
    program = tmp_path / "passes.py"  # other interpreters execute it
    program.write_text(PROGRAM)
    plain = subprocess.run([python.path, program], stdout=subprocess.PIPE, universal_newlines=True, check=True,
                           timeout=120, env={**os.environ, "PYTHONHASHSEED": "0"})
    assert "call 42" in plain.stdout and "submit 7" in plain.stdout
    traced = run_traced(python, program, "--no-summary", env={"PINSIGHT_TRACE_PYTHON": mode})
    assert traced.stdout == plain.stdout
    constants = [function for function in traced.report("--limit", "0")["functions"]
                 if function["name"].endswith("<lambda>") and function["line"] == 15]
    assert constants, "its calls in this interpreter are recorded"
