"""Which ranks have more work than others, and which ranks do the others wait for? Reads a dataset of Parquet with Dask.

    pinsight export --to parquet-dataset -o job.dataset trace
    python3 ranks.py job.dataset                                  # two workers on this machine
    python3 ranks.py job.dataset --scheduler tcp://node0:8786     # a cluster that sees the folder
"""
import argparse
import glob
import json
import os
import resource
import time

import dask
import dask.dataframe as dd
import pandas as pd
from dask.distributed import Client

RANKS_PER_TASK = 50
COLUMNS = ["category", "name", "begin_ns", "duration_ns", "self_ns", "peer", "tag"]
COLLECTIVES = ["MPI_Allreduce", "MPI_Barrier", "MPI_Alltoall", "MPI_Allgather"]  # in which each rank waits for the last one


def read_ranks(folders):
    """The slices of some ranks: Python functions, and calls of MPI with their number among equal calls of the rank."""
    frames = []
    for folder in folders:
        frame = pd.read_parquet(folder, columns=COLUMNS, filters=[("category", "in", ["python", "mpi"])])
        frame["rank"] = int(folder.rsplit("rank=", 1)[1])
        frame = frame.sort_values("begin_ns")
        frame["number"] = frame.groupby(["name", "peer", "tag"]).cumcount()
        frames.append(frame.astype({"category": "string", "name": "string", "rank": "int64", "peer": "int64", "number": "int64"}))
    return pd.concat(frames, ignore_index=True)


def uneven(slices):
    """The functions whose time differs most between ranks."""
    by_rank = slices[slices.category == "python"].groupby(["name", "rank"]).self_ns.sum().compute().unstack("rank", fill_value=0)
    return pd.DataFrame({"mean_ns": by_rank.mean(axis=1), "most_ns": by_rank.max(axis=1), "slowest_rank": by_rank.idxmax(axis=1)}).assign(
        imbalance=lambda row: row.most_ns / row.mean_ns - 1).sort_values("imbalance", ascending=False)


def waits_in_collectives(slices):
    """The time that each rank waits for the last one, for collective operations of all ranks (MPI_COMM_WORLD)."""
    calls = slices[slices.name.isin(COLLECTIVES)][["name", "number", "rank", "begin_ns"]].compute().reset_index(drop=True)
    last = calls.loc[calls.groupby(["name", "number"]).begin_ns.idxmax()].rename(columns={"rank": "for_rank", "begin_ns": "last_ns"})
    calls = calls.merge(last, on=["name", "number"])
    return calls.assign(waited_ns=calls.last_ns - calls.begin_ns)


def waits_for_senders(slices):
    """The time that each receive waits until its message is sent. Messages of a pair with a tag arrive in their order."""
    sends = slices[slices.name == "MPI_Send"][["rank", "peer", "tag", "number", "begin_ns"]].rename(
        columns={"rank": "from_rank", "peer": "to_rank", "begin_ns": "sent_ns"})
    receives = slices[slices.name == "MPI_Recv"][["rank", "peer", "tag", "number", "begin_ns", "duration_ns"]].rename(
        columns={"rank": "to_rank", "peer": "from_rank"})
    both = receives.merge(sends, on=["from_rank", "to_rank", "tag", "number"]).compute()
    end = both[["sent_ns"]].assign(end_ns=both.begin_ns + both.duration_ns).min(axis=1)
    return both.assign(waited_ns=(end - both.begin_ns).clip(lower=0))


def analyse(folder, client):
    ranks = sorted(glob.glob(os.path.join(folder, "host=*", "rank=*")), key=lambda path: int(path.rsplit("=", 1)[1]))
    ranks = [path for path in ranks if not path.endswith("rank=-1")]
    batches = [ranks[at:at + RANKS_PER_TASK] for at in range(0, len(ranks), RANKS_PER_TASK)]
    slices = dd.from_map(read_ranks, batches, meta=read_ranks(ranks[:1]).iloc[:0]).persist()
    functions, collectives, senders = uneven(slices), waits_in_collectives(slices), waits_for_senders(slices)
    return {
        "ranks": len(ranks), "messages": len(senders), "functions": functions.reset_index().to_dict("records"),
        "waited_in_collectives_ns": collectives.groupby("rank").waited_ns.sum().to_dict(),
        "waited_for_senders_ns": senders.groupby("to_rank").waited_ns.sum().to_dict(),
        "waits_for_collectives": collectives.groupby("for_rank").waited_ns.sum().nlargest(5).to_dict(),
        "waits_for_senders": senders.groupby("from_rank").waited_ns.sum().nlargest(5).to_dict(),
        "workers_mib": sorted(client.run(lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024).values())}


def show(answer, seconds):
    print("%d ranks, %d messages, %.1f s, workers of %s MiB\n" % (
        answer["ranks"], answer["messages"], seconds, " and ".join(map(str, answer["workers_mib"]))))
    print("Python functions, most uneven first\n  imbalance      mean      most  rank  function")
    for row in answer["functions"][:5]:
        print("  %7.1f %%  %5.1f ms  %5.1f ms  %4d  %s" % (
            100 * row["imbalance"], row["mean_ns"] / 1e6, row["most_ns"] / 1e6, row["slowest_rank"], row["name"]))
    for key, title in ("waits_for_collectives", "Collective operations wait for"), ("waits_for_senders", "Receives wait for messages of"):
        print("\n%s\n    waited  rank" % title)
        for rank, ns in answer[key].items():
            print("  %7.2f s  %4d" % (ns / 1e9, rank) if ns >= 10**9 else "  %6.1f ms  %4d" % (ns / 1e6, rank))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dataset")
    parser.add_argument("--scheduler", help="address of a Dask scheduler; without it, two workers are started here")
    parser.add_argument("--json", action="store_true", help="all numbers, for programs")
    words = parser.parse_args()
    dask.config.set({"dataframe.convert-string": False, "dataframe.shuffle.method": "tasks"})
    how = {"address": words.scheduler} if words.scheduler else {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with Client(**how) as client:
        begin = time.monotonic()
        answer = analyse(os.path.abspath(words.dataset), client)
        print(json.dumps(answer)) if words.json else show(answer, time.monotonic() - begin)


if __name__ == "__main__":
    main()
