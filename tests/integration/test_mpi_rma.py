"""One-sided communication, persistent requests and threads with a real MPI: who waited for whom, and where."""
import json
import os
import subprocess

import pytest

from support import mpi, places

SOURCE = places.PROGRAMS / "mpi_rma.c"
LINES = SOURCE.read_text().splitlines()
MS = 10**6
# What a rank that is late by 200 ms makes others wait for, whatever else the machine does at the same time.
LEAST = 20 * MS  # of the 200 that a rank sleeps: the others may be late themselves on a busy machine


def line_with(text):
    line, = [number for number, line in enumerate(LINES, 1) if "/* %s */" % text in line]
    return line


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("programs")
    return {each.flavour: each.compile(SOURCE, folder / each.flavour, "-lpthread") for each in mpi.flavours() if each.is_there}


@pytest.fixture
def told(flavour, programs, run_command):
    """told(what): the JSON of `report --mpi`, and its text, of a run of three ranks."""
    def run(what):
        result = run_command(*flavour.command(3, programs[flavour.flavour], what), env=mpi.ENVIRONMENT, timeout=120,
                             options=["--domains", "mpi", "--lossless", "--no-summary"])
        assert result.rc == 0, result.stderr
        words = [places.COMMAND, "report", "-q", "--mpi", "--limit", "0", str(result.folder)]
        env = dict(os.environ, COLUMNS="160")
        return (json.loads(subprocess.run([*words, "--format", "json"], stdout=subprocess.PIPE, check=True).stdout)["mpi"],
                subprocess.run(words, stdout=subprocess.PIPE, check=True, encoding="utf-8", env=env).stdout)
    return run


def waits_of(told):
    """{(kind, rank that waits, its function, rank that it waits for, its function): nanoseconds}"""
    sums = {}
    for row in told["wait_states"]:
        key = (row["kind"], row["suffers"]["rank"], row["suffers"]["function"], row["causes"]["rank"], row["causes"]["function"])
        sums[key] = sums.get(key, 0) + row["total_ns"]
    return sums


def test_one_sided(told):
    mpi_told, text = told("rma")
    waits = waits_of(mpi_told)
    for rank in (0, 2):
        assert waits["wait_at_create", rank, "MPI_Win_allocate", 1, "MPI_Win_allocate"] >= LEAST
    for rank in (0, 1):
        assert waits["wait_at_fence", rank, "MPI_Win_fence", 2, "MPI_Win_fence"] >= LEAST
    for rank in (1, 2):
        assert waits["wait_at_free", rank, "MPI_Win_free", 0, "MPI_Win_free"] >= LEAST
        # A library waits in MPI_Win_start, at the access or in MPI_Win_complete; rank 2 sleeps before that.
        posts = {key: ns for key, ns in waits.items() if key[0] == "late_post" and key[1] == rank}
        assert all(key[3:] == (0, "MPI_Win_post") for key in posts)
        assert rank == 2 or sum(posts.values()) >= LEAST
    if any(key[0] == "late_post" and key[2] == "MPI_Win_start" for key in waits):  # else rank 2 has slept before the post
        assert waits["late_complete", 0, "MPI_Win_wait", 2, "MPI_Win_complete"] >= LEAST
    contention = {key: ns for key, ns in waits.items() if key[0] == "lock_contention"}
    assert sum(ns for key, ns in contention.items() if (key[1], key[3]) == (2, 1)) >= LEAST // 2
    assert all(key[4] == "MPI_Win_unlock" for key in contention)
    # Waiting is part of the time in MPI, and of the kinds.
    assert mpi_told["wait_ns"] == {kind: sum(ns for key, ns in waits.items() if key[0] == kind) for kind in mpi_told["wait_ns"]}
    assert mpi_told["matching"]["misaligned_collectives"] == mpi_told["matching"]["incomplete_collectives"] == 0
    for rank in mpi_told["ranks"]:
        assert LEAST <= rank["wait_ns"] <= rank["mpi_ns"]
    for words in ("wait at fence", "wait at create", "wait at free", "late post", "lock contention"):
        assert words in text
    # Ranks of a busy machine come late to other fences, too.
    lines = {row["causes"]["native_line"] for row in mpi_told["wait_states"] if row["kind"] == "wait_at_fence" and
             row["total_ns"] >= LEAST}
    assert line_with("fence") in lines or lines == {None}


def test_persistent_requests(told):
    mpi_told, _ = told("persistent")
    waits = waits_of(mpi_told)
    assert waits["late_sender", 1, "MPI_Wait", 0, "MPI_Start"] >= LEAST
    assert not [key for key in waits if "MPI_Send_init" in key]
    assert all(row["calls"] for row in mpi_told["lines"])
    sent = {row["name"]: row["sent_bytes"] for row in mpi_told["functions"]}
    assert (sent["MPI_Start"], sent["MPI_Send_init"]) == (8, 0)


def test_threads_that_communicate(told):
    mpi_told, text = told("threads")
    if not any(row["name"] == "MPI_Recv" for row in mpi_told["functions"]):
        pytest.skip("this MPI gives no MPI_THREAD_MULTIPLE")
    rank = mpi_told["ranks"][1]
    assert rank["by_other_threads"] and rank["mpi_ns"] == rank["other_threads_ns"] >= rank["wait_ns"] >= LEAST
    assert mpi_told["efficiency"]["parallel"] < 1
    assert "other threads" in text
