"""The thread state without a call is the one that the API returns, in each thread.

    thread_state.py FOLDER    FOLDER has the module
"""
import sys
import threading

sys.path.insert(0, sys.argv[1])
import pinsight_thread_state as state  # noqa: E402

THREADS = 8
found = []


def look():
    found.append(state.is_found() and all(state.agrees() for _ in range(1000)))


look()
threads = [threading.Thread(target=look) for _ in range(THREADS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert state.agrees() and found == [True] * (THREADS + 1), found
assert state.mislead() and not state.is_found()
