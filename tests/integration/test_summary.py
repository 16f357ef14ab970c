"""The summary after a run: one screen, a bar that adds up, and commands that can be typed."""
import re
import shutil
import subprocess

import pytest

from support import mpi, mpi4py_source, places
from support.pythons import pythons

ASCII = {"Python": "#", "C": ".", "OpenMP work": "=", "OpenMP waiting": "-", "MPI": "+", "Native code": "~",
         "Waiting": ":", "Imports": "i", "No free CPU": "x", "MPI waiting": "%", "Garbage": "&"}
SIGNS = {"Python": "█", "C": "░", "OpenMP work": "▓", "OpenMP waiting": "▒", "MPI": "▞", "Native code": "▄", "Waiting": "╌", "Imports": "▫",
         "No free CPU": "×", "MPI waiting": "╱", "Garbage": "▪"}


def check(summary, parts, signs=SIGNS):
    """`parts` are those of the bar, in order; others say how threads waited."""
    parts = parts + [part for part in ("Imports", "Waiting", "No free CPU") if re.search(part + r" <?[\d.]+ %", summary)]
    if re.search(r"Garbage <?[\d.]+ %", summary):
        parts.insert(parts.index("C") + 1, "Garbage")
    lines = summary.splitlines()
    assert len(lines) < 24, summary  # and one to type in
    above = [line for line in lines if not line.startswith("Next  ")]
    assert all(len(line) <= 80 for line in above), summary
    bar = next(line for line in lines if re.match(r"\S+ of [\d.]+ \S+( in \d+ threads)?$", line))
    assert set(bar.split()[0]) <= {signs[part] for part in parts} and len(bar.split()[0]) == 48
    legend = " ".join(lines[lines.index(bar) + 1:lines.index(bar) + 3])
    found = re.findall(r"(\S) ([A-Z][\w ]*?) <?([\d.]+) %", legend)
    found = [row for row in found if row[1] in signs]
    assert [row[1] for row in found] == parts and all(signs[name] == sign for sign, name, _ in found)
    assert sum(float(share) for _, _, share in found) == pytest.approx(100, abs=0.3)
    # The bar is drawn to the same shares.
    for sign, _, share in found:
        assert bar.split()[0].count(sign) == pytest.approx(float(share) * 48 / 100, abs=1.1)


def check_next(summary, tmp_path, options):
    command, more = re.search(r"\nNext  (.+)\n +with (.+); or view, for the timeline in a browser\n", summary).groups()
    assert [option for option in more.split() if option != "--imports"] == options  # where these took long
    for command in [command] + [command + " " + option for option in options] + [command.replace(" report ", " view ")]:
        done = subprocess.run(command, shell=True, cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        assert done.returncode == 0, (command, done.stderr)


@pytest.mark.parametrize("ascii_only", [False, True], ids=["utf8", "ascii"])
def test_openmp(newest, run_command, tmp_path, ascii_only):
    clang = shutil.which("clang")
    if not clang:
        places.missing("clang")
    library = tmp_path / "liblinks.so"
    done = subprocess.run([clang, "-O1", "-fopenmp", "-fPIC", "-shared", str(places.PROGRAMS / "links_openmp.c"), "-o",
                           str(library)], stderr=subprocess.PIPE, encoding="utf-8")
    if done.returncode:
        places.missing("clang with libomp: " + done.stderr)
    locale = "C" if ascii_only else "C.UTF-8"
    result = run_command(newest.path, places.PROGRAMS / "links_openmp.py", library, "3",
                         options=["--domains", "python,openmp"], env={"COLUMNS": "80", "LC_ALL": locale})
    assert result.rc == 0, result.stderr
    check(result.stderr, ["Python", "C", "OpenMP work", "OpenMP waiting"], ASCII if ascii_only else SIGNS)
    assert re.search(r"^OpenMP [\d.]+ \S+ in 14 regions; all threads ", result.stderr, re.M)
    assert " uneven " in result.stderr and "\033" not in result.stderr
    if not ascii_only:
        check_next(result.stderr, tmp_path, ["--links", "--openmp"])


def test_mpi(newest, run_command, tmp_path):
    flavour = next((one for one in mpi.flavours() if one.is_there), None) or places.missing("an MPI")
    path = pythons()[-1].with_packages("mpi4py", "numpy")
    env = dict(mpi.ENVIRONMENT, COLUMNS="80", LC_ALL="C.UTF-8",
               **mpi4py_source.environment(flavour, tmp_path / "lib"))
    result = run_command(*flavour.command(2, path, places.PROGRAMS / "links_mpi.py", "3"),
                         options=["--domains", "python,mpi"], env=env, timeout=180)
    assert result.rc == 0, result.stderr
    check(result.stderr, ["Python", "C", "MPI", "MPI waiting"])
    assert re.search(r"^MPI 2 ranks: .* waiting; sent ", result.stderr, re.M)
    # Where much stands out, there is no room for it.
    assert re.search(r"^   most waited: [\d.]+ \w+ [A-Za-z ]+, ", result.stderr, re.M) or "What stands out" in result.stderr
    assert "late_" in result.stderr
    check_next(result.stderr, tmp_path, ["--links", "--mpi"])


@pytest.mark.parametrize("begin, rest", [("import json", "\nx = '1'\nprint(json.dumps(x))\n"), ("x = '1'", "\nprint(x)\n"), ("print(1)", "")])
@pytest.mark.parametrize("empty", ["", "\n\n"])
def test_a_program_of_several_lines(empty, begin, rest, newest, run_command, tmp_path):
    """Its first line stands for it in the head, with no sign for the end of a line."""
    result = run_command(newest.path, "-c", empty + begin + rest, env={"COLUMNS": "200", "LC_ALL": "C.UTF-8"})
    quoted = begin.replace("'", "'\\''")
    assert result.stderr.splitlines()[1].endswith(" -c '" + quoted + ("…" if rest else "'")), result.stderr
