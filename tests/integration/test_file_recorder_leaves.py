"""A program goes where the trace's folder is out of reach: another user, root, mounts or user namespace."""
import os
import subprocess

import pytest

from support import places
from support.counted import calls, no_buffer_is_left, read_by_babeltrace, report, run


LEAVES = {
    "closerange": "os.closerange(3, 4096)",
    "cwd": "os.chdir('/')",
    "chroot": "os.chroot(sys.argv[2]); os.chdir('/')",
    "setuid": "os.setgroups([]); os.setgid(65534); os.setuid(65534)",
    "seteuid": "os.seteuid(65534)",
    "setuid and chroot": "os.chroot(sys.argv[2]); os.setuid(65534)",
    "mounts": "import ctypes; assert ctypes.CDLL(None).unshare(0x20000) == 0; "
              "assert os.system('mount --make-rprivate / && mount -t tmpfs none ' + sys.argv[3]) == 0",
}


@pytest.mark.parametrize("how", list(LEAVES))
def test_a_program_that_goes_where_the_folder_is_out_of_reach(how, tmp_path):
    if os.getuid() != 0 and how not in ("closerange", "cwd"):
        pytest.skip("needs root")
    (tmp_path / "jail").mkdir()
    done, folder = run(tmp_path, """
work(0, 1000)
held = os.open("/dev/null", os.O_RDONLY)
if len(sys.argv[4:]):
    exec(sys.argv[4])
threads = [threading.Thread(target=work, args=(number, 30000)) for number in range(1, 4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
work(4, 30000)
print("done")
""", str(tmp_path / "jail"), str(tmp_path), LEAVES[how], name="out/trace")
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
    assert "Nothing was lost" in done.stderr
    assert calls(folder) == 121000 and no_buffer_is_left(folder)
    read_by_babeltrace(folder)


ALONE = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
print(libc.unshare(0x10000000), ctypes.get_errno(), len(os.listdir("/proc/self/task")))
"""


def test_a_space_of_users_takes_one_thread(tmp_path):
    """unshare(2) and setns(2) refuse it to a process with more: PInsight's leave, and come back."""
    alone = subprocess.run(["python3", "-c", "import os" + ALONE], stdout=subprocess.PIPE, universal_newlines=True)
    native = alone.stdout.split()
    done, folder = run(tmp_path, "work(0, 1000)" + ALONE + "work(1, 50000)")
    assert done.returncode == 0, done.stderr
    result, error, threads = done.stdout.split()
    assert [result, error] == native[:2] and int(threads) > int(native[2])
    assert "Nothing was lost" in done.stderr and calls(folder) == 51000


def test_the_folder_is_named_from_where_the_program_was(tmp_path):
    """A relative output of activate() is in the folder of that moment."""
    (tmp_path / "program.py").write_text("""
import os, pinsight
pinsight.activate(output="here")
def f(x):
    return x
f(0)
os.chdir("/")
for number in range(50000):
    f(number)
""")
    environment = dict(os.environ, PYTHONPATH=str(places.PACKAGES))
    done = subprocess.run(["python3", "program.py"], cwd=str(tmp_path), env=environment,
                          stderr=subprocess.PIPE, universal_newlines=True)
    assert done.returncode == 0, done.stderr
    assert calls(tmp_path / "here") == 50001


def test_a_child_that_may_not_write(tmp_path):
    """What it records is lost, said once, and counted."""
    if os.getuid() != 0:
        pytest.skip("needs root")
    done, folder = run(tmp_path, """
os.setuid(65534)
work(0, 1000)
if os.fork() == 0:
    work(1, 5000)
    os._exit(0)
print(os.wait()[1])
""")
    assert (done.returncode, done.stdout) == (0, "0\n")
    assert done.stderr.count("cannot be written: the process could not write to the folder of the trace") == 1
    assert calls(folder) == 1000
    lost = report(folder)["not_recorded"]["discarded_events"]
    assert lost >= 10000 and "{:,} events were lost".format(lost) in done.stderr


def test_a_space_of_users_after_another_user(tmp_path):
    """The thread that may write as the first user has to leave. The program goes on; what is lost then is counted."""
    if os.getuid() != 0:
        pytest.skip("needs root")
    done, folder = run(tmp_path, "import ctypes\nwork(0, 1000)\nos.setgid(65534)\nos.setuid(65534)" + ALONE + "work(1, 50000)")
    assert done.returncode == 0, done.stderr
    result = done.stdout.split()[0]
    lost = report(folder)["not_recorded"]["discarded_events"]
    if result == "0":
        assert calls(folder) == 1000 and lost >= 100000 and "cannot be written: the process could not write to the folder of the trace" in done.stderr
    else:
        assert calls(folder) == 51000 and lost == 0
    assert no_buffer_is_left(folder)
