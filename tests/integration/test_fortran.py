"""The Fortran module of pinsight.h: the example and a program of every procedure, compiled with gfortran."""
import shutil
import subprocess

import pytest

from support import places

EVERY = """
program every
  use pinsight
  implicit none
  character(len=20) :: name
  integer :: step, status

  name = "padded"
  do step = 1, 30
    call pinsight_region_begin(name)
    call pinsight_region_begin("inner part")
    call pinsight_region_end("inner part")
    call pinsight_region_end("padded")
    call pinsight_mark("single", real(step))
    call pinsight_mark("double", real(step, 8) / 4)
  end do
  call pinsight_mark("")
  call pinsight_set_mode("User", PINSIGHT_MODE_STANDBY, status)
  print *, status, pinsight_get_mode("user")
  call pinsight_region_begin("unseen")
  call pinsight_region_end("unseen")
  call pinsight_set_mode("User", PINSIGHT_MODE_TRACING)
  call pinsight_set_mode("Nonsense", PINSIGHT_MODE_OFF, status)
  print *, status, pinsight_get_mode("Nonsense"), pinsight_get_mode("User")
end program every
"""


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """compiled(path): the program that gfortran makes of it and the module."""
    compiler = shutil.which("gfortran")
    if not compiler:
        pytest.skip("there is no gfortran")

    def compile_it(path):
        folder = tmp_path_factory.mktemp("fortran")
        library = places.BUILD / "lib" / "pinsight"
        subprocess.run([compiler, "-std=f2008", "-Wall", "-Wextra", "-Werror", "-o", "program", places.ROOT / "include" / "pinsight" / "pinsight.f90",
                        path, "-L", library, "-l:libpinsight.so.0", "-Wl,-rpath,%s" % library], check=True, cwd=folder)
        return folder / "program"
    return compile_it


def rows(traced):
    return {"%s %s" % (row["kind"], row["name"]): row for row in traced.report("--marked")["marked"]}


def test_every_procedure(compiled, run_command, tmp_path):
    (tmp_path / "every.f90").write_text(EVERY)
    result = run_command(compiled(tmp_path / "every.f90"))
    assert result.rc == 0, result.stderr
    assert [line.split() for line in result.stdout.splitlines()] == [["0", "1"], ["-1", "-1", "3"]]
    assert {key: row["recorded"] for key, row in rows(result).items()} == {
        "region padded": 30, "region inner part": 30, "value single": 30, "value double": 30, "mark ": 1}
    values = {row["name"]: (row["min"], row["max"]) for row in result.report("--values")["values"]}
    assert values == {"single": (1, 30), "double": (0.25, 7.5)}


def test_the_example(compiled, run_command):
    program = compiled(places.ROOT / "examples" / "fortran" / "laplace.f90")
    alone = subprocess.run([program], stdout=subprocess.PIPE, check=True, encoding="utf-8").stdout
    result = run_command(program)
    assert result.rc == 0 and result.stdout == alone
    found = rows(result)
    assert {key: row["recorded"] for key, row in found.items()} == {"region start": 1, "region sweep": 100, "value residual": 100, "mark done": 1}
    (residual,) = result.report("--values")["values"]
    assert "%.5E" % residual["last"] == alone.split()[1]


def test_windows(compiled, run_command, tmp_path):
    (tmp_path / "every.f90").write_text(EVERY)
    (tmp_path / "window.ini").write_text("[Lexgion(User:padded)]\nmax_num_traces = 7\n")
    result = run_command(compiled(tmp_path / "every.f90"), options=["-c", str(tmp_path / "window.ini")])
    row = rows(result)["region padded"]
    assert (row["recorded"], row["outside"]) == (7, 23)
