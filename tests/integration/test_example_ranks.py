"""The example that reads a dataset of many ranks with Dask: its answers are those of the generator."""
import json
import subprocess

import pytest

from support import places
from test_data import newest_with_wheels

MANY = places.module(places.TESTS / "tools" / "many_ranks.py")


@pytest.mark.wheel
@pytest.mark.parametrize("ranks", [120, pytest.param(1000, marks=pytest.mark.long)])
def test_answers_of_dask(tmp_path, ranks):
    python = newest_with_wheels().with_packages("dask", "distributed", "pandas", "pyarrow")
    job = MANY.ManyRanks(tmp_path / "job", ranks, steps=5).write()
    subprocess.run([places.COMMAND, "export", "-q", "--to", "parquet-dataset", "-o", tmp_path / "job.dataset", job.folder], check=True)
    told = subprocess.run([python, places.ROOT / "examples" / "ranks" / "ranks.py", "--json", tmp_path / "job.dataset"], check=True,
                          stdout=subprocess.PIPE, encoding="utf-8", cwd=tmp_path).stdout
    answer = json.loads(told)
    assert (answer["ranks"], answer["messages"]) == (ranks, len(job.messages))
    assert answer["waited_in_collectives_ns"] == {str(rank): ns for rank, ns in enumerate(job.reduced)}
    assert answer["waited_for_senders_ns"] == {str(rank): ns for rank, ns in enumerate(job.late)}
    (solve,) = [row for row in answer["functions"] if row["name"] == "solve"]
    assert (solve["slowest_rank"], solve["most_ns"]) == (job.slow_rank, max(job.solved))
    assert solve["mean_ns"] == pytest.approx(sum(job.solved) / ranks)
    assert answer["functions"][0]["name"] == "pack" and answer["functions"][0]["slowest_rank"] == job.late_rank
    assert next(iter(answer["waits_for_collectives"])) == str(job.slow_rank)
    assert next(iter(answer["waits_for_senders"])) == str(job.late_rank)
    assert len(answer["workers_mib"]) == 2
