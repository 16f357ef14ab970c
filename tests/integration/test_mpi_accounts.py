"""Programs that keep an account of their messages, collective operations and requests, against their traces."""
import collections
import json
import re
import subprocess

import pytest

from support import mpi, mpi4py_source, places
from support.pythons import pythons
from support.traces import events

pytestmark = pytest.mark.timed

OPTIONS = ["--domains", "mpi", "--no-summary", "--lossless"]
IN_C = ["ring", "halo", "master", "probe", "mix", "inter", "split", "cancel", "overlap", "threads", "neighbours"]
IN_PYTHON = ["objects", "arrays", "persistent"]
RANKS = 3
CALL = re.compile(r"(MPI_\w+)_(begin|end)$")
MAKES_A_COMM = re.compile(r"MPI_(I?Comm_|Cart_|Dist_graph_|Intercomm_)")


def each(names):
    """Each with one flavour in every run of the tests, and with the other in long ones."""
    flavours = mpi.flavours()
    pairs = [(flavour, name, at % 2 == other) for at, name in enumerate(names) for other, flavour in enumerate(flavours)]
    return pytest.mark.parametrize("flavour, name", [
        pytest.param(flavour, name, id="%r-%s" % (flavour, name), marks=[] if always else pytest.mark.long)
        for flavour, name, always in pairs], indirect=["flavour"])


@pytest.fixture(scope="module")
def program(flavour, tmp_path_factory):
    folder = tmp_path_factory.mktemp(repr(flavour))
    return flavour.compile(places.PROGRAMS / "mpi_accounts.c", folder / "mpi_accounts", "-lpthread")


class Recorded:
    """What a trace says of the same: of each rank a Counter, with lines as the accounts have them.

    MPI_I... and MPI_..._c are one with the functions whose forms they are, where a name is of messages.
    """

    def __init__(self, folder):
        self.all = list(events(folder))
        self.rank_of = {event.vpid: event.fields["rank"] for event in self.all if event.name == "mpi_info"}
        self.comms = {(event.vpid, event.fields["comm"]): event.fields for event in self.all if event.name == "comm_info"}
        self.of_rank = collections.defaultdict(collections.Counter)
        self.together = collections.defaultdict(lambda: collections.defaultdict(list))
        self.open, self.probed = {}, {}
        self.requests = {}  # (vpid, number): (function, fields of its begin)
        for event in self.all:
            match = CALL.match(event.name)
            if match and match.group(2) == "begin":
                self.begin(event, match.group(1))
            elif match:
                self.end(event, *self.open.pop((event.vpid, event.vtid)))
            elif event.name == "request_start":
                self.start(event.vpid, event.fields["request"])
            elif event.name == "request_complete":
                self.complete(event)

    def note(self, vpid, *words):
        self.of_rank[self.rank_of[vpid]][" ".join(map(str, words))] += 1

    def world_rank(self, vpid, comm, rank):
        """A rank in a communicator, in the other group where there are two."""
        ranks = []
        for part in self.comms[vpid, comm]["ranks"].split("|")[-1].split(","):
            first, _, last = part.partition("-")
            ranks += range(int(first), int(last or first) + 1)
        return ranks[rank]

    def message(self, what, vpid, fields, other, tag, size):
        if other < 0:
            return
        me, comm = self.rank_of[vpid], fields["comm"]
        other = self.world_rank(vpid, comm, other)
        ends = (me, other) if what == "sent" else (other, me)
        self.note(vpid, what, self.comms[vpid, comm]["name"], *ends, tag, size)

    def begin(self, event, name):
        fields, vpid = event.fields, event.vpid
        self.open[vpid, event.vtid] = name, fields
        if "dest" in fields and "_init" not in name:
            self.message("sent", vpid, fields, fields["dest"], fields["tag"], fields["bytes"])
        elif name == "MPI_Start":
            self.start(vpid, fields["request"])
        elif "comm" in fields and not MAKES_A_COMM.match(name) and not {"dest", "source"} & set(fields):
            comm = self.comms[vpid, fields["comm"]]
            self.note(vpid, "collective", comm["name"], name.replace("_c", ""))
            self.together[comm["context"]][vpid].append(name)

    def start(self, vpid, number):
        name, fields = self.requests[vpid, number]
        self.note(vpid, "started")
        if "dest" in fields:
            self.message("sent", vpid, fields, fields["dest"], fields["tag"], fields["bytes"])

    def end(self, event, name, fields):
        vpid, told = event.vpid, event.fields
        assert told["return_value"] == 0
        if "probe" in name and "_I" not in name and told.get("flag", 1):
            self.probed[vpid, event.vtid] = fields
        if MAKES_A_COMM.match(name):
            return
        if re.match("MPI_I?mrecv", name, re.I):
            fields = dict(fields, comm=self.probed[vpid, event.vtid]["comm"])
        if told.get("request"):
            self.requests[vpid, told["request"]] = name, fields
            if "_init" not in name:
                self.note(vpid, "started")
        elif "recv" in name.lower():
            self.message("received", vpid, fields, told["source"], told["tag"], told["bytes"])

    def complete(self, event):
        told, vpid = event.fields, event.vpid
        name, fields = self.requests[vpid, told["request"]]
        self.note(vpid, "completed")
        if "recv" in name.lower() and not told["cancelled"]:
            self.message("received", vpid, fields, told["source"], told["tag"], told["bytes"])


def compare(result, tmp_path):
    recorded = Recorded(result.folder)
    every = collections.Counter()
    for rank in range(RANKS):
        account = collections.Counter((tmp_path / ("account.%d" % rank)).read_text().splitlines())
        assert recorded.of_rank[rank] == account, "rank %d" % rank
        every += account
    directions = {what: collections.Counter({line[len(what):]: count for line, count in every.items()
                                             if line.startswith(what)}) for what in ("sent", "received")}
    assert directions["sent"] == directions["received"]
    assert every["started"] == every["completed"]
    for of_rank in recorded.together.values():
        first, *others = of_rank.values()
        assert all(other == first for other in others)
    told = subprocess.run([places.COMMAND, "report", "-q", "--mpi", "--format", "json", str(result.folder)],
                          stdout=subprocess.PIPE, check=True)
    matching = json.loads(told.stdout)["mpi"]["matching"]
    assert matching["sends"] == matching["receives"] == matching["matched"] == sum(directions["sent"].values())
    assert not matching["byte_mismatches"] and not matching["misaligned_collectives"]
    assert matching["requests_started"] == matching["requests_completed"] == every["started"]


@each(IN_C)
def test_in_c(name, flavour, program, run_command, tmp_path):
    result = run_command(*flavour.command(RANKS, program, name), options=OPTIONS, env=mpi.ENVIRONMENT, timeout=180)
    assert result.rc == 0, result.stderr
    compare(result, tmp_path)


@each(IN_PYTHON)
def test_in_python(name, flavour, run_command, tmp_path):
    path = pythons()[-1].with_packages(*mpi4py_source.PACKAGES)
    env = dict(mpi.ENVIRONMENT, **mpi4py_source.environment(flavour, tmp_path / "lib"))
    words = flavour.command(RANKS, path, places.PROGRAMS / "mpi_accounts.py", name)
    result = run_command(*words, options=OPTIONS, env=env, timeout=180)
    assert result.rc == 0, result.stderr
    compare(result, tmp_path)
