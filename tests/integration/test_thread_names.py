"""The names of a program's threads, also where it starts hundreds of them."""

POOL = """
import threading
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(200, thread_name_prefix="pool") as pool:
    gate = threading.Lock()
    with gate:
        for _ in range(200):
            pool.submit(lambda: gate.acquire() and gate.release())
"""


def test_a_large_pool(one_of_each, run_traced):
    rows = run_traced(one_of_each, POOL).report("--limit", "0")["threads"]
    assert sorted(row["name"] for row in rows) == sorted(["MainThread", *("pool_%d" % number for number in range(200))])
