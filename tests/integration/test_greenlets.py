"""Greenlets switch stacks inside a call of C, unseen by the interpreter: nothing is lost, nothing counted twice."""
import pytest

CALLS = {"ping": 1, "pong": 1, "descend": 20 * 11 + 4, "refuse": 1, "count_up": 1, "total": 1, "elsewhere": 1, "leaf": 1}


@pytest.mark.parametrize("options", [["--names", "inline"], ["--names", "registry"], ["--mode", "MONITORING"],
                                     ["--events", "function"]], ids=" ".join)
def test_greenlets(one_of_each, options, run_traced):
    result = run_traced(one_of_each, "greenlets", *options, packages=["greenlet"])
    assert result.stdout.split("\n") == ["200", "165", "refused", "[0, 1, 2, 3, 4, 10]", ""]
    report = result.report("--limit", "0")
    assert report["not_recorded"]["lost_frames"] == 0
    assert report["not_recorded"]["dropped_ends"] == 0
    calls = {function["name"]: function["calls"] for function in report["functions"]
             if function["file"].endswith("greenlets.py")}
    assert {name: calls.get(name) for name in CALLS} == CALLS
    if "MONITORING" not in options:
        result.trace.assert_balanced()
