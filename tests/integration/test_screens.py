"""What stands on screens: it fits, and where the character set is not UTF-8 it is ASCII. Of every section of the report,
of comparisons, dumps and the summary; of made traces in which every view has something to show, and of a program."""
import fcntl
import os
import re
import shutil
import struct
import subprocess
import sys
import termios
import time
import unicodedata

import pytest

from support import everything, made as made_traces, places
from support.pythons import pythons as found_pythons

LONG_NAMES = ("a" * 150, "日本語" * 30, "📈🚀" * 25, "é\u0301" * 60, "pkg." * 40 + "f", "/usr/lib/" + "x" * 120 + ".py",
              "/home/u/a program with a long name/" + "データ" * 20 + ".py", "👩\u200d👧" * 20, "한글" * 40, "⏰✅" * 20, "<lambda>", "")
LOCALES = ("C.UTF-8", "en_US.ISO-8859-1", "C")
ASCII_NAMES = tuple(name for name in everything.SOUND if name.isascii())
PROGRAM = """
import asyncio, gc, json, subprocess, sys, threading, time

lock = threading.Lock()

def work(n):
    with lock:
        time.sleep(0.002)
    return json.dumps([str(i) for i in range(n)])

async def main():
    await asyncio.gather(*(asyncio.to_thread(work, 100 * i) for i in range(4)))

threads = [threading.Thread(target=work, args=(1000,)) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
asyncio.run(main())
gc.collect()
subprocess.run([sys.executable, "-c", "import decimal; decimal.Decimal(2).sqrt()"], check=True)
"""


def run(*words, columns=80, locale="C.UTF-8"):
    done = subprocess.run([places.COMMAND, *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=dict(os.environ, COLUMNS=str(columns), LC_ALL=locale))
    assert done.returncode == 0, done.stderr
    return done.stdout


def screens():
    """The options of every screen of the report, by its help."""
    told = run("report", "--help").decode()
    flags = re.findall(r"(?m)^  --([\w-]+)  ", told)
    by = re.search(r"--by WHAT +rows are each an? ((?:.|\n {20})*)", told).group(1).replace("(default)", "")
    words = [word for word in re.findall(r"[a-z]+", by) if word != "or"]
    assert {"tree", "imports", "links", "openmp", "mpi", "cuda", "tasks"} <= set(flags) and {"function", "thread"} <= set(words)
    return [[]] + [["--" + flag] for flag in flags] + [["--openmp", "--tree"]] + [["--by", word] for word in words]


def width(line):
    return sum(0 if unicodedata.category(c) in ("Mn", "Me", "Cf") else 2 if unicodedata.east_asian_width(c) in "WF" else 1
               for c in line)


def too_wide(text, columns):
    """A path that is alone in its line is whole, so that it can be copied, and so is the next command."""
    return [line for line in text.decode().splitlines()
            if width(line) > columns and " " in line.strip(" !#") and not line.startswith("Next  ")]


@pytest.fixture(scope="module", params=[1, 2, 4])
def made(request, tmp_path_factory):
    return everything.write(tmp_path_factory.mktemp("screens") / "made", request.param, names=ASCII_NAMES)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """The folder of a trace, and what the run said."""
    folder = tmp_path_factory.mktemp("screens")
    (folder / "program.py").write_text(PROGRAM)
    python = found_pythons()[-1] if found_pythons() else places.missing("a CPython that an extension was built for")
    done = subprocess.run([places.COMMAND, "run", "-o", "trace", "--events", "function,c_call,import,gc,gil,lock,task,generator", "--", python.path, "program.py", "données"], cwd=folder,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=dict(os.environ, COLUMNS="60", LC_ALL="C"))
    assert done.returncode == 0, done.stderr
    return folder / "trace", done.stderr


def check_screens(made, columns):
    wide = {" ".join(screen): too_wide(run("report", "-q", *screen, made, columns=columns), columns) for screen in screens()}
    assert {screen: lines for screen, lines in wide.items() if lines} == {}


@pytest.mark.parametrize("columns", [60, 80])
def test_made_fits(made, columns):
    check_screens(made, columns)


@pytest.mark.parametrize("columns", [120, 200])
def test_made_fits_wide_screens(columns, tmp_path):
    check_screens(everything.write(tmp_path / "made", 2, names=ASCII_NAMES), columns)


def two_ranks(folder):
    """Two ranks: two threads of each share 600 regions, of which one has less to do, and then there is a call of MPI."""
    trace = made_traces.Trace(folder / "trace", known=("core", "python", "openmp", "mpi"))
    for rank, pid in enumerate((70, 80)):
        process = trace.process(pid, rank, "/a/fit.py")
        threads = [process.thread(pid, 0), process.thread(pid + 1, 1)]
        process.code(1, "fit", "/a/fit.py", 3)
        process.path(1, 0, 1, 4)
        process.main.event(1, "mpi", "mpi_info", pid=pid, rank=rank, size=2)
        threads[0].python(2, "begin", 1)
        for at in range(10 ** 9, 11 * 10 ** 9, 10 ** 9 // 60):
            end = at + 10 ** 9 // 60 - 10
            region = dict(parallel_id=at, parallel_codeptr=9)
            threads[0].event(at, "openmp", "parallel_begin", requested_parallelism=2, flags=2 ** 31, py_path=1, **region)
            for number, thread in enumerate(threads):
                own = dict(global_thread_num=number, omp_thread_num=number, task_id=at + number, **region)
                thread.event(at + 1, "openmp", "implicit_task_begin", team_size=2, flags=2, **own)
                thread.event(at + (end - at) // 9 * (1 + 5 * number), "openmp", "barrier_implicit_begin", sync_kind=2, **own)
                thread.event(end, "openmp", "barrier_implicit_end", sync_kind=2, ends_task=1, **own)
            threads[0].event(end + 1, "openmp", "parallel_end", **region)
        threads[0].event(12 * 10 ** 9, "mpi", "MPI_Barrier_begin", comm=1, mpirank=rank, py_path=1)
        threads[0].event(13 * 10 ** 9, "mpi", "MPI_Barrier_end")
        threads[0].python(20 * 10 ** 9, "end", 1)
    trace.write(packet=1000)
    (folder / "pinsight-run.txt").write_text("ended yes\n")
    return folder


@pytest.mark.parametrize("columns, openmp, mpi", [
    (60, r"OpenMP 20\.0 s in 1,202 regions", r"MPI 2 ranks: 2\.00 s of .*\(.* %\).*"),
    (80, r"OpenMP 20\.0 s in 1,202 regions; all threads 40\.1 s, of it 24\.\d s waiting", r"MPI 2 ranks: .* waiting"),
    (120, r"OpenMP .* waiting \(61\.\d %\)", r"MPI 2 ranks: .* waiting"),
    (200, r"OpenMP .* waiting \(61\.\d %\)", r"MPI 2 ranks: .* waiting"),
])
def test_lines_of_domains(columns, openmp, mpi, tmp_path):
    """Each has one line of the first screen, without its last parts where it is too long."""
    text = run("top", two_ranks(tmp_path / "made"), columns=columns)
    assert too_wide(text, columns) == [], text.decode()
    lines = text.decode().splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("OpenMP "))
    assert re.fullmatch(openmp, lines[at]) and re.fullmatch(mpi, lines[at + 1]) and not lines[at + 2], text.decode()


def on_terminal(columns, *words):
    """What a command writes on a terminal of that width."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    process = subprocess.Popen(list(map(str, words)), stdin=subprocess.DEVNULL, stdout=theirs,
                               env=dict(os.environ, COLUMNS="200", LC_ALL="C.UTF-8", NO_COLOR="1", TERM="dumb"))
    os.close(theirs)
    text = b""
    try:
        while True:
            part = os.read(ours, 65536)
            if not part:
                break
            text += part
    except OSError:  # the end of a terminal
        pass
    os.close(ours)
    assert process.wait(60) == 0, text
    return text


def test_terminal(made):
    """Its width goes before COLUMNS, and data of `pinsight sql` gives way to it."""
    for columns in (60, 90):
        for words in (["report", "-q", made], ["report", "-q", "--links", made], ["config", "show"]):
            text = on_terminal(columns, places.COMMAND, *words)
            assert too_wide(text, columns) == [] and max(map(width, text.decode().splitlines())) > columns - 12, words


SQL = """
import sys
sys.path.insert(0, sys.argv[1])
from pinsight import _sql
rows = [(number, "a name " * 9, "日本" * number, -number * 1.5, number * 10 ** 9) for number in range(1, 30)]
_sql._write_table(["number", "text", "wide", "half", "many"], rows, sys.stdout, _sql._terminal(sys.stdout))
"""


def test_answers_of_sql_fit():
    """Texts are shortened on a terminal, then columns are left out from the right. A pipe gets all."""
    words = [sys.executable, "-c", SQL, str(places.ROOT / "python")]
    for columns in (24, 60, 120):
        text = on_terminal(columns, *words)
        assert too_wide(text.replace(b"(", b"").replace(b" of 5 columns; --format csv has all)", b""), columns) == [], text.decode()
        assert ("of 5 columns" in text.decode()) == (columns == 24)
    whole = subprocess.run(words, stdout=subprocess.PIPE, env=dict(os.environ, PYTHONUTF8="1"), check=True).stdout.decode()
    assert "a name " * 8 in whole and "日本" * 29 in whole


def words_of(text):
    return sorted(text.replace(b"#", b"").split())


@pytest.mark.parametrize("columns", [60, 80, 120, 200])
def test_other_verbs_fit(recorded, columns):
    folder, _ = recorded
    (folder.parent / "some.ini").write_text(
        "[Python]\n events = function, c_call, import, gc, lock, gil, task\n module_exclude = " +
        ", ".join("package%d" % number for number in range(40)) + "\n[Lexgion(Python:program.py:work)]\n tracing_rate = 3\n")
    ini = folder.parent / "some.ini"
    again = folder.parent / "again"
    if not again.exists():
        shutil.copytree(folder, again)
    for locale in LOCALES:
        for words in (["top", folder], ["diff", "--all", folder, again]):
            text = run(*words, columns=columns, locale=locale)
            assert too_wide(text, columns) == [] and ("UTF-8" in locale or text.isascii()), words
    # Their lines are read by programs, and fit terminals alone.
    for words in (["config", "show", "-c", ini], ["config", "check", ini], ["doctor", "--no-trial", "--", "true"],
                  ["config", "show", "-c", ini, "--for", "Python:program.py:work"]):
        text = on_terminal(columns, places.COMMAND, *words)
        assert text and too_wide(text, columns) == [], words
        assert words[0] == "doctor" or words_of(text) == words_of(run(*words)), words
    shown = folder.parent / "shown.ini"
    shown.write_bytes(on_terminal(60, places.COMMAND, "config", "show", "-c", ini))
    assert run("config", "show", "-c", shown).count(b"package39") == 1


@pytest.mark.parametrize("columns", [80, 120])
def test_help_fits(columns):
    """Wide screens do not have longer lines of prose."""
    verbs = set(re.findall(r"(?m)^  ([a-z][a-z-]*) ", run("--help").decode())) - {"help", "pinsight"}
    assert {"run", "report", "dump-stacks", "doctor"} <= verbs
    for words in [["--help"]] + [["help", verb] for verb in sorted(verbs)]:
        texts = [run(*words, columns=columns), on_terminal(columns, places.COMMAND, *words)]
        assert texts[0] == texts[1].replace(b"\r", b"") and texts[0].count(b"\n") > 8, words
        assert too_wide(texts[0], min(columns, 100)) == [], words


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
def test_long_names_fit(columns, tmp_path):
    """Names that are longer than a line, of characters with two columns, with one, and with none."""
    folders = [everything.write(tmp_path / str(seed), seed, events=2000, names=LONG_NAMES) for seed in (1, 3)]
    views = [["report", "-q", *screen, folders[0]] for screen in screens()] + [["diff", "--all", *folders]]
    wide = {" ".join(map(str, view[1:-1])): too_wide(run(*view, columns=columns), max(columns, 60)) for view in views}
    assert {view: lines for view, lines in wide.items() if lines} == {}


@pytest.mark.parametrize("locale", ["C", "POSIX", "en_US.ISO-8859-1"])
def test_made_is_ascii(made, locale):
    """And as wide as any other."""
    for screen in screens():
        text = run("report", "-q", *screen, made, columns=60, locale=locale)
        assert text.isascii() and too_wide(text, 60) == [], screen
    text = run("dump", "-q", made, locale=locale)
    assert text.isascii() and text.count(b"\n") == run("dump", "-q", made).count(b"\n")


def test_signs(made):
    """What stands in the place of the signs of UTF-8."""
    tree = run("report", "-q", "--tree", "--threshold", "0", made, locale="C").decode()
    assert " us" in tree and "`-" in tree and "\u00b5" in run("report", "-q", "--tree", made).decode()
    assert re.search(r"recorded - \d+ processes, \d+ threads - ", tree)


def test_names_that_are_not_ascii(tmp_path):
    folder = everything.write(tmp_path / "made", 5, names=("wörker", "日本", "a→b"))
    text = run("report", "-q", folder, locale="C", columns=200)
    assert text.isascii() and b"w\\u{f6}rker" in text and b"\\u{65e5}\\u{672c}" in text and b"a->b" in text
    assert "wörker" in run("report", "-q", folder).decode()
    for words in (["--format", "json"], ["--format", "csv"]):  # data is the same everywhere
        assert run("report", "-q", *words, folder, locale="C") == run("report", "-q", *words, folder)


def test_recorded(recorded):
    folder, said = recorded
    assert said.isascii() and too_wide(said, 60) == [], said.decode()
    for screen in screens():
        text = run("report", "-q", *screen, folder, columns=60, locale="C")
        assert text.isascii() and too_wide(text, 60) == [], screen


SLEEPS = """
import time
def wait():
    time.sleep(0.002)
open(%r, "w").close()
for _ in range(100000):
    wait()
"""


def test_control_fits(newest, tmp_path):
    """Also with long words of the command, and with the path of a long folder."""
    ready, trace = tmp_path / "ready", tmp_path / ("a long name" * 9)
    process = subprocess.Popen([places.COMMAND, "run", "-q", "-o", trace, "--", newest.path, "-c", SLEEPS % str(ready), *["word"] * 40],
                               stdin=subprocess.DEVNULL)
    try:
        while not ready.exists():
            assert process.poll() is None
            time.sleep(0.02)
        for columns in (60, 80, 120, 200):
            for words in (["status"], ["mode", "Python=MONITORING"]):
                text = on_terminal(columns, places.COMMAND, "ctl", trace, *words)
                lines = [line for line in too_wide(text, columns) if "a long name" not in line]
                assert text and lines == [], words
        one = run("ctl", trace, "status").decode().splitlines()[0]
        assert one.endswith("word " * 39 + "word"), "other programs get a line"
    finally:
        process.terminate()
        process.wait(60)


def test_comparing_commands_fits(newest):
    words = ["compare", "-n", "1", "--", newest.path, "-c", "import json; [json.dumps(i) for i in range(300)]", *["word"] * 30, "--to",
             newest.path, "-c", "import json; [json.dumps([i] * 9) for i in range(300)]"]
    for columns, locale in ((60, "C"), (80, "C.UTF-8"), (120, "en_US.ISO-8859-1")):
        text = run(*words, columns=columns, locale=locale)
        assert too_wide(text, columns) == [] and ("UTF-8" in locale or text.isascii()), text.decode()


def test_comparison(recorded, made, tmp_path):
    folder, _ = recorded
    shutil.copytree(folder, tmp_path / "again")
    for options in ([], ["--all"]):
        for other in (tmp_path / "again", made):
            text = run("diff", *options, folder, other, columns=60, locale="C")
            assert text.isascii() and too_wide(text, 60) == [], text.decode()
