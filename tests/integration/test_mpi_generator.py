"""The wrappers of MPI are made for the header that is there, also where that is newer than the table."""
from support import places

DOMAIN = places.ROOT / "src" / "tracer" / "mpi"
# As MPICH 4.2 has the first, and MPICH 4.0; a header may also have a const less than the table, and no names.
HEADER = """
int MPI_Pready_list(int length, %sint array_of_partitions[], MPI_Request request) __attribute__((x(1, 2)));
int MPI_Send(%s, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);
int MPI_Brand_new(int thing);
"""


def test_const_is_the_headers(tmp_path):
    module = places.module(DOMAIN / "generate.py")
    for number, (one, other) in enumerate((("const ", "const void *buf"), ("", "void *buf"))):
        functions = module.mpi.load(DOMAIN / "functions.txt")
        module.wrappers(functions, tmp_path / str(number), "some", HEADER % (one, other))
        made = (tmp_path / str(number) / "some" / "wrappers.c").read_text()
        assert "(int length, %sint array_of_partitions[], MPI_Request request)" % one in made
        assert "wrap_MPI_Send(%s, int count" % other in made
        assert made.count("static int wrap_MPI_") == 2
        assert "MPI_Brand_new" in (tmp_path / str(number) / "some" / "not-wrapped.txt").read_text()
