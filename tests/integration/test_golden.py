"""The screens, as they are to look: tests/golden holds each, with what differs from run to run taken out.

    PINSIGHT_GOLDEN_UPDATE=1 tests/run … -k golden      writes them anew; then read the difference.
"""
import difflib
import os
import re
import shutil
import subprocess

import pytest

from support import places

GOLDEN = places.TESTS / "golden"
SCREENS = {
    "report": ["report", "trace", "--limit", "2"],
    "tree": ["report", "trace", "--tree", "--depth", "4", "--threshold", "6"],
    "by-file": ["report", "trace", "--by", "file", "--limit", "1"],
    "by-thread": ["report", "trace", "--by", "thread"],
    "csv": ["report", "trace", "--format", "csv", "--limit", "2"],
}


def without_ready(text):
    """On a busy machine tables of functions have a column for having no processor, and less room for places."""
    lines, column = [], slice(0)
    for line in text.splitlines():
        if "waiting  " in line and "no CPU" in line and "thread" not in line:
            column = slice(line.index("waiting") + len("waiting"), line.index("no CPU") + len("no CPU"))
        elif not line:
            column = slice(0)
        if column.stop:
            line = re.sub(r"…\w+\.py:", "program.py:", line[:column.start] + line[column.stop:])
        lines.append(line)
    return "\n".join(lines)


def normalised(text, python, folder):
    """Times, shares, sizes and what belongs to this machine give way to words; columns to single blanks."""
    text = without_ready(text.replace("\r\n", "\n")).replace(folder + "/", "").replace(python.path, "PYTHON").replace(places.COMMAND, "pinsight")
    text = re.sub(r"CPython [\d.]+", "CPython VERSION", text)
    text = re.sub(r"(?<![\w.])[\d.,]+ (?:ns|µs|ms|s)\b", "TIME", text)
    text = re.sub(r"[\d,]+ events, [\d.,]+ \w+", "EVENTS, SIZE", text)
    text = re.sub(r"[█▓▒▞░╌×]{2,}", "BAR", text)
    text = re.sub(r" +× No free CPU <?[\d.]+ %", "", text)  # on a busy machine
    text = re.sub(r" · other TIME$", "", text, flags=re.MULTILINE)  # likewise
    text = re.sub(r"(?m)^(function|c_call),(.*?)((?:,\d+){6})$", r"\1,\2,TIMES", text)
    text = re.sub(r"<?\d+\.\d+", "SHARE", text)
    text = re.sub(r"TIME\s+100\b", "TIME SHARE", text)
    text = re.sub(r"of \d+ \(--limit", "of N (--limit", text)
    text = "\n".join(re.sub(r"\s+", " ", line).strip() for line in text.splitlines()) + "\n"
    # What the interpreter calls at its start and end differs from patch to patch.
    return re.sub(r"(?m)^(TIME SHARE TIME TIME) [\d,]+ [\d,]+ (\d+ MainThread)$", r"\1 CALLS CALLS \2", text)


def compare(name, make):
    """`make()` gives a screen; on a busy machine the order of rows may need another try or two."""
    file = GOLDEN / (name + ".txt")
    text = make()
    if os.environ.get("PINSIGHT_GOLDEN_UPDATE"):
        file.write_text(text, encoding="utf-8")
        return
    expected = file.read_text(encoding="utf-8")
    for _ in range(4):
        if text == expected:
            return
        text = make()
    if expected != text:
        pytest.fail("\n".join(difflib.unified_diff(expected.splitlines(), text.splitlines(), str(file), "now",
                                                   lineterm="")), pytrace=False)


@pytest.fixture
def record(one_of_each, tmp_path):
    """record() traces the program anew and gives the folder, the environment, and what pinsight run said."""
    (tmp_path / "program.py").write_text((GOLDEN / "program.py").read_text())
    env = dict(os.environ, COLUMNS="100", LC_ALL="C.UTF-8")
    env.pop("PINSIGHT_COMMAND", None)

    def run():
        shutil.rmtree(tmp_path / "trace", ignore_errors=True)
        done = subprocess.run([places.COMMAND, "run", "-o", "trace", "--", one_of_each.path, "program.py"],
                              cwd=tmp_path, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        assert (done.returncode, done.stdout) == (0, b"")
        return tmp_path, env, done.stderr.decode("utf-8")
    return run


def variant(python):
    return "monitoring" if python.mechanism == "sys.monitoring" else "profile"


def shortened(summary):
    """The summary without rows that the clock decides: the first four of its table."""
    lines, rows = [], None
    for line in summary.splitlines():
        if re.match(r"\s+all\b", line):
            rows = 0
        elif not line.strip():
            rows = None
        elif rows is not None:
            rows += 1
            if rows > 4:
                continue
        lines.append(line)
    return "\n".join(lines) + "\n"


@pytest.mark.alone
def test_summary(record, one_of_each):
    def screen():
        folder, _, said = record()
        # How much more there is than the summary shows hangs on the interpreter's own start and end.
        text = re.sub(r"by running time(, \d+ of \d+ \(--links: all\))?", "by running time", shortened(said))
        return normalised(text, one_of_each, str(folder))
    compare("summary." + variant(one_of_each), screen)


@pytest.mark.alone
@pytest.mark.parametrize("screen", SCREENS)
def test_report(record, one_of_each, screen):
    def text():
        folder, env, _ = record()
        done = subprocess.run([places.COMMAND, *SCREENS[screen]], cwd=folder, env=env, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        assert (done.returncode, done.stderr) == (0, b"")
        return normalised(done.stdout.decode("utf-8"), one_of_each, str(folder))
    compare(screen + "." + variant(one_of_each), text)


@pytest.mark.parametrize("verb", ["", "run", "report", "diff", "dump", "config", "ctl", "doctor"])
def test_help(verb):
    """Every option is in the help that is shown."""
    words = [places.COMMAND, verb, "--help"] if verb else [places.COMMAND]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ, COLUMNS="80"))
    assert done.stderr == b""
    text = done.stdout.decode("utf-8").replace(places.COMMAND, "pinsight")
    compare("help" + (verb and "-" + verb), lambda: text)
