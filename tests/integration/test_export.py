"""`pinsight export`: what all forms have in common."""
import os
import stat
import struct
import subprocess
import threading

import pytest

from support import made, places

from test_plugin import METADATA, PACKET

PROGRAM = "def work(n):\n    return sum(range(n))\nfor i in range(20):\n    work(i)\n"


def export(*words, **more):
    return subprocess.run([places.COMMAND, "export", *[str(word) for word in words]], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace", timeout=60, **more)


def test_where_it_is_written(newest, run_traced, tmp_path):
    trace = run_traced(newest, PROGRAM).folder
    here = tmp_path / "here"
    here.mkdir()

    done = export(trace, "--to", "csv", cwd=here)
    assert done.returncode == 0 and not done.stdout, done.stderr
    assert [file.name for file in here.iterdir()] == [trace.name + ".csv"]
    rows = (here / (trace.name + ".csv")).read_text()
    assert rows.count(",work,") == 20
    assert "%s.csv: %d slices" % (trace.name, rows.count("\n") - 1) in done.stderr

    assert export(trace, "--to", "csv", "-o", "-").stdout == rows
    assert export(trace, "--to", "csv", "-q", "-o", here / "named").stderr == ""
    assert (here / "named").read_text() == rows

    os.mkfifo(here / "pipe")
    read = []
    reader = threading.Thread(target=lambda: read.append((here / "pipe").read_text()))
    reader.start()
    assert export(trace, "--to", "csv", "-o", here / "pipe").returncode == 0
    reader.join(60)
    assert read == [rows] and stat.S_ISFIFO((here / "pipe").stat().st_mode)

    (here / "link").symlink_to("named")
    (here / "named").write_text("")
    assert export(trace, "--to", "csv", "--force", "-o", here / "link").returncode == 0
    assert (here / "named").read_text() == rows and (here / "link").is_symlink()


def test_what_another_user_put_there(newest, run_traced, tmp_path):
    """A link, a pipe or a folder in the place of NAME.part is gone round; what a killed export left is replaced."""
    trace = run_traced(newest, PROGRAM).folder
    (tmp_path / "precious").write_text("precious")
    (tmp_path / "a.part").symlink_to("precious")
    os.mkfifo(tmp_path / "b.part")
    (tmp_path / "c.part").mkdir()
    (tmp_path / "d.part").write_text("left")
    before = {entry.name for entry in tmp_path.iterdir()}
    for name in "abcd":
        assert export(trace, "--to", "csv", "-o", tmp_path / name).returncode == 0
        assert (tmp_path / name).read_text().count(",work,") == 20
        # As the trace, for its user alone.
        assert stat.S_IMODE((tmp_path / name).lstat().st_mode) == 0o600
    assert (tmp_path / "precious").read_text() == "precious" and (tmp_path / "a.part").is_symlink()
    assert {entry.name for entry in tmp_path.iterdir()} == (before | set("abcd")) - {"d.part"}
    (tmp_path / "a").chmod(0o640)
    assert export(trace, "--to", "csv", "--force", "-o", tmp_path / "a").returncode == 0
    assert stat.S_IMODE((tmp_path / "a").lstat().st_mode) == 0o640


@pytest.mark.skipif(os.geteuid() != 0, reason="makes links and pipes of another user")
def test_an_output_that_another_user_put_there(newest, run_traced, tmp_path):
    """--force replaces a link of another user's by itself, and gives no other user the rights that a file had."""
    trace = run_traced(newest, PROGRAM).folder
    precious = tmp_path / "precious"
    precious.write_text("precious")
    (tmp_path / "link").symlink_to(precious)
    (tmp_path / "file").write_text("")
    (tmp_path / "file").chmod(0o666)
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "file", "pipe"):
        os.chown(tmp_path / name, 65534, 65534, follow_symlinks=False)
    for name in ("link", "file"):
        done = export(trace, "--to", "csv", "-o", tmp_path / name)
        assert done.returncode == 1 and "it is there already" in done.stderr
        assert export(trace, "--to", "csv", "--force", "-o", tmp_path / name).returncode == 0
        assert stat.S_IMODE((tmp_path / name).lstat().st_mode) == 0o600
        assert stat.S_ISREG((tmp_path / name).lstat().st_mode) and precious.read_text() == "precious"
    done = export(trace, "--to", "csv", "--force", "-o", tmp_path / "pipe")
    assert done.returncode == 1 and "it is a pipe of another user" in done.stderr
    (tmp_path / "trace.html").symlink_to(tmp_path / "pipe")
    done = subprocess.run([places.COMMAND, "view", "--no-open", "-o", tmp_path / "trace.html", trace], timeout=20,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    assert done.returncode == 1 and "cannot write" in done.stderr


def test_what_cannot_be_written(newest, run_traced, tmp_path):
    """A message that names the place, and nothing left there; a device stays the device that it is."""
    trace = run_traced(newest, PROGRAM).folder
    before = sorted(tmp_path.iterdir())

    done = export(trace, "--to", "csv", "-o", "/dev/full")
    assert done.returncode == 1 and done.stderr == "pinsight: writing failed: /dev/full: No space left on device\n"
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode) and not os.path.exists("/dev/full.part")

    missing = tmp_path / "missing" / "file"
    done = export(trace, "--to", "csv", "-o", missing)
    assert done.returncode == 1
    assert done.stderr == "pinsight: cannot write %s.part: No such file or directory\n" % missing

    done = export(tmp_path / "no-trace", "--to", "csv", "-o", tmp_path / "out")
    assert done.returncode == 1 and "no-trace" in done.stderr
    (tmp_path / "out").write_text("older")
    assert export(tmp_path, "--to", "csvv", "-o", tmp_path / "out").returncode == 2
    assert (tmp_path / "out").read_text() == "older"
    (tmp_path / "out").unlink()
    assert sorted(tmp_path.iterdir()) == before


def test_a_reader_that_has_enough(newest, run_traced):
    """`| head` is no error, and nothing is said: as with `pinsight dump`."""
    trace = run_traced(newest, PROGRAM.replace("20", "3000")).folder
    done = subprocess.Popen([places.COMMAND, "export", "--to", "csv", "-o", "-", str(trace)], stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    assert done.stdout.readline().startswith("pid,")
    done.stdout.close()
    assert (done.stderr.read(), done.wait(60)) == ("", 0)
    done.stderr.close()


def test_options(tmp_path):
    done = export("--to", "cvs", tmp_path)
    assert done.returncode == 2 and "csv" in done.stderr
    done = export("--to", "csv")
    assert done.returncode == 2 and "TRACE" in done.stderr.upper()


def test_one_thread(newest, run_traced):
    trace = run_traced(newest, "import threading\n" + PROGRAM +
                       "def other():\n    work(3)\nt = threading.Thread(target=other)\nt.start()\nt.join()\n").folder
    rows = export(trace, "--to", "csv", "-o", "-", "--thread", "1").stdout
    assert rows.count(",work,") == 1 and ",other," in rows
    assert {row.split(",")[2] for row in rows.splitlines()[1:]} == {"1"}
    none = export(trace, "--to", "csv", "-o", "-", "--process", "1")
    assert none.stdout.count("\n") == 1 and "nothing in it" in none.stderr


def forms():
    told = subprocess.run([places.COMMAND, "export", "--help"], stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
    return [line.split()[0] for line in told[told.index("--help"):].split("\n\n")[1].splitlines()]


def test_foreign_traces(tmp_path):
    """Events of another program, and some that only a later PInsight knows: no form makes a file of them."""
    trace = tmp_path / "trace"
    trace.mkdir()
    event = 'event { name = "%s"; id = %d; fields := struct { u8 number; u64 big; }; };\n'
    names = ("of:another", "python_pinsight_lttng_ust:from_the_future", "pmpi_pinsight_lttng_ust:MPI_Future_begin")
    head = METADATA.split("event {")[0]
    (trace / "metadata").write_text(head + "".join(event % (name, number) for number, name in enumerate(names)))
    written = b"".join(struct.pack("<BQBQ", number, 100 + number, 2, 7) for number in range(len(names)))
    (trace / "stream").write_bytes(PACKET + written)
    assert {"perfetto", "csv", "otf2"} <= set(forms())
    for form in forms():
        done = export(trace, "--to", form, "-o", tmp_path / form)
        assert done.returncode == 1 and not (tmp_path / form).exists(), form
        assert "another program's" in done.stderr or "otf2" in form, done.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["trace"]


def test_into_a_folder_that_is_not_there(tmp_path):
    trace = made.Trace(tmp_path / "trace")
    trace.process(70).thread(70)
    trace.write()
    for form in forms():
        done = export(tmp_path / "trace", "--to", form, "-o", tmp_path / "nowhere" / "out")
        assert done.returncode == 1, (form, done)
        assert done.stderr.startswith("pinsight: cannot write ") and "No such file" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["trace"]


def content(path):
    """What a file has, or all files of a folder."""
    if not path.is_dir():
        return path.read_bytes()
    return {str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file()}


def test_what_is_there_is_kept(tmp_path):
    """No form overwrites an output, and each does with --force."""
    process = made.Trace(tmp_path / "trace").process(70)
    process.code(1, "work", "app.py", 1)
    process.thread(70).function(100, 200, 1)
    process.trace.write()
    for form in forms():
        done = export(tmp_path / "trace", "--to", form, "-o", tmp_path / form)
        if "without the OTF2 library" in done.stderr:
            continue
        assert done.returncode == 0, (form, done)
        before = content(tmp_path / form)
        done = export(tmp_path / "trace", "--to", form, "-o", tmp_path / form)
        kind = "folder" if (tmp_path / form).is_dir() else "file"
        assert (done.returncode, done.stderr) == (
            1, "pinsight: cannot write %s: it is there already; --force replaces it, or name another %s with -o\n"
            % (tmp_path / form, kind)), form
        assert content(tmp_path / form) == before
        if kind == "folder":
            older = next(path for path in (tmp_path / form).iterdir() if path.is_dir()) / "older"
            older.write_text("older")
        else:
            (tmp_path / form).write_text("older")
        done = export(tmp_path / "trace", "--to", form, "--force", "-o", tmp_path / form)
        assert done.returncode == 0, (form, done)
        after = content(tmp_path / form)
        assert after.keys() == before.keys() if kind == "folder" else after != b"older", form
        assert not (tmp_path / (form + ".part")).exists()


def test_force_removes_nothing_else(tmp_path):
    """A folder goes only where it has nothing but what the form writes, and never with the trace that is read."""
    trace = made.Trace(tmp_path / "run" / "trace")
    (tmp_path / "run").mkdir()
    trace.process(70).thread(70)
    trace.write()
    home = tmp_path / "home"
    home.mkdir()
    (home / "letter").write_text("dear")
    (tmp_path / "link").symlink_to("home")
    (tmp_path / "loose").symlink_to("nowhere")
    before = content(tmp_path)
    for form in ("ctf", "otf2", "csv"):
        for place in (home, tmp_path / "link", tmp_path / "run", tmp_path / "run" / "trace"):
            done = export(tmp_path / "run", "--to", form, "--force", "-o", place)
            if "without the OTF2 library" in done.stderr:
                break
            assert done.returncode == 1 and "; name a" in done.stderr.replace("remove it, or", ";"), (form, done)
            assert ("the trace itself" in done.stderr) == (form != "csv" and place.name == "run"), done
    done = export(tmp_path / "run", "--to", "csv", "-o", tmp_path / "loose")
    assert done.returncode == 1 and "--force replaces it" in done.stderr
    assert content(tmp_path) == before
