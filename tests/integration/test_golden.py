"""The screens, as they are to look: tests/golden holds each, with what differs from run to run taken out.

    PINSIGHT_GOLDEN_UPDATE=1 tests/run … -k golden      writes them anew; then read the difference.
"""
import difflib
import itertools
import os
import re
import shutil
import subprocess

import pytest

from support import places

GOLDEN = places.TESTS / "golden"
SCREENS = {
    "report": ["report", "trace", "--limit", "2"],
    "lines": ["report", "trace", "--lines", "--limit", "5"],
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
        elif not line or re.match(" {3}[A-Z]", line):  # what is below a table
            column = slice(0)
        if column.stop:
            line = re.sub(r"…\w+\.py:", "program.py:", line[:column.start] + line[column.stop:])
        lines.append(line)
    return "\n".join(lines)


def normalised(text, interpreter, folder):
    """Times, shares, sizes and what belongs to this machine give way to words; columns to single blanks."""
    text = without_ready(text.replace("\r\n", "\n")).replace(folder + "/", "").replace(interpreter, "PYTHON").replace(places.COMMAND, "pinsight")
    text = re.sub(r"\b%s (?=program\.py)" % re.escape(os.path.basename(interpreter)), "PYTHON ", text)
    text = re.sub(r"CPython [\d.]+", "CPython VERSION", text)
    text = re.sub(r"(?<![\w.])[\d.,]+ (?:ns|µs|ms|s)\b", "TIME", text)
    text = re.sub(r"[\d,]+ events, [\d.,]+ \w+", "EVENTS, SIZE", text)
    text = re.sub(r"[█▓▒▞░╌×]{2,}", "BAR", text)
    text = re.sub(r" +[×x] No free CPU <?[\d.]+ %", "", text)  # on a busy machine
    text = re.sub(r"(?m)(?: · other TIME(?=$| ·)|(?<=^Waiting for )other TIME · )", "", text)  # likewise
    text = re.sub(r"(?m)^(function|c_call),(.*?)((?:,\d+){6})$", r"\1,\2,TIMES", text)
    text = re.sub(r"<?\d+\.\d+", "SHARE", text)
    text = re.sub(r"TIME\s+100\b", "TIME SHARE", text)
    text = re.sub(r"of \d+ \(--limit", "of N (--limit", text)
    text = "\n".join(re.sub(r"\s+", " ", line).strip() for line in text.splitlines()) + "\n"
    # On a busy machine other rows have waited, too.
    text = re.sub(r"(?m)^TIME [╌:] ", "TIME ", re.sub(r"(?m)^(TIME SHARE) (?:SHARE|100) (?=\d|TIME \d)", r"\1 ", text))
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
    def run(columns=100, locale="C.UTF-8"):
        # Found on PATH, as the command is: where this checkout lies does not show. In an environment of its own: nor does
        # what the machine's Python loads at its start.
        at, name = os.path.split(one_of_each.with_packages())
        path = os.pathsep.join([at, os.path.dirname(places.COMMAND), os.environ["PATH"]])
        env = dict(os.environ, COLUMNS=str(columns), LC_ALL=locale, PATH=path)
        for inherited in ("PINSIGHT_COMMAND", "PINSIGHT_IMPORT"):
            env.pop(inherited, None)
        shutil.rmtree(tmp_path / "trace", ignore_errors=True)
        # Whether garbage is looked for while so little runs is the interpreter's affair.
        events = ["--events", "function,c_call,import,gil,lock,task"]
        done = subprocess.run([places.COMMAND, "run", "-o", "trace", *events, "--", name, "program.py"],
                              cwd=tmp_path, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        assert (done.returncode, done.stdout) == (0, b"")
        return tmp_path, env, done.stderr.decode("utf-8")
    return run


def variant(python):
    return "monitoring" if python.mechanism == "sys.monitoring" else "profile"


def settled(screen):
    """The functions in an order that the clock does not decide."""
    lines = screen.splitlines()
    first = lines.index(next(line for line in lines if re.match(r"own % ", line))) + 1
    last = lines.index("", first)
    return "\n".join(lines[:first] + sorted(lines[first:last]) + lines[last:]) + "\n"


def without_waiting(screen):
    """Two functions that compute have a column for waiting, if one of them happens to wait for a hundredth."""
    return re.sub(r"(?m)^% running waiting (calls.*\n)((?:SHARE TIME TIME .*\n)+)",
                  lambda found: "% running " + found.group(1) + found.group(2).replace("SHARE TIME TIME", "SHARE TIME"), screen)


def rows_in_order(screen):
    """The rows of each table in an order that the clock does not decide."""
    lines = []
    for is_row, group in itertools.groupby(screen.splitlines(), lambda line: line.startswith("TIME SHARE ")):
        lines += sorted(group) if is_row else group
    return "\n".join(lines) + "\n"


@pytest.mark.alone
def test_summary(record, one_of_each):
    def screen():
        folder, _, said = record(120)
        return settled(normalised(said, one_of_each.with_packages(), str(folder)))
    compare("summary." + variant(one_of_each), screen)


def without_room(text):
    """How much of a name or place there is room for depends on how long numbers are; and so does the second line of
    what is below the bar."""
    text = re.sub(r"(?m)(program\.py:\d+) (?:→|->|\.\.\.|…).*$", r"\1 CALLEE", text)
    head, bar, rest = re.split(r"(?m)^(BAR of TIME)$", text)
    legend, rest = rest.split("\n\n", 1)
    legend = " ".join(legend.split("Waiting for ")[0].split("Imports TIME")[0].split())
    return head + bar + "\n" + re.sub(r" [×x] No free CPU SHARE %", "", legend) + "\n\n" + rest


@pytest.mark.alone
@pytest.mark.parametrize("locale", ["C.UTF-8", "en_US.ISO-8859-1", "C"])
@pytest.mark.parametrize("columns", [60, 80, 120, 200])
def test_screen(record, one_of_each, columns, locale):
    """The first screen fits the width, and has ASCII alone where the character set is not UTF-8."""
    if variant(one_of_each) != "monitoring":
        pytest.skip("one interpreter is enough")

    def screen():
        folder, _, said = record(columns, locale)
        for line in said.splitlines():
            assert len(line) <= columns or line.startswith("Next  "), line
        assert "UTF-8" in locale or said.isascii(), said
        if locale != "C.UTF-8":
            said = re.sub(r"(?m)^[#.i:x]{2,} of", "BAR of", said).replace(" us ", " µs ").replace(" us\n", " µs\n")
        return settled(without_room(normalised(said, one_of_each.with_packages(), str(folder))))
    compare("screen-%d.%s" % (columns, "utf-8" if "UTF-8" in locale else "ascii"), screen)


@pytest.mark.alone
@pytest.mark.parametrize("screen", SCREENS)
def test_report(record, one_of_each, screen):
    """So wide that no column gives way: how long the numbers are, and whether a thread ever had no processor, differ
    from run to run."""
    def text():
        folder, env, _ = record(200)
        done = subprocess.run([places.COMMAND, *SCREENS[screen]], cwd=folder, env=env, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        assert (done.returncode, done.stderr) == (0, b"")
        shown = normalised(done.stdout.decode("utf-8"), one_of_each.with_packages(), str(folder))
        # Which functions are the first two of the answer, and so whether one of them waits, hangs on the clock;
        # test_screen has all of them.
        shown = re.sub(r"(?m)^own % (?:waits % )?(.* where most goes\n)(?:TIME .*\n)+", r"own % \1FUNCTIONS\n", shown)
        return shown if screen == "tree" else without_waiting(rows_in_order(shown))
    compare(screen + "." + variant(one_of_each), text)


@pytest.mark.parametrize("verb", ["", "run", "report", "top", "diff", "compare", "dump", "config", "ctl", "doctor"])
def test_help(verb):
    """Every option is in the help that is shown."""
    words = [places.COMMAND, verb, "--help"] if verb else [places.COMMAND]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ, COLUMNS="80"))
    assert done.stderr == b""
    text = done.stdout.decode("utf-8").replace(places.COMMAND, "pinsight")
    compare("help" + (verb and "-" + verb), lambda: text)
