"""pinsight run: sessions, daemons, users, several at once, where the trace goes and what is said."""
import os
import pwd
import re
import shutil
import subprocess
import time

import pytest

from support import places, world
from support.pythons import pythons
from support.traces import Trace

WORK = "def work():\n    return len('abc')\nfor _ in range(100): work()\nprint('ran')\n"


@pytest.mark.smoke
def test_without_a_daemon(own_world, tmp_path, newest, script):
    """A daemon is started, and is gone after the run, with everything else."""
    done = own_world.run([places.COMMAND, "run", "-o", tmp_path / "trace", "--", newest.path, script], cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, b"ran\n"), done.stderr
    assert own_world.left_over(6) == {}
    assert Trace(tmp_path / "trace").calls("work") == 100


@pytest.mark.smoke
def test_with_a_daemon(world_with_daemon, tmp_path, newest, script):
    """A daemon that runs is used, goes on running, and keeps a session of the user's own."""
    place = world_with_daemon
    assert place.run(["lttng", "create", "mine", "--output", tmp_path / "mine"]).returncode == 0
    done = place.run([places.COMMAND, "run", "-o", tmp_path / "trace", "--", newest.path, script], cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, b"ran\n"), done.stderr
    assert place.daemon.poll() is None
    assert place.sessions() == ["mine"]
    assert place.run(["lttng", "destroy", "mine"]).returncode == 0
    assert place.left_over(6) == {}
    assert Trace(tmp_path / "trace").calls("work") == 100


@pytest.mark.parametrize("daemon", [False, True], ids=["no daemon", "daemon"])
def test_several_at_once(daemon, tmp_path, newest):
    """Six runs at once: each trace has its own program, whole, and no other's; the last one out tidies up."""
    with world.World(daemon=daemon) as place:
        runs = []
        for number in range(6):
            file = tmp_path / ("work%d.py" % number)
            file.write_text("import time\ndef work_%d(): pass\nfor _ in range(%d):\n    work_%d()\n"
                            "    time.sleep(.002)\n" % (number, 100 * (number + 1), number))
            runs.append(place.start([places.COMMAND, "run", "-o", tmp_path / ("trace%d" % number), "--", newest.path,
                                     file], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT))
            time.sleep(0.1)
        for run in runs:
            said, _ = run.communicate(timeout=60)
            assert run.returncode == 0, said
        for number in range(6):
            trace = Trace(tmp_path / ("trace%d" % number))
            trace.assert_balanced()
            assert trace.calls("work_%d" % number) == 100 * (number + 1)
            assert len(trace.infos["process_info"]) == 1
        assert place.left_over(8) == {}


@pytest.mark.smoke
def test_ordinary_user(own_world, tmp_path, newest, script):
    """Without root: as `nobody`, with a home of its own."""
    if os.getuid() != 0:
        pytest.skip("the other tests are this one, where the tests run as an ordinary user")
    user = pwd.getpwnam("nobody")
    prefix = ["setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups"]
    python = "/usr/bin/python3" if os.access("/usr/bin/python3", os.X_OK) else None
    for found in pythons():
        if subprocess.run([*prefix, "env", found.path, "-c", ""], stderr=subprocess.DEVNULL, cwd="/").returncode == 0:
            python = found.path
    if python is None or not shutil.which("setpriv"):
        places.missing("a Python that nobody may start, and setpriv")
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        home, build = os.path.join(folder, "home"), os.path.join(folder, "build")
        os.chmod(folder, 0o755)
        os.mkdir(home)
        shutil.copy(script, home)
        shutil.copytree(places.LIBDIR, os.path.join(build, "lib", "pinsight"), symlinks=True)
        os.mkdir(os.path.join(build, "bin"))
        shutil.copy(places.COMMAND, os.path.join(build, "bin", "pinsight"))
        subprocess.run(["chmod", "-R", "a+rX", folder], check=True)
        os.chown(home, user.pw_uid, user.pw_gid)
        env = dict(os.environ, HOME=home)
        env.pop("PINSIGHT_COMMAND", None)
        prefix += ["env", "LTTNG_HOME=" + home]
        command = os.path.join(build, "bin", "pinsight")
        for number in range(2):
            trace = os.path.join(home, "trace%d" % number)
            done = own_world.run([*prefix, command, "run", "-o", trace, "--", python, os.path.join(home, "work.py")],
                                 cwd=home, env=env)
            assert (done.returncode, done.stdout) == (0, b"ran\n"), done.stderr.decode()
            assert Trace(trace).calls("work") == 100
            assert os.stat(trace).st_uid == user.pw_uid
        assert own_world.left_over(8) == {}


def test_default_folder(tmp_path, newest, script):
    """Named for the program, with a number; the summary ends with the next command to type."""
    done = subprocess.run([places.COMMAND, "run", "--", newest.path, str(script)], cwd=tmp_path,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    assert (done.returncode, done.stdout) == (0, "ran\n")
    made = [entry.name for entry in tmp_path.iterdir() if entry.is_dir()]
    assert len(made) == 1 and made[0].endswith("-1"), made
    assert re.search(r"pinsight'? report %s\n" % made[0], done.stderr), done.stderr
    assert Trace(tmp_path / made[0]).calls("work") == 100


def test_summary_options(run_command, newest, script):
    quiet = run_command(newest.path, script, options=["-q"])
    assert (quiet.rc, quiet.stdout, quiet.stderr) == (0, "ran\n", "")
    short = run_command(newest.path, script, options=["--no-summary"])
    assert short.rc == 0 and "self" not in short.stderr
    long = run_command(newest.path, script)
    assert "work" in long.stderr and long.stdout == "ran\n"


def test_program_without_python(run_command):
    """Nothing to record is said, not shown as an empty table."""
    result = run_command("/bin/echo", "hello")
    assert (result.rc, result.stdout) == (0, "hello\n")
    assert re.search("no python|nothing|no events", result.stderr, re.I), result.stderr


def test_python_at_any_depth(run_command, python, tmp_path):
    """bash, env, a virtual environment, python -m, a script with #!: traced without a change."""
    script = tmp_path / "deep"
    script.write_text("#!%s\ndef deep(): pass\ndeep()\n" % places.plain_path(python.with_packages(), tmp_path))
    script.chmod(0o755)
    (tmp_path / "module.py").write_text("def in_module(): pass\nin_module()\n")
    result = run_command("bash", "-c", 'env X=1 "$0" && exec "$1" -m module', script, python.path, cwd=tmp_path)
    assert result.rc == 0, result.stderr
    trace = result.trace
    assert trace.calls("deep") == 1 and trace.calls("in_module") == 1
    assert len(trace.infos["process_info"]) == 2


@pytest.mark.recorder("lttng")
def test_switch_timer(tmp_path, newest):
    """What is more than a second old can be read while the program still runs."""
    program = tmp_path / "waits.py"
    program.write_text("import time\ndef early(): pass\nearly()\nprint('ready', flush=True)\ntime.sleep(30)\n")
    process = subprocess.Popen([places.COMMAND, "run", "-o", str(tmp_path / "trace"), "-q", "--", newest.path,
                                str(program)], stdout=subprocess.PIPE)
    try:
        assert process.stdout.readline() == b"ready\n"
        time.sleep(2.5)
        text = subprocess.run(["babeltrace2", str(tmp_path / "trace")], stdout=subprocess.PIPE).stdout
        assert b"early" in text
    finally:
        process.terminate()
        process.wait(20)
        process.stdout.close()


def test_thread_names_and_numbers(newest, run_traced, tmp_path):
    """thread_info maps OS threads to Python's numbers and names; threads that live at once have different ones."""
    program = tmp_path / "threads.py"
    program.write_text("""
import threading
def work(barrier):
    barrier.wait()
barrier = threading.Barrier(4)
threads = [threading.Thread(target=work, args=(barrier,), name="worker-%d" % i) for i in range(3)]
for thread in threads: thread.start()
barrier.wait()
for thread in threads: thread.join()
for number in range(3):
    thread = threading.Thread(target=len, args=("x",), name="later-%d" % number)
    thread.start()
    thread.join()
""")
    result = run_traced(newest, program)
    trace = result.trace
    last = {event.fields["tid"]: event.fields for event in trace.infos["thread_info"]}
    assert {0, 1, 2, 3} <= {fields["python_thread_id"] for fields in last.values()}
    together = [fields for fields in last.values() if not fields["name"].startswith("later")]
    assert sorted(fields["python_thread_id"] for fields in together) == [0, 1, 2, 3]
    names = {fields["name"] for fields in last.values()}
    assert {"worker-0", "worker-1", "worker-2"} <= names, names
    assert len(result.report()["threads"]) >= 4


def test_name_that_comes_after_many_calls(one_of_each, run_traced, tmp_path):
    """CPython 3.12 looks at the lock of each thread of a pool before the next one has its name."""
    program = tmp_path / "late.py"
    program.write_text("""
import threading
class Late(threading.Thread):
    def _set_native_id(self):
        for _ in range(100): len("")
        super()._set_native_id()
thread = Late(target=len, args=("x",), name="late")
thread.start()
thread.join()
""")
    assert "late" in [row["name"] for row in run_traced(one_of_each, program).report()["threads"]]
