"""`pinsight config`: what a file means, what is in force and why, a file to start from."""
import os
import re
import subprocess

import pytest

from support import places
from test_golden import compare

GOOD = """\
# what one solver is asked for
[Python]
    events         = function
    module_filter  = solver,
                     numpy      # and all in it
    names          = registry
[Python.punit.thread]
    range = 0-3,7
[Lexgion.default]
    max_num_traces   = 100
    trace_mode_after = MONITORING
[Lexgion.Python]
    window_timeout = 0.5
[Lexgion(Python:solver.py:Solver.*)]
    max_num_traces = 1000
    tracing_rate   = 10
[Lexgion(Python:solver.py:Solver.step)]
    max_num_traces   = -1
    trace_mode_after = INTROSPECT:30:./look.sh:TRACING
"""

WRONG = """\
[Pyton]
trace_mode = OFF
[OpenACC]
[Python]
trace_mod = OFF
events = functions
names =
[Python.punit.threads]
[Lexgion.default]
tracing_rate = 0
tracing_rate = 1
"""


@pytest.fixture
def config(tmp_path):
    """config(words…, text=…, env={…}) runs `pinsight config` in a folder with the text as f.ini."""
    def run(*words, text=GOOD, env=None):
        if text is not None:
            (tmp_path / "f.ini").write_text(text, encoding="utf-8")
        clean = {name: value for name, value in os.environ.items() if not name.startswith("PINSIGHT_")}
        return subprocess.run([places.COMMAND, "config", *words], cwd=tmp_path, env=dict(clean, **(env or {})),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              encoding="utf-8", errors="surrogateescape", timeout=60)
    return run


SCREENS = {
    "config-check": (["check", "f.ini"], 0),
    "config-show": (["show", "-c", "f.ini"], 0),
    "config-show-for": (["show", "-c", "f.ini", "--for", "Python:solver.py:Solver.step"], 0),
    "config-show-defaults": (["show"], 0),
    "config-init": (["init"], 0),
}


@pytest.mark.parametrize("screen", SCREENS)
def test_screen(config, screen):
    words, rc = SCREENS[screen]
    done = config(*words)
    assert (done.returncode, done.stderr) == (rc, "")
    compare(screen, lambda: done.stdout)


def test_screen_of_errors(config):
    done = config("check", "f.ini", text=WRONG)
    assert (done.returncode, done.stdout) == (1, "")
    compare("config-check-wrong", lambda: done.stderr)


def test_template_has_no_errors(config, tmp_path):
    assert config("init", "-o", "new.ini").returncode == 0
    done = config("check", "new.ini")
    assert (done.returncode, done.stderr) == (0, "")
    assert "at most 100 executions" in done.stdout and "thread 0 only" in done.stdout
    assert (tmp_path / "new.ini").read_text() == config("init").stdout


def test_init_keeps_what_is_there(config, tmp_path):
    done = config("init", "-o", "f.ini")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "pinsight: f.ini is there already; name another file, or remove it\n"
    assert (tmp_path / "f.ini").read_text() == GOOD
    done = config("init", "-o", "no/folder/f.ini")
    assert (done.returncode, done.stderr) == (
        1, "pinsight: no/folder/f.ini cannot be written: No such file or directory\n")


def test_what_show_prints_can_be_read(config, tmp_path):
    """The screen is a configuration itself, and means the same."""
    first = config("show", "-c", "f.ini").stdout
    (tmp_path / "again.ini").write_text(first)
    second = config("show", "-c", "again.ini")

    def settings(text):
        return [line.split(" # ")[0].rstrip() for line in text.splitlines() if not line.startswith("#")]
    assert second.returncode == 0 and settings(first) == settings(second.stdout)


def test_environment(config):
    done = config("show", env={"PINSIGHT_CONFIG": "f.ini", "PINSIGHT_TRACE_PYTHON": "standby"})
    assert "trace_mode       = STANDBY              # environment, PINSIGHT_TRACE_PYTHON\n" in done.stdout
    assert "names            = registry             # f.ini:6\n" in done.stdout
    done = config("show", "-c", "f.ini", env={"PINSIGHT_CONFIG": "/no/such.ini"})
    assert done.returncode == 0, "-c is before PINSIGHT_CONFIG"
    done = config("show", env={"PINSIGHT_CONFIG": "/no/such.ini"})
    assert (done.returncode, done.stderr) == (
        1, "pinsight: /no/such.ini: cannot be read: No such file or directory\n")
    done = config("show", env={"PINSIGHT_TRACE_PYTHON": "TRACE"})
    assert (done.returncode, done.stderr) == (
        1, "pinsight: PINSIGHT_TRACE_PYTHON: unknown mode 'TRACE'; did you mean 'TRACING'?\n")


def test_more_of_the_environment(config):
    done = config("show", "-c", "f.ini", env={"PINSIGHT_EVENTS": "import,c_call", "PINSIGHT_NAMES": "inline",
                                              "PINSIGHT_DOMAINS": "python"})
    assert done.returncode == 0, done.stderr
    assert "events           = c_call, import       # environment, PINSIGHT_EVENTS\n" in done.stdout
    assert "names            = inline               # environment, PINSIGHT_NAMES\n" in done.stdout
    assert "trace_mode       = TRACING              # default\n" in done.stdout
    done = config("show", env={"PINSIGHT_EVENTS": "functions", "PINSIGHT_NAMES": "", "PINSIGHT_DOMAINS": "OpenACC",
                               "PINSIGHT_DEVICE_ACTIVITY": "one"})
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [
        "pinsight: PINSIGHT_DOMAINS: unknown domain 'OpenACC'; it is one of BLAS, CUDA, MPI, OpenMP, Python or User (nearest: 'OpenMP')",
        "pinsight: PINSIGHT_DEVICE_ACTIVITY: unknown value 'one' of device_activity; did you mean 'on'?",
        "pinsight: PINSIGHT_EVENTS: unknown event 'functions' of Python; did you mean 'function'?",
        "pinsight: PINSIGHT_NAMES has no value; give it one, or unset it"]


CUDA = """\
[CUDA]
    events          = launch, copy, device
    device_activity = one_per_node
[CUDA.punit.device]
    range = 0-1
[Lexgion.CUDA]
    tracing_rate = 2
[Lexgion(CUDA:cudaMemcpyAsync)]
    max_num_traces = 10
[Lexgion(CUDA:*gemm*)]
    max_num_traces = 20
[Lexgion(CUDA:_ZN2at6native*elementwise_kernel*)]
    max_num_traces = 30
[CUDA] : MPI.rank(1-7)
    device_activity = off
"""
GEMM = "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x128_16x5_nn_align4>(cutlass_80_tensorop_s1688gemm::Params)"
ELEMENTWISE = "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_13AUnaryFunctorIfffNS0_15binary_internal10MulFunctorIfEEEE"


def test_cuda(config):
    done = config("check", "f.ini", text=CUDA)
    assert (done.returncode, done.stderr) == (0, "")
    for line in ["[CUDA] in MPI.rank(1-7)  (line 14)", "  what devices do is not recorded", "  events: launch, copy, device", "  what devices do is recorded, also each node of a graph",
                 "  device 0-1 only", "[Lexgion(CUDA:cudaMemcpyAsync)]  (line 8)"]:
        assert line in done.stdout.splitlines(), line
    shown = config("show", "-c", "f.ini", text=CUDA).stdout
    assert "device_activity  = one_per_node         # f.ini:3\n" in shown
    assert "[CUDA.punit.device]\n    range            = 0-1                  # f.ini:5\n" in shown


@pytest.mark.parametrize("word, meaning", [("off", "what devices do is not recorded"), ("on", "what devices do is recorded, a graph as a whole"),
                                           ("one_per_node", "what devices do is recorded, also each node of a graph")])
def test_device_activity(config, word, meaning):
    done = config("check", "f.ini", text="[CUDA]\ndevice_activity = %s\n" % word.upper())
    assert (done.returncode, done.stderr) == (0, "") and "  " + meaning in done.stdout.splitlines()
    shown = config("show", text="", env={"PINSIGHT_DEVICE_ACTIVITY": word}).stdout
    assert "    device_activity  = %-20s # environment, PINSIGHT_DEVICE_ACTIVITY\n" % word in shown


@pytest.mark.parametrize("region, limit, where", [
    ("cudaMemcpyAsync", 10, "f.ini:9"), ("cudaMemcpy", -1, "default"), (GEMM, 20, "f.ini:11"), (ELEMENTWISE, 30, "f.ini:13"),
    ("_Z4gemmPf", 20, "f.ini:11"), ("_Z1fPf", -1, "default"), ("ampere_sgemm_32x32_sliced1x4_nn", 20, "f.ini:11"),
])
def test_kernels_are_selected_by_their_names(config, region, limit, where):
    """A region of CUDA is a host function, or a kernel by its mangled name."""
    done = config("show", "-c", "f.ini", "--for", "CUDA:" + region, text=CUDA)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"^max_num_traces = %d\n  decided by .* \(%s\)$" % (limit, where), done.stdout, re.MULTILINE), done.stdout
    assert "tracing_rate = 2\n  decided by [Lexgion.CUDA]" in done.stdout


@pytest.mark.parametrize("text, message", [
    ("[CUDA]\ndevice_activity = all\n", "f.ini:2:19: unknown value 'all' of device_activity; it is one of off, on or one_per_node "
     "(nearest: 'off')"),
    ("[Python]\ndevice_activity = on\n", "f.ini:2:1: unknown key 'device_activity' in [Python]; it is one of "),
    ("[CUDA]\nallocations = on\n", "f.ini:2:1: unknown key 'allocations' in [CUDA]; it is one of trace_mode, events or device_activity"),
    ("[Lexgion(CUDA:)]\n", "f.ini:1:10: 'CUDA:' does not say which region"),
    ("[Lexgion.default] : CUDA.device(0)\n", "f.ini:1:21: a section cannot be limited to a device of CUDA"),
])
def test_mistakes_about_cuda(config, text, message):
    done = config("check", "f.ini", text=text)
    assert done.returncode == 1 and done.stderr.startswith("pinsight: " + message), done.stderr


@pytest.mark.parametrize("text, message", [
    ("[BLAS]\nshortest_vector = -1\n", "f.ini:2:19: shortest_vector takes a number of elements from 0 to 9223372036854775807, not '-1'"),
    ("[MPI]\nshortest_vector = 1\n", "f.ini:2:1: unknown key 'shortest_vector' in [MPI]; it is one of "),
])
def test_mistakes_about_blas(config, text, message):
    done = config("check", "f.ini", text=text)
    assert done.returncode == 1 and done.stderr.startswith("pinsight: " + message), done.stderr


def test_blas(config):
    done = config("check", "f.ini", text="[BLAS]\nshortest_vector = 100\n[Lexgion(BLAS:dgemm)]\nmax_num_traces = 10\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "  calls of BLAS 1 with vectors of fewer than 100 elements are counted" in done.stdout.splitlines()


def run(folder, *words, env=None):
    """`pinsight run` with this environment, and none of its own variables besides."""
    clean = {name: value for name, value in os.environ.items()
             if not name.startswith("PINSIGHT_") or name == "PINSIGHT_LIBDIR"}
    return subprocess.run([places.COMMAND, "run", *words], cwd=folder, env=dict(clean, **(env or {})),
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                          timeout=60)


@pytest.mark.parametrize("words, env", [
    (["-c", "f.ini"], {}), (["--config=f.ini"], {}), ([], {"PINSIGHT_CONFIG": "f.ini"}),
    (["-c", "f.ini"], {"PINSIGHT_CONFIG": "/no/such.ini"}),
])
def test_run_with_a_wrong_file(words, env, tmp_path):
    """Every mistake is said as `config check` says it, and nothing is started or left."""
    (tmp_path / "f.ini").write_text(WRONG)
    done = run(tmp_path, *words, "--", "touch", "ran", env=env)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (places.TESTS / "golden" / "config-check-wrong.txt").read_text()
    assert os.listdir(tmp_path) == ["f.ini"]


@pytest.mark.parametrize("words, env, message", [
    (["-c", "no.ini"], {}, "no.ini: cannot be read: No such file or directory"),
    (["-c", "."], {}, ".: cannot be read: Is a directory"),
    (["-c", "/dev/null"], {}, "/dev/null: is no ordinary file; every process of the command reads the configuration, so "
     "write it to one"),
    ([], {"PINSIGHT_CONFIG": ""}, "PINSIGHT_CONFIG has no value; name a file, or unset it"),
    ([], {"PINSIGHT_TRACE_PYTHON": "TRACNG"},
     "PINSIGHT_TRACE_PYTHON: unknown mode 'TRACNG'; did you mean 'TRACING'?"),
    ([], {"PINSIGHT_TRACE_CUDAA": "OFF"}, "PINSIGHT_TRACE_CUDAA is of no domain; did you mean PINSIGHT_TRACE_CUDA?"),
    ([], {"PINSIGHT_EVENTS": "func"}, "PINSIGHT_EVENTS: unknown event 'func' of Python; did you mean 'function'?"),
    (["--events", "none"], {"PINSIGHT_NAMES": "x"},
     "PINSIGHT_NAMES: unknown value 'x' of names; it is one of inline or registry (nearest: 'inline')"),
    (["--config", ""], {}, "--config needs the name of a file, and was given an empty one"),
    (["-c"], {}, "-c needs a value; see `pinsight run --help`"),
])
def test_run_that_cannot_begin(words, env, message, tmp_path):
    done = run(tmp_path, *words, *(["--", "touch", "ran"] if words != ["-c"] else []), env=env)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "pinsight: " + message + "\n")
    assert os.listdir(tmp_path) == []


PRINT = ["--", "sh", "-c", "env | grep ^PINSIGHT_ | sort"]


def environment_of(done):
    assert done.returncode == 0, done.stderr
    return dict(line.split("=", 1) for line in done.stdout.splitlines())


def info_of(folder):
    lines = (folder / "pinsight-run.txt").read_text().splitlines()
    return dict((line + " ").split(" ", 1) for line in lines)


@pytest.mark.recorder("lttng")
def test_what_the_command_gets(tmp_path):
    """The file's path is absolute, options are variables, and what is not given is none."""
    (tmp_path / "f.ini").write_text(GOOD)
    got = environment_of(run(tmp_path, "--recorder", "lttng", "-o", "1", "-q", "-c", "f.ini", "--no-summary", *PRINT))
    assert got["PINSIGHT_CONFIG"] == str(tmp_path / "f.ini")
    assert not {"PINSIGHT_EVENTS", "PINSIGHT_NAMES", "PINSIGHT_DOMAINS", "PINSIGHT_TRACE_PYTHON"} & set(got)
    info = info_of(tmp_path / "1")
    assert [info[key].strip() for key in ("config", "events", "names")] == [str(tmp_path / "f.ini"), "function", "registry"]

    got = environment_of(run(tmp_path, "--recorder", "lttng", "-o", "2", "-q", "--events", "c_call", "--names", "inline", "--no-summary", *PRINT,
                             env={"PINSIGHT_CONFIG": "f.ini", "PINSIGHT_NAMES": "registry"}))
    assert (got["PINSIGHT_CONFIG"], got["PINSIGHT_EVENTS"], got["PINSIGHT_NAMES"]) == (
        str(tmp_path / "f.ini"), "c_call", "inline")
    info = info_of(tmp_path / "2")
    assert [info[key].strip() for key in ("events", "names")] == ["c_call", "inline"]

    got = environment_of(run(tmp_path, "--recorder", "lttng", "-o", "3", "-q", "--no-summary", *PRINT, env={"PINSIGHT_EVENTS": "import"}))
    assert got["PINSIGHT_EVENTS"] == "import" and "PINSIGHT_CONFIG" not in got
    info = info_of(tmp_path / "3")
    assert [info[key].strip() for key in ("config", "events", "names")] == ["", "import", "inline"]


@pytest.mark.recorder("lttng")
def test_an_outer_run_is_its_own(tmp_path):
    (tmp_path / "f.ini").write_text(GOOD)
    inner = [places.COMMAND, "run", "--recorder", "lttng", "-q", "--no-summary", "-o", "inner"] + PRINT
    got = environment_of(run(tmp_path, "--recorder", "lttng", "-q", "--no-summary", "-o", "outer", "-c", "f.ini", "--mode", "STANDBY", "--", *inner))
    assert "PINSIGHT_CONFIG" not in got and got["PINSIGHT_TRACE_PYTHON"] == "STANDBY"
    assert info_of(tmp_path / "outer")["names"] == "registry " and info_of(tmp_path / "inner")["names"] == "inline "


@pytest.mark.parametrize("words, message", [
    ([], "config does what? check, show or init; `pinsight config --help` has examples"),
    (["chekc", "f.ini"], "config does not know 'chekc'; did you mean `pinsight config check`?"),
    (["frobnicate"], "config does not know 'frobnicate'; it has check, show and init"),
    (["check"], "config check wants a file, such as pinsight.ini"),
    (["check", "f.ini", "g.ini"], "config check takes one file"),
    (["check", "--for", "x", "f.ini"],
     "unknown option '--for'; see `pinsight config --help`"),
    (["show", "f.ini"], "config show takes no 'f.ini'; the file is named with -c"),
    (["show", "--fro", "x"], "unknown option '--fro'; did you mean '--for'?"),
    (["show", "--for"], "--for needs a value; see `pinsight config --help`"),
    (["show", "--for", "solver"], "--for 'solver' does not say which region; write DOMAIN:REGION, such as "
     "Python:solver.py:Solver.step"),
    (["init", "f.ini"], "config init takes no 'f.ini'; the file is named with -o"),
])
def test_wrong_use(config, words, message):
    done = config(*words)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "pinsight: " + message + "\n")


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment"])
def test_a_file_that_says_nothing(config, text):
    done = config("check", "f.ini", text=text)
    assert done.returncode == 0 and "nothing: all is as it is without a file" in done.stdout


def test_files_that_are_none(config, tmp_path):
    (tmp_path / "zero.ini").write_bytes(b"[Python]\n\0\n")
    os.mkfifo(str(tmp_path / "pipe.ini"))
    assert config("check", "zero.ini").stderr == (
        "pinsight: zero.ini:2:1: a control character (\\x00); no text file has one\n")
    assert config("check", ".").stderr == "pinsight: .: cannot be read: Is a directory\n"
    assert config("check", "/dev/zero").stderr == (
        "pinsight: /dev/zero: is larger than 1 MiB, and no configuration\n")
    assert config("check", "pipe.ini").returncode == 0, "an empty pipe does not hold the command"


def test_a_file_that_comes_late(config, tmp_path):
    """`pinsight config check <(program)`: the pipe is empty at first."""
    done = subprocess.run(["bash", "-c", '"$0" config check <(sleep 0.5; echo "[Python]"; sleep 0.5; echo "names = x")',
                           places.COMMAND], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", timeout=60)
    assert done.returncode == 1
    assert "2:9: unknown value 'x' of names; it is one of inline or registry" in done.stderr


@pytest.mark.parametrize("section, limit", [
    ("[Lexgion.default]", "Python.thread(0)"), ("[OpenMP]", "Python.process(1)"), ("[Python]", "OpenMP.thread(0)"),
    ("[Python.punit.thread]", "CUDA.device(0)")])
def test_sections_have_no_limit_within_a_process(config, section, limit):
    """They would never hold."""
    domain, unit = limit.split("(")[0].split(".")
    done = config("check", "f.ini", text="%s : %s\n" % (section, limit))
    assert (done.returncode, done.stdout, done.stderr) == (
        1, "", "pinsight: f.ini:1:%d: a section cannot be limited to a %s of %s, because it holds for a whole process; "
        "limit it to a unit such as MPI.rank(0), or write [%s.punit.%s] to record only some\n" % (
            len(section) + 4, unit, domain, domain, unit))


def documented():
    """The configurations in the documentation: blocks of the guide, the example of the man page."""
    page = (places.ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    yield from re.findall(r"^```ini\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    man = (places.ROOT / "docs" / "man" / "pinsight-config.1.in").read_text(encoding="utf-8")
    yield man.split(".SH FILE FORMAT\n.EX\n")[1].split(".EE")[0].replace("\\-", "-")


@pytest.mark.parametrize("text", documented())
def test_documented_configurations(config, text):
    done = config("check", "f.ini", text=text)
    assert (done.returncode, done.stderr) == (0, "")


def test_documented_messages():
    """The mistakes that the guide quotes are said like that."""
    page = (places.ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    screen = (places.TESTS / "golden" / "config-check-wrong.txt").read_text(encoding="utf-8")
    quoted = [line.split(": ", 2)[2] for line in page.splitlines() if line.startswith("pinsight: ")]
    assert len(quoted) == 2 and all(text in screen for text in quoted)


def test_long_lists_are_printed_to_their_end(config):
    names = ["package%04d" % number for number in range(2000)]
    ranges = ",".join(str(2 * number) for number in range(2000))
    text = "[Python]\nmodule_filter = %s\n[Python.punit.thread]\nrange = %s\n" % (",\n  ".join(names), ranges)
    for words in (("check", "f.ini"), ("show", "-c", "f.ini")):
        result = config(*words, text=text)
        assert result.returncode == 0, result.stderr
        assert ", ".join(names) in result.stdout
        assert ranges in result.stdout
