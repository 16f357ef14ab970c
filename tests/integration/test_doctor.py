"""pinsight doctor: what it checks, what it says is missing, and what to do."""
import json
import os
import re
import resource
import shutil
import subprocess

import pytest

from support import native, places
from support.introspection import gone
from support.pythons import every_python
from support.world import wait_until
from test_golden import compare

AREAS = ["Installation", "Recorder", "LTTng", "Python", "OpenMP", "MPI", "CUDA", "System"]


def doctor(*words, env=None, cwd=None, **how):
    return subprocess.run([places.COMMAND, "doctor", *map(str, words)], env=dict(os.environ, **(env or {})), cwd=cwd,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                          timeout=120, **how)


def findings(*words, rc=0, trial=False, **how):
    done = doctor("--format", "json", *([] if trial else ["--no-trial"]), *words, **how)
    assert done.returncode == rc and done.stderr == "", done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert report["format_version"] == 1
    for level, count in (("error", "errors"), ("warning", "warnings")):
        assert report[count] == sum(one["level"] == level for one in report["findings"])
    for one in report["findings"]:
        assert set(one) == {"area", "check", "level", "text", "fix"}
        assert one["area"] in AREAS and one["text"]
        if one["level"] in ("warning", "error"):
            assert one["fix"], one
    return report["findings"]


def only(found, check, level=None):
    return [one for one in found if one["check"] == check and level in (None, one["level"])]


@pytest.fixture
def libdir(tmp_path):
    """A copy of PInsight's libraries, to be damaged."""
    folder = tmp_path / "libdir"
    folder.mkdir()
    for path in places.LIBDIR.iterdir():
        if path.is_file():
            shutil.copy(str(path), str(folder / path.name))
    return folder


def test_all_is_well_here(one_of_each):
    """The whole chain, with a trial run."""
    found = findings("--", one_of_each.path, "-I", "-S", "app.py", trial=True)
    assert [one["area"] for one in found] == sorted((one["area"] for one in found), key=AREAS.index)
    assert not [one for one in found if one["level"] == "error"]
    assert only(found, "trial", "ok") and only(found, "files", "ok") and only(found, "versions", "ok")
    python = only(found, "pythons")
    assert len(python) == 1 and python[0]["level"] == "ok"
    assert "Python " + one_of_each.short in python[0]["text"] and one_of_each.mechanism in python[0]["text"]


def test_golden(one_of_each, tmp_path):
    def text():
        done = doctor("--", one_of_each.path, "-I", "-S", "app.py", cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        text = done.stdout.replace(str(places.LIBDIR), "LIBDIR").replace(one_of_each.path, "PYTHON")
        text = text.replace("Python " + one_of_each.short, "Python VERSION")
        text = re.sub(r"\d+\.\d+\.\d+\S*", "VERSION", text)
        text = re.sub(r"process \d+, sockets in [^)]*", "process PID, sockets in FOLDER", text)
        text = re.sub(r"[\d.]+ [KMGT]iB", "SIZE", text)
        text = re.sub(r"open \d+ files; tracing takes about \d+", "open N files; tracing takes about N", text)
        # What MPI and CUDA there are, is this machine's own.
        text = re.sub(r"(?m)^(?:MPI|CUDA)\n(?:  .*\n)*\n", "", text)
        text = re.sub(r"(?m)^  ok       (?:traces can be written|events are stamped) .*\n", "", text)  # so is that
        # Of a crowded machine's own.
        return re.sub(r"(?m)^  note .*\n(           fix: .*\n)?", "", text)
    compare("doctor." + ("monitoring" if one_of_each.mechanism == "sys.monitoring" else "profile"), text)


@pytest.mark.parametrize("words, mentioned", [
    (["--format", "xml"], "xml"), (["--no-such"], "no-such"), (["--format"], "--format"),
])
def test_wrong_options(words, mentioned):
    done = doctor(*words)
    assert (done.returncode, done.stdout) == (2, "") and mentioned in done.stderr


@pytest.mark.parametrize("name", ["libpinsight-preload.so", "libpinsight.so.0", "pinsight-introspect"])
def test_a_missing_part(libdir, name):
    (libdir / name).unlink()
    error = only(findings(rc=1, env={"PINSIGHT_LIBDIR": str(libdir)}), "files", "error")
    assert len(error) == 1 and name in error[0]["text"]


def test_a_library_that_is_not_found(libdir):
    """What an LTTng that was removed, or is of another kind, looks like."""
    gone = native.build(libdir, "libgone.so.7", "int gone;", "-Wl,-soname,libgone.so.7")
    native.build(libdir, "libpinsight.so.0", "extern int gone;\nint *at = &gone;\n", str(gone))
    gone.unlink()
    error = only(findings(rc=1, env={"PINSIGHT_LIBDIR": str(libdir)}), "libraries", "error")
    assert len(error) == 1 and "libgone.so.7" in error[0]["text"]


def test_no_installation(tmp_path):
    error = only(findings(rc=1, env={"PINSIGHT_LIBDIR": str(tmp_path / "nothing")}), "libdir", "error")
    assert len(error) == 1 and "PINSIGHT_LIBDIR" in error[0]["text"]


def test_no_extension_for_a_python(libdir, one_of_each):
    for form in "", "-plain":
        (libdir / ("_pinsight_python-%s%s.so" % (one_of_each.short, form))).unlink()
    found = findings("--", one_of_each.path, env={"PINSIGHT_LIBDIR": str(libdir)})
    warning = only(found, "pythons", "warning")
    assert len(warning) == 1 and one_of_each.short in warning[0]["text"] and "PINSIGHT_PYTHONS" in warning[0]["fix"]
    (libdir / ("_pinsight_python-%s.why" % one_of_each.short)).write_text("its headers are odd\nand more\n")
    found = findings("--", one_of_each.path, env={"PINSIGHT_LIBDIR": str(libdir)})
    assert only(found, "pythons", "warning")[0]["text"].endswith("untraced: its headers are odd")


@pytest.mark.recorder("lttng")
def test_no_session_daemon(own_world):
    done = own_world.run([places.COMMAND, "doctor", "--format", "json"],
                         env=dict(os.environ, LTTNG_SESSIOND="/no/such", PINSIGHT_RECORDER="lttng"))
    found = json.loads(done.stdout)["findings"]
    assert done.returncode == 1
    assert "LTTNG_SESSIOND" in only(found, "daemon", "error")[0]["text"]
    assert "LTTNG_SESSIOND" in only(found, "trial", "error")[0]["text"]


def test_a_wrong_configuration_is_in_the_trial(tmp_path):
    (tmp_path / "wrong.ini").write_text("[Pyton]\n")
    found = findings(rc=1, trial=True, env={"PINSIGHT_CONFIG": str(tmp_path / "wrong.ini")})
    assert "wrong.ini:1" in only(found, "trial", "error")[0]["text"]


def test_openmps_variables():
    found = findings(env={"OMP_TOOL": "disabled", "OMP_TOOL_LIBRARIES": "/opt/other.so"})
    texts = [one["text"] for one in only(found, "variables", "warning")]
    assert len(texts) == 2 and "OMP_TOOL=disabled" in texts[0] and "/opt/other.so" in texts[1]


MPIS = {"openmpi": ("Open MPI", "libmpi.so.40"), "mpich": ("MPICH", "libmpich.so.12")}


@pytest.mark.parametrize("flavour", MPIS)
def test_mpi_libraries(flavour, libdir, tmp_path):
    """A library with wrappers, one without, and a PInsight that was built without MPI."""
    name, soname = MPIS[flavour]
    native.build(tmp_path / "mpi", soname, "int MPI_Init(void) { return 0; }", "-Wl,-soname," + soname)
    env = {"PINSIGHT_LIBDIR": str(libdir), "LD_LIBRARY_PATH": str(tmp_path / "mpi")}
    for part in libdir.glob("libpinsight*mpi*"):
        part.unlink()

    def said():
        return [one for one in only(findings(env=env), "libraries") if str(tmp_path / "mpi" / soname) in one["text"]]
    without = said()
    assert [one["level"] for one in without] == ["note"] and name in without[0]["text"] and "headers" in without[0]["fix"]
    (libdir / "libpinsight-preload-mpi.so").write_bytes(b"")
    assert [one["level"] for one in said()] == ["warning"]
    (libdir / ("libpinsight-mpi-%s.so" % flavour)).write_bytes(b"")
    assert [(one["level"], one["fix"]) for one in said()] == [("ok", None)]


def test_the_wrong_mpirun(tmp_path):
    """A program that is linked with one MPI, and the other's launcher on the path."""
    library = native.build(tmp_path, "libmpi.so.40", "int MPI_Init(void) { return 0; }", "-Wl,-soname,libmpi.so.40")
    native.build(tmp_path, "program", "int MPI_Init(void); int main(void) { return MPI_Init(); }", str(library))
    for says, level in (("HYDRA build details:", "warning"), ("mpirun (Open MPI) 4.1.4", None), ("slurm", None)):
        (tmp_path / "mpirun").write_text("#!/bin/sh\necho '%s'\n" % says)
        (tmp_path / "mpirun").chmod(0o755)
        path = "%s:%s" % (tmp_path, os.environ["PATH"])
        found = only(findings("--", tmp_path / "program", env={"PATH": path}), "launcher", "warning")
        assert [one["level"] for one in found] == ([level] if level else []), says
        assert not found or ("MPICH's" in found[0]["text"] and "mpirun of Open MPI" in found[0]["fix"])


def test_packages(one_of_each, tmp_path):
    native.build(tmp_path / "numpy.libs", "libscipy_openblas64_-1.so", "#include <pthread.h>\nint start(pthread_t *t, "
                 "void *(*f)(void *)) { return pthread_create(t, 0, f, 0); }\n", "-lpthread")
    native.build(tmp_path / "learn.libs", "libgomp-a34b3233.so.1.0.0", "void GOMP_parallel(void) {}\n")
    found = findings("--", one_of_each.path, "-S", "app.py", env={"PYTHONPATH": str(tmp_path)})
    blas = only(found, "blas_calls", "ok")
    assert len(blas) == 1 and "libscipy_openblas64_-1.so are recorded" in blas[0]["text"] and not only(found, "blas", "warning")
    seen = only(found, "packages", "ok")
    assert len(seen) == 1 and "libgomp-a34b3233.so.1.0.0 is seen as it is" in seen[0]["text"]


def test_packages_without_what_stands_before_libgomp(one_of_each, libdir, tmp_path):
    (libdir / "libpinsight-gomp.so").unlink()
    (libdir / "libpinsight-preload-blas.so").unlink()
    native.build(tmp_path / "numpy.libs", "libscipy_openblas64_-1.so", "#include <pthread.h>\nint start(pthread_t *t, "
                 "void *(*f)(void *)) { return pthread_create(t, 0, f, 0); }\n", "-lpthread")
    native.build(tmp_path / "learn.libs", "libgomp-a34b3233.so.1.0.0", "void GOMP_parallel(void) {}\n")
    native.build(tmp_path / "intel.libs", "libiomp5.so", "void __kmpc_fork_call(void) {}\n")
    found = findings("--", one_of_each.path, "-S", "app.py", env={"PYTHONPATH": str(tmp_path), "PINSIGHT_LIBDIR": str(libdir)})
    blas = only(found, "blas", "warning")
    assert len(blas) == 1 and "libscipy_openblas64_-1.so" in blas[0]["text"] and "libopenblas0-openmp" in blas[0]["fix"]
    missing = only(found, "libgomp", "warning")
    assert len(missing) == 1 and "libpinsight-gomp.so is missing" in missing[0]["text"] and missing[0]["fix"]
    left = only(found, "packages", "warning")
    assert len(left) == 1 and "libgomp-a34b3233.so.1.0.0 is not seen as it is" in left[0]["text"]
    assert any("libiomp5.so is seen as it is" in one["text"] for one in only(found, "packages", "ok"))


def test_a_command_that_is_no_python():
    assert only(findings("--", "sh", "-c", "true"), "packages") == []


def test_a_command_that_is_not_there(tmp_path):
    """The same message and status as those of `pinsight run`."""
    (tmp_path / "plain").write_text("")
    for words in (["./nothing"], ["nothing-of-that-name"], ["./plain"]):
        done = doctor("--no-trial", "--", *words, cwd=tmp_path)
        run = subprocess.run([places.COMMAND, "run", "--", *words], cwd=tmp_path, stderr=subprocess.PIPE, encoding="utf-8")
        assert not done.stdout and (done.returncode, done.stderr) == (run.returncode, run.stderr)
        assert done.returncode in (126, 127) and words[0] in done.stderr


@pytest.mark.parametrize("form", ["#!{}\n", "#!/bin/sh\n'''exec' \"{}\" \"$0\" \"$@\"\n' '''\n"], ids=["one line", "two lines"])
def test_a_command_that_is_a_script(newest, tmp_path, form):
    """`doctor -- app.py` checks the Python that `pinsight run app.py` starts. Installers write two lines where its
    path is long or has blanks."""
    python = newest.path if "exec" in form else places.plain_path(newest.path, tmp_path)
    (tmp_path / "app.py").write_text(form.format(python))
    done = doctor("--no-trial", "--", "app.py", cwd=tmp_path)
    assert done.returncode == 0 and str(python) in done.stdout, done.stdout


def test_pending_calls_of_3_11():
    """Whoever gives main threads pending calls reads it before the program hangs."""
    for python in every_python():
        found = only(findings("--", python.path), "pending-calls")
        assert len(found) == (python.version[:2] == (3, 11)), (python, found)
        for one in found:
            assert one["level"] == "note" and "CPython 3.11 hangs where a pending call" in one["text"] and "3.12" in one["fix"]


@pytest.mark.parametrize("text, why", [
    ("echo Hello; echo World", "it does not say which version it is"),
    ("sleep 600 & echo $! >\"${0%/*}/child\"; wait", "it does not answer"),
    ("echo; echo it is broken >&2; echo more; exit 3", "it is broken"),
    ("exit 4", "it ends with 4"),
    ("kill -9 $$", "it is ended by signal 9"),
], ids=["nonsense", "hangs", "breaks", "silent", "killed"])
def test_a_broken_python_on_path(tmp_path, text, why):
    """It has one line for all its names, and a process that it started is gone."""
    program = tmp_path / "python3"
    program.write_text("#!/bin/sh\n%s\n" % text)
    program.chmod(0o755)
    (tmp_path / "python3.13").symlink_to(program)
    for name, mode in (("python3-config", 0o755), ("python3.9", 0o644)):
        (tmp_path / name).write_text(program.read_text())
        (tmp_path / name).chmod(mode)
    (tmp_path / "python3.8").mkdir()
    found = findings(env={"PATH": "%s:%s" % (tmp_path, os.environ["PATH"])})
    about = [one for one in only(found, "pythons") if str(tmp_path) in one["text"]]
    assert [(one["level"], one["text"]) for one in about] == [
        ("warning", "%s is no Python that works: %s" % (program, why))]
    assert "PATH" in about[0]["fix"]
    if (tmp_path / "child").exists():
        child = int((tmp_path / "child").read_text())
        assert wait_until(lambda: gone(child), 30)


def test_a_script_that_starts_a_python(newest, tmp_path):
    """The interpreter that it starts is in the list; pyenv's shims are not asked."""
    program = tmp_path / "python3"
    program.write_text("#!/bin/sh\necho a remark >&2\nexec '%s' \"$@\"\n" % newest.path)
    program.chmod(0o755)
    shims = tmp_path / "shims"
    shims.mkdir()
    (shims / "python3.9").write_text("#!/bin/sh\ntouch '%s'\nexit 127\n" % (tmp_path / "asked"))
    (shims / "python3.9").chmod(0o755)
    found = only(findings(env={"PATH": "%s:%s" % (tmp_path, shims), "PYENV_ROOT": str(tmp_path)}), "pythons")
    assert [one["level"] for one in found] == ["ok"], found
    assert "Python " + newest.short in found[0]["text"]
    assert not (tmp_path / "asked").exists()


def test_a_program_that_has_its_python_within(tmp_path):
    packed, alone = tmp_path / "packed", tmp_path / "alone"
    (tmp_path / "packed.c").write_text('int main(int argc, char **argv) { return argv[0] == (char *)"_MEIPASS"; }')
    subprocess.run(["cc", "-o", str(packed), str(tmp_path / "packed.c")], check=True)
    (tmp_path / "alone.c").write_text("void _start(void) { for (;;); }")
    subprocess.run(["cc", "-static", "-nostdlib", "-o", str(alone), str(tmp_path / "alone.c")], check=True)
    (one,) = only(findings("--", packed), "pythons", "warning")
    assert "was packed by PyInstaller" in one["text"] and "pinsight.activate()" in one["fix"]
    python = tmp_path / "python3.14"
    python.symlink_to(alone)
    for program in alone, python:
        (one,) = only(findings("--", program), "pythons")
        assert one["level"] == "warning" and "%s is a static executable" % program in one["text"]


def test_limits():
    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (24, 24))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
    found = findings(preexec_fn=limit)
    assert "ulimit -n" in only(found, "open-files", "warning")[0]["fix"]
    assert "ulimit -f" in only(found, "file-size", "warning")[0]["fix"]


def test_output_that_cannot_be_written():
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full")
    with open("/dev/full", "w") as full:
        done = subprocess.run([places.COMMAND, "doctor", "--no-trial"], stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1 and b"could not be written" in done.stderr


def test_the_peak_is_measured_and_kept(tmp_path):
    """One processor is never faster than all together, and half as wide numbers are not slower."""
    env = {"XDG_CACHE_HOME": str(tmp_path)}
    done = doctor("--peak", "--format", "json", env=env)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    found = json.loads(done.stdout)["findings"]
    assert [one["check"] for one in found] == ["processor", "peak_double", "peak_single", "peak_kept"]
    path, = (tmp_path / "pinsight").iterdir()
    assert str(path) in found[-1]["text"]
    kept = dict(line.split(" ", 1) for line in path.read_text().splitlines())
    assert kept["processor"] in found[0]["text"]
    numbers = {key: int(value) for key, value in kept.items() if key != "processor"}
    assert numbers["processors"] == len(os.sched_getaffinity(0))
    for precision in ("double", "single"):
        assert 0 < numbers[precision + "_one_mflops"] <= numbers[precision + "_all_mflops"], numbers
    assert numbers["double_one_mflops"] < 1.5 * numbers["single_one_mflops"], numbers


def test_a_peak_that_cannot_be_kept(tmp_path):
    (tmp_path / "pinsight").write_text("a file")
    done = doctor("--peak", env={"XDG_CACHE_HOME": str(tmp_path)})
    assert done.returncode == 0 and "could not be kept" in done.stdout and "XDG_CACHE_HOME" in done.stdout
