"""The ways onto a machine: ./bootstrap, an installation into a prefix, and pip."""
import json
import os
import re
import resource
import shutil
import subprocess

import pytest

from support.places import BUILD, LIBDIR, ROOT
from support.pythons import pythons as found_pythons


def call(*words, **options):
    options.setdefault("env", plain_environment())
    return subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, universal_newlines=True, timeout=600, **options)


def plain_environment(**more):
    """The environment without what points to the build under test."""
    mine = {"PYTHONPATH", "PINSIGHT_COMMAND", "PINSIGHT_LIBDIR", "PINSIGHT_BUILD"}
    env = {name: value for name, value in os.environ.items() if name not in mine}
    return dict(env, **more)


# make uninstall

def test_uninstall(tmp_path):
    """Everything of an installation goes, and what others put beside it stays."""
    prefix, build = tmp_path / "prefix", tmp_path / "build"
    (prefix / "bin").mkdir(parents=True)
    (prefix / "bin" / "other").write_text("")
    build.mkdir()
    for _ in range(3):  # another test may install at the same time
        done = call("cmake", "--install", BUILD, "--prefix", prefix)
        assert done.returncode == 0, done.stderr
        text = (BUILD / "install_manifest.txt").read_text()
        if all(line.startswith(str(prefix)) for line in text.splitlines()):
            break
    (build / "install_manifest.txt").write_text(text)
    assert (prefix / "bin" / "pinsight").exists()
    (prefix / "lib" / "pinsight" / "python" / "pinsight" / "__pycache__").mkdir()
    (tmp_path / "elsewhere").mkdir()
    wrong = call(ROOT / "cmake" / "uninstall", build, tmp_path / "elsewhere")
    assert wrong.returncode == 1 and "into another prefix" in wrong.stderr
    done = call(ROOT / "cmake" / "uninstall", build, prefix)
    assert (done.returncode, done.stderr) == (0, ""), done
    assert [str(path.relative_to(prefix)) for path in prefix.rglob("*")] == ["bin", "bin/other"]
    done = call(ROOT / "cmake" / "uninstall", build, prefix)
    assert done.returncode == 1 and "no list of what was installed" in done.stderr
    done = call(ROOT / "cmake" / "uninstall", build, tmp_path / "nothing")
    assert done.returncode == 1 and "PREFIX=DIR" in done.stderr


# ./bootstrap

def test_bootstrap_has_nothing_to_say_where_nothing_is_missing():
    def processor_time():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    before = processor_time()
    done = call(ROOT / "bootstrap", "--no-install")
    if done.returncode or done.stderr:
        pytest.skip("this machine lacks something: " + done.stderr)
    assert done.stdout == ""
    assert processor_time() - before < 2


@pytest.mark.parametrize("told", [["--no-install"], []])
def test_bootstrap_lists_what_is_missing_and_installs_nothing_when_told(tmp_path, told):
    for name in ("bash", "sed", "dirname", "id", "env", "cat", "make", "git"):
        (tmp_path / name).symlink_to(shutil.which(name))
    done = call(ROOT / "bootstrap", *told, env={"PATH": str(tmp_path), "PINSIGHT_NO_INSTALL": "" if told else "1"})
    assert done.returncode == 1
    assert done.stdout == ""
    for package in ("pkg-config", "liblttng-ust-dev", "lttng-tools", "cmake", "ninja-build"):
        assert "\n  %s " % package in done.stderr
    assert "  git " not in done.stderr


def test_bootstrap_without_apt_names_other_ways(tmp_path):
    for name in ("bash", "sed", "dirname", "id", "env", "cat"):
        (tmp_path / name).symlink_to(shutil.which(name))
    done = call(ROOT / "bootstrap", env={"PATH": str(tmp_path)})
    assert done.returncode == 1
    for word in ("dnf install", "Spack", "conda", "--prefix DIR --archives"):
        assert word in done.stderr


@pytest.mark.parametrize("options, part", [
    (["--wrong"], "unknown option --wrong"),
    (["--prefix", "there"], "--archives"),
    (["--archives", "there"], "--prefix"),
    (["--prefix"], "needs a folder"),
])
def test_bootstrap_refuses_what_it_does_not_understand(tmp_path, options, part):
    done = call(ROOT / "bootstrap", *options, cwd=tmp_path)
    assert done.returncode == 1
    assert part in done.stderr
    assert not list(tmp_path.iterdir())


def bootstrap_prefix(tmp_path, *there):
    """bootstrap --prefix with no archive, where pkg-config finds those modules and nothing else."""
    archives = tmp_path / "archives"
    modules = tmp_path / "modules"
    for folder in (archives, modules):
        folder.mkdir()
    for name in there:
        (modules / (name + ".pc")).write_text("Name: %s\nDescription: it\nVersion: 2.70\nLibs:\nCflags:\n" % name)
    env = plain_environment(PKG_CONFIG_LIBDIR=str(modules), PKG_CONFIG_PATH="")
    return call(ROOT / "bootstrap", "--prefix", tmp_path / "prefix", "--archives", archives, env=env)


def test_bootstrap_names_the_archives_that_are_missing(tmp_path):
    done = bootstrap_prefix(tmp_path)
    assert done.returncode == 1
    for name in ("lttng-ust", "liburcu", "lttng-tools", "babeltrace2"):
        assert name in done.stderr
    assert "put the archives that are missing into" in done.stderr


def test_bootstrap_says_what_is_left_out_without_an_archive(tmp_path):
    done = bootstrap_prefix(tmp_path, "popt", "libxml-2.0", "liburcu-bp", "lttng-ust", "lttng-ctl")
    assert done.returncode == 0, done.stderr
    assert "there is no plug-in of babeltrace2" in done.stderr
    assert "unit tests are not built" in done.stderr
    assert "done; build PInsight with" in done.stderr


def defined(library, *options):
    told = subprocess.run(["nm", "--defined-only", *options, str(library)], stdout=subprocess.PIPE, encoding="utf-8",
                          check=True).stdout
    return {line.split()[-1].partition("@")[0] for line in told.splitlines() if "pinsight_" in line}


def test_no_library_has_a_name_of_the_core():
    """A call in there would silently go to the library's own function instead of the core's."""
    core = defined(LIBDIR / "libpinsight.so", "-D")
    assert "pinsight_domain_register" in core
    others = [path for path in LIBDIR.glob("*.so") if path.name != "libpinsight.so"]
    assert len(others) > 4
    assert {path.name: core & defined(path) for path in others if core & defined(path)} == {}


def test_no_library_misses_a_name():
    """What a library takes from another one of PInsight's is there: it is opened in programs only, and they go on without."""
    there = {name for path in LIBDIR.glob("*.so") for name in defined(path, "-D")}
    missing = {}
    for path in LIBDIR.glob("*.so"):
        told = subprocess.run(["nm", "-D", "--undefined-only", str(path)], stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
        wanted = {line.split()[1].partition("@")[0] for line in told.splitlines() if line.split()[0] == "U"}
        missing[path.name] = {name for name in wanted if name.startswith("pinsight_")} - there
    assert {name: names for name, names in missing.items() if names} == {}


@pytest.mark.wheel
def test_a_build_needs_no_library(tmp_path):
    build = BUILD / "no-library"
    done = call("cmake", "-S", ROOT, "-B", build, "-DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON",
                "-DPINSIGHT_OTF2=OFF", "-DCMAKE_BUILD_TYPE=Debug", "-DPINSIGHT_FIND_PYTHONS=OFF", "-DPINSIGHT_PYTHONS=" + found_pythons()[-1].path)
    assert done.returncode == 0, done.stdout + done.stderr
    for part in ("lttng-ust", "lttng-ctl", "liburcu-bp", "babeltrace2", "libdw"):
        assert re.search("^-- %s[>=0-9.]* was not found: .*apt install" % part, done.stdout, re.M), part
    # What links no library but libc.
    done = call("cmake", "--build", build, "--target", "pinsight")
    assert done.returncode == 0, done.stdout + done.stderr
    done = call(build / "bin" / "pinsight", "doctor", "--no-trial", cwd=tmp_path)
    assert "built without libdw" in done.stdout


# An installation

COUNTED = """
import threading
def f(): pass
def count():
    for _ in range(1000): f()
threads = [threading.Thread(target=count) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
for _ in range(7): f()
"""


def installed_traces(command, tmp_path, python):
    trace = tmp_path / "trace"
    done = call(command, "run", "-o", trace, "--", python, "-c", COUNTED, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    report = call(command, "report", trace, "--format", "json", "--limit", "0", cwd=tmp_path)
    assert report.returncode == 0, report.stderr
    functions = json.loads(report.stdout)["functions"]
    assert {entry["name"]: entry["calls"] for entry in functions if entry["name"] in ("f", "count")} == {
        "f": 4007, "count": 4}


def test_installed_into_a_prefix(tmp_path):
    prefix = tmp_path / "prefix"
    done = call("cmake", "--install", BUILD, "--prefix", prefix)
    assert done.returncode == 0, done.stderr
    for part in ("bin/pinsight", "lib/pinsight/libpinsight.so.0", "lib/pinsight/libpinsight-preload.so",
                 "lib/pinsight/libpinsight-openmp-tool.so", "lib/pinsight/libpinsight-cuda.so",
                 "lib/pinsight/pinsight-introspect",
                 "lib/pinsight/python/pinsight/__init__.py",
                 "share/man/man1/pinsight.1", "share/man/man1/pinsight-report.1", "share/bash-completion/completions/pinsight",
                 "share/zsh/site-functions/_pinsight", "share/fish/vendor_completions.d/pinsight.fish",
                 "include/pinsight/pinsight.h", "include/pinsight/pinsight.f90", "include/pinsight/view.h",
                 "share/pinsight/tracecompass/pinsight.xml", "lib/pinsight/libpinsight-data.so",
                 "lib/pinsight/babeltrace2/babeltrace-plugin-pinsight.so"):
        assert (prefix / part).exists(), part
    generated = "tracecompass/pinsight.xml"
    assert (prefix / "share/pinsight" / generated).read_bytes() == (BUILD / generated).read_bytes()
    installed_traces(prefix / "bin" / "pinsight", tmp_path, found_pythons()[-1].path)
    check_view_library(prefix, tmp_path)


CONSUMER = """
cmake_minimum_required(VERSION 3.22)
project(consumer C)
find_package(PInsightView 0.1 REQUIRED)
add_executable(hottest "%s")
target_link_libraries(hottest PRIVATE PInsight::view)
"""


def check_view_library(prefix, tmp_path):
    """pkg-config and CMake find the library for views, and a program with it reads a trace."""
    module, = prefix.rglob("pinsight-view.pc")
    example = ROOT / "examples" / "view" / "hottest.c"
    options = call("pkg-config", "--define-variable=prefix=%s" % prefix, "--cflags", "--libs", module).stdout.split()
    done = call("cc", example, "-o", tmp_path / "hottest", *options, "-Wl,-rpath,%s" % module.parent.parent)
    assert done.returncode == 0, done.stderr
    trace = tmp_path / "trace"
    told = call(tmp_path / "hottest", trace).stdout
    assert "count" in told
    (tmp_path / "CMakeLists.txt").write_text(CONSUMER % example)
    done = call("cmake", "-S", tmp_path, "-B", tmp_path / "consumer", "-DCMAKE_PREFIX_PATH=%s" % prefix)
    assert done.returncode == 0, done.stderr
    done = call("cmake", "--build", tmp_path / "consumer")
    assert done.returncode == 0, done.stdout + done.stderr
    assert call(tmp_path / "consumer" / "hottest", trace).stdout == told


def needed(path):
    told = subprocess.run(["readelf", "-d", str(path)], stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", told))


@pytest.mark.wheel
def test_installed_with_pip(tmp_path):
    """A wheel with the extension of the newest Python, and that of the one before from its headers alone."""
    python = found_pythons()[-1].path
    before = found_pythons()[-2:-1]  # none where there is one Python only
    headers = [call(other.base, "-c", "import sysconfig; print(sysconfig.get_path('include'))").stdout.strip()
               for other in before]
    venv = tmp_path / "venv"
    done = call(python, "-m", "venv", venv)
    assert done.returncode == 0, done.stderr
    # For these Pythons alone, which is what takes least time.
    done = call(ROOT / "cmake" / "wheel", BUILD / "one-python", "--config-settings", "cmake.build-type=Debug",
                "--config-settings", "cmake.define.PINSIGHT_PYTHONS=" + python,
                "--config-settings", "cmake.define.PINSIGHT_PYTHON_HEADERS=" + ";".join(headers), cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    wheel = done.stdout.strip()
    assert re.search(r"-py3-none-manylinux_2_[0-9]+_[a-z0-9_]+\.whl$", wheel)
    done = call(venv / "bin" / "python", "-m", "pip", "install", "--disable-pip-version-check", wheel, "numpy",
                cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    libdir = venv / "lib" / "pinsight"
    extensions = list(libdir.glob("_pinsight_python-*.so"))
    tags = {path.stem.split("-")[1] for path in extensions}
    maker = call("python3", "-c", "import sys; print('%d.%d' % sys.version_info[:2])").stdout.strip()
    assert tags == {found_pythons()[-1].short, *(other.short for other in before), maker}
    for path in [venv / "bin" / "pinsight", libdir / "libpinsight.so.0"] + extensions:
        others = {name for name in needed(path) if not re.match(r"(libc|libm|libdl|libpthread|ld-linux.*)\.so", name)}
        assert others <= {"libpinsight.so.0"}, path
    done = call(venv / "bin" / "pinsight", "run", "-o", tmp_path / "heat", "--", venv / "bin" / "python",
                ROOT / "examples" / "heat" / "heat.py", "--n", "96", "--steps", "400", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    done = call(venv / "bin" / "pinsight", "report", tmp_path / "heat", "--limit", "0", cwd=tmp_path)
    assert done.returncode == 0 and "laplacian" in done.stdout, done.stdout
    installed_traces(venv / "bin" / "pinsight", tmp_path, venv / "bin" / "python")
    done = call(venv / "bin" / "python", "-c", "import pinsight, pinsight_python; print(pinsight.__file__)",
                cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert str(venv) in done.stdout
    for other in before:
        venv = tmp_path / ("venv-" + other.short)
        done = call(other.path, "-m", "venv", venv)
        assert done.returncode == 0, done.stderr
        done = call(venv / "bin" / "python", "-m", "pip", "install", "--disable-pip-version-check", wheel, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        installed_traces(venv / "bin" / "pinsight", venv, venv / "bin" / "python")
