"""Introspection: scripts that change the configuration, that fail or hang, and pauses without one."""
import os
import signal
import subprocess
import time

import pytest

from support import places
from support.introspection import (each_recorder, events_of, gaps_of, gone, introspections, run, steps_of)
from support.world import wait_until

# What is not for each recorder is about LTTng's rotations, or about files.
pytestmark = pytest.mark.recorder("lttng")


@pytest.mark.usefixtures("each_recorder")
def test_reload_of_what_the_script_changed(run):
    """The script changes the file; the program goes on with it."""
    run.configure("INTROSPECT:20:look.sh:TRACING", traces=20)
    run.script("#!/bin/sh\nsed 's/max_num_traces = 20/max_num_traces = 7/; s/INTROSPECT.*/STANDBY/' \"$3\" > \"$3.new\""
               "\nmv \"$3.new\" \"$3\"\n")
    result = run()
    assert introspections(result.folder)[1]["reloaded"] == 1
    assert steps_of(result.folder) == [20, 7]
    changes = [event.fields for event in events_of(result.folder) if event.name == "config_change"]
    assert [change["reason"] for change in changes] == ["introspect"] and changes[0]["failed"] == 0


@pytest.mark.usefixtures("each_recorder")
def test_a_touched_file_is_not_reloaded(run):
    run.configure("INTROSPECT:20:look.sh:STANDBY")
    run.script("#!/bin/sh\ntouch \"$3\"\n")
    result = run()
    assert introspections(result.folder)[1]["reloaded"] == 0


@pytest.mark.usefixtures("each_recorder")
def test_a_broken_configuration_stays_out(run):
    run.configure("INTROSPECT:20:look.sh:STANDBY")
    run.script("#!/bin/sh\necho '[Lexgion.default]\n  max_num_trace = 1' >> \"$3\"\n")
    result = run()
    one = introspections(result.folder)[1]
    assert one["reloaded"] == 0 and one["how"] == "script_ended"
    assert "max_num_trace" in one["message"] and "introspect.ini:" in one["message"]
    assert result.stderr.count("introspection 1 of process") == 1
    assert "max_num_traces" in result.stderr


@pytest.mark.parametrize("make, reason", [
    (lambda run: None, "there is no such file"),
    (lambda run: run.script("#!/bin/sh\n", mode=0o644), "it is not executable"),
    (lambda run: run.script("#!/no/such/interpreter\n"), "the interpreter that its first line names is not there"),
    (lambda run: run.script("text\n"), "it is no program"),
], ids=["missing", "not executable", "no interpreter", "no program"])
def test_script_that_cannot_start(run, make, reason):
    make(run)
    run.configure("INTROSPECT:20:look.sh:STANDBY")
    result = run()
    one = introspections(result.folder)[1]
    assert one["how"] == "failed" and one["status"] == -1000
    assert "the script %s cannot be started: %s" % (run.folder / "look.sh", reason) in one["message"]
    said = [line for line in result.stderr.splitlines() if line.startswith("pinsight: introspection 1 of process")]
    assert len(said) == 1 and reason in said[0]
    assert one["mode"] == "STANDBY" and one["seconds"] < 5


@pytest.mark.usefixtures("each_recorder")
@pytest.mark.parametrize("end, status, words", [
    ("exit 3", 3, "ended with status 3"), ("kill -ABRT $$", -6, "was ended by signal 6")])
def test_script_that_fails(run, end, status, words):
    run.script("#!/bin/sh\n%s\n" % end)
    run.configure("INTROSPECT:20:look.sh:STANDBY")
    result = run()
    one = introspections(result.folder)[1]
    assert one["how"] == "script_ended" and one["status"] == status and words in one["message"]
    assert words in result.stderr


@pytest.mark.usefixtures("each_recorder")
@pytest.mark.parametrize("ignore", ["", "trap '' TERM"], ids=["", "deaf"])
def test_script_that_hangs(run, ignore):
    """The program goes on in time; the script and its children are ended."""
    pids = run.folder / "pids"
    run.script("#!/bin/sh\n%s\nsleep 600 &\necho $$ $! > %s\nwhile :; do sleep 600; done\n" % (ignore, pids))
    run.configure("INTROSPECT:1.5:look.sh:STANDBY")
    result = run(3.0)
    one = introspections(result.folder)[1]
    assert one["how"] == "time_out" and "did not end within the pause" in one["message"]
    assert 1.4 < one["seconds"] < 10  # not 600
    assert len(gaps_of(result)) == 1 and gaps_of(result)[0] < 10
    for pid in map(int, pids.read_text().split()):
        assert wait_until(lambda: gone(pid), 6), pid


@pytest.mark.usefixtures("each_recorder")
def test_script_that_forks(run):
    """What a script leaves behind when it has ended holds nobody, and is left alone."""
    pids = run.folder / "pids"
    run.script("#!/bin/sh\nsleep 30 < /dev/null > /dev/null 2>&1 &\necho $! > %s\n" % pids)
    run.configure("INTROSPECT:20:look.sh:STANDBY")
    result = run()
    one = introspections(result.folder)[1]
    assert one["how"] == "script_ended" and one["seconds"] < 5
    pid = int(pids.read_text())
    assert not gone(pid)
    os.kill(pid, signal.SIGKILL)


@pytest.mark.usefixtures("each_recorder")
def test_script_that_kills_the_program(run):
    pids = run.folder / "pids"
    run.script("#!/bin/sh\necho $$ > %s\nkill -KILL $2\nsleep 600\n" % pids)
    run.configure("INTROSPECT:20:look.sh:STANDBY")
    result = run(rc=None)
    assert result.rc in (-9, 137)
    assert wait_until(lambda: gone(int(pids.read_text())), 6)
    assert sum(steps_of(result.folder)) == 50
    assert [event.name for event in events_of(result.folder)].count("introspect_begin") == 1


@pytest.mark.usefixtures("each_recorder")
def test_no_script_waits_for_the_time(run):
    run.configure("INTROSPECT:1:-:STANDBY")
    result = run()
    one = introspections(result.folder)[1]
    assert one["how"] == "time_out" and one["message"] == "-" and one["script"] == "-"
    assert 0.95 < one["seconds"] < 1.3 and os.path.isdir(one["chunk"])


def test_pause_shorter_than_the_rotation(run):
    run.script("#!/bin/sh\ntouch %s/ran\n" % run.folder)
    run.configure("INTROSPECT:0.05:look.sh:STANDBY")
    result = run()
    one = introspections(result.folder)[1]
    assert one["how"] == "time_out" and "not complete within the pause" in one["message"]
    assert one["seconds"] < 0.3 and not (run.folder / "ran").exists()


@pytest.mark.usefixtures("each_recorder")
def test_signal_ends_a_pause_without_limit(run):
    """SIGUSR1 from the script itself; the configuration that it wrote before counts."""
    run.configure("INTROSPECT:-1:look.sh:TRACING", traces=20)
    run.script("#!/bin/sh\nsed -i 's/INTROSPECT.*/STANDBY/' \"$3\"\nsleep 0.5\nkill -USR1 $2\nsleep 600\n")
    result = run()
    one = introspections(result.folder)[1]
    assert one["how"] == "resumed" and one["reloaded"] == 1 and one["pause_ns"] == -1
    assert 0.5 < one["seconds"] < 2.5
    assert steps_of(result.folder)[1] == 20


@pytest.mark.usefixtures("each_recorder")
def test_without_a_pause(run):
    """Nothing waits; what the script changed comes into force when it ends."""
    run.script("#!/bin/sh\nsleep 1\nsed -i 's/INTROSPECT.*/STANDBY/' \"$3\"\nexit 2\n")
    run.configure("INTROSPECT:0:look.sh:TRACING", traces=20)
    result = run(3.0)
    assert gaps_of(result) == []
    about = introspections(result.folder)
    assert about[1]["how"] == "not_waited" and about[1]["status"] == 2 and about[1]["reloaded"] == 1
    assert about[1]["threads_stopped"] == 0 and about[1]["seconds"] > 1
    assert list(about) == [1]
    assert steps_of(result.folder) == [20, 20]


@pytest.mark.usefixtures("each_recorder")
def test_without_a_pause_at_the_end_of_the_program(run):
    pids = run.folder / "pids"
    run.script("#!/bin/sh\necho $$ > %s\nexec sleep 600\n" % pids)
    run.configure("INTROSPECT:0:look.sh:STANDBY")
    started = time.monotonic()
    run(2.0)
    assert time.monotonic() - started < 20
    assert wait_until(lambda: gone(int(pids.read_text())), 6)


def test_helper_is_there_and_not_to_be_started_by_hand():
    helper = places.LIBDIR / "pinsight-introspect"
    done = subprocess.run([str(helper)], stderr=subprocess.PIPE)
    assert done.returncode == 2 and b"is started by a traced program" in done.stderr
