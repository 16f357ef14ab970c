"""`pinsight pack`: the streams of each host in one file. Every verb reads the same from it, any program for tar can make and take
apart such a file, and of a damaged one everything that is there is read."""
import io
import os
import re
import shutil
import subprocess
import tarfile

import pytest

from support import places, world
from support.counted import make_another, run, stream_folder
from test_damaged_files import CALLS, calls, original, packets, read, streams, trace  # noqa: F401

MANY = places.module(places.TESTS / "tools" / "many_ranks.py")
ARCHIVE = ".packed.tar"
VIEWS = (["report"], ["report", "--tree"], ["report", "--by", "thread"], ["report", "--format", "json", "--limit", "0"], ["dump"],
         ["report", "--mpi", "--limit", "0"])
FORMS = ("csv", "chrome", "folded", "parquet")


def pack(*folders, status=0):
    done = subprocess.run([places.COMMAND, "pack", *map(str, folders)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding="utf-8", timeout=60)
    assert (done.returncode, done.stdout) == (status, ""), done
    return done.stderr


def told(folder, out, forms=FORMS):
    """What every view says of a trace, and each file of the exports."""
    found = {}
    for words in VIEWS:
        done = subprocess.run([places.COMMAND, *words, str(folder)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env=dict(os.environ, COLUMNS="120", LC_ALL="C.UTF-8"))
        assert done.returncode == 0, done.stderr
        found[" ".join(words)] = (done.stdout, done.stderr)
    for form in forms:
        to = out / form
        subprocess.check_call([places.COMMAND, "export", "-q", "--to", form, "-o", str(to), str(folder)], stdin=subprocess.DEVNULL)
        for path in sorted(to.rglob("*")) if to.is_dir() else [to]:
            if path.is_file():
                found[str(path.relative_to(out))] = path.read_bytes()
        shutil.rmtree(str(to)) if to.is_dir() else to.unlink()
    return found


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name[0] != "." and path.name != "metadata"}


def members(archive):
    with tarfile.open(str(archive)) as opened:
        return {member.name: opened.extractfile(member).read() for member in opened}


def pack_by_tarfile(folder):
    """As another program would pack, with ./ before the names."""
    with tarfile.open(str(folder / ARCHIVE), "w", format=tarfile.GNU_FORMAT) as archive:
        for name, data in contents(folder).items():
            member = tarfile.TarInfo("./" + name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
            (folder / name).unlink()


def test_two_hosts_say_the_same(tmp_path):
    done, trace = run(tmp_path, "import threading\nthread = threading.Thread(target=work, args=(0, 20000))\nthread.start()\n"
                                "work(1, 30000)\nthread.join()")
    assert done.returncode == 0, done.stderr
    here = stream_folder(trace)
    there = trace / "trace" / "other"
    shutil.copytree(str(here), str(there))
    make_another(there)
    before, files = told(trace, tmp_path), {folder: contents(folder) for folder in (here, there)}
    assert max(map(len, files[here].values())) > 128 * 1024  # which is mapped, and not copied
    said = pack(trace)
    assert said.count(" streams in one file, .packed.tar (") == 2
    assert all(sorted(path.name for path in folder.iterdir()) == [".control", ARCHIVE, ".streams", "metadata"] for folder in files)
    assert all(members(folder / ARCHIVE) == data for folder, data in files.items())
    assert told(trace, tmp_path) == before
    assert pack(trace).count("is packed already") == 2
    assert told(trace, tmp_path) == before


def test_many_ranks_in_archives_of_another_program(tmp_path):
    job = MANY.ManyRanks(tmp_path / "job", 200, steps=2, ranks_per_host=20).write()
    before = told(job.folder, tmp_path, ["csv"])
    hosts = sorted({path.parent for path in job.folder.rglob("metadata")})
    for host in hosts:
        pack_by_tarfile(host)
    assert len(hosts) == 10 and sum(path.is_file() for path in job.folder.rglob("*")) <= 2 * len(hosts) + 1
    assert told(job.folder, tmp_path, ["csv"]) == before


def test_files_again(trace, tmp_path):  # noqa: F811
    """tar makes the files again. A file replaces its member, and is packed with the others."""
    host, before = stream_folder(trace), contents(stream_folder(trace))
    pack(trace)
    subprocess.check_call(["tar", "-xf", ARCHIVE], cwd=str(host))
    assert contents(host) == before
    assert read(trace, 0)[1] == "" and calls(read(trace, 0)[0]) == CALLS
    for name in sorted(before)[1:]:
        (host / name).unlink()
    assert calls(read(trace, 0)[0]) == CALLS
    pack(trace)
    assert contents(host) == {} and members(host / ARCHIVE) == before
    subprocess.check_call(["tar", "-xf", ARCHIVE], cwd=str(host))
    (host / ARCHIVE).unlink()
    assert calls(read(trace, 0)[0]) == CALLS


def test_an_interrupted_packing(trace):  # noqa: F811
    """A part of an archive, and then an archive whose files were not removed yet."""
    host, before = stream_folder(trace), contents(stream_folder(trace))
    (host / (ARCHIVE + ".new")).write_bytes(b"a part")
    assert calls(read(trace, 0)[0]) == CALLS
    pack(trace)
    for name, data in before.items():
        (host / name).write_bytes(data)
    assert calls(read(trace, 0)[0]) == CALLS and read(trace, 0)[1] == ""
    pack(trace)
    assert contents(host) == {} and members(host / ARCHIVE) == before
    assert sorted(path.name for path in host.iterdir()) == [".control", ARCHIVE, ".streams", "metadata"]


def places_of(archive):
    with tarfile.open(str(archive)) as opened:
        return [(member.name, member.offset, member.offset_data, member.size) for member in opened]


def test_cut_off(trace):  # noqa: F811
    """What stands before the end is there, as if each stream's file had been cut there; the rest is said."""
    host = stream_folder(trace)
    shutil.copytree(str(trace), str(trace.parent / "files"))
    pack(trace)
    archive, data = host / ARCHIVE, (host / ARCHIVE).read_bytes()
    ends = [end for _, head, at, size in places_of(archive) for end in (head, head + 100, at, at + 1, at + size // 2, at + size)]
    for end in sorted(set(ends), reverse=True):
        archive.write_bytes(data[:end])
        shutil.rmtree(str(trace.parent / "cut"), ignore_errors=True)
        shutil.copytree(str(trace.parent / "files"), str(trace.parent / "cut"))
        for name, _, at, size in places_of_all(data):
            path = stream_folder(trace.parent / "cut") / name
            if at >= end:
                path.unlink()
            elif at + size > end:
                os.truncate(str(path), end - at)
        found, said = read(trace)
        assert ("%s is damaged or cut off, from byte " % archive) in said or "its streams are missing" in said, end
        assert calls(found) == calls(read(trace.parent / "cut")[0]), end


def places_of_all(data):
    with tarfile.open(fileobj=io.BytesIO(data)) as opened:
        return [(member.name, member.offset, member.offset_data, member.size) for member in opened]


def test_a_damaged_head(trace):  # noqa: F811
    """The other streams are found. That of the head is missing, and that is said."""
    pack(trace)
    archive = stream_folder(trace) / ARCHIVE
    data = bytearray(archive.read_bytes())
    name, head, *_ = places_of(archive)[0]
    data[head + 130] ^= 1
    archive.write_bytes(bytes(data))
    found, said = read(trace)
    assert 0 < calls(found) < CALLS
    assert "%s is damaged or cut off, from byte %d on" % (archive, head) in said
    assert re.search("%s/%s is missing" % (re.escape(str(archive.parent)), name), said)
    (archive.parent / "1-1-0").write_bytes(b"a file")
    assert "%s is not packed: its .packed.tar is damaged" % archive.parent in pack(trace, status=1)
    assert archive.read_bytes() == bytes(data) and (archive.parent / "1-1-0").read_bytes() == b"a file"


@pytest.mark.parametrize("name", ["metadata", ".control", "../away", "/tmp/away", ".streams", "a/b"])
def test_members_that_are_no_streams(name, trace):  # noqa: F811
    pack(trace)
    archive = stream_folder(trace) / ARCHIVE
    with tarfile.open(str(archive), "a") as opened:
        member = tarfile.TarInfo(name)
        member.size = 5
        opened.addfile(member, io.BytesIO(b"other"))
    found, said = read(trace, 0)
    assert (calls(found), said) == (CALLS, "")


def test_not_while_a_process_records(tmp_path):
    program = "import os, time\nopen('began', 'w').close()\nwhile not os.path.exists('go'): time.sleep(0.01)"
    words = run(tmp_path, program, options=("-q", "--no-summary"), only=True)
    running = subprocess.Popen(words, cwd=str(tmp_path))
    try:
        assert world.wait_until((tmp_path / "began").exists, 20)
        folder = tmp_path / "trace"
        before = sorted(os.listdir(str(stream_folder(folder))))
        assert "is not packed: a process still records into it" in pack(folder, status=1)
        assert sorted(os.listdir(str(stream_folder(folder)))) == before
    finally:
        (tmp_path / "go").touch()
        running.wait()
    assert running.returncode == 0
    assert " in one file, " in pack(folder)


def test_not_a_trace_of_the_file_recorder(tmp_path):
    job = MANY.ManyRanks(tmp_path / "job", 2, steps=1).write()
    assert "is not packed: the file recorder did not write it" in pack(job.folder, status=1)
    assert "there is no folder" in pack(tmp_path / "none", status=1)
    assert "pack needs the folder of a trace" in pack(status=2)
