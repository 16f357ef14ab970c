"""MPI that a Python program calls, in each Python: the calls, and the lines that made them."""
import os

from support import mpi
from support.traces import events

# Through the names of the process, as an extension has them: those of the library itself are not PInsight's.
PROGRAM = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL)
names = ctypes.CDLL(None)
try:
    world = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(library, "ompi_mpi_comm_world")))
except ValueError:
    world = ctypes.c_int(0x44000000)
def meets():
    names.MPI_Barrier(world)
names.MPI_Init(None, None)
for _ in range(5):
    meets()
names.MPI_Finalize()
"""


def test_calls_and_their_lines(python, flavour, run_traced, tmp_path):
    result = run_traced(python, PROGRAM, "--domains", "python,mpi", "--lossless", "--no-summary", file="meets.py",
                        arguments=[flavour.library()], env=mpi.ENVIRONMENT)
    recorded = list(events(result.folder))
    barriers = [event.fields["py_path"] for event in recorded if event.name == "MPI_Barrier_begin"]
    assert len(barriers) == sum(event.name == "MPI_Barrier_end" for event in recorded) == 5
    (path,) = set(barriers)
    (info,) = [event.fields for event in recorded if event.name == "path_info" and event.fields["path"] == path]
    (code,) = [event.fields for event in recorded if event.name == "code_info" and event.fields["code"] == info["code"]]
    assert (code["qualname"], os.path.basename(code["filename"]), info["lineno"]) == ("meets", "meets.py", 10)
