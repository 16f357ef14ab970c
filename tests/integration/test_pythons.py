"""Pythons that the build meets: which it takes, which it leaves out and why, and how the tests fetch others."""
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

import support.pythons
from support.places import BUILD, ROOT, TESTS
from support.pythons import every_python, headers_without_insides


CMAKE = shutil.which("cmake")  # not by a path that a test changes


def call(*words, **options):
    return subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, universal_newlines=True, timeout=300, **options)


def headers(folder, version):
    """What passes for the headers of a version."""
    folder.mkdir()
    (folder / "Python.h").write_text("")
    major, minor, micro = version
    (folder / "patchlevel.h").write_text("#define PY_MAJOR_VERSION %d\n#define PY_MINOR_VERSION %d\n"
                                         "#define PY_MICRO_VERSION %d\n" % (major, minor, micro))
    return folder


BROKEN = {"hangs": "#!/bin/sh\nexec sleep 600\n", "nonsense": "#!/bin/sh\necho Hello; echo World\n",
          "breaks": "#!/bin/sh\necho it is broken >&2\nexit 3\n", "silent": "#!/bin/sh\nexit 4\n"}
REASONS = {"hangs": "it does not answer", "nonsense": "it does not say which version it is", "breaks": "it is broken",
           "silent": "it ends with 4"}


def put(tmp_path, **texts):
    """A folder for each text, in which it is the program python3."""
    folders = []
    for name, text in texts.items():
        folders.append(tmp_path / name)
        folders[-1].mkdir()
        program = folders[-1] / "python3"
        program.write_text(text)
        program.chmod(0o755)
    return folders


def path_of(*folders):
    return os.pathsep.join(map(str, folders)) + os.pathsep + os.environ["PATH"]


def left_out(lines):
    """The reason against each that is left out, by its folder's name."""
    return {re.search("([a-z]*)/python3: ", line).group(1): line.rpartition("python3: ")[2] for line in lines
            if line.startswith("Python left out: ")}


def starts(python):
    """A script that starts a Python, as those of some computing centres do."""
    return '#!/bin/sh\nexec %s "$@"\n' % shlex.quote(python.base)


@pytest.fixture
def configured(tmp_path):
    """configured(name=text, ...): what the configuration says of those interpreters, beside others and those that
    tests/pythons has fetched into the folder `fetched`; and the folder in which it writes."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "CMakeLists.txt").write_text("""
cmake_minimum_required(VERSION 3.22)
project(Pythons NONE)
list(APPEND CMAKE_MODULE_PATH "%s")
include(PinsightPaths)
include(PinsightPythons)
message(STATUS "tags: ${PINSIGHT_PYTHON_TAGS}")
""" % (ROOT / "cmake"))

    def configure(**texts):
        programs = put(tmp_path, **texts)
        done = call(CMAKE, "-S", project, "-B", tmp_path / "build", "-DPINSIGHT_FIND_PYTHONS=ON",
                    "-DPINSIGHT_PYTHON_ANSWERS_IN=%d" % (1 if "hangs" in texts else 30),
                    "-DPINSIGHT_PYTHONS_FETCHED=%s" % (tmp_path / "fetched"),
                    env=dict(os.environ, PATH=path_of(*programs),
                             HOME=str(tmp_path), PYENV_ROOT=str(tmp_path)))
        assert done.returncode == 0, done.stdout + done.stderr
        said = [line[len("-- "):] for line in done.stdout.splitlines() if line.startswith("-- Python")]
        return said, tmp_path / "build" / "lib" / "pinsight"
    return configure


def pretends(python, change):
    """The interpreter after a change: what is asked of it is the script that is its last argument."""
    return '#!/bin/sh\nexec %s -I -c "import sys, sysconfig\n%s\nexec(open(sys.argv[-1]).read())" "$@"\n' % (
        shlex.quote(python.base), change)


def test_no_python_at_all(configured):
    """What does not answer, or answers something else, is left out with a line, and no error."""
    said, _ = configured(**BROKEN)
    why = left_out(said)
    assert {name: why.get(name) for name in BROKEN} == REASONS


def test_the_next_that_works_is_taken(tmp_path, newest):
    """By all that runs a Python for the build, whose input, words and exit status it gets."""
    *others, good = put(tmp_path, **BROKEN, old="#!/bin/sh\necho Python 3 7\n", works=starts(newest))
    where = dict(os.environ, HOME=str(tmp_path), PYENV_ROOT=str(tmp_path), PINSIGHT_PYTHON_ANSWERS_IN="3")
    runs = ROOT / "cmake" / "python"
    done = call(runs, "--which", env=dict(where, PATH=path_of(*others, good)))
    assert (done.returncode, done.stdout) == (0, "%s/python3\n" % good)
    assert left_out(done.stderr.splitlines()) == dict(REASONS, old="it is Python 3.7, which is too old")
    short = dict(where, PATH=path_of(tmp_path / "nonsense", good))
    program = "import sys; print(sys.stdin.read(), sys.argv[1:]); sys.exit(3)"
    done = subprocess.run([runs, "-c", program, "a b"], input="given", stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          encoding="utf-8", env=short)
    assert (done.returncode, done.stdout) == (3, "given ['a b']\n")
    done = call(runs, "--which", "import no_such_module", env=short)
    assert (done.returncode, done.stdout) == (1, "")


@pytest.mark.parametrize("name", ["nonsense", "breaks"])
def test_a_command_in_need_of_a_python(name, tmp_path, newest):
    """It names the one that does not work; a script that starts a Python is fine."""
    broken, good = put(tmp_path, **{name: BROKEN[name]}, works=starts(newest))
    words = [BUILD / "bin" / "pinsight", "store", "list", "--file", tmp_path / "none.db"]
    done = call(*words, env=dict(os.environ, PATH=path_of(broken)))
    assert (done.returncode, done.stdout, done.stderr) == (
        1, "", "pinsight: %s/python3 does not work as a Python for the store; name another: --python PATH\n" % broken)
    done = call(*words, env=dict(os.environ, PATH=path_of(good)))
    assert done.returncode == 1 and "none.db" in done.stderr and "work as a Python" not in done.stderr


def test_a_program_is_run_as_a_shell_would(tmp_path):
    """In the first python3 of PATH, which a line names before it is started."""
    (broken,) = put(tmp_path, nonsense=BROKEN["nonsense"])
    (tmp_path / "app.py").write_text("print('not reached')\n")
    done = call(BUILD / "bin" / "pinsight", "run", "--no-summary", "-o", tmp_path / "trace", "app.py", cwd=tmp_path,
                env=dict(os.environ, PATH=path_of(broken)))
    assert (done.returncode, done.stdout) == (0, "Hello\nWorld\n")
    assert "app.py runs in %s/python3, the first python3 on PATH" % broken in done.stderr


def test_odd_answers_of_what_the_tests_ask(tmp_path, newest, monkeypatch):
    odd = {"number": "3", "empty": "{}", "words": '{"name": "cpython", "version": "3.15", "executable": 1}',
           "nothing": "null", "bytes": "\\377"}
    folders = put(tmp_path, **{name: "#!/bin/sh\nprintf '%s'\n" % text for name, text in odd.items()})
    monkeypatch.setattr(support.pythons, "candidates", lambda: [*(str(folder / "python3") for folder in folders), newest.base])
    assert [python.base for python in every_python.__wrapped__()] == [newest.base]


def test_another_implementation(configured, newest):
    said, _ = configured(pypy=pretends(newest, "sys.implementation.name = 'pypy'"))
    assert [line for line in said if "/pypy/" in line and "this is pypy, and only CPython is traced" in line]


def test_another_implementation_is_run(tmp_path):
    """A program of PyPy runs as without PInsight, with one line; the doctor names it."""
    (tmp_path / "library.c").write_text('const char *PyPy_GetVersion(void) { return "3.9.16"; }\n')
    (tmp_path / "program.c").write_text("""
#include <stdlib.h>
const char *PyPy_GetVersion(void);
int main(int argc, char **argv) { return argc > 1 ? system(argv[1]) : *PyPy_GetVersion() == 0; }
""")
    library, program = tmp_path / "libpypy3.9-c.so", tmp_path / "pypy3.9"
    for words in (["-shared", "-fPIC", "library.c", "-o", library], ["program.c", "-o", program, library]):
        done = call(os.environ.get("CC", "cc"), *words, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    done = call(BUILD / "bin" / "pinsight", "run", "--no-summary", "-o", tmp_path / "trace", "--", program, program)
    assert done.returncode == 0
    lines = [line for line in done.stderr.splitlines() if "PyPy" in line]
    assert lines == ["pinsight: this Python is a PyPy, and only CPython is traced: its functions are not recorded; "
                     "use CPython 3.8 or later"]
    (tmp_path / "python3").symlink_to(program)
    done = call(BUILD / "bin" / "pinsight", "doctor", "--no-trial", cwd=tmp_path,
                env=dict(os.environ, PATH="%s:/usr/bin:/bin" % tmp_path))
    assert " %s is PyPy, and only CPython is traced" % (tmp_path / "python3") in done.stdout
    done = call(BUILD / "bin" / "pinsight", "doctor", "--no-trial", "--", program)
    assert " %s is PyPy, and only CPython is traced" % program in done.stdout and "is no Python" not in done.stdout


def test_the_doctor_names_a_script_and_what_runs_it(tmp_path):
    (folder,) = put(tmp_path, nonsense=BROKEN["nonsense"])
    done = call(BUILD / "bin" / "pinsight", "doctor", "--no-trial", "--", folder / "python3")
    assert " %s/python3 (/bin/sh) is no Python; one that it starts is recorded\n" % folder in done.stdout


def test_graalpy_is_run(tmp_path):
    """It is known by its name alone."""
    (tmp_path / "program.c").write_text("int main(void) { return 3; }\n")
    program = tmp_path / "graalpy"
    assert call(os.environ.get("CC", "cc"), "program.c", "-o", program, cwd=tmp_path).returncode == 0
    done = call(BUILD / "bin" / "pinsight", "run", "--no-summary", "-o", tmp_path / "trace", "--", program)
    assert done.returncode == 3
    assert [line for line in done.stderr.splitlines() if "GraalPy" in line] == [
        "pinsight: this Python is a GraalPy, and only CPython is traced: its functions are not recorded; "
        "use CPython 3.8 or later"]


@pytest.mark.parametrize("which, part", [
    ("none", "its headers are missing: there is no Python.h in "),
    ("another", "are of CPython 3.7.9"),
    ("odd", "do not say of which version they are"),
])
def test_headers_that_do_not_serve(configured, tmp_path, newest, which, part):
    """The reason is kept where the extension would be, and goes when the Python is taken later."""
    folder = tmp_path / "include"
    if which != "none":
        headers(folder, (3, 7, 9))
    if which == "odd":
        (folder / "patchlevel.h").write_text("")
    tag = "3.98"  # of which there is no other
    change = "sys.version_info = (3, 98, 1, 'final', 0); sysconfig.get_path = lambda kind: '%s'" % folder
    said, libdir = configured(one=pretends(newest, change))
    (line,) = [line for line in said if line.startswith("Python %s: left out: " % tag)]
    assert part in line
    why = libdir / ("_pinsight_python-%s.why" % tag)
    assert why.read_text() == line.partition("left out: ")[2] + "\n"


def test_two_of_one_version(configured, tmp_path, newest):
    """That with headers is taken before a newer patch without; headers of another patch are told."""
    good = headers(tmp_path / "include", (3, 98, 3))
    without = "sys.version_info = (3, 98, 5, 'final', 0); sysconfig.get_path = lambda kind: '/nothing'"
    other = "sys.version_info = (3, 98, 4, 'final', 0); sysconfig.get_path = lambda kind: '%s'" % good
    said, libdir = configured(newer=pretends(newest, without), older=pretends(newest, other))
    assert [line.partition(", ")[0] for line in said if line.startswith("Python 3.98: ")] == ["Python 3.98: 3.98.4"]
    assert [line for line in said if line.endswith(", with the headers of 3.98.3")]
    assert not list(libdir.glob("*3.98*"))


def test_an_alpha(configured, tmp_path, newest):
    """One of a version to come is as its release will be."""
    folder = headers(tmp_path / "include", (3, 98, 0))
    change = "sys.version_info = (3, 98, 0, 'alpha', 1); sysconfig.get_path = lambda kind: '%s'" % folder
    said, _ = configured(alpha=pretends(newest, change))
    assert [line.partition(", ")[0] for line in said if line.startswith("Python 3.98")] == ["Python 3.98: 3.98.0"]


def test_a_debug_build(configured, tmp_path, newest):
    """No extension is made with its headers, which the usual build could not use."""
    folder = headers(tmp_path / "include", (3, 98, 1))
    change = ("sys.version_info = (3, 98, 1, 'final', 0); sysconfig.get_path = lambda kind: '%s'; "
              "sysconfig.get_config_var = lambda name: name == 'Py_DEBUG'" % folder)
    said, _ = configured(debug=pretends(newest, change))
    (line,) = [line for line in said if line.startswith("Python 3.98")]
    assert "left out: " in line and "this is a debug build" in line


def test_fetched_into_another_folder(configured, tmp_path, newest):
    """As for a wheel, whose build folder is another than that of the tests."""
    folder = headers(tmp_path / "include", (3, 98, 3))
    program = tmp_path / "fetched" / "root" / "usr" / "bin" / "python3.98"
    program.parent.mkdir(parents=True)
    program.write_text(pretends(newest, "sys.version_info = (3, 98, 3, 'final', 0)\n"
                                        "sysconfig.get_path = lambda kind: '%s'" % folder))
    program.chmod(0o755)
    said, _ = configured()
    assert [line for line in said if line.startswith("Python 3.98: 3.98.3, ")]


@pytest.mark.pythons
def test_one_that_does_not_compile(tmp_path, newest):
    """It is left out, with the compiler's first error; the build has the others."""
    real = call(newest.base, "-c", "import sysconfig; print(sysconfig.get_path('include'))").stdout.strip()
    broken = tmp_path / "include"
    broken.mkdir()
    (broken / "patchlevel.h").write_text(Path(real, "patchlevel.h").read_text().replace(
        "#define PY_MINOR_VERSION", "#define PY_MINOR_VERSION 98 //"))
    (broken / "pyconfig.h").write_text("")
    (broken / "Python.h").write_text("#error these headers are broken\n")
    build = BUILD / "does-not-compile"
    (build / "lib" / "pinsight").mkdir(parents=True, exist_ok=True)
    stale = build / "lib" / "pinsight" / "_pinsight_python-3.98.so"
    stale.write_text("")
    done = call(CMAKE, "-S", ROOT, "-B", build, "-DPINSIGHT_FIND_PYTHONS=OFF", "-DCMAKE_BUILD_TYPE=Debug",
                "-DPINSIGHT_PYTHONS=" + newest.base, "-DPINSIGHT_PYTHON_HEADERS=%s" % broken)
    assert done.returncode == 0, done.stdout + done.stderr
    (line,) = [line for line in done.stdout.splitlines() if "Python 3.98: left out: " in line]
    assert "PInsight does not compile with its headers" in line and "these headers are broken" in line
    assert "these headers are broken" in (build / "tried-pythons" / "3.98-plain.log").read_text()
    assert not stale.exists()
    assert (build / "pythons.txt").read_text().split("\t")[0] == newest.short
    targets = call(CMAKE, "--build", build, "--target", "help").stdout
    assert "pinsight_python_" + newest.short in targets and "pinsight_python_3.98" not in targets


@pytest.mark.pythons
def test_one_whose_insides_are_others(tmp_path, newest):
    """Where the usual form does not compile and the plain one does, that one is taken, with the reason."""
    build = BUILD / "other-insides"
    (broken,) = put(tmp_path, nonsense=BROKEN["nonsense"])
    done = call(CMAKE, "-S", ROOT, "-B", build, "-DPINSIGHT_FIND_PYTHONS=OFF", "-DCMAKE_BUILD_TYPE=Debug",
                "-DPINSIGHT_PYTHON_HEADERS=%s" % headers_without_insides(newest, tmp_path / "include"),
                env=dict(os.environ, PATH=path_of(broken)))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "-- Python left out: %s/python3: %s\n" % (broken, REASONS["nonsense"]) in done.stdout  # to run generators
    (line,) = [line for line in done.stdout.splitlines() if "by public interfaces alone" in line]
    assert line.startswith("-- Python %s: by public interfaces alone: PInsight does not compile with its headers (" % newest.short)
    assert "internal/pycore" in line
    why = build / "lib" / "pinsight" / ("_pinsight_python-%s.why" % newest.short)
    assert line.endswith(why.read_text().strip())
    targets = call(CMAKE, "--build", build, "--target", "help").stdout
    assert "pinsight_python_%s_plain" % newest.short in targets
    assert "pinsight_python_%s:" % newest.short not in targets


# tests/pythons

def test_nothing_is_fetched_that_is_there(tmp_path, newest):
    done = call(TESTS / "pythons", tmp_path / "here", newest.short,
                env=dict(os.environ, PATH=os.path.dirname(newest.base) + os.pathsep + os.environ["PATH"]))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.wheel
def test_without_a_network(tmp_path):
    """One line says what is missing and why, also to who comes later."""
    (tmp_path / "conf").write_text('Acquire::http::Proxy "http://127.0.0.1:1"; Acquire::https::Proxy "http://127.0.0.1:1";\n')
    folder = tmp_path / "there"
    done = call(TESTS / "pythons", folder, "3.98", env=dict(os.environ, APT_CONFIG=str(tmp_path / "conf")))
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch("CPython 3.98 could not be fetched: .+\n", done.stderr)
    assert (folder / "why").read_text() == done.stderr
    assert call(TESTS / "pythons", "--missing", folder).returncode == 0


@pytest.mark.wheel
def test_a_debug_build_alone(tmp_path):
    """Into an empty folder, with the usual build that it belongs to, and the headers of both."""
    folder = tmp_path / "an empty – folder"
    done = call(TESTS / "pythons", folder, "3.15d")
    if "no mirror of apt's" in done.stderr or "apt has no mirror" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert (done.returncode, done.stderr) == (0, "")
    for version, debug in ("3.15", []), ("3.15d", ["--debug"]):
        answer = call(folder / "root" / "usr" / "bin" / ("python" + version), "-I", ROOT / "cmake" / "probe_python.py", *debug)
        assert answer.stdout.startswith("3.15;"), answer.stderr
    shutil.rmtree(folder)
