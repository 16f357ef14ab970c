"""What a program would find without PInsight: in sets of functions, in code extras of its own, after forks in hooks,
under limits, and when it is stopped."""

import os
import resource
import signal
import subprocess
import time

import pytest
from support import places

KEYS = """
import os, signal, sys
import _imp
KEYS = {os._exit: 1, sys.setprofile: 2, os.execv: 3, _imp.create_dynamic: 4, signal.getsignal: 5}
SET = set(KEYS)
"""
FOUND = """
import os, sys, sitecustomize
print(os.execve in os.supports_fd,
      list(sitecustomize.KEYS.values()), [sitecustomize.KEYS.get(key) for key in sitecustomize.KEYS],
      all(key in sitecustomize.SET for key in sitecustomize.KEYS))
"""


@pytest.mark.every_python
def test_functions_are_found_in_sets_and_dictionaries(python, run_traced, tmp_path):
    """The hash of a function in C changes when PInsight replaces what it calls."""
    (tmp_path / "sitecustomize.py").write_text(KEYS)
    env = {"PYTHONPATH": str(tmp_path)}
    alone = subprocess.run([str(python.path), "-c", FOUND], env=dict(os.environ, **env), stdout=subprocess.PIPE,
                           encoding="utf-8").stdout
    assert "True" in alone and "False" not in alone, alone
    assert run_traced(python, FOUND, env=env).stdout == alone


EXTRA = """
import ctypes, gc
py = ctypes.pythonapi
free = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
calls = []
FREE = free(calls.append)
request = getattr(py, "PyUnstable_Eval_RequestCodeExtraIndex", None) or py._PyEval_RequestCodeExtraIndex
request.argtypes, request.restype = (free,), ctypes.c_ssize_t
set_extra = getattr(py, "PyUnstable_Code_SetExtra", None) or py._PyCode_SetExtra
set_extra.argtypes, set_extra.restype = (ctypes.py_object, ctypes.c_ssize_t, ctypes.c_ssize_t), ctypes.c_int
index = request(FREE)
made = compile("def mine(): pass", "mine", "exec").co_consts[0]
set_extra(made, index, 77)
def other(): pass
code = other.__code__
for k in range(5):
    scope = {}
    exec("def f(): pass\\nf()", scope)
del scope
del made
gc.collect()
print("free function called with", calls)
class C:                                     # whose code goes at the interpreter's end, after ctypes
    def m(self): pass
C().m()
"""


@pytest.mark.every_python
def test_free_functions_of_others_are_called_for_their_code_alone(python, run_traced):
    traced = run_traced(python, EXTRA, file="extra.py")
    assert traced.stdout == "free function called with [77]\n"


HOOK = """
import os, warnings
warnings.simplefilter("always")
def again():
    if not done:
        done.append(1)
        fork()
def fork():
    pid = os.fork()
    if pid == 0: os._exit(0)
    os.waitpid(pid, 0)
done = []
os.register_at_fork(after_in_parent=again)
fork(); fork()
"""


def test_a_fork_in_a_hook_of_a_fork_warns_of_no_thread(newest, run_traced):
    assert "Deprecation" not in run_traced(newest, HOOK, "-q", "--no-summary").stderr


LIMITED = """
import sys, threading
def f(): pass
for i in range(1000): f()
if sys.argv[1] == "together":
    barrier = threading.Barrier(4)
    threads = [threading.Thread(target=barrier.wait, daemon=True) for _ in range(3)]
    for thread in threads: thread.start()
    barrier.wait()
    for thread in threads: thread.join()
else:
    for i in range(int(sys.argv[2])):
        thread = threading.Thread(target=f); thread.start(); thread.join()
print(max(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmPeak")))
"""


@pytest.mark.parametrize("threads", ["together", "in turn"])
def test_addresses_are_few_where_they_are_limited(threads, one_of_each, tmp_path):
    """10 MiB more than a program has by itself are enough (ulimit -v), also for the stacks of its threads. A thread that was
    joined has its stack until it ends, so the next one may have to wait."""
    def run(*command, times="30", limit=resource.RLIM_INFINITY):
        done = subprocess.run([*command, str(one_of_each.path), "-c", LIMITED, threads, times], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, encoding="utf-8", env=dict(os.environ, MALLOC_ARENA_MAX="1"),
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        assert (done.returncode, done.stderr) == (0, "")
        return int(done.stdout)

    alone = run(times="1")
    run(places.COMMAND, "run", "-q", "-o", str(tmp_path / "trace"), "--no-summary", "--", limit=(alone + 10240) << 10)


MASKED = """
import os
def f(x): return x + 1
for i in range(60000): f(i)
if os.fork() == 0:
    for i in range(1000): f(i)
    os._exit(0)
os.wait()
"""


@pytest.mark.parametrize("where", ["before", "within"])
@pytest.mark.parametrize("mask", [0o277, 0o777, 0o222, 0])
def test_the_mask_of_new_files_is_the_programs_alone(mask, where, newest, run_command, tmp_path):
    """The files of the trace have modes of their own, whatever the program's umask is."""
    within = "import os\nos.umask(%d)\n" % mask if where == "within" else ""
    shell = ["bash", "-c", "umask %o; exec \"$@\"" % mask, "bash"] if where == "before" else []
    traced = run_command(*shell, newest.path, "-c", within + MASKED, options=["-q", "--no-summary"])
    assert (traced.rc, traced.stderr) == (0, "")
    assert sum(row["calls"] for row in traced.report()["functions"] if row["name"] == "f") == 61000
    for path in traced.folder.rglob("*"):
        assert path.stat().st_mode & 0o077 == 0 or path.is_dir() or path.parent == traced.folder, path


WAITS_IN_C = """
import ctypes, os, signal, threading, time
# The main thread waits in C, without the GIL, for what another thread does; a signal comes meanwhile.
libc = ctypes.CDLL(None)
reads, writes = os.pipe()
signal.signal(signal.SIGCHLD, lambda *more: None)
signal.siginterrupt(signal.SIGCHLD, False)  # read(2) goes on after it
def f(): pass
def work():
    time.sleep(0.2)
    os.kill(os.getpid(), signal.SIGCHLD)
    for i in range(20000): f()
    os.write(writes, b"x")
threading.Thread(target=work, daemon=True).start()
assert libc.read(reads, ctypes.create_string_buffer(1), 1) == 1
print("came")
"""


@pytest.mark.every_python
def test_a_signal_while_the_main_thread_is_in_c_stops_no_thread(python, run_traced):
    """CPython 3.11 would hang here with any profile function."""
    assert run_traced(python, WAITS_IN_C, "-q", "--no-summary", timeout=30).stdout == "came\n"


def wait_for(what):
    for _ in range(3000):
        got = what()
        if got:
            return got
        time.sleep(0.01)
    raise AssertionError("did not come")


def state(pid):
    with open("/proc/%d/stat" % pid) as file:
        return file.read().rpartition(")")[2].split()[0]


def test_the_command_alone_is_stopped_and_continued(newest, tmp_path):
    program = "import os; open('pid', 'w').write('%d ' % os.getpid()); input()"
    with subprocess.Popen([places.COMMAND, "run", "-q", "-o", "trace", "--no-summary", "--", str(newest.path), "-c", program],
                          cwd=str(tmp_path), stdin=subprocess.PIPE, start_new_session=True) as run:
        file = tmp_path / "pid"
        pid = int(wait_for(lambda: file.exists() and file.read_text().endswith(" ") and file.read_text()))
        for _ in range(2):
            os.kill(pid, signal.SIGSTOP)
            wait_for(lambda: state(run.pid) == "T")
            os.kill(pid, signal.SIGCONT)
            wait_for(lambda: state(run.pid) != "T")
        run.communicate(b"\n")
    assert run.returncode == 0
