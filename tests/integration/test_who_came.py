"""Processes of a run that its trace lacks: those that LTTng takes late or never, that outlive the command, and those
of a run within the run."""
import re
import subprocess

import pytest

from support import places, world
from support.slow import SlowDaemon
from support.traces import Trace

pytestmark = pytest.mark.recorder("lttng")  # it is about its daemons

WORK = "def work(): pass\nfor _ in range(200): work()\n"


def run(place, tmp_path, *words, options=(), env=None):
    done = place.run([places.COMMAND, "run", "-o", tmp_path / "trace", *options, "--", *words], cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr.decode()
    return done.stderr.decode()


def flat(said):
    """Without the breaks of lines, which depend on the lengths of paths."""
    return " ".join(said.split())


def slowed(daemon, python, script, seconds):
    """A command whose Python comes while the daemon takes no programs, for so long."""
    return ["sh", "-c", 'touch "$0"; "$1" "$2" & sleep %s; rm "$0"; wait' % seconds, daemon.programs, python.path,
            script]


def test_registration_takes_long(own_world, newest, tmp_path, script):
    """Longer than LTTng waits by itself (3 s): the program begins when it is taken, and is whole."""
    daemon = SlowDaemon(tmp_path)
    said = run(own_world, tmp_path, *slowed(daemon, newest, script, 5), env=daemon.environment)
    assert Trace(tmp_path / "trace").calls("work") == 200, said
    assert "Nothing was lost" in said
    assert own_world.left_over(10) == {}


@pytest.mark.parametrize("options", [(), ("--no-summary",)], ids=["summary", "no summary"])
def test_process_that_is_never_taken(options, own_world, newest, tmp_path, script):
    """It is named; and a user's own limit for the wait holds."""
    daemon = SlowDaemon(tmp_path)
    env = dict(daemon.environment, LTTNG_UST_REGISTER_TIMEOUT="500")
    words = ["sh", "-c", '"$1" "$2"; touch "$0"; "$1" "$2" & echo "late $!" >&2; wait; rm "$0"', daemon.programs,
             newest.path, script]
    said = run(own_world, tmp_path, *words, options=options, env=env)
    pid = re.search(r"late (\d+)", said).group(1)
    wanted = "process %s (python" % pid if options else "A process is not in the trace: %s (python" % pid
    assert wanted in flat(said) and "Nothing was lost" not in said, said
    assert Trace(tmp_path / "trace").calls("work") == 200
    assert not (tmp_path / "trace" / "pinsight-processes.txt").exists()
    if not options:
        again = subprocess.run([places.COMMAND, "report", str(tmp_path / "trace")], stdout=subprocess.PIPE, check=True)
        assert wanted in flat(again.stdout.decode())


@pytest.mark.parametrize("wait", ["", "while [ ! -e there ]; do sleep .05; done"], ids=["before it came", "after"])
def test_process_that_outlives_the_command(wait, own_world, newest, tmp_path):
    text = "import time\nopen('there', 'w').close()\ntime.sleep(60)\n"
    words = ["sh", "-c", '"$0" -c "$1" < /dev/null > /dev/null 2>&1 & echo "left $!" >&2; %s' % wait, newest.path, text]
    said = run(own_world, tmp_path, *words)
    pid = int(re.search(r"left (\d+)", said).group(1))
    world.kill(pid)
    assert "A process was still running when the command had ended" in flat(said), said
    assert "%d (python" % pid in said and "No Python was seen" not in said and "Nothing was lost" not in said, said


def test_children_with_nothing_to_record_are_not_missing(own_world, newest, tmp_path):
    """They live long enough for LTTng to describe their events: what ends before that is missing."""
    file = tmp_path / "children.py"
    file.write_text("import multiprocessing, os, subprocess, time\n"
                    "def work(): time.sleep(2)\n"
                    "if __name__ == '__main__':\n"
                    "    if os.fork() == 0: time.sleep(2); os._exit(0)\n"
                    "    if os.fork() == 0: os.execv('/bin/sleep', ['sleep', '2'])\n"
                    "    children = [multiprocessing.get_context(way).Process(target=work)\n"
                    "                for way in ('fork', 'spawn', 'forkserver')]\n"
                    "    for child in children: child.start()\n"
                    "    subprocess.run(['/bin/true'])\n"
                    "    subprocess.run(['/bin/sleep', '2'], preexec_fn=work)\n"
                    "    for child in children: child.join()\n"
                    "    for _ in range(2): os.wait()\n")
    said = run(own_world, tmp_path, newest.path, file)
    assert "not in the trace" not in flat(said), said


def test_run_in_a_run(own_world, newest, tmp_path, script):
    """The outer one says where the inner one's programs are."""
    inner = tmp_path / "inner"
    said = run(own_world, tmp_path, "sh", "-c", '"$0" run -q -o "$1" -- "$2" "$3"', places.COMMAND, inner, newest.path,
               script)
    assert "within the command started is in its own trace: %s." % inner in flat(said), said
    assert "No Python was seen" not in said
    assert Trace(inner).calls("work") == 200
