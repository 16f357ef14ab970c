"""The file recorder under load: many processes, threads and forks, and every call that they counted is in the trace.

Each test has a short form for every run; the long one takes its size from the environment.
"""
import os
import re

import pytest

from support.counted import calls, counted, no_buffer_is_left, report, run, streams

STORM_SECONDS = int(os.environ.get("PINSIGHT_STORM_SECONDS", "60"))
THREADS = int(os.environ.get("PINSIGHT_THREADS_AT_ONCE", "2000"))
FORKS = int(os.environ.get("PINSIGHT_FORKS", "1000"))


def short_and_long(short, long):
    return [short, pytest.param(long, id="long", marks=pytest.mark.long)]


def lost_nothing(folder):
    told = report(folder)["not_recorded"]
    return told["warnings"] == [] and told["lost_frames"] == told["discarded_events"] == told["damaged_streams"] == 0


# Each twentieth process executes a Python of its own, the others are forks of one that has run for some time.
STORM = """
import time
of_each = 20
if len(sys.argv) > 3:
    work(int(sys.argv[3]), of_each)
    sys.exit()
seconds = int(sys.argv[2])
began = time.monotonic()
for number in range(200 * seconds):
    time.sleep(max(0, began + number / 200 - time.monotonic()))
    if number % 20 == 0:
        os.posix_spawn(sys.executable, [sys.executable, *sys.argv[:3], str(number)], os.environ)
    elif os.fork() == 0:
        work(number, of_each)
        os._exit(0)
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass
took = time.monotonic() - began
try:
    while True:
        os.wait()
except ChildProcessError:
    print("%.0f processes a second" % (200 * seconds / took))
"""


@pytest.mark.alone
@pytest.mark.parametrize("seconds", short_and_long(1, STORM_SECONDS))
def test_storm_of_processes(seconds, tmp_path, newest):
    done, folder = run(tmp_path, STORM, str(seconds), options=("--no-summary",), python=newest.path,
                       places_of_counts=200 * seconds)
    assert done.returncode == 0, done.stderr
    assert counted(tmp_path) == (20,) * 200 * seconds
    assert calls(folder) == 20 * 200 * seconds and no_buffer_is_left(folder) and lost_nothing(folder)
    assert len(streams(folder)) >= 200 * seconds
    print(done.stdout.strip())


# All of them have recorded more than a buffer holds when the folder is measured.
AT_ONCE = """
import time
number_of_threads, each = int(sys.argv[2]), int(sys.argv[3])
threading.stack_size(256 * 1024)
begun = threading.Semaphore(0)
measured = threading.Event()
def one(number):
    work(number, each)
    begun.release()
    measured.wait()
    work(number_of_threads + number, 10)
threads = [threading.Thread(target=one, args=(number,)) for number in range(number_of_threads)]
[thread.start() for thread in threads]
[begun.acquire() for thread in threads]
size = 0
for folder, _, names in os.walk(sys.argv[4]):
    size += sum(os.stat(os.path.join(folder, name)).st_blocks * 512 for name in names if name[0] == ".")
print("threads", len(os.listdir("/proc/self/task")), "buffers", size)
print(open("/proc/self/status").read())
measured.set()
[thread.join() for thread in threads]
"""


@pytest.mark.parametrize("threads", short_and_long(100, THREADS))
def test_threads_at_once(threads, tmp_path, newest):
    each = 18000
    done, folder = run(tmp_path, AT_ONCE, str(threads), str(each), str(tmp_path / "trace"), options=("--no-summary",),
                       python=newest.path, places_of_counts=2 * threads)
    assert done.returncode == 0, done.stderr
    assert calls(folder) == sum(counted(tmp_path)) == threads * (each + 10) and lost_nothing(folder)
    told = {name: int(number) for name, number in re.findall(r"(threads|buffers|VmHWM:|RssFile:)\s+(\d+)", done.stdout)}
    print(told, len(streams(folder)), "streams")
    assert told["threads"] >= threads
    assert told["buffers"] < 300 * 1024 * threads  # 600 MB for 2,000
    assert len(streams(folder)) < threads + 10


# fork(), _Fork(), a bare clone(), and a fork in a signal handler of Python's.
FORKING = """
import ctypes, platform, signal
libc = ctypes.PyDLL(None)
clone = {"x86_64": 56, "aarch64": 220}[platform.machine()]
ways = [os.fork, lambda: libc.syscall(clone, signal.SIGCHLD, 0, 0, 0, 0), getattr(libc, "_Fork", os.fork)]
forks = int(sys.argv[2])
more = [threading.Thread(target=work, args=(number, -1), daemon=True) for number in (1, 2, 3)]
[thread.start() for thread in more]
def child(number):
    work(number, 50)
    os._exit(0)
handled = []
def in_handler(signum, frame):
    handled.append(len(handled))
    pid = ways[len(handled) % 3]()
    if not pid:
        child(10 + number)
    os.waitpid(pid, 0)
signal.signal(signal.SIGUSR1, in_handler)
for number in range(forks):
    if number % 4 == 0:
        os.kill(os.getpid(), signal.SIGUSR1)
    else:
        pid = ways[number % 3]()
        if not pid:
            child(10 + number)
        os.waitpid(pid, 0)
assert len(handled) == (forks + 3) // 4
work(0, 1000)
view[5] = sum(view[:4])
os._exit(0)
"""


@pytest.mark.storm
@pytest.mark.parametrize("forks", short_and_long(60, FORKS))
def test_forks_while_threads_record(forks, tmp_path):
    done, folder = run(tmp_path, FORKING, str(forks), places_of_counts=10 + forks)
    assert done.returncode == 0, done.stderr
    own = counted(tmp_path)
    assert own[10:] == (50,) * forks
    found = calls(folder)
    assert own[5] + 50 * forks <= found <= sum(own[:4]) + 3 + 50 * forks
    assert no_buffer_is_left(folder)
    told = report(folder)["not_recorded"]
    assert told["warnings"] == [] and told["damaged_streams"] == told["discarded_events"] == 0
    print("%d calls, %d to %d were counted" % (found, own[5] + 50 * forks, sum(own[:4]) + 50 * forks))
