"""Hashes in processes. The fault: each of the processes starts a pool of threads of its own, so that many threads share
few processors."""
import hashlib
import os
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor


def hash_block(block):
    return hashlib.pbkdf2_hmac("sha256", block, b"salt", 50000)


def hash_file(number):
    blocks = [b"%d %d" % (number, i) for i in range(16)]
    with ThreadPoolExecutor(8) as threads:
        return len(list(threads.map(hash_block, blocks)))


def main():
    files = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    with ProcessPoolExecutor(2 * len(os.sched_getaffinity(0))) as processes:
        print(sum(processes.map(hash_file, range(files))))


if __name__ == "__main__":
    main()
