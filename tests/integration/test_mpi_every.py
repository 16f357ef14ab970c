"""Every function of MPI that two ranks can call, with the library itself: results are as without PInsight, and each
call is in the trace."""
import collections
import re

from support import mpi, places
from support.traces import events

# What the program does not call, by name, and why.
NOT_CALLED = [
    (r"_c$", "the forms with large counts: mpi4py's own tests call them with MPICH (test_mpi4py_suite.py)"),
    (r"_init$", "persistent collective operations: MPICH 4.0 hangs in them on two ranks, without PInsight; mpi4py's "
                "own tests call those with large counts"),
    (r"^(Psend|Precv)_init$|^Pready|^Parrived$", "partitioned messages: mpi4py's own tests call them"),
    (r"^(Comm|Cart|Graph|Dist_graph|Intercomm)_", "communicators: test_mpi_domain.py and mpi4py's own tests call them"),
    (r"^Comm_(spawn|spawn_multiple|accept|connect|join)$", "they need processes that are started meanwhile"),
    (r"^((Open|Close)_port|(Publish|Unpublish|Lookup)_name)$", "they need a server of names"),
    (r"^Type_create_f90_", "the libraries are built without Fortran's kinds, or abort in them"),
    (r"^(Abort|Init_thread)$", "a program calls Abort, or Init, but once: test_mpi_domain.py and test_mpi_accounts.py"),
    (r"^Session_|_from_groups?$", "sessions: mpi4py's own tests call them, where the library has them"),
]


def test_every_function(flavour, run_command, tmp_path, capsys):
    table = places.BUILD / "generated" / "mpi" / flavour.flavour / "real_functions.h"
    if not table.exists():
        places.missing(str(table))
    wrapped = set(re.findall(r"\) (MPI_\w+);", table.read_text()))
    program = flavour.compile(places.PROGRAMS / "mpi_every.c", tmp_path / "mpi_every")
    (tmp_path / "all.ini").write_text("[MPI]\nevents = p2p, collective, completion, one_sided, io, comm, datatype, environment\n")
    result = run_command(*flavour.command(2, program, tmp_path / "file"), env=mpi.ENVIRONMENT, timeout=120,
                         options=["--domains", "mpi", "--lossless", "--no-summary", "-c", tmp_path / "all.ini"])
    assert result.rc == 0, result.stderr
    opened, called = collections.defaultdict(list), collections.Counter()
    for event in events(result.folder):
        name, _, edge = event.name.rpartition("_")
        if name.startswith("MPI_") and edge == "begin":
            opened[event.vpid].append(name)
        elif name.startswith("MPI_") and edge == "end":
            assert opened[event.vpid].pop() == name
            assert event.fields["return_value"] == 0, event
            called[name] += 1
    assert not any(opened.values())
    left = {name: [why for pattern, why in NOT_CALLED if re.search(pattern, name[len("MPI_"):])]
            for name in sorted(wrapped - set(called))}
    with capsys.disabled():
        print("\n%r: %d of %d functions were called" % (flavour, len(wrapped & set(called)), len(wrapped)))
    assert not [name for name, why in left.items() if not why], "not called, and nobody says why"
    assert set(called) <= wrapped and len(called) > 140
