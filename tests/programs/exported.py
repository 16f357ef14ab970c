"""What an export has to show: functions in functions, generators, names of all kinds, C calls, OpenMP by ctypes
(arguments: its library, or -), and MPI where mpi4py is there: messages of all kinds and collective operations.
"""
import ctypes
import sys
import threading


def leaf(n):
    return sum(range(n))


def recursing(n):
    return leaf(20) + recursing(n - 1) if n else 0


def generating(n):
    for i in range(n):
        yield leaf(i)


def named(name):
    def function():
        return leaf(3)
    function.__code__ = function.__code__.replace(co_name=name, **(
        {"co_qualname": name} if sys.version_info >= (3, 11) else {}))
    return function


def python():
    recursing(5)
    list(generating(4))
    for name in ('a, "quoted" name', "two\nlines", "Umläute ß 雪", "tab\tand ; semicolon"):
        named(name)()


def native(path):
    assert ctypes.CDLL(path).run_program(1, (ctypes.c_char_p * 2)(b"program", None)) == 0


def messages(MPI):
    world = MPI.COMM_WORLD
    rank, size = world.Get_rank(), world.Get_size()
    right, left = (rank + 1) % size, (rank - 1) % size
    data, got = bytearray(1000), bytearray(1000)
    for tag in range(3):
        world.Sendrecv(data, right, tag, got, left, tag)
    requests = [world.Irecv(got, MPI.ANY_SOURCE, 7), world.Isend(data, right, 7)]
    MPI.Request.Waitall(requests)
    send, receive = world.Send_init(data, right, 8), world.Recv_init(got, left, 8)
    for _ in range(2):
        receive.Start()
        MPI.Prequest.Startall([send])
        MPI.Request.Waitall([send, receive])
    send.Free()
    receive.Free()
    if rank == 0:
        world.send({"some": "object"}, dest=1, tag=9)
    elif rank == 1:
        world.recv(source=0, tag=9)  # mpi4py probes with MPI_Mprobe and receives with MPI_Mrecv
    half = world.Split(rank % 2, rank)
    half.Set_name("half")
    half.Allreduce(MPI.IN_PLACE, [bytearray(8), MPI.INT])
    half.Free()
    world.Bcast(data, root=size - 1)
    request = world.Ibarrier()
    request.Wait()
    all_of_them = bytearray(1000 * size) if rank == 0 else None
    world.Gather(data, all_of_them, root=0)
    MPI.COMM_SELF.Barrier()
    world.Barrier()


def main(library="-", with_mpi="-"):
    python()
    others = [threading.Thread(target=recursing, args=(3,), name="other %d" % i) for i in range(2)]
    for one in others:
        one.start()
    for one in others:
        one.join()
    if library != "-":
        native(library)
    if with_mpi != "-":
        from mpi4py import MPI
        messages(MPI)


if __name__ == "__main__":
    main(*sys.argv[1:])
