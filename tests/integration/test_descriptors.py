"""Descriptors: programs that use up all of theirs, and limits that are far from the usual."""
import pytest

EXHAUST = """
import os, resource, sys, threading
resource.setrlimit(resource.RLIMIT_NOFILE, (200, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
kept = []
try:
    while True:
        kept.append(os.open("/dev/null", os.O_RDONLY))
except OSError:
    pass
def work():
    pass
for _ in range(300):
    work()
"""

THREAD = """
thread = threading.Thread(target=work)
thread.start()
thread.join()
"""


@pytest.mark.parametrize("end", ["", THREAD], ids=["alone", "and a thread"])
def test_no_descriptor_is_left(newest, run_traced, tmp_path, end):
    """The program has used up its descriptors and keeps them: it ends as always, and its trace is whole."""
    script = tmp_path / "exhaust.py"
    script.write_text(EXHAUST + end)
    result = run_traced(newest, script)
    assert result.stderr.count("pinsight:") == 0, result.stderr
    assert result.trace.calls("work") == (301 if end else 300)
