"""What *Not recorded* says, of made traces: one, and several."""
import os
import subprocess

import pytest

from support import made, places


def notices(folder):
    done = subprocess.run([places.COMMAND, "report", "-q", str(folder)], stdout=subprocess.PIPE, check=True, encoding="utf-8",
                          env=dict(os.environ, COLUMNS="200", LC_ALL="C.UTF-8"))
    return [line.strip() for line in done.stdout.split("Not recorded\n")[1].splitlines()]


@pytest.mark.parametrize("count, said", [(0, None), (1, "1 process recorded no event."), (2, "2 processes recorded no event.")])
def test_processes_without_events(count, said, tmp_path):
    trace = made.Trace(tmp_path / "trace")
    process = trace.process(70)
    process.code(1, "f", "/app.py", 1)
    process.thread(70).function(1000, 2000, 1)
    for number in range(count):
        trace.process(71 + number)
    found = [line for line in notices(trace.write()) if "recorded no event" in line]
    assert found == ([said] if said else [])
