"""The file recorder: every event that the program knows of is in the trace, whatever becomes of the program."""
import contextlib
import json
import os
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import time

import pytest

from support import places, world
from support.counted import calls, counted, make_another, no_buffer_is_left, read_by_babeltrace, report, run, stream_folder, streams

ROUNDS = int(os.environ.get("PINSIGHT_FILE_ROUNDS", "12"))


def lost_and_found(folder, said, calls):
    """Two events for each call of f are in the trace, or counted as lost."""
    seen = folder if isinstance(folder, dict) else report(folder)
    found = sum(row["calls"] for row in seen["functions"] if row["name"] == "f")
    lost = seen["not_recorded"]["discarded_events"]
    assert 10000 < found < calls
    # Of a call whose begin was lost the end may be there.
    assert 2 * calls - 100 <= 2 * found + lost <= 2 * calls + 5000
    assert re.search(r"! [0-9,]+ events .* could not be written, as (the disk|a file had)", " ".join(said.split()))


@pytest.mark.every_python
def test_every_call(python, tmp_path):
    done, folder = run(tmp_path, "work(0, 200000)", python=python.path)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert calls(folder) == 200000 and no_buffer_is_left(folder)
    read_by_babeltrace(folder)


def test_threads_that_come_and_go_share_files(tmp_path):
    done, folder = run(tmp_path, """
for group in range(20):
    threads = [threading.Thread(target=work, args=(number, 10)) for number in range(25)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
""")
    assert done.returncode == 0 and calls(folder) == 20 * 25 * 10
    assert len(os.listdir(stream_folder(folder))) < 40
    read_by_babeltrace(folder)


@pytest.mark.storm
@pytest.mark.alone
def test_kills_at_any_moment(tmp_path):
    """The program, `pinsight run`, or both: each call that the program had counted is there."""
    dice = random.Random(7)
    for number in range(ROUNDS):
        folder = tmp_path / "trace"
        shutil.rmtree(folder, ignore_errors=True)
        command = run(tmp_path, "[threading.Thread(target=work, args=(1, -1), daemon=True).start()]\nwork(0, -1)",
                      options=("-q",), only=True)
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert world.wait_until(lambda: min(counted(tmp_path)[:2]) > 0, 20)
        time.sleep(dice.random() / 10)
        (traced,) = children_of(process.pid)
        for victim in {0: [traced], 1: [process.pid, traced], 2: [traced, process.pid]}[number % 3]:
            os.kill(victim, signal.SIGKILL)
        process.wait()
        assert world.wait_until(lambda: not os.path.exists("/proc/%d" % traced), 20)
        known = sum(counted(tmp_path))
        assert known <= calls(folder) <= known + 2
        assert no_buffer_is_left(folder)
        read_by_babeltrace(folder)


def children_of(pid):
    """The children of `pinsight run` that execute the command."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % name) as file:
                parent = int(file.read().rpartition(")")[2].split()[1])
            with open("/proc/%s/cmdline" % name) as file:
                words = file.read().split("\0")
        except OSError:
            continue
        if parent == pid and words[1].endswith("program.py"):
            found.append(int(name))
    return found


def test_without_a_free_descriptor(tmp_path):
    done, folder = run(tmp_path, """
try:
    while True:
        os.dup(0)
except OSError:
    pass
thread = threading.Thread(target=work, args=(1, 50000))
thread.start()
thread.join()
work(0, 50000)
""", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128)))
    assert done.returncode == 0 and "no room" not in done.stderr
    assert calls(folder) == 100000


@pytest.mark.parametrize("disposition", ["SIG_DFL", "SIG_IGN", "handler"])
def test_a_limit_of_file_sizes(disposition, tmp_path):
    """The program does not feel it, what fits is there, and what does not is said."""
    done, folder = run(tmp_path, """
import signal
came = []
signal.signal(signal.SIGXFSZ, (lambda *of: came.append(of)) if sys.argv[2] == "handler"
              else getattr(signal, sys.argv[2]))
work(0, 200000)
print(len(came), signal.sigpending())
""", disposition, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (400000, 400000)))
    assert (done.returncode, done.stdout) == (0, "0 set()\n"), done.stderr
    assert "cannot be written: a file had the size that files may have (ulimit -f)" in done.stderr
    assert 10000 < calls(folder) < 200000
    lost_and_found(folder, done.stderr, 200000)
    read_by_babeltrace(folder)


def test_a_full_disk(own_world, tmp_path):
    own_world.mount(tmp_path / "disk", "size=1m")
    command = run(tmp_path, "work(0, 200000)\nprint('done')", name="disk/trace", only=True)
    done = own_world.run(command)
    said = done.stderr.decode()
    assert (done.returncode, done.stdout) == (0, b"done\n"), said
    assert "cannot be written: the disk was full" in said
    seen = own_world.run([places.COMMAND, "report", tmp_path / "disk" / "trace", "--format", "json"])
    lost_and_found(json.loads(seen.stdout), said, 200000)


QUOTA = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sys/types.h>
static off_t left = 1000000;
ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) {
    ssize_t (*next)(int, const void *, size_t, off_t) = (ssize_t (*)(int, const void *, size_t, off_t))
        dlsym(RTLD_NEXT, "pwrite");
    if (count > (size_t)left)
        count = left;
    left -= count;
    errno = EDQUOT;
    return count ? next(fd, bytes, count, at) : -1;
}
"""


def test_a_quota(tmp_path):
    """The error is what a file system says where a user has no more room: here a library in front of libc does."""
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", str(tmp_path / "quota.so")], input=QUOTA,
                   universal_newlines=True, check=True)
    done, folder = run(tmp_path, "work(0, 200000)\nprint('done')",
                       env=dict(os.environ, LD_PRELOAD=str(tmp_path / "quota.so")))
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
    assert done.stderr.count("cannot be written: the disk quota was used up") == 1
    lost_and_found(folder, done.stderr, 200000)
    read_by_babeltrace(folder)


def test_a_folder_that_may_only_be_read(own_world, tmp_path):
    """`pinsight run` says so before the program starts; the program that asks by itself goes on."""
    own_world.mount(tmp_path / "disk", "ro")
    done = own_world.run(run(tmp_path, "print('ran')", name="disk/trace", only=True))
    assert (done.returncode, done.stdout) == (2, b"") and b"Read-only file system" in done.stderr
    program = "import pinsight; pinsight.activate(output=%r); print('ran')" % str(tmp_path / "disk" / "trace")
    done = own_world.run(["env", "PYTHONPATH=%s" % places.PACKAGES, "python3", "-c", program])
    assert (done.returncode, done.stdout) == (0, b"ran\n")
    assert done.stderr.count(b"\n") == 1 and b"its folder cannot be written" in done.stderr


NFS = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include <sys/vfs.h>
int statfs(const char *path, struct statfs *status) {
    int (*next)(const char *, struct statfs *) = (int (*)(const char *, struct statfs *))dlsym(RTLD_NEXT, "statfs");
    int result = next(path, status);
    if (result == 0 && strstr(path, "/trace/"))
        status->f_type = 0x6969;
    return result;
}
"""


@pytest.mark.parametrize("end", ["pass", "os.kill(os.getpid(), 9)", "os.rename(sys.argv[3], sys.argv[3] + '.gone')"])
def test_buffers_where_the_folder_does_not_serve(end, tmp_path):
    """On what says that it is NFS: they lie in a folder of a local file system, until they are finished."""
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", str(tmp_path / "nfs.so")], input=NFS,
                   universal_newlines=True, check=True)
    local = tmp_path / "local"
    local.mkdir()
    done, folder = run(tmp_path, """
import glob
threads = [threading.Thread(target=work, args=(number, 30000)) for number in range(1, 4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
work(4, 30000)
links = [link for link in glob.glob(sys.argv[2] + "/.*-*-*") if os.path.islink(link)]
assert links and all(os.path.realpath(link).startswith(sys.argv[3]) for link in links)
%s
os._exit(0)
""" % end, str(stream_folder(tmp_path / "trace")), str(local),
                       env=dict(os.environ, LD_PRELOAD=str(tmp_path / "nfs.so"), XDG_RUNTIME_DIR=str(local)))
    if "rename" in end:
        assert "lie on the host that recorded them" in " ".join(done.stderr.split())
        (tmp_path / "local.gone").rename(local)
    else:
        assert "lie on the host" not in done.stderr
    assert done.returncode == (-9 if "kill" in end else 0), done.stderr
    assert calls(folder) == 120000 and no_buffer_is_left(folder)
    assert set(os.listdir(str(local))) <= {"pinsight"}  # a link to the libraries, where their path has a blank
    read_by_babeltrace(folder)


def test_nothing_but_buffers_on_another_host(tmp_path):
    """It is no damage, and recording again is no cure."""
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", str(tmp_path / "nfs.so")], input=NFS,
                   universal_newlines=True, check=True)
    local = tmp_path / "local"
    local.mkdir()
    run(tmp_path, "work(0, 10)\nos.rename(sys.argv[2], sys.argv[2] + '.gone')\nos.kill(os.getpid(), 9)", str(local),
        env=dict(os.environ, LD_PRELOAD=str(tmp_path / "nfs.so"), XDG_RUNTIME_DIR=str(local)))
    done = subprocess.run([places.COMMAND, "report", tmp_path / "trace"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True)
    assert done.returncode == 1 and "lie on the host that recorded them" in done.stderr, done.stderr
    assert "damaged" not in done.stderr and "ecord it again" not in done.stderr


def test_a_folder_that_goes(tmp_path):
    done, folder = run(tmp_path, """
import shutil
work(0, 1000)
shutil.rmtree(sys.argv[2])
work(0, 200000)
print("done")
""", str(tmp_path / "trace" / "trace"), options=("--no-summary",))
    assert (done.returncode, done.stdout) == (0, "done\n")
    assert done.stderr.count("cannot be written: the folder of the trace was removed or renamed") == 1


def test_a_program_that_executes_itself(tmp_path):
    done, folder = run(tmp_path, """
work(0, 1000)
if len(sys.argv) == 2:
    os.execv(sys.executable, [sys.executable] + sys.argv + ["again"])
work(0, 500)
""")
    assert done.returncode == 0 and calls(folder) == 2500
    assert len(streams(folder)) == 2
    read_by_babeltrace(folder)


@pytest.mark.parametrize("mode", ["TRACING", "MONITORING"])
def test_a_program_that_executes_another_one_first(mode, tmp_path):
    """The calls that were open end where the program ends, whatever the shell and the new program do until they record."""
    done, folder = run(tmp_path, """
def relaunch():
    os.execv("/bin/sh", ["sh", "-c", 'sleep 0.4; exec "$@"', "sh", sys.executable] + sys.argv + ["again"])
if len(sys.argv) == 2:
    relaunch()
work(0, 500)
""", options=("--no-summary", "--mode", mode))
    told = report(folder)
    assert done.returncode == 0 and sum(row["total_ns"] for row in told["functions"] if row["name"] == "relaunch") < 400000000
    assert sum(thread["waited_ns"] for thread in told["threads"]) < 400000000


def test_moments_on_all_clocks(tmp_path):
    """Where a process begins, also after a fork, and at its end; for us and for babeltrace2."""
    done, folder = run(tmp_path, """
work(0, 1000)
if os.fork() == 0:
    work(1, 10)
    os._exit(0)
os.wait()
""")
    assert done.returncode == 0, done.stderr
    said = [subprocess.run([*words, str(folder)], stdout=subprocess.PIPE, universal_newlines=True, check=True).stdout
            for words in ([str(places.COMMAND), "dump"], ["babeltrace2"])]
    found = [[tuple(int(number) for number in re.findall(r"(?:counter|monotonic_ns|real_ns) ?= ?(\d+)", line))
              for line in text.splitlines() if "clock_sync" in line] for text in said]
    assert found[0] == found[1] and len(found[0]) >= 4
    assert all(at < later for one, other in zip(found[0], found[0][1:]) for at, later in zip(one, other))
    assert abs(found[0][-1][2] / 1e9 - time.time()) < 3600
    assert {line.split()[1].split(":")[0] for line in said[0].splitlines() if "clock_sync" in line} \
        == {line.split()[1].split(":")[0] for line in said[0].splitlines() if ":" in line}


USES_UP_TLS = """
import ctypes, shutil, sys
count = 0
for size in (512, 64, 8):
    while True:
        copy = "%s.%d" % (sys.argv[1], count)
        shutil.copy("%s-%d.so" % (sys.argv[1], size), copy)
        try:
            ctypes.CDLL(copy)
        except OSError:
            break
        count += 1
import pinsight
def f(x):
    return x
print(pinsight.activate(output=sys.argv[2]), [f(number) for number in range(3)])
"""


@pytest.mark.parametrize("cure", [None, "more", "run"])
def test_static_tls_that_is_used_up(cure, tmp_path):
    """Libraries took all of it: one message names the cause and what helps, which does help."""
    for size in 512, 64, 8:
        source = '__thread char eaten[%d] __attribute__((tls_model("initial-exec"))); char *f(void) { return eaten; }'
        subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", str(tmp_path / ("eats-%d.so" % size))],
                       input=source % size, universal_newlines=True, check=True)
    program = USES_UP_TLS if cure != "more" else USES_UP_TLS.replace("while True", "for _ in range(1)")
    (tmp_path / "program.py").write_text(program)
    words = ["python3", str(tmp_path / "program.py"), str(tmp_path / "eats"), str(tmp_path / "trace")]
    environment = dict(os.environ, PYTHONPATH=str(places.PACKAGES))
    if cure == "more":
        environment["GLIBC_TUNABLES"] = "glibc.rtld.optional_static_tls=4096"
    if cure == "run":
        words = [places.COMMAND, "run", "-q", "-o", str(tmp_path / "trace"), "--", *words]
    done = subprocess.run(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True)
    assert (done.returncode, done.stdout.split(" ", 1)[1]) == (0, "[0, 1, 2]\n"), done.stderr
    if cure:
        assert not done.stderr and calls(tmp_path / "trace") >= 3
    else:
        assert done.stderr.count("\n") == 1 and "cannot allocate memory in static TLS block" in done.stderr
        assert "GLIBC_TUNABLES=glibc.rtld.optional_static_tls=4096" in done.stderr


def thread_local_bytes(library):
    """What each thread has of an ELF file's thread-local memory (PT_TLS, its p_memsz)."""
    data = library.read_bytes()
    start, = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    headers = [struct.unpack_from("<IIQQQQQQ", data, start + number * size) for number in range(count)]
    return sum(header[6] for header in headers if header[0] == 7)


def test_little_static_tls_is_taken():
    """Opened libraries share some 1,600 bytes of it with all others of a process."""
    found = [places.LIBDIR / "libpinsight.so.0", *places.LIBDIR.glob("*pinsight*.so")]
    assert len(found) > 3
    assert thread_local_bytes(found[0]) == 16  # a pointer, and the start of the thread
    assert {library.name: size for library in found for size in [thread_local_bytes(library)] if size > 104} == {}


def test_hosts_are_brought_together_by_their_clocks(tmp_path):
    """The folder of a second host, whose metadata has another time, tells of the same moments: so its clock_sync says."""
    done, folder = run(tmp_path, "work(0, 2000)\nimport time\ntime.sleep(1.2)\nwork(1, 2000)")
    assert done.returncode == 0, done.stderr
    other = folder / "trace" / "other"
    shutil.copytree(str(stream_folder(folder)), str(other))
    (other / ".control").unlink()  # by which the clock in the metadata would be put right
    make_another(other)
    text = (other / "metadata").read_bytes()
    frequency, seconds = (int(re.search(b" %s = *([0-9]+)" % name, text).group(1)) for name in (b"freq", b"offset_s"))
    for name, value in (b"freq", frequency + frequency // 5000), (b"offset_s", seconds - 3):
        text = re.sub(b"( %s = )[ 0-9]{20}" % name, lambda found, value=value: found.group(1) + b"%20d" % value, text)
    (other / "metadata").write_bytes(text)
    said = subprocess.run([str(places.COMMAND), "dump", str(folder), "--format", "json"], stdout=subprocess.PIPE,
                          universal_newlines=True, check=True).stdout
    times = {}
    for event in map(json.loads, said.splitlines()):
        if event["event"] == "clock_sync":
            times.setdefault(event["fields"]["counter"], []).append(event["time_ns"])
    assert len(times) >= 2 and all(len(both) == 2 and abs(both[0] - both[1]) < 300000 for both in times.values()), times


def test_two_runs_do_not_mix(tmp_path):
    done, folder = run(tmp_path, "work(0, 10)")
    assert done.returncode == 0
    again, _ = run(tmp_path, "work(0, 10)")
    assert again.returncode == 2 and "is not empty" in again.stderr
    assert calls(folder) == 10


def test_a_folder_of_another_version(tmp_path):
    """What is not known is refused, and left as it is."""
    done, folder = run(tmp_path, "work(0, 10)")
    control = stream_folder(folder) / ".control"
    control.write_bytes(b"PInCtrl9" + control.read_bytes()[8:])
    environment = dict(os.environ, PINSIGHT_RECORDER="file", PINSIGHT_OUTPUT=str(folder), PINSIGHT="1")
    before = sorted(os.listdir(stream_folder(folder)))
    again = subprocess.run([str(places.COMMAND), "run", "-o", str(tmp_path / "other"), "--", "true"], env=environment)
    assert again.returncode == 0 and sorted(os.listdir(stream_folder(folder))) == before


# Readers of a program that goes on.

@pytest.fixture
def endless(tmp_path):
    """endless(program) starts a program that goes on until it is killed, and gives its number."""
    started = []

    def start(program):
        process = subprocess.Popen(run(tmp_path, program, options=("-q",), only=True), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        assert world.wait_until(lambda: min(counted(tmp_path)[:2]) > 0, 20)
        started.append((process, children_of(process.pid)[0]))
        return started[0][1]
    yield start
    for process, traced in started:
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError):  # the test has killed it
                os.kill(traced, signal.SIGKILL)
        process.wait()


# Each thread's calls are in its buffer, or behind a flush.
STILL = """
import time
def still(number, calls):
    work(number, calls)
    time.sleep(600)
threading.Thread(target=still, args=(2, 5000), daemon=True).start()
while view[2] != 5000:
    time.sleep(0.001)
view[0] = 1
still(1, 100)
"""


def test_reports_on_a_program_that_goes_on(endless, tmp_path):
    """Each has what the program had counted before; no call stands in it twice."""
    endless("threading.Thread(target=work, args=(1, -1), daemon=True).start()\nwork(0, -1)")
    for _ in range(2):
        before = sum(counted(tmp_path))
        seen = report(tmp_path / "trace")
        found = sum(row["calls"] for row in seen["functions"] if row["name"] == "f")
        assert before <= found <= sum(counted(tmp_path)) + 2
        missing = seen["not_recorded"]
        assert missing["warnings"] == [] and missing["lost_frames"] == 0
        assert missing["unnamed_functions"] == 0 and missing["damaged_streams"] == 0


def test_a_dump_of_a_program_that_goes_on(endless, tmp_path):
    endless(STILL)
    assert world.wait_until(lambda: counted(tmp_path)[1] == 100, 20)
    done = subprocess.run([places.COMMAND, "dump", str(tmp_path / "trace"), "--format", "json"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    assert done.returncode == 0, done.stderr
    events = map(json.loads, done.stdout.splitlines())
    assert sum(event["event"] == "function_begin" and event["name"] == "f" for event in events) == 5100


def test_a_stream_that_becomes_shorter_while_it_is_read(tmp_path):
    """The reader is held up by its pipe, until the file is cut off."""
    done, folder = run(tmp_path, "work(0, 200000)")
    assert done.returncode == 0
    stream = max((stream_folder(folder) / name for name in streams(folder)), key=lambda path: path.stat().st_size)
    reader = subprocess.Popen([places.COMMAND, "dump", str(folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    reader.stdout.readline()
    os.truncate(str(stream), 4096)
    written, said = reader.communicate()
    assert reader.returncode == 1 and len(written.splitlines()) < 400000
    assert said.decode().count("\n") == 1
    assert said.decode().startswith("pinsight: %s became shorter while it was read" % os.path.realpath(str(stream)))


def test_a_copy_that_may_not_be_written(endless, tmp_path):
    """What lies on another medium is read as it is, buffers of dead processes too."""
    traced = endless(STILL)
    assert world.wait_until(lambda: counted(tmp_path)[1] == 100, 20)
    copy = tmp_path / "copy"
    shutil.copytree(tmp_path / "trace", copy)
    for file in stream_folder(copy).iterdir():
        file.chmod(0o400)
    stream_folder(copy).chmod(0o500)
    before = sorted(os.listdir(stream_folder(copy)))
    words = [str(places.COMMAND), "report", str(copy), "--format", "json"]
    if os.getuid() == 0:
        words = ["unshare", "-m", "sh", "-c", 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"',
                 str(copy), *words]
    for dead in False, True:
        if dead:
            os.kill(traced, signal.SIGKILL)
            assert world.wait_until(lambda: not os.path.exists("/proc/%d" % traced), 20)
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
        assert done.returncode == 0, done.stderr
        assert sum(row["calls"] for row in json.loads(done.stdout)["functions"] if row["name"] == "f") == 5100
        assert sorted(os.listdir(stream_folder(copy))) == before
    stream_folder(copy).chmod(0o700)


def test_a_child_that_outlives_the_command(tmp_path):
    """The summary has what it did until then, a report what it did since."""
    done, folder = run(tmp_path, """
work(0, 100)
if os.fork() == 0:
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    [os.dup2(null, number) for number in range(3)]
    work(1, 70)
    view[300] = os.getpid()
    import time
    while not view[301]:
        time.sleep(0.01)
    work(2, 50)
    view[302] = 1
    time.sleep(600)
while not view[300]:
    pass
""")
    assert done.returncode == 0, done.stderr
    with open(tmp_path / "counts", "r+b") as counts:
        child = counted(tmp_path)[300]
        try:
            assert "went on recording: %d" % child in " ".join(done.stderr.split())
            assert calls(folder) == 170
            counts.seek(8 * 301)
            counts.write(struct.pack("<Q", 1))
            counts.flush()
            assert world.wait_until(lambda: counted(tmp_path)[302], 20)
            seen = report(folder)
            assert sum(row["calls"] for row in seen["functions"] if row["name"] == "f") == 220
            assert seen["not_recorded"]["unsaid_processes"] == 0
        finally:
            os.kill(child, signal.SIGKILL)
    assert world.wait_until(lambda: calls(folder) == 220 and no_buffer_is_left(folder), 20)
