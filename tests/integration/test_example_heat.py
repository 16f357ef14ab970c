"""The heat example: nearly all of its time has a name."""
import pytest

from support import places

pytestmark = pytest.mark.timed

HEAT = places.ROOT / "examples" / "heat" / "heat.py"
LEAST = 0.95
TRIES = 5


def named_by_function(links):
    """What nothing recorded was open for, and what no function is known of, is the rest."""
    named = sum(row["all_ns"] for row in links["functions"] if row["name"])
    named += sum(row["python_ns"] + row["c_ns"] for row in links["imports"])
    return named / links["wall_ns"]


@pytest.mark.alone
def test_time_has_names(newest, run_traced):
    for _ in range(TRIES):  # on a busy machine the process's own start and end may take long
        report = run_traced(newest, [str(HEAT), "--steps", "1500"], packages=("numpy",)).report("--links", "--limit", "0")
        links = report["links"]
        if named_by_function(links) >= LEAST:
            break
    assert named_by_function(links) >= LEAST
    if newest.version < (3, 12):
        return  # ufuncs are not reported: np.add(a, b) is in the function around it
    # By what these functions called: NumPy's functions and operators, and what was waited for. Python code is the rest.
    calls = [row for row in report["c_calls"] if not row["name"].startswith("(")]
    # The share of Python code grows when the machine is slow.
    assert sum(row["self_ns"] for row in calls) + links.get("gc_ns", 0) >= 0.85 * links["recorded_ns"]
    lines = [row for row in calls if row["caller_file"] and row["caller_file"].startswith(str(HEAT.parent))]
    assert {"numpy.add", "numpy.multiply"} <= {row["name"] for row in lines}
    assert any(row["name"].startswith("numpy.ndarray.__") for row in lines)
