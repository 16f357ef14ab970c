"""A thread that writes snapshots of the field while the computation goes on."""

import os
import queue
import threading

import numpy as np

_STOP = object()


class SnapshotWriter(threading.Thread):
    """Takes (name, field) from a queue and writes each in two forms.

    NAME.npy is the whole field; NAME.txt a coarse table that a person can read.
    """

    def __init__(self, folder, coarse=16):
        super().__init__(name="snapshot-writer")
        self.folder = folder
        self.coarse = coarse
        self.written = 0
        self.failure = None
        self.pending = queue.Queue(maxsize=4)

    def submit(self, name, field):
        """Queues a copy of `field`; waits while four are waiting already."""
        self.pending.put((name, field.copy()))

    def close(self):
        """Waits for what is queued, and raises what went wrong in the thread."""
        self.pending.put(_STOP)
        self.join()
        if self.failure is not None:
            raise self.failure

    def run(self):
        while True:
            item = self.pending.get()
            if item is _STOP:
                return
            if self.failure is None:
                self.write(*item)

    def write(self, name, field):
        path = os.path.join(self.folder, name)
        try:
            np.save(path + ".npy", field)
            self.write_table(path + ".txt", field)
            self.written += 1
        except OSError as error:
            self.failure = error

    def write_table(self, path, field):
        stride = max(1, field.shape[0] // self.coarse)
        np.savetxt(path, field[::stride, ::stride], fmt="%8.5f")
