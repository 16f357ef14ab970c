"""pinsight run --recorder file: no daemon, no supervisor, a folder that is finished at the end."""
import os
import re
import shutil
import signal
import subprocess
import time

import pytest

from support import places, world

LTTNG = "libpinsight-session-lttng.so"


def run(place, folder, *command, options=("--recorder", "file"), **more):
    return place.run([places.COMMAND, "run", *options, "-o", folder, "--", *command], cwd=folder.parent, **more)


def said(done):
    return done.stderr.decode(errors="replace")


def info(folder):
    lines = (folder / "pinsight-run.txt").read_text().splitlines()
    return {key: value for key, _, value in (line.partition(" ") for line in lines)}


def host_folder(folder):
    return folder / "trace" / os.uname().nodename


@pytest.mark.parametrize("how", ["option", "variable"])
def test_no_daemon_and_the_commands_own_status(how, own_world, tmp_path):
    folder = tmp_path / "out"
    chosen = dict(options=("--recorder", "file")) if how == "option" else dict(
        options=(), env=dict(os.environ, PINSIGHT_RECORDER="file"))
    done = run(own_world, folder, "sh", "-c", "echo out; exit 3", **chosen)
    assert (done.returncode, done.stdout) == (3, b"out\n"), said(done)
    assert "exit status 3" in said(done) and "LTTng" not in said(done)
    assert own_world.left_over(0.5) == {}
    assert host_folder(folder).is_dir() and not (folder / "ust").exists()
    assert (info(folder)["recorder"], info(folder)["names"], info(folder)["exit_status"]) == ("file", "registry", "3")


def test_how_the_command_ended_is_on_both_screens(own_world, tmp_path):
    """Before what else is in the line, or in a line of its own where there is no room."""
    narrow = dict(os.environ, COLUMNS="70")
    done = run(own_world, tmp_path / "out", "sh", "-c", "kill -SEGV $$", env=narrow)
    status = "ended by signal 11 (Segmentation fault)"
    assert "\n%s\n" % status in said(done)
    told = own_world.run([places.COMMAND, "report", tmp_path / "out"], env=narrow)
    assert told.stdout.decode().splitlines()[1] == status
    done = run(own_world, tmp_path / "wide", "sh", "-c", "exit 3")
    assert "\nexit status 3 · " in said(done)


def test_the_option_wins_over_the_variable(own_world, tmp_path):
    done = run(own_world, tmp_path / "out", "true", env=dict(os.environ, PINSIGHT_RECORDER="lttng"))
    assert done.returncode == 0 and info(tmp_path / "out")["recorder"] == "file"


def test_what_the_command_is_told(own_world, tmp_path):
    outer = dict(os.environ, PINSIGHT_JOIN="outer", PINSIGHT_RECORDER="lttng")
    done = run(own_world, tmp_path / "out", "env", env=outer)
    told = dict(line.partition("=")[::2] for line in done.stdout.decode().splitlines())
    assert told["PINSIGHT_RECORDER"] == "file" and told["PINSIGHT_OUTPUT"] == str(tmp_path / "out")
    assert "PINSIGHT_NAMES" not in told and "PINSIGHT_JOIN" not in told
    assert re.fullmatch(r"pinsight-env-\d+-[0-9a-f]{8}", told["PINSIGHT_SESSION"])


@pytest.mark.parametrize("name, message", [
    ("fil", "--recorder does not know 'fil'; did you mean 'file'? (it takes file or lttng)"),
    ("", "--recorder does not know ''; it takes file or lttng")], ids=["near", "empty"])
def test_a_recorder_that_there_is_not(name, message, own_world, tmp_path):
    done = run(own_world, tmp_path / "out", "true", options=("--recorder", name))
    assert done.returncode == 2 and message in said(done) and not (tmp_path / "out").exists()


def test_a_variable_that_names_none(own_world, tmp_path):
    done = run(own_world, tmp_path / "out", "true", options=(), env=dict(os.environ, PINSIGHT_RECORDER="files"))
    assert done.returncode == 2 and "PINSIGHT_RECORDER does not know 'files'; did you mean 'file'?" in said(done)


def test_options_without_effect_are_said_in_one_line(own_world, tmp_path):
    options = ("--buffer-size", "5000", "--recorder", "file", "--names", "inline", "--lossless", "--no-summary")
    done = run(own_world, tmp_path / "out", "true", options=options)
    first = said(done).splitlines()[0]
    assert done.returncode == 0
    assert "--buffer-size has no effect: the file recorder's buffers grow" in first
    assert "--names inline has no effect: the file recorder writes numbers" in first and "--lossless" not in first
    options = ("--recorder", "file", "--lossless", "--no-summary", "-q")
    quiet = run(own_world, tmp_path / "quiet", "true", options=options)
    assert (quiet.returncode, said(quiet)) == (0, "")


def test_a_command_that_is_not_there_leaves_nothing(own_world, tmp_path):
    done = run(own_world, tmp_path / "out", "./no-such-command")
    assert done.returncode == 127 and not (tmp_path / "out").exists()
    script = tmp_path / "script"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    done = run(own_world, tmp_path / "out", script)
    assert done.returncode == 127 and not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_written(own_world, tmp_path):
    """Something in the place of the trace: the command runs all the same."""
    folder = tmp_path / "out"
    script = "import os, sys; os.makedirs(sys.argv[1]); open(sys.argv[1] + '/trace', 'w').close()"
    subprocess.run(["python3", "-c", script, str(folder)], check=True)
    done = run(own_world, folder, "echo", "ran")
    assert done.returncode == 2 and "is not empty" in said(done)


def test_a_folder_that_the_command_takes_away(own_world, tmp_path):
    """It is said, and no room is to be made for it; nor is there a summary of what is not there."""
    done = run(own_world, tmp_path / "out", "sh", "-c", "mv out elsewhere; echo ran")
    text = said(done)
    assert done.returncode == 0 and "its folder was removed or renamed while the command ran" in text
    assert text.count("pinsight: ") == 1 and "room" not in text


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_are_the_commands(number, own_world, tmp_path):
    process = own_world.start([places.COMMAND, "run", "--recorder", "file", "-o", tmp_path / "out", "--", "sleep",
                               "30"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert world.wait_until((tmp_path / "out" / "pinsight-run.txt").exists, 20)
    assert world.wait_until(lambda: "sleep 30" in own_world.processes().values(), 20)
    process.send_signal(number)
    _, text = process.communicate(timeout=20)
    assert process.returncode == -number, text
    assert own_world.left_over(0.5) == {}
    assert info(tmp_path / "out")["signal"] == str(int(number))


def test_a_killed_run_leaves_the_program_and_no_helper(own_world, tmp_path):
    process = own_world.start([places.COMMAND, "run", "--recorder", "file", "-o", tmp_path / "out", "--", "sleep",
                               "30"], cwd=tmp_path)
    assert world.wait_until(lambda: "sleep 30" in own_world.processes().values(), 20)
    process.kill()
    process.wait(timeout=20)
    assert own_world.end_what_goes_on("sleep 30", 2) == 1
    assert host_folder(tmp_path / "out").is_dir()


def job(place, tmp_path, rank, size, *command):
    variables = {"PMI_RANK": rank, "PMI_SIZE": size, "MPI_LOCALRANKID": rank, "MPI_LOCALNRANKS": size}
    return place.start([places.COMMAND, "run", "--recorder", "file", "-o", tmp_path / "trace", "--", *command],
                       cwd=tmp_path, env=dict(os.environ, **{key: str(value) for key, value in variables.items()}),
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def finish(process):
    _, text = process.communicate(timeout=60)
    return process.returncode, text.decode(errors="replace")


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0)], ids=["first", "last"])
def test_a_job_has_one_summary_when_all_have_ended(order, own_world, tmp_path):
    processes = {}
    for rank in order:
        command = "sleep %g; env >env.%d; echo %d >>ended" % (0.1 + rank * 0.4, rank, rank)
        processes[rank] = job(own_world, tmp_path, rank, 3, "sh", "-c", command)
        time.sleep(0.1)
    status, text = finish(processes[0])
    assert status == 0 and "Next" in text
    assert sorted((tmp_path / "ended").read_text().split()) == ["0", "1", "2"], "the summary waits for the others"
    assert [finish(processes[rank]) for rank in (1, 2)] == [(0, ""), (0, "")]
    sessions = {line for rank in range(3) for line in (tmp_path / ("env.%d" % rank)).read_text().splitlines()
                if line.startswith("PINSIGHT_SESSION=")}
    assert len(sessions) == 1
    assert own_world.left_over(2) == {}
    assert [path.name for path in (tmp_path / "trace" / "trace").iterdir()] == [os.uname().nodename]


def test_a_job_whose_first_rank_is_killed(own_world, tmp_path):
    """What sees the job to its end tells what came of it."""
    first = job(own_world, tmp_path, 0, 2, "sleep", "20")
    second = job(own_world, tmp_path, 1, 2, "sleep", "2")
    assert world.wait_until((tmp_path / "trace" / "pinsight-run.txt").exists, 20)
    time.sleep(0.5)
    first.kill()
    assert finish(second)[0] == 0
    own_world.end_what_goes_on("sleep 20", 8)
    assert info(tmp_path / "trace")["ended"] == "yes"


def test_each_rank_has_its_status(own_world, tmp_path):
    first = job(own_world, tmp_path, 0, 2, "sh", "-c", "exit 3")
    second = job(own_world, tmp_path, 1, 2, "sh", "-c", "sleep 1; kill -TERM $$")
    assert (finish(first)[0], finish(second)[0]) == (3, -15)
    assert own_world.left_over(4) == {}


def needs(path):
    listed = subprocess.run(["ldd", str(path)], stdout=subprocess.PIPE, check=True).stdout.decode()
    return [line for line in listed.splitlines() if "lttng" in line or "urcu" in line]


def test_the_command_needs_nothing_of_lttng():
    assert needs(places.COMMAND) == [] and needs(places.LIBDIR / "pinsight-introspect") == []


@pytest.fixture
def without_lttng(tmp_path):
    """PInsight's libraries as they are where LTTng is not installed."""
    libdir = tmp_path / "lib"
    shutil.copytree(str(places.LIBDIR), str(libdir), symlinks=True)
    (libdir / LTTNG).unlink()
    (libdir / LTTNG).write_bytes(b"")  # the dynamic linker refuses it, as it does where a library of it is missing
    return dict(os.environ, PINSIGHT_LIBDIR=str(libdir))


def test_lttng_that_is_missing(without_lttng, own_world, tmp_path):
    done = run(own_world, tmp_path / "out", "echo", "ran", options=("--recorder", "lttng"), env=without_lttng)
    assert (done.returncode, done.stdout) == (0, b"ran\n")
    assert "nothing is recorded: LTTng's libraries are missing (" in said(done) and LTTNG in said(done)
    assert "apt install lttng-tools" in said(done) and "--recorder file, which needs nothing" in said(done)
    assert not (tmp_path / "out").exists()
    done = run(own_world, tmp_path / "file", "echo", "ran", env=without_lttng)
    assert (done.returncode, done.stdout) == (0, b"ran\n") and "LTTng" not in said(done)


def test_a_build_without_lttng(without_lttng, own_world, tmp_path):
    (tmp_path / "lib" / LTTNG).unlink()
    done = run(own_world, tmp_path / "out", "true", options=("--recorder", "lttng"), env=without_lttng)
    assert done.returncode == 0 and "nothing is recorded: this PInsight was built without LTTng;" in said(done)


@pytest.mark.parametrize("recorder, level", [("lttng", "error"), ("file", "note")])
def test_the_doctor_of_lttng_that_is_missing(recorder, level, without_lttng, own_world, tmp_path):
    import json
    env = dict(without_lttng, PINSIGHT_RECORDER=recorder)
    done = own_world.run([places.COMMAND, "doctor", "--no-trial", "--format", "json"], cwd=tmp_path, env=env)
    found = {(row["area"], row["check"]): row for row in json.loads(done.stdout.decode())["findings"]}
    assert found["LTTng", "library"]["level"] == level
    assert "apt install lttng-tools" in found["LTTng", "library"]["fix"]
    assert (done.returncode == 1) == (level == "error")
    assert (("Recorder", "file-system") in found) == (recorder == "file")
