"""Who starts a program's threads and processes: the starter, its line, and the function, equal to what the programs note
themselves."""
import json
import os
import subprocess

import pytest

from support import native, places

# A program says at each start with `starts()` what follows, and each thread says with `began()` what it is.
NOTES = """
import json, os, sys, threading, _thread, time
notes = []
def began(runs):
    frame = sys._getframe(1)
    notes.append([threading.get_native_id(), runs, name_of(threading.current_thread())])
def name_of(thread):
    return None if isinstance(thread, threading._DummyThread) else thread.name
def line():
    return sys._getframe(1).f_lineno
def report(**lines):
    print(json.dumps([os.getpid(), threading.get_native_id(), notes, lines]))
"""

POOLS = NOTES + """
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import ThreadPool

def work(together):
    began("work")
    together.wait()

def executor():
    together = threading.Barrier(3)
    with ThreadPoolExecutor(3, thread_name_prefix="pool") as pool:
        futures = []
        for number in range(3):
            futures.append(pool.submit(work, together))  # EXECUTOR
        [future.result() for future in futures]

def pool():
    together = threading.Barrier(2)
    with ThreadPool(2) as pool:  # POOL
        pool.map(work, [together] * 2, chunksize=1)

executor()
pool()
report()
"""

KINDS = NOTES + """
class Worker(threading.Thread):
    def run(self):
        began("Worker.run")

class Holder:
    def method(self):
        began("Holder.method")

def timed():
    began("timed")

def raw(done):
    began("raw")
    done.release()

def inner():
    began("inner")

def outer():
    began("outer")
    thread = threading.Thread(target=inner, name="the inner")
    thread.start()  # INNER
    thread.join()

def main():
    worker = Worker(name="the worker")
    worker.start()  # WORKER
    timer = threading.Timer(0.001, timed)
    timer.start()  # TIMER
    method = threading.Thread(target=Holder().method)
    method.start()  # METHOD
    done = _thread.allocate_lock()
    done.acquire()
    _thread.start_new_thread(raw, (done,))  # RAW
    done.acquire()
    nested = threading.Thread(target=outer, name="the outer")
    nested.start()  # OUTER
    for thread in worker, timer, method, nested:
        thread.join()
    time.sleep(0.05)

main()
report()
"""

RENAMED = NOTES + """
def own():
    threading.current_thread().name = "own name"
    for number in range(10):
        time.sleep(0)
    began("own")

def others(ready, go):
    ready.set()
    go.wait()
    time.sleep(0)
    began("others")

first = threading.Thread(target=own)
first.start()
first.join()
ready, go = threading.Event(), threading.Event()
second = threading.Thread(target=others, args=(ready, go))
second.start()
ready.wait()
second.name = "another's name"
go.set()
second.join()
report()
"""

SOURCE = """
#include <pthread.h>
typedef int (*callback)(int);
static void *run(void *call) {
    ((callback)call)(1);
    return 0;
}
void many(callback call, int threads) {
    pthread_t all[8];
    for (int i = 0; i < threads; i++)
        pthread_create(&all[i], 0, run, (void *)call);
    for (int i = 0; i < threads; i++)
        pthread_join(all[i], 0);
}
"""

OF_C = NOTES + """
import ctypes
library = ctypes.CDLL(sys.argv[1])
kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)

def called(number):
    began("called")
    time.sleep(0.01)
    return number

def main():
    library.many(kind(called), 3)  # C

main()
report()
"""


def screen(folder, *options, columns=80):
    done = subprocess.run([places.COMMAND, "report", "-q", *options, str(folder)], stdout=subprocess.PIPE, encoding="utf-8",
                          env=dict(os.environ, COLUMNS=str(columns), LC_ALL="C.UTF-8"), check=True)
    return done.stdout


def line_of(program, mark):
    return 1 + next(number for number, line in enumerate(program.splitlines()) if line.endswith("# " + mark))


def starts_of(traced):
    return {start["tid"]: start for start in traced.report("--starts")["thread_starts"]}


def noted(traced):
    pid, main, notes, _ = json.loads(traced.stdout)
    return main, {tid: (runs, name) for tid, runs, name in notes}


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("starts-of-c")
    (folder / "many.c").write_text(SOURCE)
    subprocess.run([native.COMPILER, "-shared", "-fPIC", "-o", folder / "libmany.so", folder / "many.c", "-lpthread"], check=True)
    return folder / "libmany.so"


def test_pools(python, run_traced):
    traced = run_traced(python, POOLS, file="pools.py")
    main, notes = noted(traced)
    starts = starts_of(traced)
    assert len(notes) == 5
    for tid, (_, name) in notes.items():
        start = starts[tid]
        assert start["name"] == name and start["starter_tid"] == main and start["starter"] == "MainThread"
        mark = "EXECUTOR" if name.startswith("pool") else "POOL"
        assert (start["function"], start["line"]) == (mark.lower(), line_of(POOLS, mark))
        assert start["runs"] == ("_worker" if mark == "EXECUTOR" else "worker")
    # ThreadPool has three threads of its own beside its workers.
    assert len(starts) == 3 + 2 + 3


def test_kinds(python, run_traced):
    traced = run_traced(python, KINDS, file="kinds.py")
    main, notes = noted(traced)
    starts = starts_of(traced)
    assert sorted(runs for runs, _ in notes.values()) == ["Holder.method", "Worker.run", "inner", "outer", "raw", "timed"]
    tid_of = {runs: tid for tid, (runs, _) in notes.items()}
    marks = {"Holder.method": "METHOD", "Worker.run": "WORKER", "inner": "INNER", "outer": "OUTER", "raw": "RAW", "timed": "TIMER"}
    for tid, (runs, name) in notes.items():
        start = starts[tid]
        assert start["runs"] == runs
        assert start["line"] == line_of(KINDS, marks[runs]), runs
        assert start["function"] == ("outer" if runs == "inner" else "main")
        assert start["starter_tid"] == (tid_of["outer"] if runs == "inner" else main)
        assert start["starter"] == ("the outer" if runs == "inner" else "MainThread")
        assert start["runs_file"].endswith("kinds.py")
        if name:
            assert start["name"] == name
    assert set(starts) == set(notes)


def test_a_name_is_not_of_an_earlier_thread(python, run_traced):
    """`threading` keeps the object that it made for another module's thread, and the next thread may get its ident."""
    traced = run_traced(python, KINDS.replace('name="the outer"', ""), file="kinds.py")
    _, notes = noted(traced)
    tid, name = next((tid, name) for tid, (runs, name) in notes.items() if runs == "outer")
    assert starts_of(traced)[tid]["name"] == name


def test_later_names(python, run_traced):
    traced = run_traced(python, RENAMED, file="renamed.py")
    _, notes = noted(traced)
    assert sorted(name for _, name in notes.values()) == ["another's name", "own name"]
    for tid, start in starts_of(traced).items():
        if not (not python.has_gil and notes[tid][1] == "another's name"):
            assert start["name"] == notes[tid][1]


def test_threads_of_c(python, run_traced, library):
    traced = run_traced(python, OF_C, arguments=[library], file="of_c.py")
    main, notes = noted(traced)
    starts = starts_of(traced)
    assert len(notes) == 3 and set(starts) == set(notes)
    for start in starts.values():
        assert (start["runs"], start["function"], start["line"]) == ("called", "main", line_of(OF_C, "C"))
        assert start["starter_tid"] == main


def test_without_the_preloaded_library(newest, run_traced):
    """The function is known; the starter is not."""
    traced = run_traced(newest, KINDS, env={"PINSIGHT_PLAIN": "1"}, file="kinds.py")
    _, notes = noted(traced)
    starts = starts_of(traced)
    for tid, (runs, _) in notes.items():
        assert starts[tid]["runs"] == runs
        assert starts[tid]["starter_tid"] is None and starts[tid]["line"] is None


TREE = """
import json, multiprocessing, os, subprocess, sys, time
notes = []
def note(pid, line, status=None):
    notes.append([os.getpid(), pid, line, status])
def line():
    return sys._getframe(1).f_lineno
def say(*words):  # at once, because processes run beside each other
    os.write(1, (json.dumps(words) + "\\n").encode())
"""

METHODS = TREE + """
def work(status):
    say(os.getpid(), os.getppid(), multiprocessing.current_process().name)
    sys.exit(status)

def main():
    context = multiprocessing.get_context(sys.argv[1])
    first = context.Process(target=work, args=(0,))
    first.start()  # FIRST
    second = context.Process(target=work, args=(3,), name="the second")
    second.start()  # SECOND
    first.join()
    second.join()

if __name__ == "__main__":
    main()
"""

SUBPROCESSES = TREE + """
def main(depth):
    say(os.getpid(), os.getppid(), depth)
    if depth == 3:
        os.kill(os.getpid(), 15)
    if depth < 3:
        process = subprocess.Popen([sys.executable, __file__, str(depth + 1)])  # POPEN
        process.wait()
    if depth == 2:
        sys.exit(7)

main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
"""

FORKS = TREE + """
def child():
    say(os.getpid(), os.getppid(), "fork")
    os._exit(5)

def forks():
    pid = os.fork()  # FORK
    if pid == 0:
        child()
    os.waitpid(pid, 0)

def spawns():
    pid = os.posix_spawn(sys.executable, [sys.executable, "-c", "import os; print('[%d, %d, \\"spawn\\"]' % (os.getpid(), os.getppid()))"], os.environ)  # SPAWN
    os.waitid(os.P_PID, pid, os.WEXITED)

sys.stdout.flush()
forks()
spawns()
"""


def tree_of(traced):
    return {process["pid"]: process for process in traced.report()["processes"]}


def told(traced):
    """{pid: [ppid, what]}, as the processes print it."""
    return {pid: (ppid, what) for pid, ppid, what in map(json.loads, traced.stdout.splitlines())}


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes_of_multiprocessing(method, python, run_traced):
    traced = run_traced(python, METHODS, arguments=[method], file="methods.py")
    tree = tree_of(traced)
    children = told(traced)
    assert sorted(what for _, what in children.values())[-1] == "the second" and len(children) == 2
    for pid, (ppid, name) in children.items():
        process = tree[pid]
        assert process["ppid"] == ppid and process["own_name"] == name
        mark = "SECOND" if name == "the second" else "FIRST"
        assert (process["start_function"], process["start_line"]) == ("main", line_of(METHODS, mark))
        assert process["exit_status"] == (3 if mark == "SECOND" else 0)


SERVED = TREE + """
import threading

def work(depth):
    say(os.getpid(), os.getppid(), multiprocessing.current_process().name)
    if depth:
        again = context.Process(target=work, args=(0,), name="again")
        again.start()  # AGAIN
        again.join()

def left():
    for _ in range(3):
        process = context.Process(target=work, args=(0,), name="left")
        process.start()  # LEFT
        process.join()

def right():
    for _ in range(3):
        process = context.Process(target=work, args=(0,), name="right")
        process.start()  # RIGHT
        process.join()

def main():
    process = context.Process(target=work, args=(1,), name="deep")
    process.start()  # DEEP
    threads = [threading.Thread(target=target) for target in (left, right)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    process.join()

context = multiprocessing.get_context("forkserver")
if __name__ == "__main__":
    main()
"""


def test_children_of_a_fork_server(python, run_traced):
    """Each has the line that asked for it, whoever asks at the same time, and in whatever process. The server forks them all."""
    traced = run_traced(python, SERVED, file="served.py")
    tree = tree_of(traced)
    functions = {"deep": "main", "again": "work", "left": "left", "right": "right"}
    assert sorted(what for _, what in told(traced).values()) == ["again", "deep"] + 3 * ["left"] + 3 * ["right"]
    for pid, (ppid, name) in told(traced).items():
        process = tree[pid]
        assert process["ppid"] == ppid and process["own_name"] == name
        assert (process["start_function"], process["start_line"]) == (functions[name], line_of(SERVED, name.upper()))
        assert process["exit_status"] == 0


def test_subprocess_of_subprocess(python, run_traced):
    traced = run_traced(python, SUBPROCESSES, file="deep.py")
    tree = tree_of(traced)
    by_depth = {depth: pid for pid, (_, depth) in told(traced).items()}
    for depth, status in ((2, 7), (3, -15)):
        process = tree[by_depth[depth]]
        assert process["ppid"] == by_depth[depth - 1]
        assert (process["start_function"], process["start_line"]) == ("main", line_of(SUBPROCESSES, "POPEN"))
        assert process["exit_status"] == status
    assert tree[by_depth[1]]["start_line"] is None and tree[by_depth[1]]["exit_status"] is None


def test_fork_and_posix_spawn(python, run_traced):
    traced = run_traced(python, FORKS, file="forks.py")
    tree = tree_of(traced)
    marks = {"fork": ("forks", "FORK", 5), "spawn": ("spawns", "SPAWN", 0)}
    assert len(told(traced)) == 2
    for pid, (ppid, what) in told(traced).items():
        function, mark, status = marks[what]
        process = tree[pid]
        assert process["ppid"] == ppid and process["exit_status"] == status
        assert (process["start_function"], process["start_line"]) == (function, line_of(FORKS, mark))


def test_the_tree_on_a_screen(newest, run_traced):
    """Children stand indented below their parents."""
    traced = run_traced(newest, SUBPROCESSES, file="deep.py")
    text = screen(traced.folder, "--starts")
    rows = text[text.index("\nProcesses"):].splitlines()[3:6]
    assert [len(row) - len(row.lstrip()) for row in rows] == [1, 3, 5], text
    assert "signal 15" in rows[2] and "deep.py:" in rows[1], text


TITLE = """
import ctypes, os, sys
# What setproctitle does: it writes over the arguments.
libc = ctypes.CDLL(None)
with open("/proc/self/stat") as file:
    fields = file.read().rpartition(")")[2].split()
begin, end = int(fields[45]), int(fields[46])
ctypes.memset(begin, 0, end - begin)
ctypes.memmove(begin, b"the title", 9)
"""


def test_a_title(newest, run_traced):
    traced = run_traced(newest, TITLE, file="title.py")
    (process,) = tree_of(traced).values()
    assert process["title"] in ("the title", "'the title'")


WORKERS = TREE + """
import concurrent.futures

def work(number):
    time.sleep(0.05)
    return [os.getpid(), os.getppid(), multiprocessing.current_process().name]

def executor():
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        return list(pool.map(work, range(6)))  # EXECUTOR

def pool():
    with multiprocessing.get_context("fork").Pool(2) as pool:  # POOL
        got = pool.map(work, range(6), chunksize=1)
        pool.close()
        pool.join()
    return got

if __name__ == "__main__":
    for which in executor, pool:
        for pid in {tuple(told) for told in which()}:
            print(json.dumps([pid[0], pid[1], [which.__name__, pid[2]]]))
"""


def test_pools_of_processes(one_of_each, run_traced):
    traced = run_traced(one_of_each, WORKERS, file="workers.py")
    tree = tree_of(traced)
    assert len(told(traced)) >= 2
    for pid, (ppid, (which, name)) in told(traced).items():
        process = tree[pid]
        assert process["ppid"] == ppid and process["own_name"] == name and process["exit_status"] == 0
        assert (process["start_function"], process["start_line"]) == (which, line_of(WORKERS, which.upper()))


GUNICORN = """
import json, os, signal, threading, time
bind = "unix:" + os.environ["SOCKET"]
workers = 2
started = []

def note(what):
    os.write(1, json.dumps([os.getpid(), os.getppid(), what]).encode() + b"\\n")

def post_worker_init(worker):
    note("worker")

def post_fork(server, worker):
    worker.log.info("forked")

def when_ready(server):
    note("master")
    def end():
        time.sleep(3)
        os.kill(os.getpid(), signal.SIGTERM)
    threading.Thread(target=end, daemon=True).start()
"""


def test_gunicorn(newest, run_traced, tmp_path):
    """Its master forks the workers, and waits for them."""
    (tmp_path / "app.py").write_text("def app(environ, respond):\n    respond('200 OK', [])\n    return []\n")
    (tmp_path / "gunicorn.conf.py").write_text(GUNICORN)
    traced = run_traced(newest, ["-m", "gunicorn", "-c", str(tmp_path / "gunicorn.conf.py"), "--chdir", str(tmp_path), "app:app"],
                        packages=["gunicorn"], env={"SOCKET": str(tmp_path / "socket")})
    tree = tree_of(traced)
    by_role = {}
    for pid, (ppid, what) in told(traced).items():
        by_role.setdefault(what, []).append((pid, ppid))
    ((master, _),) = by_role["master"]
    assert len(by_role["worker"]) == 2
    for pid, ppid in by_role["worker"]:
        assert ppid == master == tree[pid]["ppid"]
        assert tree[pid]["exit_status"] == 0
        assert tree[pid]["start_through"] or tree[pid]["start_function"]
