"""Values that a program marks: the report's section, JSON and CSV. test_export_perfetto.py has their counters."""
import csv
import io
import math
import subprocess

import pytest

from support import native, places

PROGRAM = """
import pinsight, threading
for step in range(1, 101):
    pinsight.mark("residual", 1 / step ** 3)
pinsight.mark("bad", float("nan"))
pinsight.mark("bad", float("inf"))
pinsight.mark("a moment")
pinsight.mark("queue", 7)
thread = threading.Thread(target=pinsight.mark, args=("queue", -2))
thread.start()
thread.join()
for wrong in ("x", [1]):
    try:
        pinsight.mark("wrong", wrong)
    except (TypeError, ValueError):
        continue
    raise SystemExit("no error")
"""

SOURCE = """
#include <pinsight/pinsight.h>
int main(void) {
    for (int i = 0; i < 5; i++)
        pinsight_mark_value("level", i * 0.25);
    return 0;
}
"""


def values(traced):
    return {row["name"]: row for row in traced.report("--values")["values"]}


@pytest.mark.parametrize("options", [(), ("--mode", "MONITORING"), ("--events", "none")], ids=["all", "counted", "no-events"])
def test_the_report(options, one_of_each, run_traced):
    rows = values(run_traced(one_of_each, PROGRAM, *options, file="values.py"))
    assert set(rows) == {"residual", "bad", "queue"}
    residual = rows["residual"]
    assert (residual["count"], residual["min"], residual["max"], residual["last"]) == (100, 1e-6, 1, 1e-6)
    assert math.isclose(residual["mean"], sum(1 / step ** 3 for step in range(1, 101)) / 100)
    assert (rows["queue"]["count"], rows["queue"]["min"], rows["queue"]["max"], rows["queue"]["last"]) == (2, -2, 7, -2)
    assert (rows["bad"]["count"], rows["bad"]["last"], rows["bad"]["mean"]) == (2, None, None)


def test_forms(newest, run_traced):
    traced = run_traced(newest, PROGRAM, file="values.py")
    text = traced.report_text("--values")
    assert "\nValues" in text and " 1e-06 " in text, text
    rows = list(csv.DictReader(io.StringIO(traced.report_text("--values", "--format", "csv"))))
    assert [float(row["max"]) for row in rows if row["name"] == "residual"] == [1]


def test_from_c(run_command, tmp_path):
    (tmp_path / "level.c").write_text(SOURCE)
    library = places.BUILD / "lib" / "pinsight"
    subprocess.run([native.COMPILER, "-I", places.ROOT / "include", "-o", tmp_path / "level", tmp_path / "level.c",
                    "-L", library, "-l:libpinsight.so.0", "-Wl,-rpath,%s" % library], check=True)
    result = run_command(tmp_path / "level")
    assert result.rc == 0, result.stderr
    (row,) = result.report("--values")["values"]
    assert (row["name"], row["count"], row["min"], row["max"], row["last"]) == ("level", 5, 0, 1, 1)
